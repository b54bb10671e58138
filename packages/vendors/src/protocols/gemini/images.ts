import { base64 } from '../../core/crypto-functions.ts'
import type { Dialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { isGiven, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import { believed } from '../../core/no-usage.ts'
import type { UploadedFile } from '../../core/request.ts'
import type { ClientResponse, ResponseContext } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { toParts } from './content.ts'
import { errorIn, readFailure } from './failure.ts'
import { isFiltered } from './finish.ts'
import type { GeminiHost } from './host.ts'
import { isImageSize, toImageConfig } from './image-size.ts'
import { partsIn } from './speech.ts'
import { usageIn } from './usage.ts'

/** The field that cannot be served; `null` = none. One image is generated at a time, its bytes are returned, and the model chooses its format. */
function refusedIn({
  n,
  size,
  response_format: form,
  background,
  output_format: output,
  style,
  mask,
  output_compression: packed,
}: JsonObject): string | null {
  if (typeof n === 'number' && n > 1) return 'n'
  if (!isImageSize(size)) return 'size'
  if (form === 'url') return 'response_format'
  if (background === 'transparent') return 'background'
  if (output === 'webp' || output === 'jpeg') return 'output_format'
  if (isGiven(style)) return 'style'
  if (isGiven(packed)) return 'output_compression'
  return isGiven(mask) ? 'mask' : null
}

/** Images by `generateContent` (Gemini API, "Image generation", stored copies read 2026-11-22). */
export function geminiImagesAt(host: GeminiHost): Dialect {
  return {
    request(body, target) {
      const refused = refusedIn(body)
      return {
        path: host.pathOf(target, 'generateContent'),
        headers: noHeaders,
        body: drawing(body, target.model, []),
        ...(refused === null ? {} : { refused }),
      }
    },
    response: generated,
    failure: readFailure,
  }
}

/** Edits of the client's images: files of a form, or `images` of a JSON body, whose addresses only the vendor could read. */
export function geminiImageEditsAt(host: GeminiHost): Dialect {
  return {
    ...geminiImagesAt(host),
    readsFiles: true,
    request(body, target) {
      const { files = [] } = target
      const named = Array.isArray(body['images']) ? body['images'].filter(isObject) : []
      const imageParts = named.flatMap((image) => toParts([{ type: 'image_url', image_url: image['image_url'] ?? '' }]))
      const isElsewhere = imageParts.length < named.length || imageParts.some((part) => part['fileData'] !== undefined)
      const hasMask = files.some(({ name }) => name === 'mask')
      const refused = hasMask ? 'mask' : (refusedIn(body) ?? (isElsewhere ? 'images' : null))
      return {
        path: host.pathOf(target, 'generateContent'),
        headers: noHeaders,
        body: drawing(body, target.model, [...files.filter(({ name }) => name !== 'mask').map(imageOf), ...imageParts]),
        ...(refused === null ? {} : { refused }),
      }
    },
  }
}

/** A call for variations has no words, and the service makes nothing of an image without them. */
const variation = 'Draw a variation of this image.'

/** An image like the client's. */
export function geminiImageVariationsAt(host: GeminiHost): Dialect {
  const edits = geminiImageEditsAt(host)
  return { ...edits, request: (body, target) => edits.request({ ...body, prompt: variation }, target) }
}

function imageOf({ contentType, bytes }: UploadedFile): JsonObject {
  return { inlineData: { mimeType: contentType.startsWith('image/') ? contentType : 'image/png', data: base64(bytes) } }
}

function drawing(body: JsonObject, model: string, images: readonly JsonObject[]): JsonObject {
  const imageConfig = toImageConfig(body, model)
  return {
    contents: [{ role: 'user', parts: [...images, { text: textOr(body['prompt'], '') }] }],
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      ...(Object.keys(imageConfig).length === 0 ? {} : { imageConfig }),
    },
  }
}

function generated(json: Json, context: ResponseContext): ClientResponse | Failure | null {
  const failure = errorIn(json)
  if (failure !== null) return failure
  if (!isObject(json)) return null
  const parts = partsIn(json)
  const images = parts
    .filter((part) => part['thought'] !== true)
    .map((part) => part['inlineData'])
    .filter(isObject)
  if (images.length === 0) return notGenerated(json, parts)
  const usage = usageIn(json['usageMetadata'])
  const trustedUsage = believed(usage)
  const form = textOr(images[0]?.['mimeType'], 'image/png').replace('image/', '')
  const response = {
    created: context.created,
    data: images.map((image) => ({ b64_json: textOr(image['data'], '') })),
    output_format: form,
    ...(trustedUsage === null ? {} : { usage: imageUsage(trustedUsage) }),
  }
  return { response, usage: usage === null ? null : { ...usage, images: images.length } }
}

/** OpenAI API reference, "Images", read 2026-11-21. */
function imageUsage({ promptTokens, completionTokens, imageInputTokens, imageOutputTokens }: Usage): JsonObject {
  return {
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    input_tokens_details: { text_tokens: promptTokens - imageInputTokens, image_tokens: imageInputTokens },
    output_tokens_details: { text_tokens: completionTokens - imageOutputTokens, image_tokens: imageOutputTokens },
  }
}

/** A response without an image: refused for its content, or the model only wrote. */
function notGenerated(json: JsonObject, parts: readonly JsonObject[]): Failure | null {
  const { candidates, promptFeedback: feedback } = json
  const [candidate] = Array.isArray(candidates) ? candidates.filter(isObject) : []
  const isBlocked = isObject(feedback) && typeof feedback['blockReason'] === 'string'
  if (candidate === undefined && !isBlocked) return null
  const reason = textOr(candidate?.['finishReason'], '')
  const text = parts.map((part) => textOr(part['text'], '')).join('')
  const isPolicy = isBlocked || isFiltered(reason)
  return {
    kind: 'bad_request',
    message:
      textOr(candidate?.['finishMessage'], '') ||
      text.slice(0, textMax) ||
      `the model returned no image${reason === '' ? '' : ` (${reason})`}`,
    type: isPolicy ? 'image_generation_user_error' : null,
    param: 'prompt',
    code: isPolicy ? 'content_policy_violation' : 'no_picture',
  }
}

/** Longest text of the model that an error shows. */
const textMax = 500
