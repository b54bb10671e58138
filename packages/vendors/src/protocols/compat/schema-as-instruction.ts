import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { formatInstruction } from '../shared/chat-parts.ts'
import { fittingSchema } from '../shared/schema-instruction.ts'

/** For vendors that can enforce JSON but no schema: the schema is put into the prompt, which has to mention JSON anyway. */
export function schemaAsInstruction(body: JsonObject): JsonObject {
  const { response_format: format, messages } = body
  if (!isObject(format) || format['type'] !== 'json_schema' || !Array.isArray(messages)) return body
  const declared = isObject(format['json_schema']) ? format['json_schema']['schema'] : undefined
  const content = `Answer with one JSON object ${fittingSchema(declared ?? {})}`
  return { ...body, response_format: { type: 'json_object' }, messages: [{ role: 'system', content }, ...messages] }
}

/** For vendors without any response formats: what the client requests is put into the prompt. */
export function formatAsInstruction(body: JsonObject): JsonObject {
  const { response_format: _format, ...rest } = body
  const { messages } = rest
  const content = formatInstruction(body)
  if (!('response_format' in body)) return body
  return content === '' || !Array.isArray(messages) ? rest : { ...rest, messages: [{ role: 'system', content }, ...messages] }
}
