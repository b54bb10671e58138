import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'
import { bytesInAddress, objectsIn } from './chat-parts.ts'
import type { Holds } from './supports-extra.ts'

// Images that a model made: chats have them in `images` of a message (OpenRouter, "Image generation", read 2026-11-22), each protocol in its own form.

export interface OutputImage {
  readonly url: string
  /** `null` = there is only its address. */
  readonly bytes: { readonly type: string; readonly data: string } | null
  /** What the vendor wants back with it. */
  readonly extra: JsonObject | null
}

/** The images in `images` of a message or of a part of one. */
export function outputImages(images: Json | undefined): readonly OutputImage[] {
  return images === undefined ? [] : objectsIn(images).flatMap(imageIn)
}

function imageIn({ image_url: place, extra_content: extra }: JsonObject): readonly OutputImage[] {
  const url = textOr(isObject(place) ? place['url'] : place, '')
  const bytes = bytesInAddress(url)
  if (bytes === null && !/^https?:/i.test(url)) return []
  const { type = 'image/png', data = '' } = bytes ?? {}
  return [{ url, bytes: bytes === null ? null : { type, data }, extra: isObject(extra) ? extra : null }]
}

/** An image of an earlier response in the form of chats. */
export function inputImagePart(url: string, { extra_content: extra }: JsonObject, holds: Holds): JsonObject {
  return { type: 'image_url', image_url: { url }, ...(isObject(extra) && holds('extra_content') ? { extra_content: extra } : {}) }
}

/** The chat without the images of earlier responses, if its vendor does not read them. */
export function withSupportedImages(chat: JsonObject, holds: Holds, rewrites: Rewrites): JsonObject {
  const { messages } = chat
  if (holds('images') || !Array.isArray(messages) || !rewrites.may('messages')) return chat
  if (!messages.some((message) => isObject(message) && message['images'] !== undefined)) return chat
  rewrites.note('messages', 'images')
  return { ...chat, messages: messages.map((message) => (isObject(message) ? withoutImages(message) : message)) }
}

function withoutImages({ images: _images, ...message }: JsonObject): JsonObject {
  return message
}
