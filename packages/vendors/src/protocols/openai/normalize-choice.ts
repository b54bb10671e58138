import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'

// What servers write in a choice where OpenAI's clients do not look for it (servers of their own as users quote them, read 2026-11-30).

/** What a choice of a chunk adds. `undefined` = nothing. @returns its `delta` itself if it is as usual */
export function deltaOf(choice: JsonObject): JsonObject | undefined {
  const { delta, message } = choice
  const piece = isObject(delta) ? delta : message
  return isObject(piece) ? withCall(piece, firstPiece) : writtenIn(choice)
}

/** The message of a choice of a whole response. `undefined` = none. @returns its `message` itself if it is as usual */
export function messageOf(choice: JsonObject): JsonObject | undefined {
  const { delta, message } = choice
  const whole = isObject(message) ? message : delta
  return isObject(whole) ? withCall(whole, wholeCall) : writtenIn(choice)
}

/** The choice without what was written in another place, which `deltaOf` and `messageOf` have read. */
export function withoutOther(choice: JsonObject, member: 'delta' | 'message'): JsonObject {
  const { delta, message, text, ...rest } = choice
  return isObject(choice[member]) ? choice : { ...rest, ...(member === 'delta' ? { delta } : { message }) }
}

/** The text of a completion. */
function writtenIn({ text }: JsonObject): JsonObject | undefined {
  return typeof text === 'string' ? { content: text } : undefined
}

/** There was one call in a response. */
const firstPiece: JsonObject = { index: 0 }
const wholeCall: JsonObject = {}

/** What was said, with a call in the form that functions had before there were tools as one of a tool. Some write both. */
function withCall(message: JsonObject, call: JsonObject): JsonObject {
  if (!isObject(message['function_call'])) return message
  const { function_call: called, ...rest } = message
  return Array.isArray(message['tool_calls']) ? rest : { ...rest, tool_calls: [{ ...call, function: called }] }
}
