import type { ByteBudget } from '@sluice/http1/byte-budget'
import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { AppError } from '../../lib/app-error.ts'
import { imagesBytesMax } from '../../lib/body-memory.ts'
import { dataAddressOf } from '../../lib/data-address.ts'
import type { Channel } from '../model/channel.ts'
import { type FetchDeps, fetchBytes } from './fetch-bytes.ts'
import { type CountedImages, countImages } from './image-byte-budget.ts'

/** Images of one request that are fetched, bytes of each, and the time for each. */
const imagesMax = 20
const imageBytesMax = 10 * 1024 * 1024
const imageMs = 15_000

const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

export interface ImageBytesDeps extends FetchDeps {
  readonly imageBytes: ByteBudget
}

/** A request with its images, whose bytes count until they are released. */
export interface WithImages {
  readonly body: JsonObject
  readonly release: () => void
}

const nothing = (): void => undefined

/**
 * A request with the bytes of its images in the place of their addresses, for vendors that fetch none. Addresses are fetched once; those
 * of a local network are not. @throws AppError image_fetch_failed
 */
export async function withImageBytes(chat: JsonObject, { settings }: Pick<Channel, 'settings'>, deps: ImageBytesDeps): Promise<WithImages> {
  const addresses = [...new Set(addressesIn(chat))]
  if (addresses.length === 0) return { body: chat, release: nothing }
  if (addresses.length > imagesMax) throw refusal(addresses[imagesMax] ?? '', `more than ${imagesMax} images are given by URL`)
  const counted = countImages(deps.imageBytes)
  try {
    const fetched = await Promise.all(
      addresses.map(async (url) => [url, await fetchImage(url, settings.proxy, { ...deps, counted })] as const),
    )
    counted.keep()
    return { body: withData(chat, new Map(fetched)), release: counted.release }
  } catch (error) {
    counted.release()
    throw error
  }
}

interface CountedDeps extends FetchDeps {
  readonly counted: CountedImages
}

/** All parts of the messages, with those in results of tools. */
function partsIn({ messages, contents }: JsonObject): readonly JsonObject[] {
  return [...objectsOf(messages), ...objectsOf(contents)].flatMap(partsWithin)
}

/** Members of a message, and of a part, that hold parts. */
const holders = ['content', 'parts', 'functionResponse'] as const

function partsWithin(value: JsonObject): readonly JsonObject[] {
  return holders.flatMap((name) => objectsOf(value[name])).flatMap((part) => [part, ...partsWithin(part)])
}

const objectsOf = (list: Json | undefined): readonly JsonObject[] => (Array.isArray(list) ? list : [list ?? null]).filter(isObject)

function addressesIn(body: JsonObject): readonly string[] {
  return partsIn(body).flatMap((part) => addressOf(part) ?? [])
}

/** The address of an image in a part of any protocol; `null` = the part is none, or has its bytes with it. */
function addressOf({ type, image_url: image, source, fileData, file_data: file = fileData }: JsonObject): string | null {
  const holder = type === 'image' ? source : type === 'image_url' ? image : undefined
  const url = isObject(holder) ? holder['url'] : isObject(file) ? imageFile(file) : null
  return typeof url === 'string' && /^https?:\/\//i.test(url) ? url : null
}

function imageFile({ mimeType, mime_type: type = mimeType, fileUri, file_uri: uri = fileUri }: JsonObject): Json | undefined {
  return typeof type === 'string' && type.startsWith('image/') ? uri : null
}

function withData(body: JsonObject, data: ReadonlyMap<string, string>): JsonObject {
  const { messages, contents } = body
  return {
    ...body,
    ...(Array.isArray(messages) ? { messages: messages.map((message) => withDataIn(message, data)) } : {}),
    ...(Array.isArray(contents) ? { contents: contents.map((content) => withDataIn(content, data)) } : {}),
  }
}

/** A message, or a part, with the bytes of its images. */
function withDataIn(value: Json, data: ReadonlyMap<string, string>): Json {
  if (!isObject(value)) return value
  const address = addressOf(value)
  if (address !== null) return withBytes(value, data.get(address) ?? address)
  const changed = holders.flatMap((name) => {
    const held = value[name]
    if (Array.isArray(held)) return [[name, held.map((part) => withDataIn(part, data))] as const]
    return isObject(held) ? [[name, withDataIn(held, data)] as const] : []
  })
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) }
}

const dataAddress = /^data:([^;]+);base64,/

function withBytes(part: JsonObject, address: string): JsonObject {
  const { image_url: image, fileData: _camel, file_data: _snake, ...rest } = part
  if (isObject(image)) return { ...part, image_url: { ...image, url: address } }
  const [head = '', type = ''] = dataAddress.exec(address) ?? []
  if (part['source'] === undefined) return { ...rest, inlineData: { mimeType: type, data: address.slice(head.length) } }
  return { ...part, source: { type: 'base64', media_type: type, data: address.slice(head.length) } }
}

/** @returns a data address */
async function fetchImage(url: string, proxy: string | null, { counted, ...deps }: CountedDeps): Promise<string> {
  const isWanted = (type: string): boolean => imageTypes.has(type)
  const limits = { bytesMax: imageBytesMax, timeMs: imageMs, openShare: counted.open, signal: counted.signal }
  const fetched = await fetchBytes(url, { proxy, accept: 'image/*', isWanted, isPublicOnly: true, ...limits }, deps)
  if ('detail' in fetched) {
    const detail = counted.isTooLarge() ? `all images together exceed ${imagesBytesMax / 1024 / 1024} MB` : fetched.detail
    throw refusal(url, detail, fetched.cause)
  }
  return dataAddressOf({ contentType: fetched.type, bytes: fetched.bytes })
}

/** Longest part of an address that an error names. */
const addressCharsMax = 200

function refusal(url: string, detail: string, cause?: unknown): AppError {
  return new AppError('image_fetch_failed', { params: { address: url.slice(0, addressCharsMax), detail }, cause })
}
