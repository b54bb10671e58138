import type { Dialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { Outgoing } from '../../core/request.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { errorIn, readFailure } from '../../protocols/shared/openai-failure.ts'

/**
 * platform.minimaxi.com, "Image generation: text to image", as clients of 2026 quote the page, which has no stored copy: addresses or base64, as
 * requested.
 */
export const minimaxImages = {
  request(body, { model }) {
    const { prompt, n, seed, response_format: format, aspect_ratio, prompt_optimizer } = body
    return {
      path: '/v1/image_generation',
      headers: {},
      body: {
        ...omitUndefined({ model, prompt, n, seed, aspect_ratio, prompt_optimizer, ...sizeOf(body['size']) }),
        response_format: format === 'b64_json' ? 'base64' : 'url',
      },
      ...refusalOf(body),
    }
  },
  failure: readFailure,
  response(json, { created }) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const output = isObject(json['data']) ? json['data'] : {}
    const data = [
      ...textsIn(output['image_urls']).map((url) => ({ url })),
      ...textsIn(output['image_base64']).map((bytes) => ({ b64_json: bytes })),
    ]
    return data.length === 0 ? null : { response: { created, data }, usage: { ...noUsage, images: data.length } }
  },
} satisfies Dialect

function refusalOf({ background }: JsonObject): Pick<Outgoing, 'refused'> {
  return background === 'transparent' ? { refused: 'background' } : {}
}

/** Both sides in pixels; `auto` is the model's own choice. */
function sizeOf(size: Json | undefined): JsonObject {
  const [, width, height] = typeof size === 'string' ? (/^(\d+)x(\d+)$/.exec(size) ?? []) : []
  return width === undefined || height === undefined ? {} : { width: Number(width), height: Number(height) }
}

function textsIn(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : []
}
