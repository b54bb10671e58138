import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noUsage, sumOfUsages, withMedia } from '../../core/no-usage.ts'
import type { ClientResponse } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'

/** Tokens of an image of about a million pixels (Gemini API, "Image generation", a stored copy read 2026-11-22). */
const imageTokens = 1_290
/** Bytes of audio for one token: 16 bits at 24 kHz, and a token for 50 ms (OpenAI, "Managing costs", a stored copy read 2026-11-21). */
const bytesOfToken = 2_400
/** Three bytes in four characters of base64. */
const bytesOfChar = 0.75

/** Whether a message or a delta has images or audio, which some vendors write among the parts of its content. */
export const mayHaveMedia = ({ images, audio, content }: JsonObject): boolean =>
  images !== undefined || audio !== undefined || Array.isArray(content)

/** The images and the audio in a message or a delta, as far as they can be counted; `null` = there are none. */
export function mediaIn(written: JsonObject): Usage | null {
  if (!mayHaveMedia(written)) return null
  const { images, audio, content } = written
  const generated = generatedUsage(
    [images, content].reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.filter(isImage).length : 0), 0),
  )
  const audioOutputTokens = audioTokens(audio)
  const completionTokens = generated.completionTokens + audioOutputTokens
  return completionTokens === 0 ? null : { ...generated, completionTokens, audioOutputTokens }
}

/** The images and the audio in all choices of a response or a chunk; `null` = there are none. */
export function mediaOf(choices: Json | undefined, member: 'message' | 'delta'): Usage | null {
  let media: Usage | null = null
  for (const choice of Array.isArray(choices) ? choices : []) {
    const written = isObject(choice) ? choice[member] : undefined
    if (isObject(written)) media = sumOfUsages(media, mediaIn(written))
  }
  return media
}

/** A whole chat in OpenAI's form, with its images and its audio in its usage. */
export function countedResponse(read: ClientResponse): ClientResponse {
  return { ...read, ...withMedia(read.usage, mediaOf(read.response['choices'], 'message')) }
}

/** The usage of so many images. */
export function generatedUsage(inputImages: number): Usage {
  const imageOutputTokens = inputImages * imageTokens
  return { ...noUsage, completionTokens: imageOutputTokens, imageOutputTokens, images: inputImages }
}

/** Bytes of compressed audio for one token, at 64 kbit/s. */
const compressedBytesOfToken = 400
const uncompressed = ['audio/pcm', 'audio/l16', 'audio/wav', 'audio/x-wav'] as const

/** The usage of files in Google's form (`inlineData`) that a response brought; `null` = there are none. */
export function filesUsage(files: ReadonlyArray<Json | undefined>): Usage | null {
  let usage: Usage | null = null
  for (const file of files)
    if (isObject(file)) usage = sumOfUsages(usage, fileUsage(textOr(file['mimeType'], ''), textOr(file['data'], '')))
  return usage
}

/** Audio by its length, texts by theirs, and everything else like an image. */
function fileUsage(type: string, data: string): Usage {
  const bytes = data.length * bytesOfChar
  if (type.startsWith('audio/')) {
    const isPcm = uncompressed.some((name) => type.toLowerCase().startsWith(name))
    const audioOutputTokens = Math.ceil(bytes / (isPcm ? bytesOfToken : compressedBytesOfToken))
    return { ...noUsage, completionTokens: audioOutputTokens, audioOutputTokens }
  }
  if (type.startsWith('text/')) return { ...noUsage, completionTokens: Math.ceil(bytes / bytesOfTextToken) }
  return type.startsWith('image/') ? generatedUsage(1) : { ...noUsage, completionTokens: imageTokens }
}

/** Bytes of text for one token. */
const bytesOfTextToken = 4

/** An address of an image, or one that has it; of a large response, its first characters. */
function isImage(image: Json): boolean {
  const place = isObject(image) ? image['image_url'] : undefined
  const url = isObject(place) ? place['url'] : place
  return typeof url === 'string' && (url.startsWith('data:') || url.startsWith('https://'))
}

function audioTokens(audio: Json | undefined): number {
  const data = isObject(audio) ? audio['data'] : undefined
  return typeof data === 'string' ? Math.ceil((data.length * bytesOfChar) / bytesOfToken) : 0
}
