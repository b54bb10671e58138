import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { objectsIn } from './chat-parts.ts'

/**
 * Anthropic's clients expect a signature on reasoning and an encrypted place on citations, and send both back. On what another vendor wrote
 * they begin with this mark, by which it is known again: no vendor is sent a signature that it did not make. A signature of that vendor
 * follows the mark.
 */
export const ownMark = 'sluice:'

export function isReasoning({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

export function isImage(block: JsonObject): block is JsonObject & { readonly source: JsonObject } {
  return block['type'] === 'image' && isObject(block['source'])
}

const proofOf = (block: JsonObject): string => textOr(block['type'] === 'thinking' ? block['signature'] : block['data'], '')

/** Reasoning that Claude signed; without a signature, or with our mark, they are the text of another vendor. */
export function isSigned(block: JsonObject): boolean {
  const proof = proofOf(block)
  return proof !== '' && !proof.startsWith(ownMark)
}

/** Reasoning with the signature of the vendor that served a chat; `null` = it made none. */
export function unmarked(block: JsonObject): JsonObject | null {
  const proof = proofOf(block)
  if (!proof.startsWith(ownMark) || proof === ownMark) return null
  return { ...block, [block['type'] === 'thinking' ? 'signature' : 'data']: proof.slice(ownMark.length) }
}

const isOwnCitation = (citation: Json): boolean => isObject(citation) && textOr(citation['encrypted_index'], '').startsWith(ownMark)

/** The message without what Claude would refuse in it, because another vendor's response had it. */
export function withoutOwnMarks(message: Json): Json {
  return changed(message, (block) => (isReasoning(block) && !isSigned(block) ? null : withoutOwnCitations(block)))
}

/** The turns without images of the model, which Claude refuses in its turns. */
export function withoutGeneratedImages(messages: readonly Json[], rewrites: Rewrites): readonly Json[] {
  if (!messages.some(isGenerated) || !rewrites.may('messages')) return messages
  rewrites.note('messages', 'image of the assistant')
  return messages
    .map((message) => (isGenerated(message) ? changed(message, (block) => (isImage(block) ? null : block)) : message))
    .filter((message) => !(isObject(message) && Array.isArray(message['content']) && message['content'].length === 0))
}

function isGenerated(message: Json): boolean {
  return isObject(message) && message['role'] === 'assistant' && objectsIn(message['content']).some(isImage)
}

/** The message without all that proves reasoning, whoever made it. */
export function withoutProofs(message: Json): Json {
  return changed(message, (block) => (isReasoning(block) ? null : withoutExtra(block)))
}

/** @param change of a block; `null` = it is left out */
function changed(message: Json, change: (block: JsonObject) => JsonObject | null): Json {
  const content = isObject(message) ? message['content'] : undefined
  if (!isObject(message) || !Array.isArray(content)) return message
  // Looked for first, because every message comes here and few change.
  if (!content.some((block) => isObject(block) && change(block) !== block)) return message
  return { ...message, content: content.map((block) => (isObject(block) ? change(block) : block)).filter((block) => block !== null) }
}

function withoutOwnCitations(block: JsonObject): JsonObject {
  const plain = withoutExtra(block)
  if (!Array.isArray(plain['citations']) || !plain['citations'].some(isOwnCitation)) return plain
  const { citations: _citations, ...rest } = plain
  const kept = plain['citations'].filter((citation) => !isOwnCitation(citation))
  return kept.length === 0 ? rest : { ...rest, citations: kept }
}

/** A call or an image of another vendor may carry its proof of the reasoning before it. */
function withoutExtra(block: JsonObject): JsonObject {
  if ((block['type'] !== 'tool_use' && block['type'] !== 'image') || block['extra_content'] === undefined) return block
  const { extra_content: _extra, ...rest } = block
  return rest
}
