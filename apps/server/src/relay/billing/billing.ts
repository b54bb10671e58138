import { logType, messageText } from '@sluice/contract'
import { noUsage } from '@sluice/vendors/core/no-usage'
import type { Rewrite } from '@sluice/vendors/core/rewrites'
import type { Usage } from '@sluice/vendors/core/usage'
import { reportsCost } from '@sluice/vendors/registry/cost-reporters'
import type { Hold, Ledger, Progress } from '../../ledger/ledger.ts'
import { codedText, detailWith, type LogEntry } from '../../ledger/log-entry.ts'
import { type Counts, type LineItem, quotaFor, quotaForAll } from '../../ledger/price.ts'
import type { TaskEnd } from '../../ledger/task-rows.ts'
import type { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Spent } from '../model/attempt-failure.ts'
import type { Caller, Permit } from '../model/caller.ts'
import { type Channel, modelAt } from '../model/channel.ts'
import type { ClientProtocol } from '../model/client-protocol.ts'
import type { RequestParams } from '../model/request-params.ts'
import type { Ended, RequestSpan, Telemetry } from '../model/telemetry.ts'
import type { EndReason, ResponseEnd } from '../model/upstream-response.ts'
import { countsOf } from '../pricing/billable-counts.ts'
import { detailOf, formulaOf, toolFormulaOf } from '../pricing/charge-text.ts'
import type { Prices } from '../pricing/prices.ts'
import type { ResolvedPrice } from '../pricing/resolve-price.ts'
import { type ResponseModelPrice, type ResponseUsage, responseModelPrice } from '../pricing/response-model-price.ts'
import type { TokenCounter } from '../pricing/token-counter.ts'
import { type ModelLineItem, toolLineItemsOf } from '../pricing/tool-line-items.ts'
import { countUsage, servedBy, withPieces } from './count-usage.ts'
import { causedUsage, evidenceOf, suspicionText } from './evidence.ts'
import { type FailedAttempt, withFailures } from './failed-attempts.ts'
import { judgedBy, judgeUsage } from './judge-usage.ts'
import type { OutputBudget } from './output-budget.ts'
import { createOwnCounts } from './own-counts.ts'

/** The effect of a charge on a balance. */
export interface Spending {
  readonly userId: number
  readonly before: number
  readonly after: number
}

/** The protocol of the client's response, and what the client requested: a kind of call or task, or `proxy`. */
export interface CallType {
  readonly protocol: ClientProtocol['name']
  readonly kind: string
}

/** One request with a reservation, and what is needed to settle or release it. */
export interface Charge {
  readonly callType: CallType
  readonly requestId: string
  readonly span: RequestSpan
  readonly caller: Caller
  readonly params: RequestParams
  readonly resolvedPrice: ResolvedPrice
  readonly hold: Hold
  /** What its response may write. */
  readonly budget: OutputBudget
  /** The request as its token's limits count it. */
  readonly permit: Permit
  /** Seconds since the epoch. */
  readonly createdAt: number
  /** Monotonic milliseconds. */
  readonly startedMs: number
  /** The channel of the current attempt, or the one that responded: its type determines the price. */
  channel: Channel | null
  attempts: number
  /** Monotonic milliseconds of the beginning of the last attempt. */
  attemptStartedMs: number
  /** The address of the last attempt; empty: none. */
  address: string
  /** Attempts that brought no response. */
  readonly failures: FailedAttempt[]
  /** What was changed in the request of the last attempt. */
  rewrites: readonly Rewrite[]
  /** What the vendor of the last one bills all the same; missing: nothing. No further channel is tried then. */
  spent?: Spent
  /** Monotonic milliseconds of the first byte; 0: none came. */
  firstByteAtMs: number
}

/** A charge with a fixed amount, without a model's price. */
export type FlatCharge = Omit<Charge, 'resolvedPrice' | 'params' | 'budget'> & {
  readonly params: Pick<RequestParams, 'model' | 'isStream'>
  /** How its task ended that brought nothing; missing: it has no task. */
  readonly taskEnd?: TaskEnd
}

export interface Billing {
  /** Charges what was delivered and writes the log row. Resolves when both are committed. */
  settle(charge: Charge, end: ResponseEnd): Promise<void>
  /** The cost of a usage reported by the vendor. */
  costOf(charge: Charge, usage: Usage): number
  /** Output tokens of a text, counted as they are charged. */
  countTokens(text: string, model: string): Promise<number>
  /** The cost of a running response if it ended now. */
  soFar(charge: Charge, completionTokens: number): Progress
  /** Ends a request that brought no response, and its task if it has one: no charge, one log row. */
  release(charge: FlatCharge, why: Unserved): Promise<void>
  /** Logs a request that was refused before the reservation: one log row. */
  refuse(charge: Omit<FlatCharge, 'hold' | 'permit'>, error: Pick<AppError, 'code' | 'isFault'>): Promise<void>
  /** Charges a fixed amount. */
  settleFlat(charge: FlatCharge, flat: FlatEnd): Promise<void>
}

/** Why a request brought no response. */
interface Unserved {
  readonly reason: EndReason
  readonly detail: string
  /** Whether the server or a vendor caused it. */
  readonly isFault: boolean
}

interface FlatEnd extends Pick<LogEntry, 'isServed'> {
  readonly amount: number
  readonly text: Pick<LogEntry, 'content' | 'detail'>
}

/** How a request ended, as fields of its log row. */
interface RowText
  extends Pick<LogEntry, 'content' | 'quota' | 'cost' | 'endReason' | 'isServed' | 'isEstimated'>,
    Partial<Pick<LogEntry, 'detail'>> {
  /** The counted usage; missing: none. */
  readonly usage?: Usage
}

interface BillingDeps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly countTokens: TokenCounter['count']
  /** Whether usage rows are written (LogConsumeEnabled). */
  readonly isLogging: () => boolean
  /** What the vendor of a channel charges for a model. */
  readonly vendorPrice: Prices['vendorPrice']
  /** Called synchronously for every charge; it must not block. */
  readonly spent: (spending: Spending) => void
  readonly telemetry: Pick<Telemetry, 'ended'>
  /** Called when a channel's vendor sent a count that cannot be. */
  readonly suspected: (channel: Channel, reason: string) => void
}

export function createBilling({ ledger, clock, countTokens, isLogging, vendorPrice, spent, telemetry, suspected }: BillingDeps): Billing {
  const ownCounts = createOwnCounts(countTokens)

  function rowOf(charge: Omit<FlatCharge, 'hold' | 'permit'>, rowText: RowText): LogEntry | null {
    if (!isLogging()) return null
    const { caller, params, channel } = charge
    const { usage = noUsage } = rowText
    return {
      userId: caller.userId,
      createdAt: charge.createdAt,
      type: logType.consume,
      username: caller.username,
      tokenName: caller.tokenName,
      modelName: params.model,
      upstreamModel: modelAt(channel, params.model),
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      cachedTokens: usage.cachedTokens,
      channelId: channel?.id ?? 0,
      requestId: charge.requestId,
      elapsedMs: Math.round(clock.monotonicMs() - charge.startedMs),
      firstByteMs: charge.firstByteAtMs === 0 ? 0 : Math.max(1, Math.round(charge.firstByteAtMs - charge.startedMs)),
      isStream: params.isStream,
      attempts: charge.attempts,
      isUsageSuspect: usage.isSuspect,
      content: rowText.content,
      quota: rowText.quota,
      cost: rowText.cost,
      endReason: rowText.endReason,
      isServed: rowText.isServed,
      isEstimated: rowText.isEstimated,
      detail: withRewrites(withCallType(withFailures(rowText.detail ?? '', charge.failures), charge.callType), charge.rewrites),
    }
  }

  /** Only a cost beyond the reservation may have to wait for quota that another node has. */
  function chargeUsage(charge: Charge, end: ResponseEnd, counted: CountedUsage): Promise<void> {
    const cost = priced(charge, counted.usage, counted.isTold)
    if (ledger.payable(charge.hold, cost.amount) >= cost.amount) return chargeCost(charge, end, { counted, cost })
    return fundCost(charge, cost.amount).then(() => chargeCost(charge, end, { counted, cost }))
  }

  function chargeCost(
    charge: Charge,
    end: ResponseEnd,
    {
      counted: { usage, isTold },
      cost: { item, tools, amount: cost, price, model },
    }: { readonly counted: CountedUsage; readonly cost: Priced },
  ): Promise<void> {
    const amount = payableOf(charge, cost)
    const isEstimated = !isTold && item.counts.prompt !== undefined
    const { isSuspect } = usage
    const formula = formulaOf(model, price, item) + toolFormulaOf(tools)
    let content = formula
    if (isEstimated) content += ` (${messageText(isSuspect ? 'log_usage_suspect' : 'log_estimated')})`
    if (usage.isRefused) content += ` (${messageText('log_refused_free')})`
    if (amount < cost) content += ` (${messageText('log_unpaid', { quota: cost - amount })})`
    const endReason = end.reason
    const isServed = servedBy[endReason]
    const vendorCost = vendorCostOf(charge, usage, isTold)
    const detail = detailOf(item, tools)
    const log = rowOf(charge, { content, quota: amount, cost: vendorCost, usage, endReason, isServed, isEstimated, detail })
    charge.permit.spend(usage.promptTokens + usage.completionTokens)
    return post(charge, { amount, log, ended: { reason: end.reason, usage, quota: amount } })
  }

  /** While the database is unreachable, the charge is decided by what this node has. */
  async function fundCost({ hold }: Charge, cost: number): Promise<void> {
    await ledger.fund(hold, cost - ledger.heldFor(hold)).catch(() => {})
  }

  /** What the balance cannot pay is charged up to the overshoot in docs/billing.md; the rest is the operator's loss. */
  function payableOf({ hold, budget }: Charge, cost: number): number {
    const payable = ledger.payable(hold, cost)
    return payable === cost ? cost : Math.min(cost, payable + budget.overshoot)
  }

  /** What the vendor charges for the usage. `null`: its prices are not known. */
  function vendorCostOf({ channel, params }: Charge, usage: Usage, isTold: boolean): number | null {
    if (channel === null || isNothing(usage)) return 0
    if (usage.costNanos !== null && reportsCost(channel)) return quotaOfNanos(usage.costNanos)
    const price = vendorPrice(channel, params.model)
    return price === null ? null : pricedAt(price, { params, usage, isTold, channel }).amount
  }

  /** Only a complete response has the vendor's final count. */
  function chargeJudged(charge: Charge, end: ResponseEnd, usage: Usage): Promise<void> {
    const { channel } = charge
    if (isFree(charge, usage, end)) return chargeUsage(charge, end, { usage: { ...noUsage, isRefused: true }, isTold: true })
    if (usage.isSuspect && channel !== null) suspected(channel, suspicionText(end.usage, charge.params.model))
    if (usage.isSuspect || end.isPartial === true || end.reason !== 'complete') return chargeCounted(charge, { ...end, usage })
    ownCounts.learn(charge, usage, end.text)
    return chargeUsage(charge, end, { usage: withPieces(usage, charge), isTold: true })
  }

  async function chargeCounted(charge: Charge, end: ResponseEnd): Promise<void> {
    await chargeUsage(charge, end, { usage: await countUsage<Charge>(charge, end, ownCounts), isTold: false })
  }

  function post(
    charge: FlatCharge,
    { amount, log, ended }: { readonly amount: number; readonly log: LogEntry | null; readonly ended: Ended },
  ): Promise<void> {
    const settled = ledger.settle(charge.hold, { amount, channelId: charge.channel?.id ?? 0, log })
    telemetry.ended(charge.span, ended)
    // The decision is immediate, the commit follows later: this is the balance after the charge.
    const after = ledger.balanceOf(charge.hold.userId)
    if (after !== null) spent({ userId: charge.hold.userId, before: after + amount, after })
    return settled
  }

  return {
    settle(charge, ended) {
      const end = { ...ended, usage: ended.usage === null ? null : causedUsage(charge, ended.usage) }
      if (end.usage === null) return chargeCounted(charge, end)
      const { usage, isDoubtful } = judgeUsage(end.usage, end.text, end.isJudged === true ? null : evidenceOf(charge, end))
      if (!isDoubtful) return chargeJudged(charge, end, usage)
      return ownCounts.output(charge, end.text).then((tokens) => chargeJudged(charge, end, judgedBy(tokens, usage)))
    },
    countTokens,
    costOf: (charge, usage) => priced(charge, causedUsage(charge, usage), true).amount,
    soFar(charge, completionTokens) {
      const { promptTokens, serviceTier = 'standard', isRegional = false } = charge.params
      const usage = { ...noUsage, promptTokens, completionTokens, serviceTier, isRegional }
      const { amount: cost } = priced(charge, withPieces(usage, charge), false)
      // After a crash the balance at that time is unknown, so the charge is capped at the reservation and the overshoot.
      const amount = Math.min(cost, ledger.heldFor(charge.hold) + charge.budget.overshoot)
      return { amount, channelId: charge.channel?.id ?? 0, promptTokens, completionTokens }
    },
    settleFlat(charge, { amount, text, isServed }) {
      const log = rowOf(charge, { ...text, quota: amount, cost: null, endReason: 'complete', isServed, isEstimated: false })
      return post(charge, { amount, log, ended: { reason: 'complete', usage: null, quota: amount } })
    },
    async refuse(charge, error) {
      const content = messageText('log_failed', { reason: error.code })
      const row = rowOf(charge, { content, ...free, endReason: 'failed', isServed: error.isFault ? false : null, isEstimated: false })
      if (row !== null) await ledger.writeLog(row)
    },
    async release(charge, { reason, detail, isFault }) {
      const { taskEnd } = charge
      const failureText = codedText({ code: 'log_failed', params: { reason: detail } })
      const text =
        taskEnd === undefined ? failureText : { ...failureText, detail: detailWith(failureText.detail, 'task', taskEnd.publicId) }
      const released = ledger.release(
        charge.hold,
        rowOf(charge, { ...text, ...free, endReason: reason, isServed: isFault ? false : null, isEstimated: false }),
        taskEnd,
      )
      telemetry.ended(charge.span, { reason, usage: null, quota: 0 })
      await released
    },
  }
}

export const withCallType = (detail: string, { protocol, kind }: CallType): string => detailWith(detail, 'asked', [protocol, kind])

function withRewrites(detail: string, rewrites: readonly Rewrite[]): string {
  return rewrites.length === 0
    ? detail
    : detailWith(
        detail,
        'changed',
        rewrites.map(({ kind, what }) => [kind, what] as const),
      )
}

/** Of a request that brought nothing. */
const free = { quota: 0, cost: 0 } as const

/** Not even the price per call is charged: nothing was delivered, or the vendor does not bill what it refused. */
const isNothing = (usage: Usage): boolean => usage === noUsage || usage.isRefused

const noCounts: Counts = {}
const noTools: readonly ModelLineItem[] = []

interface CountedUsage {
  readonly usage: Usage
  /** The vendor reported it. */
  readonly isTold: boolean
}

interface Priced extends ResponseModelPrice {
  readonly item: LineItem
  readonly tools: readonly ModelLineItem[]
  readonly amount: number
}

/** Whether the vendor does not bill a response, because it refused before the first word. */
function isFree({ channel }: Charge, { isRefused }: Usage, { reason, text }: ResponseEnd): boolean {
  return isRefused && reason === 'complete' && text === '' && channel?.vendor.freeRefusals === true
}

function priced({ resolvedPrice, params, channel }: Charge, usage: Usage, isTold: boolean): Priced {
  return pricedAt(channel === null ? resolvedPrice : resolvedPrice.ofType(channel.vendor.type), { params, usage, isTold, channel })
}

interface Used extends ResponseUsage {
  readonly params: RequestParams
}

function pricedAt(own: ResolvedPrice, used: Used): Priced {
  const { params, usage, isTold } = used
  const { model, price } = responseModelPrice(used, own)
  const counts = isNothing(usage) ? noCounts : countsOf(usage, price.price, isTold)
  const { imageSize, imageQuality } = params
  const isOfImage = imageSize !== undefined || imageQuality !== undefined
  const rates = price.ratesFor(isOfImage ? { ...usage, imageSize, imageQuality } : usage)
  const item = { counts, rates }
  if (usage.delegated.length === 0) return { item, tools: noTools, amount: quotaFor(counts, rates), price, model }
  const tools = toolLineItemsOf(own, usage.delegated)
  return { item, tools, amount: quotaForAll([item, ...tools]), price, model }
}

/** Quota units of a billionth of a dollar: one is two millionths. */
const quotaOfNanos = (nanos: number): number => Math.ceil(nanos / 2_000)
