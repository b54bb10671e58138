import { isObject } from '@sluice/vendors/is-object'
import type { JsonObject } from '@sluice/vendors/json'

/** LLM tokens that one image of a request is reckoned with when quota is reserved; the vendor's count is what is billed. */
const imageTokens = 1_500
/** Tokens that every message has beside its text (role and separators). */
const messageTokens = 4

/**
 * A fast estimate of LLM tokens, a little on the high side: four Latin characters or about one of any other script are a token.
 * For reservations, and to see when one runs out. What is billed without a vendor's count is counted exactly, by `CountTokens`.
 */
export function estimateTokens(text: string): number {
  let quarters = 0
  for (let index = 0; index < text.length; index++) quarters += text.charCodeAt(index) < 0x250 ? 1 : 4
  return Math.ceil(quarters / 4)
}

/** Prompt tokens of a chat, estimated from its messages and tools. */
export function estimatePrompt(body: JsonObject): number {
  const { messages, tools } = body
  let tokens = tools === undefined ? 0 : estimateTokens(JSON.stringify(tools))
  for (const message of Array.isArray(messages) ? messages : []) {
    if (isObject(message)) tokens += messageTokens + estimateContent(message['content']) + estimateToolCalls(message['tool_calls'])
  }
  return tokens
}

function estimateContent(content: unknown): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return 0
  let tokens = 0
  for (const part of content) {
    if (!isObject(part)) continue
    tokens += typeof part['text'] === 'string' ? estimateTokens(part['text']) : imageTokens
  }
  return tokens
}

function estimateToolCalls(calls: unknown): number {
  return Array.isArray(calls) ? estimateTokens(JSON.stringify(calls)) : 0
}

/** Counts output text exactly. */
export type CountTokens = (text: string) => Promise<number>

/** The tokenizer's time grows faster than the text on long runs without a space, so it gets bounded pieces. */
const pieceLength = 8_192

/**
 * Counts with the tokenizer of current OpenAI models (o200k). Only answers without a vendor's count come here, so the
 * tokenizer and its tables are loaded when the first one does.
 */
export function createTokenCounter(): CountTokens {
  let loading: ReturnType<typeof loadTokenizer> | null = null
  return async (text) => {
    if (text === '') return 0
    loading ??= loadTokenizer()
    const count = await loading
    let tokens = 0
    for (let start = 0; start < text.length; start += pieceLength) tokens += count(text.slice(start, start + pieceLength))
    return tokens
  }
}

async function loadTokenizer(): Promise<(text: string) => number> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  // Special-token names inside an answer are plain text of the answer.
  return (text) => countTokens(text, { allowedSpecial: 'all' })
}
