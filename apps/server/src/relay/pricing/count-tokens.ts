import { isObject, textOr } from '@sluice/vendors/is-object'
import type { Json, JsonObject } from '@sluice/vendors/json'
import { pictureTokens } from './picture-tokens.ts'

/** LLM tokens that a file of a request is reckoned with; the vendor's count is what is billed. */
const fileTokens = 1_500
/** Tokens that every message has beside its text (role and separators), and that the answer begins with (OpenAI cookbook, "How to count tokens"). */
export const messageTokens = 4
export const replyTokens = 3

/**
 * A fast estimate of LLM tokens, a little on the high side: four Latin characters or about one of any other script are a token.
 * For reservations, and to see when one runs out. What is billed without a vendor's count is counted exactly, by the token counter.
 */
export function estimateTokens(text: string): number {
  let quarters = 0
  for (let index = 0; index < text.length; index++) quarters += text.charCodeAt(index) < 0x250 ? 1 : 4
  return Math.ceil(quarters / 4)
}

/** Prompt tokens of a chat, estimated from its messages, pictures and tools. Its sounds are added to `sounds`: they have to be read first. */
export function estimatePrompt(body: JsonObject, sounds: string[]): number {
  const { messages, tools, model } = body
  let tokens = tools === undefined ? 0 : estimateTokens(JSON.stringify(tools))
  for (const message of Array.isArray(messages) ? messages : []) {
    if (!isObject(message)) continue
    tokens += messageTokens + estimateContent(message['content'], textOr(model, ''), sounds) + estimateToolCalls(message['tool_calls'])
  }
  return tokens
}

/** Whether messages are text alone. */
export function areTexts(messages: readonly Json[]): boolean {
  return messages.every((message) => isObject(message) && isText(message['content']))
}

function isText(content: Json | undefined): boolean {
  if (!Array.isArray(content)) return true
  return content.every((part) => isObject(part) && typeof part['text'] === 'string')
}

function estimateContent(content: unknown, model: string, sounds: string[]): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return 0
  let tokens = 0
  for (const part of content) if (isObject(part)) tokens += estimatePart(part, model, sounds)
  return tokens
}

function estimatePart({ text, image_url: picture, input_audio: sound }: JsonObject, model: string, sounds: string[]): number {
  if (typeof text === 'string') return estimateTokens(text)
  if (picture !== undefined) return pictureTokens(picture, model)
  const data = isObject(sound) ? sound['data'] : undefined
  if (typeof data !== 'string') return fileTokens
  sounds.push(data)
  return 0
}

function estimateToolCalls(calls: unknown): number {
  return Array.isArray(calls) ? estimateTokens(JSON.stringify(calls)) : 0
}
