import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { Kind } from '@sluice/vendors/core/kind'
import { textWithoutClientLine } from '@sluice/vendors/protocols/rules/client-lines'
import type { Tier } from '../model/channel.ts'

/** Of one account: 64 bits that stay the same through a conversation. `null`: the request is of none, or cannot choose. */
export type ConversationHash = bigint | null

interface ConversationRequest {
  readonly body: JsonObject
  readonly headers: Pick<Headers, 'get'>
  readonly userId: number
  readonly model: string
  /** Where there are not several channels to choose from, nothing is read. */
  readonly tiers: readonly Pick<Tier, 'channels'>[]
}

/** Characters that are read of the system prompt and of the first message each: enough to distinguish conversations. */
const readMax = 4 * 1024

/**
 * What identifies a conversation, the first that a request has: `prompt_cache_key`; the session of Claude Code, or the user that it names;
 * Codex's session; how it begins. Vendors keep the beginning of a prompt in a cache of the channel's account, so that a conversation costs less
 * where it was before. An earlier response that is continued has been put before the input, so that the beginning stays the same.
 */
export function conversationOf(kind: Kind, request: ConversationRequest): ConversationHash {
  const isAlone = request.tiers.every(({ channels }) => channels.length <= 1)
  return isAlone || !conversing.has(kind) ? null : hashIn(request)
}

const conversing: ReadonlySet<Kind> = new Set(['chat', 'completions', 'responses', 'messages', 'generate'])

function hashIn({ body, headers, userId, model }: ConversationRequest): ConversationHash {
  const named =
    textOf(body['prompt_cache_key']) ||
    (headers.get('x-claude-code-session-id') ?? '') ||
    textOf(isObject(body['metadata']) ? body['metadata']['user_id'] : undefined) ||
    (headers.get('session-id') ?? headers.get('session_id') ?? '')
  if (named !== '') return hashOf([String(userId), named.slice(0, readMax)])
  const first = firstOf(body)
  return first === null ? null : hashOf([String(userId), model, systemOf(body), readText(first)])
}

const hashOf = (parts: readonly string[]): bigint => parts.reduce((hash, part) => BigInt(Bun.hash(part, hash)), 0n)

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const listIn = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

const instructing: ReadonlySet<Json | undefined> = new Set(['system', 'developer'])

/** The first message of the user in any of the protocols; `null`: it has none. */
function firstOf(body: JsonObject): Json | null {
  const { messages, input, contents, prompt } = body
  if (typeof input === 'string' || typeof prompt === 'string') return typeof input === 'string' ? input : (prompt ?? null)
  for (const list of [messages, input, contents])
    for (const message of listIn(list))
      if (isObject(message) && (message['role'] === 'user' || (list === contents && message['role'] === undefined)))
        return message['content'] ?? message['parts'] ?? null
  return null
}

function systemOf({ system, instructions, systemInstruction, system_instruction: snake, messages, input }: JsonObject): string {
  const [opening] = listIn(messages ?? input)
  const instruction = isObject(opening) && instructing.has(opening['role']) ? opening['content'] : null
  return readText([system, instructions, systemInstruction ?? snake, instruction].map((value) => value ?? null))
}

/** The texts of a value, as far as they are read. */
function readText(value: Json): string {
  return textsIn(value, levelsMax)
    .map((text) => textWithoutClientLine(text).slice(0, readMax))
    .filter((text) => text !== '')
    .join('\n')
    .slice(0, readMax)
}

/** Lists within each other: of instructions, of an instruction, of its parts. */
const levelsMax = 4
const partsMax = 8

function textsIn(value: Json, levels: number): readonly string[] {
  if (typeof value === 'string') return [value]
  if (isObject(value)) return textsIn(value['text'] ?? value['parts'] ?? null, levels)
  return Array.isArray(value) && levels > 0 ? value.slice(0, partsMax).flatMap((part) => textsIn(part, levels - 1)) : []
}
