import type { Dialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { readBedrockFailure } from './failures.ts'
import { bedrockPath } from './request.ts'

/** The vendor's shapes of images for OpenAI's sizes. */
const shapes: Readonly<Record<string, string>> = {
  auto: '1:1',
  '1024x1024': '1:1',
  '1024x1536': '2:3',
  '1536x1024': '3:2',
  '1024x1792': '9:16',
  '1792x1024': '16:9',
}

/**
 * Images of Stability's models by InvokeModel (Amazon Bedrock user guide, "Stable Image Core", "Stable Image Ultra" and "Stable Diffusion 3.5
 * Large", stored copies read 2026-11-23). Amazon's own models that draw ended on 2026-09-30. Copies of the price page do not agree, so no
 * model is in the list: an administrator sets the price.
 */
export const bedrockImages = {
  request(body, target) {
    const { prompt, seed, negative_prompt, output_format: format } = body
    const shape = lookUp(shapes, textOr(body['size'], 'auto'))
    const refused = shape === undefined ? 'size' : refusedIn(body)
    return {
      path: bedrockPath(target, 'invoke'),
      headers: { accept: 'application/json' },
      body: omitUndefined({ prompt: textOr(prompt, ''), aspect_ratio: shape, output_format: textOr(format, 'png'), seed, negative_prompt }),
      echo: { output_format: textOr(format, 'png') },
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: readBedrockFailure,
  response(json, { created, echo }) {
    if (!isObject(json)) return null
    const { images, finish_reasons: reasons } = json
    const [reason] = Array.isArray(reasons) ? reasons : []
    if (typeof reason === 'string') return filtered(reason)
    const inputImages = Array.isArray(images) ? images.filter((image) => typeof image === 'string') : []
    if (inputImages.length === 0) return null
    const data = inputImages.map((image) => ({ b64_json: image }))
    const response = { created, data, output_format: echo?.['output_format'] ?? 'png' }
    return { response, usage: { ...noUsage, images: inputImages.length } }
  },
} satisfies Dialect

/** An image or a prompt that the vendor's filter found, with status 200. */
const filtered = (reason: string): Failure => ({
  kind: 'bad_request',
  message: reason,
  type: 'image_generation_user_error',
  param: 'prompt',
  code: 'content_policy_violation',
})

const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== 'auto'

function refusedIn(body: JsonObject): string | null {
  const { n, response_format: form, output_format: format, quality } = body
  if (typeof n === 'number' && n > 1) return 'n'
  if (form === 'url') return 'response_format'
  if (format === 'webp') return 'output_format'
  if (isGiven(quality) && quality !== 'standard') return 'quality'
  return (
    ['background', 'style', 'mask', 'output_compression'].find((name) => isGiven(body[name])) ?? (body['stream'] === true ? 'stream' : null)
  )
}
