import type { Usage } from '../dialect.ts'
import { isObject, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { noUsage, sumOfUsages } from '../no-usage.ts'

/** Tokens of a picture of about a million pixels (Gemini API, "Image generation", a stored copy read 2026-11-22). */
const pictureTokens = 1_290
/** Bytes of sound for one token: 16 bits at 24 kHz, and a token for 50 ms (OpenAI, "Managing costs", a stored copy read 2026-11-21). */
const bytesOfToken = 2_400
/** Three bytes in four characters of base64. */
const bytesOfChar = 0.75

/** The pictures and the sound in a message or a delta, for an answer that ends before its vendor tells the usage; `null` = there are none. */
export function mediaIn({ images, audio }: JsonObject): Usage | null {
  if (images === undefined && audio === undefined) return null
  const imageOutputTokens = Array.isArray(images) ? images.filter(isPicture).length * pictureTokens : 0
  const audioOutputTokens = soundTokens(audio)
  const completionTokens = imageOutputTokens + audioOutputTokens
  return completionTokens === 0 ? null : { ...noUsage, completionTokens, imageOutputTokens, audioOutputTokens }
}

/** The usage of so many pictures. */
export function drawnUsage(pictures: number): Usage {
  const imageOutputTokens = pictures * pictureTokens
  return { ...noUsage, completionTokens: imageOutputTokens, imageOutputTokens }
}

/** Bytes of compressed sound for one token, at 64 kbit/s. */
const compressedBytesOfToken = 400
const uncompressed = ['audio/pcm', 'audio/l16', 'audio/wav', 'audio/x-wav'] as const

/** The usage of files in Google's form (`inlineData`) that an answer brought; `null` = there are none. */
export function filesUsage(files: ReadonlyArray<Json | undefined>): Usage | null {
  let usage: Usage | null = null
  for (const file of files)
    if (isObject(file)) usage = sumOfUsages(usage, fileUsage(textOr(file['mimeType'], ''), textOr(file['data'], '')))
  return usage
}

/** Sound by its length, texts by theirs, and everything else like a picture. */
function fileUsage(type: string, data: string): Usage {
  const bytes = data.length * bytesOfChar
  if (type.startsWith('audio/')) {
    const isPcm = uncompressed.some((name) => type.toLowerCase().startsWith(name))
    const audioOutputTokens = Math.ceil(bytes / (isPcm ? bytesOfToken : compressedBytesOfToken))
    return { ...noUsage, completionTokens: audioOutputTokens, audioOutputTokens }
  }
  if (type.startsWith('text/')) return { ...noUsage, completionTokens: Math.ceil(bytes / bytesOfTextToken) }
  return type.startsWith('image/') ? drawnUsage(1) : { ...noUsage, completionTokens: pictureTokens }
}

/** Bytes of text for one token. */
const bytesOfTextToken = 4

/** Characters of an address that has a picture in it, at least. */
const dataCharsMin = 1_000

function isPicture(image: Json): boolean {
  const place = isObject(image) ? image['image_url'] : undefined
  const url = isObject(place) ? place['url'] : place
  return typeof url === 'string' && (url.length >= dataCharsMin || url.startsWith('https://'))
}

function soundTokens(audio: Json | undefined): number {
  const data = isObject(audio) ? audio['data'] : undefined
  return typeof data === 'string' ? Math.ceil((data.length * bytesOfChar) / bytesOfToken) : 0
}
