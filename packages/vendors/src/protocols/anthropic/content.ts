import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { bytesInAddress } from '../shared/chat-parts.ts'

/** Content as blocks: text, images, documents (Messages API, "Vision" and "PDF support", read 2026-11-21). */
export function toBlocks(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return toBlocks([{ type: 'text', text: content }])
  if (!Array.isArray(content)) return []
  return content.filter(isObject).flatMap((part) => {
    const block = toBlock(part)
    return block === null ? [] : [keepCacheControl(part, block)]
  })
}

/** Copies a `cache_control` that the client put on an OpenAI-style part. */
export function keepCacheControl(from: JsonObject, block: JsonObject): JsonObject {
  return from['cache_control'] === undefined ? block : { ...block, cache_control: from['cache_control'] }
}

/** Moves a `cache_control` on a whole message to its last block. */
export function markLast(from: JsonObject, blocks: readonly JsonObject[]): readonly JsonObject[] {
  const last = blocks.at(-1)
  return last === undefined || last['cache_control'] !== undefined ? blocks : [...blocks.slice(0, -1), keepCacheControl(from, last)]
}

function toBlock(part: JsonObject): JsonObject | null {
  switch (part['type']) {
    case 'text':
    case 'input_text':
      return textBlock(part['text'])
    case 'refusal':
      return textBlock(part['refusal'])
    case 'image_url':
      return imageBlock(part['image_url'])
    case 'file':
      return fileBlock(part['file'])
    default:
      // Blocks in the vendor's own form (document, image, search_result...) are sent unchanged.
      return typeof part['type'] === 'string' ? part : null
  }
}

/** Text of white space only is left out, because the API refuses it. */
function textBlock(value: Json | undefined): JsonObject | null {
  const text = textOr(value, '')
  return text.trim() === '' ? null : { type: 'text', text }
}

function imageBlock(image: Json | undefined): JsonObject | null {
  const url = isObject(image) ? textOr(image['url'], '') : textOr(image, '')
  if (url === '') return null
  return { type: 'image', source: sourceOf(url, 'image/jpeg') }
}

function fileBlock(file: Json | undefined): JsonObject | null {
  if (!isObject(file)) return null
  const { file_data: data, file_url: url, file_id: id, filename } = file
  const title = typeof filename === 'string' ? { title: filename } : {}
  const address = textOr(data, '') || textOr(url, '')
  if (/^data:image\//i.test(address)) return imageBlock(address)
  if (address !== '') return { type: 'document', source: sourceOf(address, 'application/pdf'), ...title }
  return typeof id === 'string' ? { type: 'document', source: { type: 'file', file_id: id }, ...title } : null
}

function sourceOf(address: string, otherwise: string): JsonObject {
  if (/^https?:\/\//i.test(address)) return { type: 'url', url: address }
  const { type = otherwise, data } = bytesInAddress(address) ?? { data: address }
  return { type: 'base64', media_type: mediaType(type), data }
}

/** Corrects `image/jpg`, which is not a registered type but common. */
function mediaType(value: string): string {
  const type = value.toLowerCase()
  return type === 'image/jpg' ? 'image/jpeg' : type
}
