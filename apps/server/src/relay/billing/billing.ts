import { logType, messageText } from '@sluice/contract'
import type { Usage } from '@sluice/vendors/dialect'
import { noUsage } from '@sluice/vendors/no-usage'
import type { Hold, Ledger, Progress } from '../../ledger/ledger.ts'
import { codedText, type LogEntry } from '../../ledger/log-entry.ts'
import { type Counts, type LineItem, quotaFor, quotaForAll } from '../../ledger/price.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AnswerEnd, EndReason } from '../model/answer.ts'
import type { Caller, Permit } from '../model/caller.ts'
import type { Channel } from '../model/channel.ts'
import type { RequestParams } from '../model/request-params.ts'
import type { Ended, RequestSpan, Telemetry } from '../model/telemetry.ts'
import { countsOf } from '../pricing/billable-counts.ts'
import { detailOf, formulaOf, toolFormulaOf } from '../pricing/charge-text.ts'
import type { ResolvedPrice } from '../pricing/prices.ts'
import type { TokenCounter } from '../pricing/token-counter.ts'
import { type ToolLineItem, toolLineItemsOf } from '../pricing/tool-line-items.ts'
import { type FailedAttempt, withFailures } from './failed-attempts.ts'
import type { OutputBudget } from './output-budget.ts'
import { createOwnCounts, type OwnCounts } from './own-counts.ts'

/** What a charge did to a balance. */
export interface Spending {
  readonly userId: number
  readonly before: number
  readonly after: number
}

/** One request that has a reservation: what is needed to end it with a charge or without. */
export interface Charge {
  readonly requestId: string
  readonly span: RequestSpan
  readonly caller: Caller
  readonly params: RequestParams
  readonly resolvedPrice: ResolvedPrice
  readonly hold: Hold
  /** What its answer may write. */
  readonly budget: OutputBudget
  /** How its token's limits see it. */
  readonly permit: Permit
  /** Seconds since the epoch. */
  readonly createdAt: number
  /** Monotonic milliseconds. */
  readonly startedMs: number
  /** Channel that is tried, or answered. */
  channel: Channel | null
  attempts: number
  /** Where the last attempt went; empty = nowhere yet. */
  address: string
  /** Attempts that brought no answer. */
  readonly failures: FailedAttempt[]
  /** Monotonic milliseconds of the first byte; 0 = none came. */
  firstByteAtMs: number
}

/** The same for what costs the same each time: it has no price for a model. */
export type FlatCharge = Omit<Charge, 'resolvedPrice' | 'params' | 'budget'> & {
  readonly params: Pick<RequestParams, 'model' | 'isStream'>
}

export interface Billing {
  /** Charges what was delivered and writes the log row. Resolves when both are committed. */
  settle(charge: Charge, end: AnswerEnd): Promise<void>
  /** What a usage that the vendor told costs. */
  costOf(charge: Charge, usage: Usage): number
  /** Output tokens of a text, counted as they are charged. */
  countTokens(text: string, model: string): Promise<number>
  /** What a running answer would cost if it ended now. */
  soFar(charge: Charge, completionTokens: number): Progress
  /** Ends a request that brought no answer: no charge, one log row. */
  release(charge: FlatCharge, reason: EndReason, detail: string): Promise<void>
  /** Notes a request that was refused before anything was reserved: one log row. */
  refuse(charge: Omit<FlatCharge, 'hold' | 'permit'>, code: string): Promise<void>
  /** Charges what costs the same each time. */
  settleFlat(charge: FlatCharge, flat: { readonly amount: number; readonly text: Pick<LogEntry, 'content' | 'detail'> }): Promise<void>
}

/** What a log row says of how its request ended. */
interface RowText extends Pick<LogEntry, 'content' | 'quota' | 'endReason' | 'isEstimated'>, Partial<Pick<LogEntry, 'detail'>> {
  /** What was counted; missing: nothing was. */
  readonly usage?: Usage
}

interface BillingDeps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly countTokens: TokenCounter['count']
  /** Whether usage rows are written (LogConsumeEnabled). */
  readonly isLogging: () => boolean
  /** Hears of every charge, at once, and takes no time for it. */
  readonly spent: (spending: Spending) => void
  readonly telemetry: Pick<Telemetry, 'ended'>
}

export function createBilling({ ledger, clock, countTokens, isLogging, spent, telemetry }: BillingDeps): Billing {
  const ownCounts = createOwnCounts(countTokens)

  function rowOf(charge: Omit<FlatCharge, 'hold' | 'permit'>, said: RowText): LogEntry | null {
    if (!isLogging()) return null
    const { caller, params, channel } = charge
    const { usage = noUsage } = said
    return {
      userId: caller.userId,
      createdAt: charge.createdAt,
      type: logType.consume,
      username: caller.username,
      tokenName: caller.tokenName,
      modelName: params.model,
      upstreamModel: channel?.mapping.get(params.model) ?? params.model,
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
      content: said.content,
      quota: said.quota,
      endReason: said.endReason,
      isEstimated: said.isEstimated,
      detail: withFailures(said.detail ?? '', charge.failures),
    }
  }

  function chargeUsage(
    charge: Charge,
    end: AnswerEnd,
    { usage, isTold }: { readonly usage: Usage; readonly isTold: boolean },
  ): Promise<void> {
    const { resolvedPrice, params } = charge
    const { item, tools, amount: cost } = priced(charge, usage, isTold)
    const amount = payableOf(charge, cost)
    const isEstimated = !isTold && item.counts.prompt !== undefined
    const { isSuspect } = usage
    const formula = formulaOf(params.model, resolvedPrice, item) + toolFormulaOf(tools)
    let content = formula
    if (isEstimated) content += ` (${messageText(isSuspect ? 'log_usage_suspect' : 'log_estimated')})`
    if (amount < cost) content += ` (${messageText('log_unpaid', { quota: cost - amount })})`
    const log = rowOf(charge, { content, quota: amount, usage, endReason: end.reason, isEstimated, detail: detailOf(item, tools) })
    charge.permit.spend(usage.promptTokens + usage.completionTokens)
    return post(charge, { amount, log, ended: { reason: end.reason, usage, quota: amount } })
  }

  /** What the balance cannot pay is charged up to the overshoot that docs/billing.md names; beyond that it is the operator's loss. */
  function payableOf({ hold, budget }: Charge, cost: number): number {
    const payable = ledger.payable(hold, cost)
    return payable === cost ? cost : Math.min(cost, payable + budget.overshoot)
  }

  async function chargeCounted(charge: Charge, end: AnswerEnd): Promise<void> {
    await chargeUsage(charge, end, { usage: await countUsage(charge, end, ownCounts), isTold: false })
  }

  function post(
    charge: FlatCharge,
    { amount, log, ended }: { readonly amount: number; readonly log: LogEntry | null; readonly ended: Ended },
  ): Promise<void> {
    const settled = ledger.settle(charge.hold, { amount, channelId: charge.channel?.id ?? 0, log })
    telemetry.ended(charge.span, ended)
    // Decided at once, committed later: the balance is the one that this charge has left.
    const after = ledger.balanceOf(charge.hold.userId)
    if (after !== null) spent({ userId: charge.hold.userId, before: after + amount, after })
    return settled
  }

  return {
    settle(charge, end) {
      // Only an answer that came to its end has the vendor's whole count.
      if (end.usage === null || end.reason !== 'complete') return chargeCounted(charge, end)
      const usage = judged(end.usage, end.text)
      if (usage.isSuspect) return chargeCounted(charge, { ...end, usage })
      ownCounts.learn(charge, usage, end.text)
      return chargeUsage(charge, end, { usage: withPieces(usage, charge), isTold: true })
    },
    countTokens,
    costOf: (charge, usage) => priced(charge, usage, true).amount,
    soFar(charge, completionTokens) {
      const { promptTokens, serviceTier = 'standard' } = charge.params
      const { amount: cost } = priced(charge, withPieces({ ...noUsage, promptTokens, completionTokens, serviceTier }, charge), false)
      // After a crash nobody knows what the balance had: only what is reserved is sure.
      const amount = Math.min(cost, ledger.heldFor(charge.hold) + charge.budget.overshoot)
      return { amount, channelId: charge.channel?.id ?? 0, promptTokens, completionTokens }
    },
    settleFlat(charge, { amount, text }) {
      const log = rowOf(charge, { ...text, quota: amount, endReason: 'complete', isEstimated: false })
      return post(charge, { amount, log, ended: { reason: 'complete', usage: null, quota: amount } })
    },
    async refuse(charge, code) {
      const content = messageText('log_failed', { reason: code })
      const row = rowOf(charge, { content, quota: 0, endReason: 'failed', isEstimated: false })
      if (row !== null) await ledger.writeLog(row)
    },
    async release(charge, reason, detail) {
      const text = codedText({ code: 'log_failed', params: { reason: detail } })
      const released = ledger.release(charge.hold, rowOf(charge, { ...text, quota: 0, endReason: reason, isEstimated: false }))
      telemetry.ended(charge.span, { reason, usage: null, quota: 0 })
      await released
    },
  }
}

/** Nothing is answered for nothing, and no text without output: a vendor that says so is not believed. */
function judged(usage: Usage, text: string): Usage {
  const { promptTokens, completionTokens, images, audioMs, characters, delegated } = usage
  if (usage.isSuspect || delegated.length > 0 || images > 0 || audioMs > 0 || characters > 0) return usage
  return promptTokens === 0 || (completionTokens === 0 && text !== '') ? { ...usage, isSuspect: true } : usage
}

/** What can be seen without the vendor's count: the prompt, and the output that was delivered. Where nothing came, nothing was used. */
async function countUsage(charge: Charge, { usage, text, reason }: AnswerEnd, ownCounts: OwnCounts): Promise<Usage> {
  const { images = 0, characters = 0, audioMs = 0, serviceTier = 'standard' } = charge.params
  const hasPieces = images > 0 || characters > 0 || audioMs > 0
  // What a session has counted itself stays, whatever its vendor made of it.
  const isCounted = usage !== null && (!usage.isSuspect || usage.promptTokens + usage.completionTokens > 0)
  if (!isCounted && reason !== 'complete' && (hasPieces ? !isByClient(reason) : text === '')) return noUsage
  const completionTokens = Math.max(usage?.completionTokens ?? 0, await ownCounts.output(charge, text))
  const promptTokens = ownCounts.prompt(charge)
  if (usage === null) return withPieces({ ...noUsage, promptTokens, serviceTier, completionTokens }, charge)
  return withPieces({ ...usage, promptTokens: usage.promptTokens || promptTokens, completionTokens }, charge)
}

/** Half of what is paid by the piece is of no use to anybody, so it is paid only where it is the client that ended it. */
function isByClient(reason: EndReason): boolean {
  return reason === 'client_gone' || reason === 'out_of_quota'
}

/** The pieces that were asked for, where the answer does not say how many it has. */
function withPieces(usage: Usage, { params }: Charge): Usage {
  const { images = 0, characters = 0, audioMs = 0, calls = 0 } = params
  if (images === 0 && characters === 0 && audioMs === 0 && calls === 0) return usage
  return {
    ...usage,
    images: usage.images || images,
    characters: usage.characters || characters,
    audioMs: usage.audioMs || audioMs,
    calls: usage.calls || calls,
  }
}

const noCounts: Counts = {}

interface Priced {
  readonly item: LineItem
  readonly tools: readonly ToolLineItem[]
  readonly amount: number
}

function priced({ resolvedPrice, params }: Charge, usage: Usage, isTold: boolean): Priced {
  // Where nothing came, not even a call is paid.
  const counts = usage === noUsage ? noCounts : countsOf(usage, resolvedPrice.price, isTold)
  const { pictureSize, pictureQuality } = params
  const item = { counts, rates: resolvedPrice.ratesFor({ ...usage, pictureSize, pictureQuality }) }
  if (usage.delegated.length === 0) return { item, tools: [], amount: quotaFor(item.counts, item.rates) }
  const tools = toolLineItemsOf(resolvedPrice, usage.delegated)
  return { item, tools, amount: quotaForAll([item, ...tools]) }
}
