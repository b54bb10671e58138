import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isCarried } from '../shared/carried-reasoning.ts'

/** Whether an item is reasoning that the gateway wrote for a vendor with chats only. */
export function isOwnReasoning({ type, encrypted_content: text }: JsonObject): boolean {
  return type === 'reasoning' && isCarried(text)
}

const isOwn = (item: Json): boolean => isObject(item) && (isOwnReasoning(item) || item['extra_content'] !== undefined)

/** A request without what another vendor wants back, which OpenAI could not read. */
export function withoutOwnItems(body: JsonObject): JsonObject {
  const { input } = body
  if (!Array.isArray(input) || !input.some(isOwn)) return body
  return { ...body, input: input.flatMap(withoutOwn) }
}

function withoutOwn(item: Json): readonly Json[] {
  if (!isObject(item)) return [item]
  if (isOwnReasoning(item)) return []
  const { extra_content: _extra, ...rest } = item
  return [rest]
}
