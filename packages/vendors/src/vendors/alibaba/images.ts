import type { Dialect } from '../../core/dialect.ts'
import { asNumber, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import { inputImages } from '../../protocols/media/uploaded-images.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { errorInside, multimodalPath, outputOf } from './native.ts'

/**
 * Images of the models that respond at once: qwen-image, z-image, wan from 2.6 on (Alibaba Cloud Model Studio, "Qwen-Image API" and
 * "Wan text-to-image API", stored copies read 2026-11-22). The vendor responds with addresses, which are valid for a day.
 */
export const alibabaImages = {
  request: (body, target) => outgoingOf(body, target, []),
  failure: readFailure,
  response(json, { created }) {
    if (!isObject(json)) return null
    const failure = errorInside(json)
    if (failure !== null) return failure
    const data = imagesIn(outputOf(json)?.['choices']).map((url) => ({ url }))
    return data.length === 0 ? null : { response: { created, data }, usage: { ...noUsage, images: data.length } }
  },
} satisfies Dialect

/** Edits of the client's images, as the prompt says. */
export const alibabaImageEdits = {
  ...alibabaImages,
  readsFiles: true,
  request(body, target) {
    const { files = [] } = target
    if (files.some(({ name }) => name === 'mask')) return { ...outgoingOf(body, target, []), refused: 'mask' }
    return outgoingOf(
      body,
      target,
      inputImages(body, files).map((image) => ({ image })),
    )
  },
} satisfies Dialect

function outgoingOf(body: JsonObject, { model }: Target, images: readonly JsonObject[]): Outgoing {
  const { prompt, size, n, seed, negative_prompt, prompt_extend, watermark } = body
  const parameters = omitUndefined({ size: sizeOf(size), n: countOf(n), seed, negative_prompt, prompt_extend, watermark })
  const content = [...images, { text: textOr(prompt, '') }]
  return {
    path: multimodalPath,
    headers: {},
    body: { model, input: { messages: [{ role: 'user', content }] }, parameters },
    ...refusalOf(body),
  }
}

function refusalOf({ background }: JsonObject): Pick<Outgoing, 'refused'> {
  return background === 'transparent' ? { refused: 'background' } : {}
}

/** A field of a form is text. */
function countOf(n: Json | undefined): number | undefined {
  const count = asNumber(n ?? Number.NaN)
  return Number.isInteger(count) ? count : undefined
}

/** `1024x1024` is `1024*1024` here; `auto` is the model's own choice. */
function sizeOf(size: Json | undefined): string | undefined {
  return typeof size === 'string' && /^\d+x\d+$/.test(size) ? size.replace('x', '*') : undefined
}

function imagesIn(choices: Json | undefined): readonly string[] {
  if (!Array.isArray(choices)) return []
  return choices.flatMap((choice) => {
    const message = isObject(choice) ? choice['message'] : null
    const content = isObject(message) ? message['content'] : null
    if (!Array.isArray(content)) return []
    return content.flatMap((part) => (isObject(part) && typeof part['image'] === 'string' ? [part['image']] : []))
  })
}
