import type { Failure } from '../../core/failure.ts'
import { asText, isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { errorIn } from '../../protocols/shared/openai-failure.ts'

/** The state of a response is in its header; 0 is success. `null` = it is no failure. */
export function failureIn(json: JsonObject): Failure | null {
  const { header } = json
  if (!isObject(header)) return errorIn(json)
  const { code, message } = header
  if (code === 0 || code === undefined) return null
  return { kind: 'unavailable', message: textOr(message, `error ${asText(code)}`), type: null, param: null, code: asText(code) }
}
