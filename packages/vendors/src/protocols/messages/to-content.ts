import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn, partsIn } from '../shared/chat-parts.ts'
import type { Holds } from '../shared/supports-extra.ts'
import { referenceText } from './tool-changes.ts'

/** Content of a message as content of a chat: a text, or parts if there is more or a part has a mark for the cache. */
export function toContent(content: Json | undefined, holds: Holds): Json {
  if (typeof content === 'string') return content
  const parts = partsIn(content).flatMap((block) => toPart(block, holds))
  const [first] = parts
  if (first === undefined) return ''
  const isPlain = parts.length === 1 && first['type'] === 'text' && first['cache_control'] === undefined
  return isPlain ? (first['text'] ?? '') : parts
}

/** Keeps a mark for the cache where the vendor reads one. */
export function marked(from: JsonObject, part: JsonObject, holds: Holds): JsonObject {
  const { cache_control: mark } = from
  return isObject(mark) && holds('cache_control') ? { ...part, cache_control: mark } : part
}

function toPart(block: JsonObject, holds: Holds): readonly JsonObject[] {
  const part = partOf(block)
  return part === null ? [] : [marked(block, part, holds), ...imagesIn(block)]
}

/** Images within a document that consists of blocks. */
function imagesIn({ type, source }: JsonObject): readonly JsonObject[] {
  if (type !== 'document' || !isObject(source)) return []
  return objectsIn(source['content'])
    .filter((block) => block['type'] === 'image')
    .map(partOf)
    .filter((part) => part !== null)
}

/** Other blocks (reasoning, calls, what a server's tool found) have no place in the content of a chat. */
function partOf(block: JsonObject): JsonObject | null {
  const { type, text, source } = block
  switch (type) {
    case 'text':
      return { type, text: textOr(text, '') }
    case 'image':
      return isObject(source) ? { type: 'image_url', image_url: { url: addressOf(source) } } : null
    case 'document':
      return isObject(source) ? documentPart(block, source) : null
    case 'search_result':
      return { type: 'text', text: [block['title'], source, wordsOf(block['content'])].map((part) => textOr(part, '')).join('\n') }
    case 'tool_reference':
      return { type: 'text', text: referenceText(block) }
    default:
      return null
  }
}

/** The address of an image or a document. */
export function addressOf({ type, url, media_type: media, data }: JsonObject): string {
  return type === 'url' ? textOr(url, '') : `data:${textOr(media, 'image/png')};base64,${textOr(data, '')}`
}

function documentPart({ title, context }: JsonObject, source: JsonObject): JsonObject {
  const { type, data, content } = source
  if (type === 'base64') return { type: 'file', file: { filename: textOr(title, 'document.pdf'), file_data: addressOf(source) } }
  const text = type === 'text' ? textOr(data, '') : wordsOf(content)
  return { type: 'text', text: [title, context, text].filter((part) => typeof part === 'string' && part !== '').join('\n\n') }
}

/** The texts in content. */
function wordsOf(content: Json | undefined): string {
  if (typeof content === 'string') return content
  return partsIn(content)
    .map(({ text }) => textOr(text, ''))
    .join('')
}
