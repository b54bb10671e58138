import { isObject } from '@sluice/vendors/is-object'
import type { Json, JsonObject } from '@sluice/vendors/json'
import { AppError } from '../../lib/app-error.ts'
import type { Channel } from '../model/channel.ts'
import { type FetchDeps, fetchBytes } from './fetch-bytes.ts'

/** Pictures of one request that are fetched, bytes of each, and the time for each. */
const picturesMax = 20
const pictureBytesMax = 10 * 1024 * 1024
const pictureMs = 15_000

const pictureTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/**
 * The chat with the bytes of its pictures in the place of their addresses, for vendors that fetch none. Addresses are fetched once, through
 * the client that checks the address of every vendor. @throws AppError picture_not_fetched
 */
export async function withPictureBytes(chat: JsonObject, { settings }: Pick<Channel, 'settings'>, deps: FetchDeps): Promise<JsonObject> {
  const addresses = [...new Set(addressesIn(chat))]
  if (addresses.length === 0) return chat
  if (addresses.length > picturesMax) throw refusal(addresses[picturesMax] ?? '', `more than ${picturesMax} pictures have an address`)
  const fetched = await Promise.all(addresses.map(async (url) => [url, await fetchPicture(url, settings.proxy, deps)] as const))
  return withData(chat, new Map(fetched))
}

function partsIn({ messages }: JsonObject): readonly JsonObject[] {
  const list = Array.isArray(messages) ? messages.filter(isObject) : []
  return list.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isObject) : []))
}

function addressesIn(chat: JsonObject): readonly string[] {
  return partsIn(chat).flatMap((part) => addressOf(part) ?? [])
}

/** The address of a picture; `null` = the part is none, or has its bytes with it. */
function addressOf({ type, image_url: image }: JsonObject): string | null {
  const url = type === 'image_url' && isObject(image) ? image['url'] : null
  return typeof url === 'string' && /^https?:\/\//i.test(url) ? url : null
}

function withData(chat: JsonObject, data: ReadonlyMap<string, string>): JsonObject {
  const replaced = (part: Json): Json => {
    const url = isObject(part) ? addressOf(part) : null
    if (url === null || !isObject(part) || !isObject(part['image_url'])) return part
    return { ...part, image_url: { ...part['image_url'], url: data.get(url) ?? url } }
  }
  const { messages } = chat
  if (!Array.isArray(messages)) return chat
  return {
    ...chat,
    messages: messages.map((message) =>
      isObject(message) && Array.isArray(message['content']) ? { ...message, content: message['content'].map(replaced) } : message,
    ),
  }
}

/** @returns a data address */
async function fetchPicture(url: string, proxy: string | null, deps: FetchDeps): Promise<string> {
  const isWanted = (type: string): boolean => pictureTypes.has(type)
  const found = await fetchBytes(url, { proxy, accept: 'image/*', isWanted, bytesMax: pictureBytesMax, timeMs: pictureMs }, deps)
  if ('detail' in found) throw refusal(url, found.detail, found.cause)
  const { type, bytes } = found
  return `data:${type};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`
}

/** Longest part of an address that an error names. */
const shownMax = 200

function refusal(url: string, detail: string, cause?: unknown): AppError {
  return new AppError('picture_not_fetched', { params: { address: url.slice(0, shownMax), detail }, cause })
}
