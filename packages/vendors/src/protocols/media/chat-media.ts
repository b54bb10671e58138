import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import type { TextFiles } from '../../core/text-file-form.ts'
import { withChangedItems } from '../shared/changed-items.ts'
import { bytesInAddress } from '../shared/chat-parts.ts'
import { type Base64Media, isImage, normalizeMedia, noteOfMedia } from './media-type.ts'
import { isTextType, textOfFile, textOrEmpty, textTypeOf } from './text-file.ts'

interface Fitting {
  readonly textFiles?: TextFiles | undefined
  readonly rewrites: Rewrites
}

/**
 * A chat whose images and files vendors read: base64 in one line, the type that the bytes have, an image that was sent as a file as one, a PDF that was
 * sent as an image as a file, and files of text as texts. OpenAI's chats take PDF only ("File inputs", read 2026-11-30), and so do those that follow it.
 */
export function withFittingMedia(chat: JsonObject, fitting: Fitting): JsonObject {
  if (!fitting.rewrites.may('files')) return chat
  return withChangedItems(chat, 'messages', (message) => withChangedItems(message, 'content', (part) => fittingPart(part, fitting)))
}

function fittingPart(part: JsonObject, fitting: Fitting): JsonObject {
  const { type } = part
  if (type === 'image_url') return fittingImage(part, fitting)
  return type === 'file' ? fittingFile(part, fitting) : part
}

const addressOf = ({ type, data }: Base64Media): string => `data:${type};base64,${data}`

function fittingImage(part: JsonObject, fitting: Fitting): JsonObject {
  const { image_url: image, ...rest } = part
  const address = isObject(image) ? image['url'] : image
  const original = typeof address === 'string' ? (mediaIn(address) ?? bareMedia(address)) : null
  if (original === null) return part
  const media = normalizeMedia(original)
  if (media.type === '') return part
  if (media.type === 'application/pdf' || isTextType(media.type)) return asFile(rest, media, fitting)
  if (media.type === original.type && media.data === original.data) return part
  fitting.rewrites.note('files', noteOfMedia(original, media))
  const url = addressOf(media)
  return { ...part, image_url: isObject(image) ? { ...image, url } : url }
}

function asFile(rest: JsonObject, media: Base64Media, fitting: Fitting): JsonObject {
  fitting.rewrites.note('files', 'image_url -> file')
  const filename = media.type === 'application/pdf' ? 'document.pdf' : 'document.txt'
  return fittingFile({ ...rest, type: 'file', file: { filename, file_data: addressOf(media) } }, fitting)
}

function fittingFile(part: JsonObject, fitting: Fitting): JsonObject {
  const { file } = part
  const address = isObject(file) ? file['file_data'] : undefined
  const original = typeof address === 'string' ? (mediaIn(address) ?? bareMedia(address)) : null
  if (!isObject(file) || original === null) return part
  const media = normalizeMedia(original)
  const name = textOr(file['filename'], '')
  if (isImage(media.type)) return asImage(part, media, fitting)
  if (media.type === 'application/pdf') return withData(part, { media, original }, fitting)
  const read = textOfFile(media, name)
  if (read === null) return part
  const type = textTypeOf(media.type, name) ?? 'text/plain'
  const { takes, part: partOf = textPart } = fitting.textFiles ?? {}
  if (takes?.(type) === true) return withData(part, { media: { ...media, type }, original }, fitting)
  fitting.rewrites.note('files', `${read.label} -> text`)
  return marked(part, partOf(name, textOrEmpty(read.text)))
}

function textPart(name: string, text: string): JsonObject {
  return { type: 'text', text: name === '' ? text : `${name}\n\n${text}` }
}

function marked({ cache_control: mark }: JsonObject, part: JsonObject): JsonObject {
  return mark === undefined ? part : { ...part, cache_control: mark }
}

function asImage(part: JsonObject, media: Base64Media, { rewrites }: Fitting): JsonObject {
  rewrites.note('files', 'file -> image_url')
  return marked(part, { type: 'image_url', image_url: { url: addressOf(media) } })
}

interface FittedFile {
  readonly media: Base64Media
  readonly original: Base64Media
}

/** A file whose bytes and type are right. */
function withData(part: JsonObject, { media, original }: FittedFile, { rewrites }: Fitting): JsonObject {
  if (media.type === original.type && media.data === original.data) return part
  rewrites.note('files', noteOfMedia(original, media))
  return { ...part, file: { ...(isObject(part['file']) ? part['file'] : {}), file_data: addressOf(media) } }
}

/** The bytes of a data address. */
function mediaIn(address: string): Base64Media | null {
  const bytes = bytesInAddress(address)
  return bytes === null ? null : { type: bytes.type ?? '', data: bytes.data }
}

/** Some clients send the base64 alone. */
function bareMedia(text: string): Base64Media | null {
  const isAddress = text.slice(0, schemeMax).includes(':')
  return isAddress || text === '' ? null : { type: '', data: text }
}

/** Longest beginning of an address that names its scheme. */
const schemeMax = 16
