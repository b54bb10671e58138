import type { Failure, FailureKind } from '../../core/failure.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { TaskResponse } from '../../core/task.ts'
import { numberOf } from '../../core/vendor-query.ts'
import { failureOf, isOk, unreadable } from '../../protocols/tasks/step-parts.ts'

/** What a response holds: errors have status 200 too. */
export type Opened = { readonly held: JsonObject } | { readonly code: number; readonly failed: Failure }

/** Codes of errors (docs.platform.pixverse.ai, "Error codes", stored copy read 2026-11-23; 500043 of clients that met it). */
const kinds: Readonly<Record<number, FailureKind>> = {
  400012: 'bad_key',
  500008: 'bad_request',
  500020: 'forbidden',
  500030: 'bad_request',
  500031: 'bad_request',
  500032: 'bad_request',
  500033: 'bad_request',
  500042: 'bad_request',
  500043: 'no_quota',
  500044: 'rate_limited',
  500054: 'bad_request',
  500060: 'forbidden',
  500063: 'bad_request',
  500064: 'bad_request',
  500070: 'bad_request',
  500071: 'bad_request',
  500090: 'no_quota',
}

const moderation: readonly number[] = [500054, 500063]

/** Requested data not found. */
export const missingCode = 500008

/** Content has been deleted. */
export const deleted = 500064

export function opened(response: TaskResponse): Opened {
  if (!isOk(response)) return { code: 0, failed: failureOf(response) }
  const { json } = response
  const code = isObject(json) ? numberOf(json['ErrCode']) : null
  if (!isObject(json) || code === null) return { code: 0, ...unreadable(response) }
  if (code !== 0) return { code, failed: failureWith(code, textOr(json['ErrMsg'], '')) }
  const held = json['Resp'] ?? json['resp']
  return isObject(held) ? { held } : { code: 0, ...unreadable(response) }
}

export function isModeration({ code }: { readonly code: number }): boolean {
  return moderation.includes(code)
}

function failureWith(code: number, message: string): Failure {
  const kind = lookUp(kinds, String(code)) ?? (code >= 400_000 && code < 401_000 ? 'bad_request' : 'unavailable')
  return {
    kind,
    message: message === '' ? `the upstream service reports the error ${code}` : message.slice(0, 2_000),
    type: null,
    param: null,
    code: isModeration({ code }) ? 'moderation_blocked' : String(code),
  }
}
