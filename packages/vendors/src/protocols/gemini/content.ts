import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { toContent } from '../messages/to-content.ts'
import { audioBytes, bytesInAddress, objectsIn } from '../shared/chat-parts.ts'

/** Content as parts: text, images, documents, audio, video (Gemini API reference, "Content", a stored copy read 2026-11-22). */
export function toParts(content: Json | undefined): readonly JsonObject[] {
  if (typeof content === 'string') return textParts(content)
  return Array.isArray(content) ? content.filter(isObject).flatMap(toPart) : []
}

/** Empty text is left out, because a turn without any other part is refused. */
function textParts(value: Json | undefined): readonly JsonObject[] {
  const text = textOr(value, '')
  return text === '' ? [] : [{ text }]
}

function toPart(part: JsonObject): readonly JsonObject[] {
  switch (part['type']) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return textParts(part['text'])
    case 'refusal':
      return textParts(part['refusal'])
    case 'image_url':
      return mediaPart(addressIn(part['image_url']), 'image/jpeg')
    case 'video_url':
      return mediaPart(addressIn(part['video_url']), 'video/mp4')
    case 'audio_url':
      return mediaPart(addressIn(part['audio_url']), 'audio/mpeg')
    case 'input_audio':
      return audioPart(part['input_audio'])
    case 'file':
      return filePart(part['file'])
    case 'image':
    case 'document':
      return toParts(toContent([part], () => false))
    default:
      // Parts in the vendor's own form (`inlineData`, `fileData`, ...) have no type and are sent unchanged.
      return part['type'] === undefined && ownParts.some((name) => name in part) ? [part] : []
  }
}

/** Types of parts that are translated, and that of reasoning, which is left out. */
const knownTypes: ReadonlySet<Json | undefined> = new Set([
  ...['text', 'input_text', 'output_text', 'refusal', 'image_url', 'video_url', 'audio_url', 'input_audio', 'file'],
  ...['thinking', 'redacted_thinking', 'reasoning'],
])
/** Where images and documents in Anthropic's form have their bytes. */
const knownSources: Readonly<Record<'image' | 'document', ReadonlySet<Json | undefined>>> = {
  image: new Set(['base64', 'url']),
  document: new Set(['base64', 'text', 'content']),
}

/** Whether any message of a chat has a part that cannot be translated. */
export function hasUnknownParts(messages: Json | undefined): boolean {
  return objectsIn(messages).some(({ content }) => objectsIn(content).some((part) => !isKnown(part)))
}

function isKnown(part: JsonObject): boolean {
  const { type, source } = part
  if (type === 'image' || type === 'document') return isObject(source) && knownSources[type].has(source['type'])
  return type === undefined ? ownParts.some((name) => name in part) : knownTypes.has(type)
}

const ownParts = ['text', 'inlineData', 'inline_data', 'fileData', 'file_data'] as const

function addressIn(value: Json | undefined): string {
  return isObject(value) ? textOr(value['url'], '') : textOr(value, '')
}

/** Bytes are sent in the request; addresses are those that the vendor itself can read: its files, buckets, videos. */
function mediaPart(address: string, otherwise: string): readonly JsonObject[] {
  if (address === '') return []
  const bytes = bytesInAddress(address)
  if (bytes !== null) return [inlineData(bytes.type ?? otherwise, bytes.data)]
  return [{ fileData: { mimeType: typeOfAddress(address) ?? otherwise, fileUri: address } }]
}

function inlineData(type: string, data: string): JsonObject {
  const mimeType = type.toLowerCase()
  return { inlineData: { mimeType: mimeType === 'image/jpg' ? 'image/jpeg' : mimeType, data } }
}

function audioPart(audio: Json | undefined): readonly JsonObject[] {
  if (!isObject(audio)) return []
  const format = textOr(audio['format'], 'wav')
  const type = `audio/${format === 'mp3' ? 'mpeg' : format}`
  const data = audioBytes(audio)
  return data.includes('://') ? mediaPart(data, type) : mediaPart(`data:${type};base64,${data}`, type)
}

function filePart(file: Json | undefined): readonly JsonObject[] {
  if (!isObject(file)) return []
  const { file_data: data, file_url: url, file_id: id, filename } = file
  const fileData = textOr(data, '')
  const named = typeOfAddress(textOr(filename, '')) ?? 'application/pdf'
  if (fileData !== '')
    return bytesInAddress(fileData) !== null || fileData.includes('://') ? mediaPart(fileData, named) : [inlineData(named, fileData)]
  return mediaPart(textOr(url, '') || textOr(id, ''), named)
}

const types: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
}

function typeOfAddress(address: string): string | null {
  if (/^https:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//i.test(address)) return 'video/mp4'
  const query = address.search(/[?#]/)
  const path = query === -1 ? address : address.slice(0, query)
  return lookUp(types, endingOf(path)) ?? lookUp(types, endingOf(address)) ?? null
}

/** Longest ending of a file's name that has a type. */
const endingMax = 8

/** What stands behind the last dot of a name; empty = nothing that names a type. */
function endingOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot === -1 || name.length - dot > endingMax + 1 ? '' : name.slice(dot + 1).toLowerCase()
}
