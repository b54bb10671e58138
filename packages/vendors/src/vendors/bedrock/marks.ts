import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { takesMarks } from './models.ts'

/** Most marks of the cache in a request ("Prompt caching", read 2026-11-29). */
const pointsMax = 4

interface Body {
  readonly system: readonly JsonObject[]
  readonly messages: readonly JsonObject[]
}

const isPoint = (block: Json): boolean => isObject(block) && block['cachePoint'] !== undefined

function countIn(lists: ReadonlyArray<Json | undefined>): number {
  return lists.reduce<number>((count, list) => count + (Array.isArray(list) ? list.filter(isPoint).length : 0), 0)
}

/**
 * A request for Converse with marks of the cache as its model takes them: none where it has no cache, else the last of the instructions and the last
 * ones of the messages.
 */
export function withTakenPoints({ system, messages }: Body, id: string, rewrites: Rewrites): Body {
  const head = countIn([system])
  const all = head + countIn(messages.map(({ content }) => content))
  const most = takesMarks(id) ? pointsMax : 0
  if (all <= most || !rewrites.may('cache_marks')) return { system, messages }
  rewrites.note('cache_marks', `${all} marks -> ${most}`)
  let index = -1
  const first = all - most
  const isKept = (block: Json): boolean => {
    if (!isPoint(block)) return true
    index += 1
    if (most === 0) return false
    return head > 0 && head - 1 < first ? index === head - 1 || index > first : index >= first
  }
  const kept = system.filter(isKept)
  return {
    system: kept,
    messages: messages.map((message) => {
      const { content } = message
      return Array.isArray(content) ? { ...message, content: content.filter(isKept) } : message
    }),
  }
}

/** Messages whose documents all have different names, which Converse wants ("DocumentBlock", a stored copy read 2026-11-22). */
export function withDifferentNames(messages: readonly JsonObject[], rewrites: Rewrites): readonly JsonObject[] {
  if (!rewrites.may('files')) return messages
  const names = new Set<string>()
  const counts = new Map<string, number>()
  const named = (block: Json): Json => {
    const document = isObject(block) ? block['document'] : undefined
    const name = isObject(document) ? textOr(document['name'], '') : ''
    if (!isObject(block) || !isObject(document) || name === '') return withInner(block)
    if (!names.has(name)) {
      names.add(name)
      return block
    }
    let count = counts.get(name) ?? 1
    let other = name
    while (names.has(other)) {
      count += 1
      other = `${name.slice(0, longestName)} (${count})`
    }
    counts.set(name, count)
    names.add(other)
    rewrites.note('files', `${name} -> ${other}`)
    return { ...block, document: { ...document, name: other } }
  }
  const withInner = (block: Json): Json => {
    const result = isObject(block) ? block['toolResult'] : undefined
    const content = isObject(result) ? result['content'] : undefined
    if (!isObject(block) || !isObject(result) || !Array.isArray(content) || !content.some(hasDocument)) return block
    return { ...block, toolResult: { ...result, content: content.map(named) } }
  }
  return messages.map((message) => {
    const { content } = message
    if (!Array.isArray(content)) return message
    const renamed = content.map(named)
    return renamed.every((block, at) => block === content[at]) ? message : { ...message, content: renamed }
  })
}

const hasDocument = (block: Json): boolean => isObject(block) && block['document'] !== undefined

/** Longest beginning of a name that a number follows, in characters: a name has at most 200. */
const longestName = 140
