import {
  type AdminLogRow,
  type CodedMessage,
  clientProtocols,
  failedAttempt,
  type LogEvent,
  logEvents,
  readCodedMessage,
  requestRewrite,
} from '@sluice/contract'
import { tryParseJson } from '../../lib/parse-json.ts'

/** The parsed column `detail` of a row. */
export interface LogDetail {
  /** Line items: unit, count, and quota of one. */
  readonly charges: AdminLogRow['charges']
  readonly failedAttempts: AdminLogRow['failed_attempts']
  /** Its text as a coded message; `null` = plain text. */
  readonly message: CodedMessage | null
  readonly actorId: number
  /** The id of the task whose end the row is; empty: it is none. */
  readonly taskId: string
  readonly event: LogEvent
  /** How a request was made; empty if that is not stored. */
  readonly protocol: AdminLogRow['protocol']
  readonly kind: string
  readonly rewrites: AdminLogRow['rewrites']
}

const nothing: LogDetail = {
  charges: [],
  failedAttempts: [],
  message: null,
  actorId: 0,
  taskId: '',
  event: '',
  protocol: '',
  kind: '',
  rewrites: [],
}

/**
 * Reads the JSON of a row: what was charged, `[["prompt",9,2.5]]`, or an object of what there is: `charges`, `failed` attempts, the `task` that ended,
 * how the request was made (`asked`), what was rewritten in it (`changed`), and what the text says, `code` and `params`, with its
 * `actor` and `event`. What cannot be read is left out.
 */
export function detailOf(text: string): LogDetail {
  if (text === '') return nothing
  const kept = tryParseJson(text)
  if (Array.isArray(kept)) return { ...nothing, charges: kept.flatMap(chargeOf) }
  return isObject(kept) ? membersOf(kept) : nothing
}

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null

function membersOf(kept: Members): LogDetail {
  const { charges, failed, actor, task, event, asked: request, changed } = kept
  return {
    charges: Array.isArray(charges) ? charges.flatMap(chargeOf) : [],
    failedAttempts: Array.isArray(failed) ? failed.flatMap(attemptOf) : [],
    message: readCodedMessage(kept),
    actorId: Number.isSafeInteger(actor) ? Number(actor) : 0,
    taskId: typeof task === 'string' ? task : '',
    event: logEvents.find((known) => known === event) ?? '',
    ...protocolAndKindOf(request),
    rewrites: Array.isArray(changed) ? changed.flatMap(rewriteOf) : [],
  }
}

/** Protocol and kind (written by `relay/billing/billing.ts`). */
function protocolAndKindOf(value: unknown): Pick<LogDetail, 'protocol' | 'kind'> {
  if (!Array.isArray(value)) return { protocol: '', kind: '' }
  const [spoken, kind]: readonly unknown[] = value
  return { protocol: clientProtocols.find((known) => known === spoken) ?? '', kind: typeof kind === 'string' ? kind : '' }
}

function attemptOf(entry: unknown): LogDetail['failedAttempts'] {
  const read = failedAttempt.safeParse(entry)
  return read.success ? [read.data] : []
}

/** A kind and what was changed (written by `relay/billing/billing.ts`). */
function rewriteOf(entry: unknown): LogDetail['rewrites'] {
  if (!Array.isArray(entry)) return []
  const [kind, what]: readonly unknown[] = entry
  const read = requestRewrite.safeParse({ kind, what })
  return read.success ? [read.data] : []
}

function chargeOf(line: unknown): LogDetail['charges'] {
  if (!Array.isArray(line)) return []
  const [unit, count, price]: readonly unknown[] = line
  const isCharge = typeof unit === 'string' && Number.isSafeInteger(count) && typeof price === 'number'
  return isCharge ? [{ unit, count: Number(count), price }] : []
}
