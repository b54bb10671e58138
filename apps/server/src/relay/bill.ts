import { logType, messageText } from '@sluice/contract'
import type { Usage } from '@sluice/vendors/dialect'
import { noUsage } from '@sluice/vendors/no-usage'
import type { Hold, Ledger, Progress } from '../ledger/ledger.ts'
import type { LogEntry } from '../ledger/log-entry.ts'
import { quotaFor } from '../ledger/price.ts'
import type { Clock } from '../lib/clock.ts'
import type { AnswerEnd, EndReason } from './answer.ts'
import type { Wanted } from './call.ts'
import type { Caller } from './callers.ts'
import type { Channel } from './channels.ts'
import type { CountTokens } from './count-tokens.ts'
import type { Quote } from './prices.ts'
import type { RelayDeps } from './relay-deps.ts'
import type { Sight } from './watch.ts'

/** One request that has a reservation: what is needed to end it with a charge or without. */
export interface Bill {
  readonly requestId: string
  readonly sight: Sight
  readonly caller: Caller
  readonly wanted: Wanted
  readonly quote: Quote
  readonly hold: Hold
  /** Seconds since the epoch. */
  readonly createdAt: number
  /** Monotonic milliseconds. */
  readonly startedMs: number
  /** Channel that is tried, or answered. */
  channel: Channel | null
  attempts: number
  /** Monotonic milliseconds of the first byte; 0 = none came. */
  firstByteAtMs: number
}

export interface Billing {
  /** Charges what was delivered and writes the log row. Resolves when both are committed. */
  settle(bill: Bill, end: AnswerEnd): Promise<void>
  /** What a running answer would cost if it ended now. */
  soFar(bill: Bill, completionTokens: number): Progress
  /** Ends a request that brought no answer: no charge, one log row. */
  release(bill: Bill, reason: EndReason, detail: string): Promise<void>
}

interface BillingDeps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly countTokens: CountTokens
  /** Whether usage rows are written (LogConsumeEnabled). */
  readonly isLogging: () => boolean
  readonly spent: RelayDeps['spent']
  readonly watch: RelayDeps['watch']
}

export function createBilling({ ledger, clock, countTokens, isLogging, spent, watch }: BillingDeps): Billing {
  function rowOf(bill: Bill, part: Pick<LogEntry, 'content' | 'quota' | 'endReason' | 'isEstimated'> & Partial<LogEntry>): LogEntry | null {
    if (!isLogging()) return null
    const { caller, wanted, channel } = bill
    return {
      userId: caller.userId,
      createdAt: bill.createdAt,
      type: logType.consume,
      username: caller.username,
      tokenName: caller.tokenName,
      modelName: wanted.model,
      upstreamModel: channel?.mapping.get(wanted.model) ?? wanted.model,
      promptTokens: 0,
      completionTokens: 0,
      cachedTokens: 0,
      channelId: channel?.id ?? 0,
      requestId: bill.requestId,
      elapsedMs: Math.round(clock.monotonicMs() - bill.startedMs),
      firstByteMs: bill.firstByteAtMs === 0 ? 0 : Math.max(1, Math.round(bill.firstByteAtMs - bill.startedMs)),
      isStream: wanted.isStream,
      attempts: bill.attempts,
      ...part,
    }
  }

  /** What can be seen without the vendor's count: the prompt, and the output that was delivered. */
  async function countUsage(bill: Bill, { usage, text }: AnswerEnd): Promise<Usage> {
    const completionTokens = Math.max(usage?.completionTokens ?? 0, await countTokens(text))
    return { ...(usage ?? noUsage), promptTokens: usage?.promptTokens ?? bill.wanted.promptTokens, completionTokens }
  }

  function charge(
    bill: Bill,
    end: AnswerEnd,
    { usage, isEstimated }: { readonly usage: Usage; readonly isEstimated: boolean },
  ): Promise<void> {
    const amount = quotaFor(usage, bill.quote.rates)
    const { model: ratio, group, completion } = bill.quote.factors
    const formula = messageText('log_consume', { model: bill.wanted.model, ratio, group, completion })
    const { promptTokens, completionTokens, cachedTokens } = usage
    const content = isEstimated ? `${formula} (${messageText('log_estimated')})` : formula
    const log = rowOf(bill, { content, quota: amount, promptTokens, completionTokens, cachedTokens, endReason: end.reason, isEstimated })
    const settled = ledger.settle(bill.hold, { amount, channelId: bill.channel?.id ?? 0, log })
    watch.ended(bill.sight, { reason: end.reason, usage, quota: amount })
    // Decided at once, committed later: the balance is the one that this charge has left.
    const after = ledger.balanceOf(bill.hold.userId)
    if (after !== null) spent({ userId: bill.hold.userId, before: after + amount, after })
    return settled
  }

  return {
    settle(bill, end) {
      // Only an answer that came to its end has the vendor's whole count.
      if (end.usage !== null && end.reason === 'complete') return charge(bill, end, { usage: end.usage, isEstimated: false })
      return countUsage(bill, end).then((usage) => charge(bill, end, { usage, isEstimated: true }))
    },
    soFar(bill, completionTokens) {
      const { promptTokens } = bill.wanted
      const amount = quotaFor({ ...noUsage, promptTokens, completionTokens }, bill.quote.rates)
      return { amount, channelId: bill.channel?.id ?? 0, promptTokens, completionTokens }
    },
    async release(bill, reason, detail) {
      const content = messageText('log_failed', { reason: detail })
      const released = ledger.release(bill.hold, rowOf(bill, { content, quota: 0, endReason: reason, isEstimated: false }))
      watch.ended(bill.sight, { reason, usage: null, quota: 0 })
      await released
    },
  }
}
