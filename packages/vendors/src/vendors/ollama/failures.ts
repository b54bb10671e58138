import type { Failure, FailureKind } from '../../core/failure.ts'
import { kindOfResponse, messageOr, plainMessage } from '../../core/failure-parts.ts'
import { isObject, parseJson } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'

/** Errors are `{ "error": text }` ("Errors", a stored copy of August 2026, read 2026-11-22), so that the text decides. */
export function readOllamaFailure(status: number, body: string): Failure {
  const json = parseJson(body)
  return toFailure(messageOr(json, plainMessage(status, body)), kindOfResponse(status, json))
}

/** An error within a stream, or in a response with status 200; `null` = none. */
export function errorIn(json: JsonObject): Failure | null {
  const { error } = json
  const isError = (typeof error === 'string' && error !== '') || isObject(error)
  return isError ? toFailure(messageOr(json, 'the upstream service reported an error'), 'unavailable') : null
}

const texts: ReadonlyArray<readonly [RegExp, FailureKind]> = [
  [/model .{1,300} not found|try pulling it first/i, 'model_not_found'],
  [/does not support (?:tools|thinking|images|chat|generate|embed)/i, 'bad_request'],
  [/server busy|maximum pending requests|overloaded/i, 'unavailable'],
]

const isTooLong = /(?:exceed\w{0,8}|longer than) (?:the |max )?(?:available )?(?:max )?context|prompt (?:is )?too long/i

function toFailure(message: string, fallback: FailureKind): Failure {
  const isContext = isTooLong.test(message)
  const kind = isContext ? 'bad_request' : (texts.find(([pattern]) => pattern.test(message))?.[1] ?? fallback)
  return { kind, message, type: null, param: isContext ? 'messages' : null, code: isContext ? 'context_length_exceeded' : null }
}
