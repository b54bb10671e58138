import type { Dialect } from '../../core/dialect.ts'
import { asNumber, asText, isGiven, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import { inputImages } from '../../protocols/media/uploaded-images.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { errorIn, readFailure } from '../../protocols/shared/openai-failure.ts'

/** What a model takes. Sizes in pixels. */
interface Limits {
  readonly path: string
  readonly sideMin: number
  readonly sideMax: number
  readonly areaMax: number
  readonly imagesMax: number
}

/**
 * cloud.tencent.com, "Hunyuan images" (1823/135745), a stored copy read 2026-11-28. The newer model generates up to 4096x4096, at another price; where
 * one price ends and the other begins is not documented, so larger images than 2K are refused.
 */
const older: Limits = {
  ...{ path: '/v1/wand/hunyuan-image/v3-generation', sideMin: 512, sideMax: 2048, areaMax: 1024 * 1024 },
  imagesMax: 3,
}
const newer: Limits = {
  ...{ path: '/v1/wand/hunyuan-image/v35-generation', sideMin: 256, sideMax: 8192, areaMax: 2048 * 2048 },
  imagesMax: 20,
}

const isNewer = (model: string): boolean => /v3\.5/i.test(model)

/** Whether a model of TokenHub draws. */
export function drawsAtTencent(model: string): boolean {
  return /^hy-image-v3(?:\.5|$)/i.test(model)
}

/** Images of Hunyuan at TokenHub: one a call, at an address that is valid for twelve hours. */
export const tencentImages = {
  request: (body, target) => outgoingOf(body, target, []),
  failure: readFailure,
  response(json, { created }) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const data = [...imagesOf(json['data']), ...imagesOf(framesIn(json['choices']))]
    return data.length === 0 ? null : { response: { created, data }, usage: { ...noUsage, images: data.length } }
  },
} satisfies Dialect

/** Edits of the client's images, as the prompt says. */
export const tencentImageEdits = {
  ...tencentImages,
  readsFiles: true,
  request(body, target) {
    const { files = [] } = target
    if (files.some(({ name }) => name === 'mask')) return { ...outgoingOf(body, target, []), refused: 'mask' }
    return outgoingOf(body, target, inputImages(body, files))
  },
} satisfies Dialect

function outgoingOf(body: JsonObject, { model }: Target, images: readonly string[]): Outgoing {
  const limits = isNewer(model) ? newer : older
  const refused = images.length > limits.imagesMax ? 'image' : refusedIn(body, limits)
  return {
    path: limits.path,
    headers: {},
    body: { model, ...askOf(body, model, images) },
    ...(refused === null ? {} : { refused }),
  }
}

function askOf(body: JsonObject, model: string, images: readonly string[]): JsonObject {
  const { seed, footnote } = body
  const prompt = textOr(body['prompt'], '')
  const more = omitUndefined({ size: sizeOf(body), seed, footnote })
  if (!isNewer(model))
    return { prompt, ...omitUndefined({ ...more, revise: body['revise'], images: images.length > 0 ? [...images] : undefined }) }
  const imageParts = images.map((url) => ({ type: 'image_url', image_url: { url } }))
  return { messages: [{ role: 'user', content: [...imageParts, { type: 'text', text: prompt }] }], ...more }
}

/** `auto` is the model's own choice. */
function sizeOf({ size }: JsonObject): string | undefined {
  return size === 'auto' || !isGiven(size) ? undefined : textOr(size, '')
}

function refusedIn(body: JsonObject, { sideMin, sideMax, areaMax }: Limits): string | null {
  if (asNumber(body['n'] ?? 1) > 1) return 'n'
  if (body['background'] === 'transparent') return 'background'
  if (isGiven(body['mask'])) return 'mask'
  if (asText(body['stream']) === 'true') return 'stream'
  const size = sizeOf(body)
  if (size === undefined) return null
  const [, width, height] = (/^(\d+)x(\d+)$/.exec(size) ?? []).map(Number)
  if (width === undefined || height === undefined) return 'size'
  const sides = [width, height]
  return sides.every((side) => side >= sideMin && side <= sideMax) && width * height <= areaMax ? null : 'size'
}

/** The newer model responds as a chat does, with the last event of a stream. */
function framesIn(choices: Json | undefined): readonly Json[] {
  return (Array.isArray(choices) ? choices.filter(isObject) : []).flatMap(({ delta }) => {
    const image = isObject(delta) ? delta['image'] : undefined
    return image === undefined ? [] : [image]
  })
}

function imagesOf(list: Json | readonly Json[] | undefined): readonly JsonObject[] {
  return (Array.isArray(list) ? list.filter(isObject) : []).flatMap(({ url, revised_prompt }) =>
    typeof url === 'string' && url !== '' ? [omitUndefined({ url, revised_prompt })] : [],
  )
}
