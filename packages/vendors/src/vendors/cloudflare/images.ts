import { base64 } from '../../core/crypto-functions.ts'
import type { Dialect } from '../../core/dialect.ts'
import { asText, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { ClientResponse, ResponseContext } from '../../core/response.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { isFailure, resultOf, runAddress } from './run.ts'

/** How a family of models is called. Steps are part of the price, so those of a paid model are fixed. */
interface Drawer {
  readonly models: RegExp
  /** The field for the number of steps, and the number; `null` = the client may choose it. */
  readonly steps: readonly [string, number] | null
  /** One size. */
  readonly isSquare?: true
  /** Takes a form and no JSON. */
  readonly isForm?: true
}

/** Workers AI, the pages of the models, stored copies read 2026-11-23. */
const drawers: readonly Drawer[] = [
  { models: /\/flux-1-schnell$/, steps: ['steps', 4], isSquare: true },
  { models: /\/flux-2-dev$/, steps: ['steps', 25], isForm: true },
  { models: /\/flux-2-/, steps: ['steps', 4], isForm: true },
  { models: /\/leonardo\//, steps: ['num_steps', 25] },
]

const freeSteps: Drawer = { models: /^/, steps: null }

/** Sizes with a price; images are paid by tiles of 512 x 512. */
const sizes: ReadonlySet<string> = new Set(['256x256', '512x512', '1024x1024', '1024x1536', '1536x1024', '1024x1792', '1792x1024'])
const square = '1024x1024'

/** Images of Workers AI, one a call, as base64 in JSON or as bytes. */
export const cloudflareImages = {
  request(body, { model, channel }) {
    const drawer = drawers.find(({ models }) => models.test(model)) ?? freeSteps
    const size = sizeIn(body)
    const refused = refusedIn(body, drawer)
    const fields = fieldsOf(body, drawer, size)
    return {
      path: runAddress(model, channel),
      ...(drawer.isForm === true ? formOf(fields) : { headers: {} }),
      body: fields,
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: readFailure,
  response(json, context) {
    const result = resultOf(json)
    if (result === null || isFailure(result)) return result
    const image = textOr(result['image'], '')
    return image === '' ? null : generated(image, context)
  },
  fromBytes: (bytes, type, context) => (type.startsWith('image/') && bytes.length > 0 ? generated(base64(bytes), context) : null),
} satisfies Dialect

function fieldsOf(body: JsonObject, { steps, isSquare }: Drawer, size: string): JsonObject {
  const { prompt, seed, negative_prompt, guidance, num_steps } = body
  const [width, height] = size.split('x').map(Number)
  return omitUndefined({
    prompt: textOr(prompt, ''),
    seed,
    negative_prompt,
    guidance,
    ...(steps === null ? { num_steps } : { [steps[0]]: steps[1] }),
    ...(isSquare === true ? {} : { width, height }),
  })
}

function sizeIn({ size }: JsonObject): string {
  const sizeName = textOr(size, 'auto')
  return sizeName === 'auto' ? square : sizeName
}

const plainQualities: ReadonlySet<Json | undefined> = new Set([undefined, null, 'auto', 'standard'])

/** The field that cannot be served; `null` = none. */
function refusedIn(body: JsonObject, { steps, isSquare }: Drawer): string | null {
  const { n, response_format: form, output_format: output, quality, stream } = body
  const size = sizeIn(body)
  if (!sizes.has(size) || (isSquare === true && size !== square)) return 'size'
  if (typeof n === 'number' && n > 1) return 'n'
  if (form === 'url') return 'response_format'
  if (output === 'webp') return 'output_format'
  if (!plainQualities.has(quality)) return 'quality'
  if (stream === true) return 'stream'
  const fixed = steps === null ? [] : ['steps', 'num_steps']
  const unknown = ['background', 'style', 'mask', 'output_compression', ...fixed]
  return unknown.find((name) => isGiven(body[name])) ?? null
}

const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== 'auto'

/** No text of a client holds this line, since the fields are numbers except the prompt, from which it is removed. */
const boundary = '----sluice-form-5c1d0b7e'

function formOf(fields: JsonObject): { readonly headers: Readonly<Record<string, string>>; readonly bytes: Uint8Array } {
  const parts = Object.entries(fields).map(([name, value]) => {
    const text = asText(value).replaceAll(boundary, '')
    return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
  })
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    bytes: new TextEncoder().encode(`${parts.join('')}--${boundary}--\r\n`),
  }
}

function generated(image: string, { created }: ResponseContext): ClientResponse {
  const response = { created, data: [{ b64_json: image }], output_format: formatOf(image) }
  return { response, usage: { ...noUsage, images: 1 } }
}

/** The first bytes of JPEG and WebP in base64; the others are PNG. */
function formatOf(image: string): string {
  if (image.startsWith('/9j/')) return 'jpeg'
  return image.startsWith('UklGR') ? 'webp' : 'png'
}
