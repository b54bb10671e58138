import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'

/** Most marks of one request, at Anthropic and on Bedrock (Anthropic, "Prompt caching"; Amazon Bedrock, "Prompt caching", read 2026-11-29). */
const marksMax = 4

const nameOfMark = 'cache_control'

/** What becomes of the mark of a block, which is the `index`th of its request; `null` = it is left out. */
type Change = (mark: Json, index: number) => Json | null

/** In which order Claude reads a request. */
const order = ['tools', 'system', 'messages'] as const

/** The marks of a request in Anthropic's form, one after another. `head`: how many of them stand before the messages. */
interface Marks {
  readonly all: number
  readonly head: number
}

function countMarks({ tools, system, messages }: JsonObject): Marks {
  const head = countIn(tools) + countIn(system)
  return { all: head + countIn(messages), head }
}

/** Marks of a list of blocks or of messages, and of the blocks within them. Every request of Claude is counted. */
function countIn(list: Json | undefined): number {
  if (!Array.isArray(list)) return 0
  let count = 0
  for (const block of list) {
    if (!isObject(block)) continue
    const { content } = block
    if (typeof content === 'object') count += countIn(content ?? undefined)
    if (isObject(block[nameOfMark])) count += 1
  }
  return count
}

interface Walk {
  readonly change: Change
  index: number
}

/** A list of blocks or of messages, and the blocks within them, with their marks changed; the same value if none is. */
function changedAt(value: Json | undefined, walk: Walk): Json | undefined {
  if (!Array.isArray(value)) return value
  let kept: Json[] | null = null
  for (const [at, entry] of value.entries()) {
    const updated = isObject(entry) ? changedBlock(entry, walk) : entry
    if (updated === entry) continue
    kept ??= [...value]
    kept[at] = updated
  }
  return kept ?? value
}

function changedBlock(block: JsonObject, walk: Walk): JsonObject {
  const content = changedAt(block['content'], walk)
  const inner = content === block['content'] ? block : { ...block, content: content ?? null }
  const mark = inner[nameOfMark]
  if (!isObject(mark)) return inner
  const changed = walk.change(mark, walk.index)
  walk.index += 1
  if (changed === mark) return inner
  const { [nameOfMark]: _mark, ...rest } = inner
  return changed === null ? rest : { ...inner, [nameOfMark]: changed }
}

/** A request in Anthropic's form with its marks changed; the same object if none is. */
function withMarks(body: JsonObject, change: Change): JsonObject {
  const walk: Walk = { change, index: 0 }
  const changed = order.flatMap((name) => {
    const updated = changedAt(body[name], walk)
    return updated === body[name] ? [] : [[name, updated ?? null] as const]
  })
  return changed.length === 0 ? body : { ...body, ...Object.fromEntries(changed) }
}

/**
 * At most four marks: the last one before the messages, because tools and instructions are in every request, and the last ones of all. One beside
 * the messages, by which the vendor marks the last block, counts, too.
 */
export function withFewMarks(body: JsonObject, rewrites: Rewrites): JsonObject {
  const { all, head } = countMarks(body)
  const most = marksMax - (isObject(body[nameOfMark]) ? 1 : 0)
  if (all <= most || !rewrites.may('cache_marks')) return body
  const first = all - most
  const isKept = (index: number): boolean => (head > 0 && head - 1 < first ? index === head - 1 || index > first : index >= first)
  rewrites.note('cache_marks', `${all} marks -> ${most}`)
  return withMarks(body, (mark, index) => (isKept(index) ? mark : null))
}

/** Members of a mark that the clouds know ("Prompt caching" of both, read 2026-11-29): `scope` is Anthropic's own. */
const cloudMembers: ReadonlySet<string> = new Set(['type', 'ttl'])

/**
 * A request as Bedrock and Google Cloud take it: a mark beside the messages becomes one of the last block, and members of marks that they do not
 * know are left out (UKGovernmentBEIS/inspect_ai 3851, maximhq/bifrost 1558, read 2026-11-29).
 */
export function withCloudMarks(body: JsonObject, rewrites: Rewrites): JsonObject {
  if (!rewrites.may('cache_marks')) return body
  const placed = withMarkedEnd(body, rewrites)
  return withMarks(placed, (mark) => {
    const foreign = isObject(mark) ? Object.keys(mark).filter((name) => !cloudMembers.has(name)) : []
    if (!isObject(mark) || foreign.length === 0) return mark
    rewrites.note('cache_marks', `cache_control without ${foreign.join(', ')}`)
    return Object.fromEntries(Object.entries(mark).filter(([name]) => cloudMembers.has(name)))
  })
}

function withMarkedEnd(body: JsonObject, rewrites: Rewrites): JsonObject {
  const { [nameOfMark]: mark, ...rest } = body
  if (mark === undefined) return body
  rewrites.note('cache_marks', 'cache_control -> last block')
  const { messages } = rest
  const last = Array.isArray(messages) ? messages.at(-1) : undefined
  if (!Array.isArray(messages) || !isObject(last) || !isObject(mark)) return rest
  const content = markedEnd(last['content'], mark)
  return content === null ? rest : { ...rest, messages: [...messages.slice(0, -1), { ...last, content }] }
}

/** `null`: the last block cannot be marked, or is. */
function markedEnd(content: Json | undefined, mark: JsonObject): Json | null {
  if (typeof content === 'string') return content === '' ? null : [{ type: 'text', text: content, [nameOfMark]: mark }]
  const block = Array.isArray(content) ? content.at(-1) : undefined
  if (!Array.isArray(content) || !isObject(block) || block[nameOfMark] !== undefined || isReasoning(block)) return null
  return [...content.slice(0, -1), { ...block, [nameOfMark]: mark }]
}

/** Reasoning takes no mark (Anthropic, "Prompt caching", read 2026-11-29). */
const isReasoning = ({ type }: JsonObject): boolean => type === 'thinking' || type === 'redacted_thinking'

/** A request without any mark: a model without a prompt cache refuses them. In Anthropic's form, in a chat, and in Converse's. */
export function withoutMarks(body: JsonObject): JsonObject {
  const { [nameOfMark]: mark, ...rest } = body
  const plain = withMarks(mark === undefined ? body : rest, () => null)
  return withoutPoints(plain)
}

/** Converse's marks are blocks of their own. */
function withoutPoints(body: JsonObject): JsonObject {
  const { system, messages } = body
  const kept = withoutPoint(system)
  const turns = Array.isArray(messages)
    ? messages.map((message) => {
        const content = isObject(message) ? withoutPoint(message['content']) : undefined
        return isObject(message) && content !== message['content'] ? { ...message, content: content ?? null } : message
      })
    : messages
  const isSame = kept === system && (!Array.isArray(turns) || !Array.isArray(messages) || turns.every((turn, at) => turn === messages[at]))
  return isSame ? body : { ...body, ...(kept === undefined ? {} : { system: kept }), ...(turns === undefined ? {} : { messages: turns }) }
}

const isPoint = (block: Json): boolean => isObject(block) && block['cachePoint'] !== undefined

function withoutPoint(blocks: Json | undefined): Json | undefined {
  return Array.isArray(blocks) && blocks.some(isPoint) ? blocks.filter((block) => !isPoint(block)) : blocks
}
