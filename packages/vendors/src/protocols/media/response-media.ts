import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { withChangedItems } from '../shared/changed-items.ts'
import { bytesInAddress } from '../shared/chat-parts.ts'
import { normalizeMedia, noteOfMedia } from './media-type.ts'

/** A request for a response with the types that the bytes of its images have. Files of text it takes as they are ("File inputs", read 2026-11-30). */
export function withFittingImages(body: JsonObject, rewrites: Rewrites): JsonObject {
  if (!rewrites.may('files')) return body
  const change = (part: JsonObject): Json => (part['type'] === 'input_image' ? fittingImage(part, rewrites) : part)
  return withChangedItems(body, 'input', (item) => withChangedItems(withChangedItems(item, 'content', change), 'output', change))
}

function fittingImage(part: JsonObject, rewrites: Rewrites): JsonObject {
  const { image_url: address } = part
  const bytes = typeof address === 'string' ? bytesInAddress(address) : null
  if (bytes === null) return part
  const original = { type: bytes.type ?? '', data: bytes.data }
  const media = normalizeMedia(original)
  if (media.type === original.type && media.data === original.data) return part
  rewrites.note('files', noteOfMedia(original, media))
  return { ...part, image_url: `data:${media.type};base64,${media.data}` }
}
