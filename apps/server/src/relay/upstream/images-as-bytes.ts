import type { ByteBudget } from '@sluice/http1/byte-budget'
import { asText, isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { Kind } from '@sluice/vendors/core/kind'
import type { ReadResponseParts } from '@sluice/vendors/core/passthrough'
import type { Usage } from '@sluice/vendors/core/usage'
import { responseBytesMax } from '../../lib/body-memory.ts'
import type { Call } from '../model/call.ts'
import type { Attempt } from '../model/upstream-response.ts'
import { type FetchDeps, fetchBytes } from './fetch-bytes.ts'
import type { QueryableChannel } from './query-vendor.ts'

/** Bytes of one image, and the time for it. In base64 they are a third longer, and all images must fit into one response. */
const imageBytesMax = 24 * 1024 * 1024
const imageMs = 60_000
const allBytesMax = Math.floor((responseBytesMax * 3) / 4)

const drawing: ReadonlySet<Kind> = new Set(['images', 'image-edits', 'image-variations'])

/** Whether the client wants bytes of images, and a response has only addresses. */
export function lacksBytes({ rules, params, body }: Pick<Call, 'rules' | 'params' | 'body'>, response: Json): boolean {
  if (!drawing.has(rules.kind) || params.isStream || body['response_format'] !== 'b64_json') return false
  return imagesIn(response).some(hasOnlyAddress)
}

function imagesIn(response: Json): readonly JsonObject[] {
  return isObject(response) && Array.isArray(response['data']) ? response['data'].filter(isObject) : []
}

const hasOnlyAddress = ({ url, b64_json: bytes }: JsonObject): boolean =>
  typeof url === 'string' && /^https?:\/\//i.test(url) && (bytes === undefined || bytes === null)

export interface ImageDeps extends FetchDeps {
  readonly responses: ByteBudget
}

/**
 * The response with the bytes of its images in the place of their addresses, which are the vendor's and mostly end within a day. The
 * addresses get no credential. Without one of the images it is no response, so nothing is charged.
 */
export async function responseWithBytes({ response, usage, text }: VendorResponse, channel: At, deps: ImageDeps): Promise<Attempt> {
  const data: JsonObject[] = []
  let length = 0
  try {
    // One after another: each may fill the memory that all responses share.
    for (const item of imagesIn(response)) {
      const image = hasOnlyAddress(item) ? await bytesOf(item, channel, deps) : item
      length += typeof image['b64_json'] === 'string' ? image['b64_json'].length : 0
      if ((length * 3) / 4 > allBytesMax) return tooLarge(usage)
      data.push(image)
    }
  } catch (cause) {
    return { isOk: false, failed: { by: 'transport', code: 'upstream_invalid_response', cause } }
  }
  const body = JSON.stringify({ ...(isObject(response) ? response : {}), data })
  return { isOk: true, response: { kind: 'whole', usage, text, contentType: 'application/json', body } }
}

/** The vendor made the images, and bills them. */
function tooLarge(usage: Usage | null): Attempt {
  const cause = new Error('the images of a response are too large to be sent inline')
  return { isOk: false, failed: { by: 'transport', code: 'upstream_answer_too_long', cause, spent: { usage, text: '', isUnread: true } } }
}

/** A response of a vendor in OpenAI's form. */
interface VendorResponse extends Pick<ReadResponseParts, 'usage' | 'text'> {
  readonly response: Json
}

type At = Pick<QueryableChannel, 'settings' | 'baseUrl'>

/** An image with its bytes in the place of its address, which may be one of a local network only where the channel is. @throws Error */
export async function bytesOf({ url, ...others }: JsonObject, channel: At, deps: ImageDeps): Promise<JsonObject> {
  const address = asText(url)
  const { proxy = null } = channel.settings ?? {}
  const isPublicOnly = URL.parse(address)?.hostname !== URL.parse(channel.baseUrl)?.hostname
  const share = deps.responses.share(() => undefined)
  try {
    const fetched = await fetchBytes(address, { ...imageFetchOptions, proxy, isPublicOnly, openShare: () => share }, deps)
    if ('detail' in fetched) throw new Error(`could not fetch an image of the response: ${fetched.detail}`, { cause: fetched.cause })
    const { bytes } = fetched
    return { ...others, b64_json: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') }
  } finally {
    share.keep(0)
  }
}

const imageFetchOptions = {
  accept: 'image/*',
  // Stores of objects do not always know what they hold.
  isWanted: (type: string) => type.startsWith('image/') || type.endsWith('/octet-stream'),
  bytesMax: imageBytesMax,
  timeMs: imageMs,
} as const
