import { isGiven, isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { audioBytes } from '@sluice/vendors/protocols/shared/chat-parts'
import type { PromptMedia } from './prompt-media.ts'

/** Tokens per message for role and separators, and the tokens that begin the response (OpenAI cookbook, "How to count tokens"). */
export const messageTokens = 4
export const responseTokens = 3

/**
 * A fast estimate of LLM tokens, slightly too high: one token per four Latin characters or per character of other scripts. Used for
 * reservations and to check whether one is used up. Charges without a vendor's count use the exact token counter. No character is more than four
 * times as many tokens by o200k or cl100k as here, so that a comparison with five times as many holds for every text.
 */
export function estimateTokens(text: string): number {
  // The runtime counts bytes many times faster than a loop counts characters, and plain ASCII has as many of both.
  if (Buffer.byteLength(text) === text.length) return Math.ceil(text.length / 4)
  let quarters = 0
  for (let index = 0; index < text.length; index++) quarters += quartersOf(text.charCodeAt(index))
  return Math.ceil(quarters / 4)
}

/** Quarters of a token: of ASCII, of a letter with an accent, of letters and signs that are rare in Latin, of other scripts. */
function quartersOf(code: number): number {
  if (code < 0x80) return 1
  if (code >= 0x250) return 4
  return code >= 0xa0 && code < 0x180 ? 2 : 8
}

/** Estimated prompt tokens of a chat: messages, remote images and tools. Other media are added to `media`, because they must be decoded first. */
export function estimatePrompt(body: JsonObject, media: PromptMedia): number {
  const { messages, tools = body['functions'] } = body
  let tokens = tools === undefined ? 0 : estimateTokens(JSON.stringify(tools))
  for (const message of Array.isArray(messages) ? messages : []) {
    if (!isObject(message)) continue
    tokens += messageTokens + estimateContent(message['content'], media) + estimateToolCalls(message['tool_calls'])
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

function estimateContent(content: unknown, media: PromptMedia): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return 0
  let tokens = 0
  for (const part of content) {
    if (isObject(part)) tokens += estimatePart(part, media)
    else if (typeof part === 'string') tokens += estimateTokens(part)
  }
  return tokens
}

function estimatePart(part: JsonObject, media: PromptMedia): number {
  const { text, image_url: image, input_audio: audio } = part
  if (typeof text === 'string') return estimateTokens(text)
  if (image !== undefined) return media.addImage(image)
  if (isObject(audio) && typeof audio['data'] === 'string') return media.addFile('audio/', audioBytes(audio))
  const files = Object.keys(part).filter((name) => (addressed.has(name) || name.endsWith('_url')) && isGiven(part[name]))
  if (files.length === 0) return estimateTokens(JSON.stringify(part))
  return files.reduce((sum, name) => sum + addAddressed(part[name], media), 0)
}

/**
 * Parts that name a file: OpenAI's `file` ("Chat", read 2026-11-21), audio by its address, and every address: Alibaba's and OpenRouter's `video_url`,
 * Mistral's `document_url`, Zhipu's `file_url`.
 */
const addressed: ReadonlySet<string> = new Set(['file', 'input_audio', 'video'])

/** A file as a chat has it: its address, an object with one, or an id at the vendor. */
function addAddressed(file: Json | undefined, media: PromptMedia): number {
  if (Array.isArray(file)) return file.reduce((sum: number, frame) => sum + addAddressed(frame, media), 0)
  return media.addAddress(isObject(file) ? (file['file_data'] ?? file['url'] ?? file['data']) : file)
}

function estimateToolCalls(calls: unknown): number {
  return Array.isArray(calls) ? estimateTokens(JSON.stringify(calls)) : 0
}
