import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { changedItems, withChangedItems } from '../shared/changed-items.ts'
import { type Base64Media, isImage, normalizeMedia, noteOfMedia } from './media-type.ts'
import { textOfFile, textOrEmpty } from './text-file.ts'

/** A file of text as a block. Claude takes PDF as bytes and texts as such ("PDF support", "Citations", read 2026-11-30). */
export function textBlock(name: string, text: string): JsonObject {
  return { type: 'document', source: sourceOfText(text), ...(name === '' ? {} : { title: name }) }
}

const sourceOfText = (text: string): JsonObject => ({ type: 'text', media_type: 'text/plain', data: textOrEmpty(text) })

/** Messages in Anthropic's form whose images and documents Claude reads: as `withFittingMedia` for chats. */
export function withFittingBlocks(messages: readonly Json[], rewrites: Rewrites): readonly Json[] {
  if (!rewrites.may('files')) return messages
  return changedItems(messages, (message) => withBlocks(message, rewrites))
}

function withBlocks(from: JsonObject, rewrites: Rewrites): JsonObject {
  return withChangedItems(from, 'content', (block) => {
    const { type } = block
    if (type === 'tool_result') return withBlocks(block, rewrites)
    return type === 'image' || type === 'document' ? fittingBlock(block, rewrites) : block
  })
}

function fittingBlock(block: JsonObject, rewrites: Rewrites): JsonObject {
  const { type, source, title: _title, context: _context, citations: _citations, ...rest } = block
  if (!isObject(source)) return block
  if (source['type'] === 'text') return withPlainSource(block, source, rewrites)
  if (source['type'] !== 'base64') return block
  const original: Base64Media = { type: textOr(source['media_type'], ''), data: textOr(source['data'], '') }
  const media = normalizeMedia(original)
  const fitted = { ...source, media_type: media.type, data: media.data }
  if (isImage(media.type) || media.type === 'application/pdf') {
    const right = isImage(media.type) ? 'image' : 'document'
    if (right === type && media.type === original.type && media.data === original.data) return block
    rewrites.note('files', noteOfMedia(original, media))
    return right === 'image' ? { ...rest, type: right, source: fitted } : { ...block, type: right, source: fitted }
  }
  const name = textOr(block['title'], '')
  const read = type === 'document' ? textOfFile(media, name) : null
  if (read === null) return block
  rewrites.note('files', `${read.label} -> text`)
  return { ...block, source: sourceOfText(read.text) }
}

/** A source of text has one type. */
function withPlainSource(block: JsonObject, source: JsonObject, rewrites: Rewrites): JsonObject {
  const { media_type: type } = source
  if (type === 'text/plain') return block
  rewrites.note('files', `${textOr(type, 'no type')} -> text/plain`)
  return { ...block, source: { ...source, media_type: 'text/plain' } }
}
