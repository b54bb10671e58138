import { messageText } from '@sluice/contract'
import { detailWith } from '../../ledger/log-entry.ts'
import { parseText } from '../../lib/parse-value.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import type { Channel } from '../model/channel.ts'
import type { ResponseEnd } from '../model/upstream-response.ts'
import { type Secretive, withoutSecrets } from '../wire/without-secrets.ts'

/** An attempt that brought no response or broke off, as administrators see it. */
export interface FailedAttempt {
  readonly channel: number
  readonly name: string
  /** The URL of the request, without query values that may hold a key. */
  readonly address: string
  /** Milliseconds from the beginning of the request to that of the attempt, and how long it took. */
  readonly start_time: number
  readonly elapsed_time: number
  /** HTTP status of the response; 0: none. */
  readonly status: number
  /** The kind of failure. */
  readonly kind: string
  /** The vendor's message, a description of the connection failure, or the parameter that the vendor does not offer. */
  readonly message: string
}

/** The channel of an attempt, the URL of its request, and its end in monotonic milliseconds. */
interface AttemptTarget {
  readonly channel: Secretive & Pick<Channel, 'id' | 'name'>
  readonly address: string
  readonly endedMs: number
}

/** Maximum number of attempts kept per request. */
const attemptsMax = 10
const messageMax = 500

/** Monotonic milliseconds. */
interface AttemptNotes {
  readonly startedMs: number
  /** The beginning of the last attempt. */
  readonly attemptStartedMs: number
  readonly failures: FailedAttempt[]
}

export function noteFailure(notes: AttemptNotes, failed: AttemptFailure, where: AttemptTarget): void {
  const isByVendor = failed.by === 'vendor'
  note(notes, where, {
    status: isByVendor ? failed.status : 0,
    kind: isByVendor ? failed.failure.kind : failed.code,
    message: wordsOf(failed),
  })
}

/** Notes the failure of a stream that was interrupted after it had begun. */
export function noteBrokenStream(
  notes: AttemptNotes,
  { reason, failure, exceeded }: Pick<ResponseEnd, 'reason' | 'failure' | 'exceeded'>,
  where: AttemptTarget,
): void {
  const why = exceeded === undefined ? messageText('upstream_stream_interrupted') : timeoutText(exceeded)
  note(notes, where, { status: 200, kind: failure?.kind ?? reason, message: failure?.message ?? why })
}

function note(
  { startedMs, attemptStartedMs, failures }: AttemptNotes,
  { channel, address, endedMs }: AttemptTarget,
  seen: Pick<FailedAttempt, 'status' | 'kind' | 'message'>,
): void {
  if (failures.length >= attemptsMax) return
  const clean = (text: string): string => withoutSecrets(text, channel)
  failures.push({
    channel: channel.id,
    name: channel.name,
    address: clean(address.split(/[?#]/)[0] ?? ''),
    status: seen.status,
    kind: seen.kind,
    message: parseText(clean(seen.message), messageMax),
    start_time: Math.round(attemptStartedMs - startedMs),
    elapsed_time: Math.round(endedMs - attemptStartedMs),
  })
}

function wordsOf(failed: AttemptFailure): string {
  if (failed.by === 'vendor') return failed.failure.message
  if (failed.by === 'form') return messageText(failed.code, { name: failed.parameter })
  const { code, cause, exceeded } = failed
  if (exceeded !== undefined) return timeoutText(exceeded)
  return cause instanceof Error && cause.message !== '' ? cause.message : messageText(code)
}

function timeoutText({ setting, ms }: NonNullable<ResponseEnd['exceeded']>): string {
  return messageText('upstream_overdue', { setting, seconds: ms / 1000 })
}

/** The attempts for the log of the process, without the words of vendors, which may repeat prompts: those are in the row of the request. */
export function withoutWords<Note extends Pick<FailedAttempt, 'status' | 'message'>>(attempts: readonly Note[]): readonly object[] {
  return attempts.map(({ message, ...attempt }) => (attempt.status === 0 ? { ...attempt, message } : attempt))
}

/** Adds the failed attempts to the detail of a log row. */
export function withFailures(detail: string, failures: readonly FailedAttempt[]): string {
  return failures.length === 0 ? detail : detailWith(detail, 'failed', failures)
}
