import { logType, messageText } from '@sluice/contract'
import type { Usage } from '@sluice/vendors/dialect'
import { noUsage } from '@sluice/vendors/no-usage'
import type { Hold, Ledger, Progress } from '../../ledger/ledger.ts'
import { type LogEntry, told } from '../../ledger/log-entry.ts'
import { type Charge, type Counts, quotaFor, quotaForAll } from '../../ledger/price.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AnswerEnd, EndReason } from '../model/answer.ts'
import type { Caller, Pass } from '../model/caller.ts'
import type { Channel } from '../model/channel.ts'
import type { Wanted } from '../model/request-params.ts'
import type { Ended, Sight, Watch } from '../model/watch.ts'
import { countsOf } from '../pricing/charge.ts'
import { detailOf, formulaOf, toolFormulaOf } from '../pricing/charge-words.ts'
import type { Quote } from '../pricing/prices.ts'
import type { TokenCounter } from '../pricing/token-counter.ts'
import { type ToolCharge, toolChargesOf } from '../pricing/tool-charges.ts'
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
export interface Bill {
  readonly requestId: string
  readonly sight: Sight
  readonly caller: Caller
  readonly wanted: Wanted
  readonly quote: Quote
  readonly hold: Hold
  /** What its answer may write. */
  readonly budget: OutputBudget
  /** How its token's limits see it. */
  readonly pass: Pass
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
export type FlatBill = Omit<Bill, 'quote' | 'wanted' | 'budget'> & { readonly wanted: Pick<Wanted, 'model' | 'isStream'> }

export interface Billing {
  /** Charges what was delivered and writes the log row. Resolves when both are committed. */
  settle(bill: Bill, end: AnswerEnd): Promise<void>
  /** What a usage that the vendor told costs. */
  costOf(bill: Bill, usage: Usage): number
  /** Output tokens of a text, counted as they are charged. */
  countTokens(text: string, model: string): Promise<number>
  /** What a running answer would cost if it ended now. */
  soFar(bill: Bill, completionTokens: number): Progress
  /** Ends a request that brought no answer: no charge, one log row. */
  release(bill: FlatBill, reason: EndReason, detail: string): Promise<void>
  /** Notes a request that was refused before anything was reserved: one log row. */
  refuse(bill: Omit<FlatBill, 'hold' | 'pass'>, code: string): Promise<void>
  /** Charges what costs the same each time. */
  settleFlat(bill: FlatBill, flat: { readonly amount: number; readonly text: Pick<LogEntry, 'content' | 'detail'> }): Promise<void>
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
  readonly watch: Pick<Watch, 'ended'>
}

export function createBilling({ ledger, clock, countTokens, isLogging, spent, watch }: BillingDeps): Billing {
  const ownCounts = createOwnCounts(countTokens)

  function rowOf(bill: Omit<FlatBill, 'hold' | 'pass'>, said: RowText): LogEntry | null {
    if (!isLogging()) return null
    const { caller, wanted, channel } = bill
    const { usage = noUsage } = said
    return {
      userId: caller.userId,
      createdAt: bill.createdAt,
      type: logType.consume,
      username: caller.username,
      tokenName: caller.tokenName,
      modelName: wanted.model,
      upstreamModel: channel?.mapping.get(wanted.model) ?? wanted.model,
      promptTokens: usage.promptTokens,
      completionTokens: usage.completionTokens,
      cachedTokens: usage.cachedTokens,
      channelId: channel?.id ?? 0,
      requestId: bill.requestId,
      elapsedMs: Math.round(clock.monotonicMs() - bill.startedMs),
      firstByteMs: bill.firstByteAtMs === 0 ? 0 : Math.max(1, Math.round(bill.firstByteAtMs - bill.startedMs)),
      isStream: wanted.isStream,
      attempts: bill.attempts,
      isUsageSuspect: usage.isSuspect,
      content: said.content,
      quota: said.quota,
      endReason: said.endReason,
      isEstimated: said.isEstimated,
      detail: withFailures(said.detail ?? '', bill.failures),
    }
  }

  function charge(bill: Bill, end: AnswerEnd, { usage, isTold }: { readonly usage: Usage; readonly isTold: boolean }): Promise<void> {
    const { quote, wanted } = bill
    const { charge: paid, tools, amount: cost } = priced(bill, usage, isTold)
    const amount = payableOf(bill, cost)
    const isEstimated = !isTold && paid.counts.prompt !== undefined
    const { isSuspect } = usage
    const formula = formulaOf(wanted.model, quote, paid) + toolFormulaOf(tools)
    let content = formula
    if (isEstimated) content += ` (${messageText(isSuspect ? 'log_usage_suspect' : 'log_estimated')})`
    if (amount < cost) content += ` (${messageText('log_unpaid', { quota: cost - amount })})`
    const log = rowOf(bill, { content, quota: amount, usage, endReason: end.reason, isEstimated, detail: detailOf(paid, tools) })
    bill.pass.spend(usage.promptTokens + usage.completionTokens)
    return post(bill, { amount, log, ended: { reason: end.reason, usage, quota: amount } })
  }

  /** What the balance cannot pay is charged up to the overshoot that docs/billing.md names; beyond that it is the operator's loss. */
  function payableOf({ hold, budget }: Bill, cost: number): number {
    const payable = ledger.payable(hold, cost)
    return payable === cost ? cost : Math.min(cost, payable + budget.overshoot)
  }

  async function chargeCounted(bill: Bill, end: AnswerEnd): Promise<void> {
    await charge(bill, end, { usage: await countUsage(bill, end, ownCounts), isTold: false })
  }

  function post(
    bill: FlatBill,
    { amount, log, ended }: { readonly amount: number; readonly log: LogEntry | null; readonly ended: Ended },
  ): Promise<void> {
    const settled = ledger.settle(bill.hold, { amount, channelId: bill.channel?.id ?? 0, log })
    watch.ended(bill.sight, ended)
    // Decided at once, committed later: the balance is the one that this charge has left.
    const after = ledger.balanceOf(bill.hold.userId)
    if (after !== null) spent({ userId: bill.hold.userId, before: after + amount, after })
    return settled
  }

  return {
    settle(bill, end) {
      // Only an answer that came to its end has the vendor's whole count.
      if (end.usage === null || end.reason !== 'complete') return chargeCounted(bill, end)
      const usage = judged(end.usage, end.text)
      if (usage.isSuspect) return chargeCounted(bill, { ...end, usage })
      ownCounts.learn(bill, usage, end.text)
      return charge(bill, end, { usage: withPieces(usage, bill), isTold: true })
    },
    countTokens,
    costOf: (bill, usage) => priced(bill, usage, true).amount,
    soFar(bill, completionTokens) {
      const { promptTokens, serviceTier = 'standard' } = bill.wanted
      const { amount: cost } = priced(bill, withPieces({ ...noUsage, promptTokens, completionTokens, serviceTier }, bill), false)
      // After a crash nobody knows what the balance had: only what is reserved is sure.
      const amount = Math.min(cost, ledger.heldFor(bill.hold) + bill.budget.overshoot)
      return { amount, channelId: bill.channel?.id ?? 0, promptTokens, completionTokens }
    },
    settleFlat(bill, { amount, text }) {
      const log = rowOf(bill, { ...text, quota: amount, endReason: 'complete', isEstimated: false })
      return post(bill, { amount, log, ended: { reason: 'complete', usage: null, quota: amount } })
    },
    async refuse(bill, code) {
      const content = messageText('log_failed', { reason: code })
      const row = rowOf(bill, { content, quota: 0, endReason: 'failed', isEstimated: false })
      if (row !== null) await ledger.writeLog(row)
    },
    async release(bill, reason, detail) {
      const text = told({ code: 'log_failed', params: { reason: detail } })
      const released = ledger.release(bill.hold, rowOf(bill, { ...text, quota: 0, endReason: reason, isEstimated: false }))
      watch.ended(bill.sight, { reason, usage: null, quota: 0 })
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
async function countUsage(bill: Bill, { usage, text, reason }: AnswerEnd, ownCounts: OwnCounts): Promise<Usage> {
  const { images = 0, characters = 0, audioMs = 0, serviceTier = 'standard' } = bill.wanted
  const hasPieces = images > 0 || characters > 0 || audioMs > 0
  // What a session has counted itself stays, whatever its vendor made of it.
  const isCounted = usage !== null && (!usage.isSuspect || usage.promptTokens + usage.completionTokens > 0)
  if (!isCounted && reason !== 'complete' && (hasPieces ? !isByClient(reason) : text === '')) return noUsage
  const completionTokens = Math.max(usage?.completionTokens ?? 0, await ownCounts.output(bill, text))
  const promptTokens = ownCounts.prompt(bill)
  if (usage === null) return withPieces({ ...noUsage, promptTokens, serviceTier, completionTokens }, bill)
  return withPieces({ ...usage, promptTokens: usage.promptTokens || promptTokens, completionTokens }, bill)
}

/** Half of what is paid by the piece is of no use to anybody, so it is paid only where it is the client that ended it. */
function isByClient(reason: EndReason): boolean {
  return reason === 'client_gone' || reason === 'out_of_quota'
}

/** The pieces that were asked for, where the answer does not say how many it has. */
function withPieces(usage: Usage, { wanted }: Bill): Usage {
  const { images = 0, characters = 0, audioMs = 0, calls = 0 } = wanted
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
  readonly charge: Charge
  readonly tools: readonly ToolCharge[]
  readonly amount: number
}

function priced({ quote, wanted }: Bill, usage: Usage, isTold: boolean): Priced {
  // Where nothing came, not even a call is paid.
  const counts = usage === noUsage ? noCounts : countsOf(usage, quote.price, isTold)
  const { pictureSize, pictureQuality } = wanted
  const charge = { counts, rates: quote.ratesFor({ ...usage, pictureSize, pictureQuality }) }
  if (usage.delegated.length === 0) return { charge, tools: [], amount: quotaFor(charge.counts, charge.rates) }
  const tools = toolChargesOf(quote, usage.delegated)
  return { charge, tools, amount: quotaForAll([charge, ...tools]) }
}
