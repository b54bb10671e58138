import type { Dialect } from '../../core/dialect.ts'
import { asNumber, asText, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { errorIn, readFailure } from '../../protocols/shared/openai-failure.ts'

const promptMax = 500
const samplesMax = 4
const side = { least: 8, most: 2048, usual: 512 } as const
const styles: readonly string[] = ['realistic', 'papercut', 'cartoon', 'CG']

/** Whether a model is one of the vendor's own for images; those of others are called in OpenAI's form. */
export function isOwnImageModel(model: string): boolean {
  return /^360cv_/i.test(model)
}

/**
 * Images of 360's own models, each at an address: as lin-coco/zhinao-go (types.go, commit 0ac4daf) has the fields and limits of the vendor's page,
 * which three more clients call alike, read 2026-11-28. Images that the vendor's filter judges are left out of the list.
 */
export const zhinaoImages = {
  request(body, { model }) {
    const { n, seed, negative_prompt, guidance_scale, num_inference_steps, enhance_prompt } = body
    const refused = refusedIn(body)
    return {
      path: '/v1/images/text2img',
      headers: {},
      body: {
        ...{ model, prompt: textOr(body['prompt'], ''), style: styleOf(body), ...sizeOf(body) },
        ...omitUndefined({ samples: n, seed, negative_prompt, guidance_scale, num_inference_steps, enhance_prompt }),
      },
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: readFailure,
  response(json, { created }) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { status, output } = json
    if (status !== 'success' || !Array.isArray(output)) return null
    const data = output.flatMap((url) => (typeof url === 'string' && url !== '' ? [{ url }] : []))
    if (data.length > 0) return { response: { created, data }, usage: { ...noUsage, images: data.length } }
    const message = "the vendor's filter removed every image"
    return { kind: 'bad_request', message, type: null, param: null, code: 'content_policy_violation' }
  },
} satisfies Dialect

/** OpenAI's `natural` is the vendor's `realistic`. */
function styleOf({ style }: JsonObject): string {
  const styleName = textOr(style, 'natural')
  return styleName === 'natural' ? 'realistic' : styleName
}

/** `auto` is the vendor's usual size. */
function sizeOf({ size }: JsonObject): { readonly width: number; readonly height: number } {
  const [, width, height] = (/^(\d+)x(\d+)$/.exec(textOr(size, '')) ?? []).map(Number)
  return { width: width ?? side.usual, height: height ?? side.usual }
}

function refusedIn(body: JsonObject): string | null {
  const { n, size, background, stream, prompt } = body
  if (asNumber(n ?? 1) > samplesMax) return 'n'
  if (!isSize(size)) return 'size'
  if (!styles.includes(styleOf(body))) return 'style'
  if (background === 'transparent') return 'background'
  if (asText(stream) === 'true') return 'stream'
  return textOr(prompt, '').length > promptMax ? 'prompt' : null
}

function isSize(size: Json | undefined): boolean {
  if (size === undefined || size === null || size === 'auto') return true
  if (typeof size !== 'string' || !/^\d+x\d+$/.test(size)) return false
  return Object.values(sizeOf({ size })).every((length) => length >= side.least && length <= side.most)
}
