import type { AcceptedIds } from '../../core/call-form.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { createNaming, type Naming } from './naming.ts'

/** At most as many characters as OpenAI's responses take (AnswerDotAI/fastllm 45, read 2026-11-30), for vendors that say nothing of it. */
export const anyIds: AcceptedIds = { lengthMax: 64 }

/** OpenAI's chats take fewer characters (microsoft/autogen 6377 and langgenius/dify 28987, read 2026-11-30). */
export const openaiIds: AcceptedIds = { lengthMax: 40, areUnique: true }

/** Claude and Converse (Messages API, "Tool use", read 2026-11-21; Converse API, `toolUseId`, read 2026-11-30). */
export const claudeIds: AcceptedIds = { lengthMax: 64, pattern: /^[a-zA-Z0-9_-]+$/, areUnique: true }

const isAccepted = (id: string, { lengthMax, pattern }: AcceptedIds): boolean =>
  id !== '' && id.length <= lengthMax && (pattern === undefined || pattern.test(id))

/** Leaves room for a number. */
const lengthMax = 32

/** The calls of one id, in their order; `next` is the first without a result. */
interface Waiting {
  readonly round: number
  readonly calls: string[]
  next: number
}

/**
 * Replaces ids that a vendor refuses. Other vendors use ids such as `functions.weather:0`, the same id in every turn, or none. A result is matched to
 * the oldest call of its id without one, of the last turns in which the model spoke.
 */
class CallIds {
  readonly #accepted: AcceptedIds
  readonly #naming: Naming = createNaming([], lengthMax)
  readonly #waiting = new Map<string, Waiting>()
  #round = 0

  readonly #rewrites: Rewrites

  constructor(accepted: AcceptedIds, rewrites: Rewrites) {
    this.#accepted = accepted
    this.#rewrites = rewrites
  }

  /** The model speaks after others have. */
  begin(): void {
    this.#round += 1
  }

  call(id: string): string {
    const { areUnique } = this.#accepted
    const before = this.#waiting.get(id)
    const queue = before?.round === this.#round ? before : { round: this.#round, calls: [], next: 0 }
    const isUsed = areUnique === true ? this.#naming.isTaken(id) : queue.calls.length > 0
    const upstreamId = isAccepted(id, this.#accepted) && !isUsed ? this.#naming.take(id) : this.#naming.takeLike(id)
    if (upstreamId !== id) this.#rewrites.note('call_ids', `${id} -> ${upstreamId}`)
    queue.calls.push(upstreamId)
    this.#waiting.set(id, queue)
    return upstreamId
  }

  result(id: string): string {
    const queue = this.#waiting.get(id)
    if (queue === undefined) return id
    queue.next += 1
    return queue.calls[queue.next - 1] ?? id
  }
}

/** Where the messages of a protocol have the ids of their calls. */
interface Places {
  /** Whether the model has said it. */
  readonly isOfModel: (message: JsonObject) => boolean
  readonly isRefused: (messages: readonly Json[], accepted: AcceptedIds) => boolean
  readonly change: (message: JsonObject, ids: CallIds) => JsonObject
}

/** The messages with ids that the vendor takes, if the channel allows it. @returns the list itself if it has no others */
function withIds(
  messages: readonly Json[],
  accepted: AcceptedIds,
  { isOfModel, isRefused, change, rewrites }: Places & Rewriting,
): readonly Json[] {
  if (!isRefused(messages, accepted) || !rewrites.may('call_ids')) return messages
  const ids = new CallIds(accepted, rewrites)
  let isSpeaking = false
  const changed = messages.map((message) => {
    if (!isObject(message)) return message
    const isOwn = isOfModel(message)
    if (isOwn && !isSpeaking) ids.begin()
    isSpeaking = isOwn
    return change(message, ids)
  })
  return changed
}

interface Rewriting {
  readonly rewrites: Rewrites
}

/** The ids of a list of calls, one after the other. @returns whether one of them is refused */
class Seen {
  readonly #accepted: AcceptedIds
  readonly #all = new Set<string>()

  constructor(accepted: AcceptedIds) {
    this.#accepted = accepted
  }

  begin(): void {
    if (this.#accepted.areUnique !== true) this.#all.clear()
  }

  isRefused(id: Json | undefined): boolean {
    if (typeof id !== 'string' || !isAccepted(id, this.#accepted) || this.#all.has(id)) return true
    this.#all.add(id)
    return false
  }
}

/** The messages of a chat. */
export function withChatIds(messages: readonly Json[], accepted: AcceptedIds, rewrites: Rewrites): readonly Json[] {
  return withIds(messages, accepted, { ...inChat, rewrites })
}

const isOfAssistant = ({ role }: JsonObject): boolean => role === 'assistant'

const inChat: Places = {
  isOfModel: isOfAssistant,
  isRefused(messages, accepted) {
    const seen = new Seen(accepted)
    for (const message of messages) {
      const calls = isObject(message) ? message['tool_calls'] : undefined
      if (!Array.isArray(calls)) continue
      seen.begin()
      for (const call of calls) if (isObject(call) && seen.isRefused(call['id'])) return true
    }
    return false
  },
  change(message, ids) {
    const { role, tool_calls: calls, tool_call_id: id } = message
    if (role === 'tool') return { ...message, tool_call_id: ids.result(textOr(id, '')) }
    if (role !== 'assistant' || !Array.isArray(calls)) return message
    return { ...message, tool_calls: calls.filter(isObject).map((call) => ({ ...call, id: ids.call(textOr(call['id'], '')) })) }
  },
}

/** Messages in Anthropic's form. */
export function withMessageIds(messages: readonly Json[], rewrites: Rewrites): readonly Json[] {
  return withIds(messages, claudeIds, { ...inMessages, rewrites })
}

const blocksOf = (message: Json): readonly Json[] => (isObject(message) && Array.isArray(message['content']) ? message['content'] : [])

const inMessages: Places = {
  isOfModel: isOfAssistant,
  isRefused(messages, accepted) {
    const seen = new Seen(accepted)
    return messages.some((message) =>
      blocksOf(message).some((block) => isObject(block) && block['type'] === 'tool_use' && seen.isRefused(block['id'])),
    )
  },
  change(message, ids) {
    if (!Array.isArray(message['content'])) return message
    return { ...message, content: message['content'].map((block) => (isObject(block) ? changedBlock(block, ids) : block)) }
  },
}

function changedBlock(block: JsonObject, ids: CallIds): JsonObject {
  if (block['type'] === 'tool_use') return { ...block, id: ids.call(textOr(block['id'], '')) }
  if (block['type'] === 'tool_result') return { ...block, tool_use_id: ids.result(textOr(block['tool_use_id'], '')) }
  return block
}

/** The input of a request for a response. */
export function withItemIds(items: readonly Json[], rewrites: Rewrites): readonly Json[] {
  return withIds(items, anyIds, { ...inItems, rewrites })
}

/** Calls of functions and of other tools, and what their results are called. */
const isCall = ({ type, call_id: id }: JsonObject): boolean => typeof id === 'string' && textOr(type, '').endsWith('_call')
const isResult = ({ type, call_id: id }: JsonObject): boolean => typeof id === 'string' && textOr(type, '').endsWith('_call_output')

const inItems: Places = {
  isOfModel: isCall,
  isRefused(items, accepted) {
    const seen = new Seen(accepted)
    let isCalling = false
    return items.some((item) => {
      const isOwn = isObject(item) && isCall(item)
      if (isOwn && !isCalling) seen.begin()
      isCalling = isOwn
      return isOwn && seen.isRefused(item['call_id'])
    })
  },
  change(item, ids) {
    if (isCall(item)) return { ...item, call_id: ids.call(textOr(item['call_id'], '')) }
    return isResult(item) ? { ...item, call_id: ids.result(textOr(item['call_id'], '')) } : item
  },
}
