import type { Dialect } from './dialect.ts'
import type { Failure, FailureKind } from './failure.ts'
import { messageMax } from './failure-parts.ts'
import { isObject, lookUp, parseJson } from './is-object.ts'
import { retryAfterInMessage, waitSecondsMax } from './retry-after-in-message.ts'

/**
 * What an error is: a class of failures, one of the two errors of a client for which OpenAI has codes, or that the quota of a plan is used up,
 * which comes back by itself after hours or days.
 */
export type FailureMeaning = FailureKind | 'context_length' | 'content_filter' | 'plan_used_up'

/**
 * The errors of a vendor that OpenAI's codes and the HTTP status do not say, or say otherwise. The key is the error's code, else its type,
 * else the HTTP status; `A` also stands for codes `A.B` without a row. Where the text of the message decides, the value is a list of
 * patterns, and the first that is found applies; if none is, the next key is tried.
 */
export type FailureRules = Readonly<Record<string, FailureMeaning | ReadonlyArray<readonly [RegExp, FailureMeaning]>>>

/** Classifies a non-2xx response of a vendor. Its table of statuses is not for pages of a proxy, so it applies only to JSON. */
export function readFailureOf(dialect: Pick<Dialect, 'failure'>, rules: FailureRules | undefined, response: ErrorResponse): Failure {
  const { status, body, type } = response
  const failure = dialect.failure(status, body, type)
  return classified(failure, rules, rules !== undefined && isObject(parseJson(body)) ? status : undefined)
}

interface ErrorResponse {
  readonly status: number
  readonly body: string
  /** See `VendorRoutes.errorHeader`. */
  readonly type?: string | undefined
}

/**
 * The failure as the vendor's table has it; unchanged if the table does not have it. A limit whose message says when it ends has that time.
 * @param status missing: it came with a 2xx status
 */
export function classified(failure: Failure, rules: FailureRules | undefined, status?: number): Failure {
  const trimmed = bounded(failure)
  const result = rules === undefined || isOpenAis(trimmed) ? trimmed : byTable(trimmed, rules, status)
  if (result.kind !== 'rate_limited' || result.retryAfterSeconds !== undefined) return result
  const retryAfterSeconds = retryAfterInMessage(result.message)
  return retryAfterSeconds === null ? result : { ...result, retryAfterSeconds }
}

/** Longest code, type or parameter of a vendor's error, in characters. */
const nameMax = 200

/** A failure whose texts are short enough for the patterns of a table, whatever the vendor wrote. */
function bounded(failure: Failure): Failure {
  const { message, code, type, param } = failure
  const isShort = message.length <= messageMax && [code, type, param].every((name) => name === null || name.length <= nameMax)
  if (isShort) return failure
  const cut = (name: string | null): string | null => name?.slice(0, nameMax) ?? null
  return { ...failure, message: message.slice(0, messageMax), code: cut(code), type: cut(type), param: cut(param) }
}

/** The part of a code before its first dot. */
const groupOf = (name: string | null): string | undefined => name?.split('.', 1)[0]

function byTable(failure: Failure, rules: FailureRules, status: number | undefined): Failure {
  const { code, type, message } = failure
  const keys = [code, groupOf(code), type, groupOf(type), status === undefined ? undefined : String(status)]
  for (const key of keys) {
    const row = lookUp(rules, key ?? '')
    const meaning = typeof row === 'object' ? row.find(([pattern]) => pattern.test(message))?.[1] : row
    if (meaning !== undefined) return { ...failure, ...failureOfMeaning(meaning) }
  }
  return failure
}

/** It was classified before, or the vendor uses OpenAI's code itself. */
function isOpenAis({ code }: Failure): boolean {
  return code === 'context_length_exceeded' || code === 'content_filter'
}

/** OpenAI's clients know these two errors by their codes (OpenAI, "Error codes", read 2026-11-21). */
function failureOfMeaning(meaning: FailureMeaning): Pick<Failure, 'kind'> & Partial<Failure> {
  if (meaning === 'context_length') return { kind: 'bad_request', param: 'messages', code: 'context_length_exceeded' }
  if (meaning === 'content_filter') return { kind: 'bad_request', code: 'content_filter' }
  // A channel is retried after the longest pause: the message names the day in words only.
  if (meaning === 'plan_used_up') return { kind: 'rate_limited', retryAfterSeconds: waitSecondsMax }
  return { kind: meaning }
}
