import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { changedItems, withChangedItems } from '../shared/changed-items.ts'
import { member } from '../shared/proto-members.ts'
import { type Base64Media, normalizeMedia, noteOfMedia, saysNothing } from './media-type.ts'
import { isTextType, textOfFile } from './text-file.ts'

/**
 * Types of text that Gemini takes as files. It reads all of them as plain text ("Document understanding"; Google's post in
 * discuss.ai.google.dev/t/39673), and refuses `application/json` and others by their type (QuantumNous/new-api 1139, read 2026-11-30).
 */
const textTypes: ReadonlySet<string> = new Set(['text/plain', 'text/csv', 'text/markdown', 'text/html'])

export const takesTextType = (type: string): boolean => textTypes.has(type)

/** `contents` of Gemini's form with the types that the bytes have, and files of text with a type that it knows. */
export function withFittingParts(contents: readonly Json[], rewrites: Rewrites): readonly Json[] {
  if (!rewrites.may('files')) return contents
  return changedItems(contents, (content) => withChangedItems(content, 'parts', (part) => fittingPart(part, rewrites)))
}

const results = ['functionResponse', 'function_response'] as const
const inlines = ['inlineData', 'inline_data'] as const

function fittingPart(part: JsonObject, rewrites: Rewrites): JsonObject {
  for (const name of results) {
    const result = part[name]
    if (!isObject(result)) continue
    const changed = withChangedItems(result, 'parts', (inner) => fittingPart(inner, rewrites))
    return changed === result ? part : { ...part, [name]: changed }
  }
  for (const name of inlines) {
    const inline = part[name]
    if (!isObject(inline)) continue
    const changed = fittingInline(inline, rewrites)
    return changed === inline ? part : { ...part, [name]: changed }
  }
  return part
}

function fittingInline(inline: JsonObject, rewrites: Rewrites): JsonObject {
  const original: Base64Media = { type: textOr(member(inline, 'mimeType'), ''), data: textOr(inline['data'], '') }
  if (original.type.startsWith('audio/') || original.type.startsWith('video/')) return inline
  const media = withKnownType(normalizeMedia(original))
  // Google reads both alphabets.
  const isSame = media.type === original.type && !original.data.includes('\n')
  if (isSame) return inline
  rewrites.note('files', noteOfMedia(original, media))
  const { mime_type: _snake, ...rest } = inline
  return { ...rest, mimeType: media.type, data: media.data }
}

function withKnownType(media: Base64Media): Base64Media {
  const { type } = media
  const isForeignText = isTextType(type) && !type.startsWith('text/') && !type.startsWith('image/')
  if (isForeignText || (saysNothing(type) && media.data !== '' && textOfFile(media, '') !== null)) return { ...media, type: 'text/plain' }
  return media
}
