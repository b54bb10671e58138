import { soundBytes } from '@sluice/vendors/chat-parts'
import { isObject, textOr } from '@sluice/vendors/is-object'
import type { Json, JsonObject } from '@sluice/vendors/json'
import { isInline, pictureTokens } from './picture-tokens.ts'

/** Estimated tokens of a file in a request; the charge uses the vendor's count. */
const fileTokens = 1_500
/** Tokens per message for role and separators, and the tokens that begin the answer (OpenAI cookbook, "How to count tokens"). */
export const messageTokens = 4
export const replyTokens = 3

/**
 * A fast estimate of LLM tokens, slightly too high: one token per four Latin characters or per character of other scripts. Used for
 * reservations and to check whether one is used up. Charges without a vendor's count use the exact token counter.
 */
export function estimateTokens(text: string): number {
  // The runtime counts bytes many times faster than a loop counts characters, and plain ASCII has as many of both.
  if (Buffer.byteLength(text) === text.length) return Math.ceil(text.length / 4)
  let quarters = 0
  for (let index = 0; index < text.length; index++) quarters += text.charCodeAt(index) < 0x250 ? 1 : 4
  return Math.ceil(quarters / 4)
}

/** Media in a prompt, with their bytes. */
export interface PromptMedia {
  readonly images: Json[]
  /** In base64. */
  readonly audio: string[]
}

/** Estimated prompt tokens of a chat: messages, remote images and tools. Other media are added to `media`, because they must be decoded first. */
export function estimatePrompt(body: JsonObject, media: PromptMedia): number {
  const { messages, tools = body['functions'], model } = body
  let tokens = tools === undefined ? 0 : estimateTokens(JSON.stringify(tools))
  for (const message of Array.isArray(messages) ? messages : []) {
    if (!isObject(message)) continue
    tokens += messageTokens + estimateContent(message['content'], textOr(model, ''), media) + estimateToolCalls(message['tool_calls'])
  }
  return tokens
}

/** Whether all messages are plain text. */
export function areTexts(messages: readonly Json[]): boolean {
  return messages.every((message) => isObject(message) && isText(message['content']))
}

/** Members of a message that its estimate counts, or that no model reads. */
const countedMembers: ReadonlySet<string> = new Set([
  ...['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'type', 'id', 'status', 'text'],
  ...['arguments', 'call_id', 'output', 'summary', 'input', 'cache_control'],
])

/** Whether any of the messages has a member that the estimate leaves out. */
export function haveMore(messages: readonly Json[]): boolean {
  for (const message of messages) {
    if (!isObject(message)) continue
    for (const name in message) if (!countedMembers.has(name)) return true
  }
  return false
}

function isText(content: Json | undefined): boolean {
  if (!Array.isArray(content)) return true
  return content.every((part) => isObject(part) && typeof part['text'] === 'string')
}

function estimateContent(content: unknown, model: string, media: PromptMedia): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return 0
  let tokens = 0
  for (const part of content) if (isObject(part)) tokens += estimatePart(part, model, media)
  return tokens
}

function estimatePart({ text, image_url: image, input_audio: audio }: JsonObject, model: string, media: PromptMedia): number {
  if (typeof text === 'string') return estimateTokens(text)
  if (image !== undefined && !isInline(image)) return pictureTokens(image, model)
  if (image !== undefined) media.images.push(image)
  else if (isObject(audio) && typeof audio['data'] === 'string') media.audio.push(soundBytes(audio))
  else return fileTokens
  return 0
}

function estimateToolCalls(calls: unknown): number {
  return Array.isArray(calls) ? estimateTokens(JSON.stringify(calls)) : 0
}
