import { isObject, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

/**
 * Anthropic's clients expect a signature on thoughts and an encrypted place on citations, and send both back. What another vendor wrote gets
 * this mark in their place, by which it is known again: no vendor is sent a signature that it did not make.
 */
export const ownMark = 'c2x1aWNlOm5vLXNpZ25hdHVyZQ=='

export function isThought({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

/** Thoughts that a vendor signed; without a signature, or with our mark, they are the text of another one. */
export function isSigned(block: JsonObject): boolean {
  const proof = textOr(block['type'] === 'thinking' ? block['signature'] : block['data'], '')
  return proof !== '' && proof !== ownMark
}

const isOwnCitation = (citation: Json): boolean => isObject(citation) && citation['encrypted_index'] === ownMark

/** The message without what the vendor of this protocol would refuse in it, because we made it. */
export function withoutOwnMarks(message: Json): Json {
  const content = isObject(message) ? message['content'] : undefined
  if (!isObject(message) || !Array.isArray(content) || !content.some((block) => isObject(block) && isMarked(block))) return message
  const blocks = content.filter((block) => !isObject(block) || !isThought(block) || isSigned(block)).map(withoutOwnCitations)
  return { ...message, content: blocks }
}

function isMarked(block: JsonObject): boolean {
  const { citations } = block
  return (isThought(block) && !isSigned(block)) || (Array.isArray(citations) && citations.some(isOwnCitation))
}

function withoutOwnCitations(block: Json): Json {
  if (!isObject(block) || !Array.isArray(block['citations'])) return block
  const { citations, ...rest } = block
  const kept = citations.filter((citation) => !isOwnCitation(citation))
  return kept.length === 0 ? rest : { ...rest, citations: kept }
}
