import { argumentsIn, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { withTextSystem } from '../shared/text-system.ts'
import { keepCacheControl, markLast, toBlocks } from './content.ts'

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly blocks: readonly JsonObject[]
}

export interface Conversation {
  /** Content of the leading system and developer messages. */
  readonly system: readonly JsonObject[]
  readonly messages: readonly JsonObject[]
  /** The last turn has the result of a tool call from a turn whose thinking blocks are missing; such a turn may not think. */
  readonly hasLostThinking: boolean
}

const isSystem = (message: JsonObject): boolean => message['role'] === 'system' || message['role'] === 'developer'

/**
 * The list of messages in Anthropic's form: leading system messages leave it, neighbours of one role merge, tool results become
 * user blocks, and the first turn is the user's (Messages API, read 2026-11-21).
 */
export function toConversation(list: Json | undefined, rewrites: Rewrites): Conversation {
  const messages = withTextSystem(objectsIn(list), rewrites)
  const firstOther = messages.findIndex((message) => !isSystem(message))
  const leading = firstOther === -1 ? messages : messages.slice(0, firstOther)
  const rest = firstOther === -1 ? [] : messages.slice(firstOther)
  const turns = mergeTurns(rest.map((message) => toTurn(message)))
  const opened = turns[0]?.role === 'user' ? turns : [placeholder, ...turns]
  return {
    system: leading.flatMap((message) => markLast(message, toBlocks(message['content']))),
    messages: trimEnd(opened).map(({ role, blocks }) => ({ role, content: plainWherePossible(blocks) })),
    hasLostThinking: endsInLostThinking(turns),
  }
}

const placeholder: Turn = { role: 'user', blocks: [{ type: 'text', text: '...' }] }

function toTurn(message: JsonObject): Turn {
  const { role, content } = message
  if (role === 'assistant') return { role, blocks: markLast(message, assistantBlocks(message)) }
  if (role === 'tool') return { role: 'user', blocks: [toolResult(message)] }
  return { role: 'user', blocks: markLast(message, toBlocks(content)) }
}

function assistantBlocks(message: JsonObject): readonly JsonObject[] {
  const { content, refusal, tool_calls: calls, thinking_blocks: thinking } = message
  const reasoning = Array.isArray(thinking) ? thinking.filter(isObject).filter(isReasoning) : []
  const spoken = toBlocks(typeof content === 'string' || Array.isArray(content) ? content : refusal)
  // Some clients send the same call in the vendor's form and in OpenAI's.
  const toolUseIds = new Set(spoken.filter((block) => block['type'] === 'tool_use').map((block) => block['id']))
  const uses = Array.isArray(calls) ? calls.filter(isObject).filter((call) => !toolUseIds.has(call['id'])) : []
  return [...[...reasoning, ...spoken].filter(isProven), ...uses.map((call) => toolUse(call))]
}

function isReasoning(block: JsonObject): boolean {
  return block['type'] === 'thinking' || block['type'] === 'redacted_thinking'
}

/** The vendor signs its thinking blocks, and refuses one without a signature. */
function isProven(block: JsonObject): boolean {
  const proof = block['type'] === 'thinking' ? block['signature'] : block['data']
  return !isReasoning(block) || textOr(proof, '') !== ''
}

function toolUse(call: JsonObject): JsonObject {
  const called = isObject(call['function']) ? call['function'] : {}
  const input = argumentsIn(called['arguments'])
  return { type: 'tool_use', id: textOr(call['id'], ''), name: textOr(called['name'], ''), input }
}

function toolResult(message: JsonObject): JsonObject {
  const content = plainWherePossible(toBlocks(message['content']))
  return keepCacheControl(message, {
    type: 'tool_result',
    tool_use_id: textOr(message['tool_call_id'], ''),
    ...(content.length === 0 ? {} : { content }),
  })
}

/** A single text block is sent as a string: shorter on the wire, the same for the model. */
function plainWherePossible(blocks: readonly JsonObject[]): string | readonly JsonObject[] {
  const [only] = blocks
  const isPlain = blocks.length === 1 && only !== undefined && only['type'] === 'text' && only['cache_control'] === undefined
  return isPlain ? textOr(only['text'], '') : blocks
}

/** Results of parallel calls must come in one user message, before anything the user says with them. */
function mergeTurns(turns: readonly Turn[]): readonly Turn[] {
  const runs: { readonly role: Turn['role']; readonly parts: Turn['blocks'][] }[] = []
  for (const { role, blocks } of turns) {
    if (blocks.length === 0) continue
    const last = runs.at(-1)
    if (last?.role === role) last.parts.push(blocks)
    else runs.push({ role, parts: [blocks] })
  }
  return runs.map(({ role, parts }) => ({ role, blocks: resultsFirst(parts.flat()) }))
}

function resultsFirst(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const isResult = (block: JsonObject): boolean => block['type'] === 'tool_result'
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))]
}

/** A trailing assistant turn is a prefill, which may not end in white space. */
function trimEnd(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.at(-1)
  const end = last?.blocks.at(-1)
  if (last?.role !== 'assistant' || end?.['type'] !== 'text') return turns
  const trimmed = { ...end, text: textOr(end['text'], '').trimEnd() }
  return [...turns.slice(0, -1), { ...last, blocks: [...last.blocks.slice(0, -1), trimmed] }]
}

/** For models that take no prefill: a user turn that asks to continue is appended, if the channel allows it. */
export function withoutPrefill(messages: readonly JsonObject[], rewrites: Rewrites): readonly JsonObject[] {
  const ended = endedByUser(messages)
  if (ended === messages || !rewrites.may('messages')) return messages
  rewrites.note('messages', 'user turn at the end')
  return ended
}

export function endedByUser(messages: readonly JsonObject[]): readonly JsonObject[] {
  return messages.at(-1)?.['role'] === 'user' ? messages : [...messages, { role: 'user', content: 'Continue.' }]
}

function endsInLostThinking(turns: readonly Turn[]): boolean {
  const responses = turns.at(-1)?.blocks.some((block) => block['type'] === 'tool_result') ?? false
  const [first] = turns.at(-2)?.blocks ?? []
  return responses && (first === undefined || !isReasoning(first))
}
