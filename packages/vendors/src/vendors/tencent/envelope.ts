import type { Failure } from '../../core/failure.ts'
import { asText, isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { usageIn } from '../../protocols/openai/usage.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'

/** Every action has the same path (cloud.tencent.com, "API 3.0: request structure", read 2026-11-22). */
export function actionHeaders(action: string): Readonly<Record<string, string>> {
  return { 'x-tc-action': action, 'x-tc-version': '2023-09-01' }
}

/** The error in a response, which has status 200: `Error` of an action, or `ErrorMsg` of a model that had begun. */
export function failureIn(response: JsonObject): Failure | null {
  const inner = isObject(response['Response']) ? response['Response'] : response
  const { Error: error, ErrorMsg: late } = inner
  if (isObject(error)) return failureOf(asText(error['Code']), textOr(error['Message'], ''))
  return isObject(late) ? failureOf(asText(late['Code']), textOr(late['Msg'], '')) : null
}

export function tencentFailure(status: number, body: string): Failure {
  const json = parseJson(body)
  return (isObject(json) ? failureIn(json) : null) ?? readFailure(status, body)
}

function failureOf(code: string, message: string): Failure {
  return { kind: 'unavailable', message: message === '' ? code : message, type: null, param: null, code }
}

export function usageOf({ Usage: usage }: JsonObject): Usage | null {
  if (!isObject(usage)) return null
  const { PromptTokens: prompt, CompletionTokens: completion, TotalTokens: total } = usage
  return usageIn({ usage: { prompt_tokens: prompt ?? null, completion_tokens: completion ?? null, total_tokens: total ?? null } })
}
