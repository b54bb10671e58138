import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { audioBytes } from '../../protocols/shared/chat-parts.ts'

/** What the request around a message is like; `null` for instructions. */
interface Around {
  readonly hasTools: boolean
  /** Mistral's models accept only ids of nine letters and digits. */
  readonly isMistral: boolean
  /** The model takes audio. */
  readonly hears: boolean
}

const mediaFormats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

const documentFormats: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
}

/** Whether documents of the type are sent as such. */
export const takesDocumentType = (type: string): boolean => lookUp(documentFormats, type) !== undefined

/** Blocks of Anthropic's form as blocks of Converse ("ContentBlock", a stored copy read 2026-11-22). `null` = one of them has no equal. */
export function toConverseContent(content: Json | undefined, around: Around | null): readonly JsonObject[] | null {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content.filter(isObject) : []
  const converted = blocks.map((block, index) => withMark(markOf(block), toBlock(block, around, index)))
  return converted.every((list) => list !== null) ? converted.flat() : null
}

/** The mark of a block; a result of a tool has no place for marks within it, so it takes the last one of its parts. */
function markOf({ type, cache_control: mark, content }: JsonObject): Json | undefined {
  if (isObject(mark) || type !== 'tool_result' || !Array.isArray(content)) return mark
  return content.map((part) => (isObject(part) ? part['cache_control'] : undefined)).findLast(isObject)
}

/** A mark of the prompt cache is a block after the one that it marks. */
function withMark(mark: Json | undefined, block: JsonObject | null): readonly JsonObject[] | null {
  if (block === null || !isObject(mark)) return block === null ? null : [block]
  return [block, { cachePoint: { type: 'default', ...(mark['ttl'] === '1h' ? { ttl: '1h' } : {}) } }]
}

function toBlock(block: JsonObject, around: Around | null, index: number): JsonObject | null {
  switch (block['type']) {
    case 'text':
      return { text: textOr(block['text'], '') }
    case 'image':
      return mediaBlock('image', block, mediaFormats)
    case 'input_audio':
      return around?.hears === true ? audioBlock(block) : null
    case 'document':
      return documentBlock(block, index)
    case 'tool_use':
      return around?.hasTools === true ? toolUse(block, around) : { text: `(called ${textOr(block['name'], '')} with ${inputText(block)})` }
    case 'tool_result':
      return around?.hasTools === true ? toolResult(block, around) : { text: `(result: ${resultText(block['content'])})` }
    case 'thinking':
      return { reasoningContent: { reasoningText: { text: textOr(block['thinking'], ''), signature: textOr(block['signature'], '') } } }
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: textOr(block['data'], '') } }
    default:
      return null
  }
}

function mediaBlock(name: string, { source }: JsonObject, formats: Readonly<Record<string, string>>): JsonObject | null {
  if (!isObject(source) || source['type'] !== 'base64') return null
  const format = lookUp(formats, textOr(source['media_type'], ''))
  return format === undefined ? null : { [name]: { format, source: { bytes: textOr(source['data'], '') } } }
}

/** "AudioBlock", a stored copy read 2026-11-25. */
const audioFormats = /^(?:mp3|opus|wav|aac|flac|mp4|ogg|mkv|mka|x-aac|m4a|mpeg|mpga|pcm|webm)$/

function audioBlock({ input_audio: audio }: JsonObject): JsonObject | null {
  if (!isObject(audio)) return null
  const [format, bytes] = [textOr(audio['format'], ''), audioBytes(audio)]
  return audioFormats.test(format) && bytes !== '' ? { audio: { format, source: { bytes } } } : null
}

/** Names of documents may have letters, digits, spaces, hyphens and brackets only, and must differ. */
function documentBlock(block: JsonObject, index: number): JsonObject | null {
  const media = mediaBlock('document', block, documentFormats)
  const document = media?.['document']
  const title = textOr(block['title'], '')
    .replace(/\.\w+$/, '')
    .replaceAll(/[^a-zA-Z0-9 \-()[\]]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return isObject(document) ? { document: { ...document, name: title === '' ? `document ${index + 1}` : title.slice(0, 150) } } : null
}

function idOf(id: Json | undefined, { isMistral }: Around): string {
  const text = textOr(id, '')
  return isMistral
    ? text
        .replaceAll(/[^a-zA-Z0-9]/g, '')
        .slice(-9)
        .padStart(9, '0')
    : text
}

function toolUse({ id, name, input }: JsonObject, around: Around): JsonObject {
  return { toolUse: { toolUseId: idOf(id, around), name: textOr(name, ''), input: isObject(input) ? input : {} } }
}

function toolResult({ tool_use_id: id, content }: JsonObject, around: Around): JsonObject | null {
  const parts = toConverseContent(withoutMarks(content), null)
  if (parts === null) return null
  return { toolResult: { toolUseId: idOf(id, around), content: parts.length === 0 ? [{ text: '(no output)' }] : parts } }
}

/** Without marks of a cache, which a result of a tool cannot hold. */
function withoutMarks(content: Json | undefined): Json | undefined {
  if (!Array.isArray(content)) return content
  return content.map((part) => {
    if (!isObject(part) || part['cache_control'] === undefined) return part
    const { cache_control: _mark, ...rest } = part
    return rest
  })
}

function inputText({ input }: JsonObject): string {
  return JSON.stringify(input ?? {})
}

function resultText(content: Json | undefined): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => (isObject(part) ? textOr(part['text'], '') : '')).join('\n') : ''
}
