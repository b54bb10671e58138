import { isObject, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

/** A user's or tool's content as blocks: text, images, documents. Empty text is left out, because the API refuses it. */
export function toBlocks(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.filter(isObject).flatMap((part) => {
    const block = toBlock(part)
    return block === null ? [] : [keepCacheControl(part, block)]
  })
}

/** Marks of the prompt cache that a client puts on OpenAI-style parts go on as they are. */
export function keepCacheControl(from: JsonObject, block: JsonObject): JsonObject {
  return from['cache_control'] === undefined ? block : { ...block, cache_control: from['cache_control'] }
}

function toBlock(part: JsonObject): JsonObject | null {
  switch (part['type']) {
    case 'text':
    case 'input_text':
      return textOr(part['text'], '') === '' ? null : { type: 'text', text: textOr(part['text'], '') }
    case 'image_url':
      return imageBlock(part['image_url'])
    case 'file':
      return fileBlock(part['file'])
    default:
      // Blocks in the vendor's own form (document, image, search_result...) are sent as they came.
      return typeof part['type'] === 'string' ? part : null
  }
}

const dataUri = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,/

function imageBlock(image: Json | undefined): JsonObject | null {
  const url = isObject(image) ? textOr(image['url'], '') : textOr(image, '')
  if (url === '') return null
  return { type: 'image', source: sourceOf(url, 'image/jpeg') }
}

function fileBlock(file: Json | undefined): JsonObject | null {
  if (!isObject(file)) return null
  const data = textOr(file['file_data'], '') || textOr(file['file_url'], '')
  if (data === '') return null
  const title = typeof file['filename'] === 'string' ? { title: file['filename'] } : {}
  return { type: 'document', source: sourceOf(data, 'application/pdf'), ...title }
}

function sourceOf(address: string, otherwise: string): JsonObject {
  const match = dataUri.exec(address)
  if (match !== null) return { type: 'base64', media_type: match[1] ?? otherwise, data: address.slice(match[0].length) }
  if (/^https?:\/\//i.test(address)) return { type: 'url', url: address }
  return { type: 'base64', media_type: otherwise, data: address }
}
