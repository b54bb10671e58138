import { dialectOf } from '@sluice/vendors/dialects'
import { AppError } from '../lib/app-error.ts'
import type { Answer } from './answer.ts'
import { type Attempt, attempt } from './attempt.ts'
import type { Bill } from './bill.ts'
import type { Call } from './call.ts'
import { candidates } from './candidates.ts'
import type { Tier } from './channels.ts'
import type { Parts } from './relay.ts'
import { errorOf, mayRetry } from './retry.ts'

/** The only loop over channels. Nothing has reached the client yet, so another one may be tried. @throws AppError */
export async function firstAnswer(
  call: Call,
  bill: Bill,
  { parts, tiers }: { readonly parts: Parts; readonly tiers: readonly Tier[] },
): Promise<Answer> {
  let last: Attempt | null = null
  for (const channel of candidates(tiers, parts.random)) {
    if (call.isClientGone || parts.running.isCut) break
    if (dialectOf(channel.vendor, call.rules.kind) === null) continue
    bill.channel = channel
    bill.attempts += 1
    parts.watch.trying(bill.sight, channel)
    last = await attempt(call, channel, parts)
    parts.watch.tried(bill.sight, last)
    if (last.isOk) return last.answer
    parts.channels.failed(channel, last.failed)
    if (bill.attempts > parts.settings().RetryTimes || !mayRetry(last.failed)) break
  }
  if (parts.running.isCut) throw new AppError('shutting_down', { retryAfterSeconds: 1 })
  throw last === null || last.isOk
    ? new AppError('no_channel', { params: { model: call.wanted.model, group: bill.caller.groups.join() } })
    : errorOf(last.failed)
}
