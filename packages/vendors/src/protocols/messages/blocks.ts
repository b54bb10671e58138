import { responseArguments } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { JsonCounter, JsonTally } from '../../core/json-counter.ts'
import { ownMark } from '../shared/gateway-marks.ts'

/** One content block, as far as it was received. */
export interface Block {
  readonly kind: 'text' | 'thinking' | 'redacted' | 'tool' | 'image'
  /** What is written in it, and the part of that which was not sent yet. */
  text: string
  unsent: string
  /** Counts the arguments. Calls only, as the next two. */
  readonly counter: JsonCounter
  readonly id: string
  name: string
  /** What the vendor wants back with the call or the image, or with the text before such reasoning. */
  readonly extra: JsonObject | null
  /** Reasoning only: a vendor's own signature, or the whole of it if the vendor hides it. */
  signature: string
  /** Images only. */
  readonly source: JsonObject
  /** Texts only. */
  readonly citations: JsonObject[]
  isBegun: boolean
}

export function grow(block: Block, text: string): void {
  block.text += text
  block.unsent += text
}

/** A call is complete when its arguments are; the others are when another block begins. Calls without arguments end with the response. */
export function isComplete({ kind, counter }: Block): boolean {
  return kind !== 'tool' || counter.isClosed
}

/** The beginning of a call has its name, which is whole once the arguments come. */
export function mayBegin({ kind, name, text }: Block): boolean {
  return kind !== 'tool' || (name !== '' && text !== '')
}

export const deltas = {
  text: ['text_delta', 'text'],
  thinking: ['thinking_delta', 'thinking'],
  tool: ['input_json_delta', 'partial_json'],
} as const

export function openingOf({ kind, id, name, extra, signature, source }: Block): JsonObject {
  const own = extra === null ? {} : { extra_content: extra }
  if (kind === 'tool') return { type: 'tool_use', id, name, input: {}, ...own }
  if (kind === 'image') return { type: 'image', source, ...own }
  if (kind === 'redacted') return { type: 'redacted_thinking', data: ownMark + signature }
  return kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' }
}

/**
 * @param reasoning its members, if the block is reasoning
 * @param inner the JSON in the arguments of the calls so far
 */
export function wholeOf(block: Block, reasoning: JsonObject, inner: JsonTally): JsonObject {
  const { kind, text, citations } = block
  if (kind === 'thinking') return { type: 'thinking', ...reasoning }
  if (kind === 'redacted' || kind === 'image') return openingOf(block)
  if (kind === 'text') return { type: 'text', text, ...(citations.length === 0 ? {} : { citations }) }
  return { ...openingOf(block), input: responseArguments(text, inner) }
}
