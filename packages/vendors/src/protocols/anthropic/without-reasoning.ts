import type { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'

/** The vendor's words where a signature of reasoning was made by another vendor (Anthropic, "Extended thinking", read 2026-11-23). */
const words = ['signature', 'thinking'] as const

export function isForeignSignature({ kind, message }: Failure): boolean {
  return kind === 'bad_request' && words.every((word) => message.toLowerCase().includes(word))
}

/** The chat without the reasoning that the client sent back, which the model then produces anew. `null` = it is not what was refused. */
export function withoutForeignReasoning(chat: JsonObject, failure: Failure): JsonObject | null {
  const { messages } = chat
  if (!isForeignSignature(failure) || !Array.isArray(messages)) return null
  if (!messages.some((message) => isObject(message) && message['thinking_blocks'] !== undefined)) return null
  return { ...chat, messages: messages.map((message) => (isObject(message) ? withoutBlocks(message) : message)) }
}

function withoutBlocks({ thinking_blocks: _blocks, ...message }: JsonObject): JsonObject {
  return message
}
