import type { Failure } from '../dialect.ts'
import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

/** The vendor's words where a signature was made by another model, or through another kind of key ("Thought signatures", read 2026-11-22). */
const isForeign = /thought.?signature/i

/**
 * The chat without the signatures that the client sent back; what must have one then gets the one that is not checked. `null` = they are
 * not what was refused.
 */
export function withoutForeignSignatures(chat: JsonObject, { kind, message }: Failure): JsonObject | null {
  const { messages } = chat
  if (kind !== 'bad_request' || !isForeign.test(message) || !Array.isArray(messages)) return null
  const mended = messages.map((said) => (isObject(said) ? unsignedMessage(said) : said))
  return mended.every((said, index) => said === messages[index]) ? null : { ...chat, messages: mended }
}

function unsignedMessage(message: JsonObject): JsonObject {
  const { tool_calls: calls, images } = message
  const lists = { ...changed('tool_calls', calls), ...changed('images', images) }
  const plain = unsigned(message)
  return plain === message && Object.keys(lists).length === 0 ? message : { ...plain, ...lists }
}

function changed(name: string, list: Json | undefined): JsonObject {
  if (!Array.isArray(list)) return {}
  const made = list.map((entry) => (isObject(entry) ? unsigned(entry) : entry))
  return made.every((entry, index) => entry === list[index]) ? {} : { [name]: made }
}

function unsigned(entry: JsonObject): JsonObject {
  const { extra_content: extra, ...rest } = entry
  if (!isObject(extra) || extra['google'] === undefined) return entry
  const { google: _signed, ...others } = extra
  return { ...rest, ...(Object.keys(others).length === 0 ? {} : { extra_content: others }) }
}
