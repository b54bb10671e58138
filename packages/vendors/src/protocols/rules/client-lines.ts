import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import type { Rewrites } from '../../core/rewrites.ts'

/**
 * Lines that a client writes first into its instructions, and anew for each request, so that no vendor that caches by prefix finds the rest again.
 * They mean nothing to a model. `x-anthropic-billing-header` is written by Claude Code from 2.1.29 on (anthropics/claude-code 68900,
 * sgl-project/sglang 21064, waybarrios/vllm-mlx 277, read 2026-11-29). No other client is known that writes such a line first.
 */
const beginnings: readonly string[] = ['x-anthropic-billing-header:']

const beginsLine = (text: string): boolean => beginnings.some((beginning) => text.startsWith(beginning))

/** A text without such a line at its beginning. */
export function textWithoutClientLine(text: string): string {
  return beginsLine(text) ? afterLine(text) : text
}

/** Where each kind has the instructions that a client writes first. */
const places: { readonly [K in Kind]?: (body: JsonObject, rewrites: Rewrites) => JsonObject } = {
  messages: (body, rewrites) => withMember(body, 'system', rewrites),
  chat: inFirstMessage('messages'),
  responses: (body, rewrites) => inFirstMessage('input')(withMember(body, 'instructions', rewrites), rewrites),
  generate: (body, rewrites) => ['systemInstruction', 'system_instruction'].reduce((read, name) => inParts(read, name, rewrites), body),
}

/** The request without such a line at the beginning of its instructions; all else stays as it is. */
export function withoutClientLines(kind: Kind, body: JsonObject, rewrites: Rewrites): JsonObject {
  return rewrites.may('client_lines') ? (places[kind]?.(body, rewrites) ?? body) : body
}

/** A text, or a list whose first entry has one. `null` = nothing is left; the value itself = it has no such line. */
function withoutLine(value: Json | undefined, rewrites: Rewrites): Json | undefined {
  if (typeof value === 'string') return beginsLine(value) ? restOf(value, rewrites) : value
  const first = Array.isArray(value) ? value[0] : undefined
  if (!Array.isArray(value) || !isObject(first) || typeof first['text'] !== 'string' || !beginsLine(first['text'])) return value
  const text = restOf(first['text'], rewrites)
  const kept = text === null ? value.slice(1) : [{ ...first, text }, ...value.slice(1)]
  return kept.length === 0 ? null : kept
}

function restOf(text: string, rewrites: Rewrites): string | null {
  const end = text.indexOf('\n')
  rewrites.note('client_lines', end === -1 ? text : text.slice(0, end))
  return afterLine(text) || null
}

function afterLine(text: string): string {
  const end = text.indexOf('\n')
  return end === -1 ? '' : text.slice(end + 1)
}

function withMember(body: JsonObject, name: string, rewrites: Rewrites): JsonObject {
  const left = withoutLine(body[name], rewrites)
  if (left === body[name]) return body
  const { [name]: _instructions, ...rest } = body
  return left === null || left === undefined ? rest : { ...body, [name]: left }
}

/** Instructions are the first messages of a list. */
function inFirstMessage(name: string) {
  return (body: JsonObject, rewrites: Rewrites): JsonObject => {
    const list = body[name]
    const first = Array.isArray(list) ? list[0] : undefined
    if (!Array.isArray(list) || !isObject(first) || (first['role'] !== 'system' && first['role'] !== 'developer')) return body
    const left = withMember(first, 'content', rewrites)
    if (left === first) return body
    return { ...body, [name]: 'content' in left ? [left, ...list.slice(1)] : list.slice(1) }
  }
}

/** Google's instructions are an object with parts. */
function inParts(body: JsonObject, name: string, rewrites: Rewrites): JsonObject {
  const instructions = body[name]
  if (!isObject(instructions)) return withMember(body, name, rewrites)
  const left = withMember(instructions, 'parts', rewrites)
  if (left === instructions) return body
  if ('parts' in left) return { ...body, [name]: left }
  const { [name]: _empty, ...rest } = body
  return rest
}
