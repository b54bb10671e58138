import { isGiven, isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { AppError } from '../../../lib/app-error.ts'
import type { Multipart } from '../../model/form.ts'
import type { FileField, KindRules } from '../../model/kind-rules.ts'
import type { RequestParams } from '../../model/request-params.ts'
import { PromptMedia } from '../../pricing/prompt-media.ts'
import { countIn, inputTokens, modelIn, streamIn, textIn, wordIn } from './fields.ts'

/** Maximum images per request (OpenAI API reference, "Create image", `n`, as generated clients quote it, read 2026-11-21). */
const imagesMax = 10

/** OpenAI's default model. */
const defaultModel = 'dall-e-2'

/** An image is one line of a stream. The largest have a few million pixels, in base64. */
const lineBytesMax = 16 * 1024 * 1024

/** One image is `image`, several are `image[]` or `image` again. */
const editedImages: FileField = { name: /^image(?:\[\d{0,2}\])?$/, mayRepeat: true }
const oneImage: FileField = { name: editedImages.name }
const mask: FileField = { name: /^mask$/ }

/** Shared by all image calls. They are not repeatable, because a request without a response may have generated an image that is charged. */
const drawing = { isRepeatable: false, idPrefix: '', asStream: () => null, lineBytesMax } as const

/** OpenAI API reference, "Images", read 2026-11-21. */
export const images: KindRules = {
  ...drawing,
  kind: 'images',
  read: (body) => ({ ...imageParams(body), ...textIn(body, ['prompt']) }),
}

/** JSON bodies reference images by URL or id. */
export const imageEdits: KindRules = {
  ...drawing,
  kind: 'image-edits',
  form: { isOnly: false, files: [editedImages, mask], inspect },
  read(body) {
    const params = imageParams(body)
    const media = new PromptMedia(params.model)
    const tokens = inputImages(body).reduce((sum: number, image) => sum + media.addImage(image), 0)
    return { ...params, promptTokens: inputTokens(body, 'prompt') + tokens, ...media.params }
  },
}

export const imageVariations: KindRules = {
  ...drawing,
  kind: 'image-variations',
  form: { isOnly: true, files: [oneImage], inspect },
  read: (body) => ({ ...imageParams(body), promptTokens: 0 }),
}

function imageParams(body: JsonObject): Omit<RequestParams, 'promptTokens'> {
  const size = wordIn(body, 'size')
  const quality = wordIn(body, 'quality')
  return {
    model: modelIn({ ...body, model: body['model'] ?? defaultModel }),
    ...streamIn(body),
    maxTokens: 0,
    choices: 1,
    images: countIn(body, 'n', imagesMax) ?? 1,
    ...(size === null ? {} : { imageSize: size }),
    ...(quality === null ? {} : { imageQuality: quality }),
  }
}

function inspect({ parts, fields }: Multipart): Partial<RequestParams> {
  const files = parts.filter(({ fileName }) => fileName !== null)
  if (!files.some(({ name }) => editedImages.name.test(name))) throw new AppError('invalid_parameter', { params: { name: 'image' } })
  // The rules of the call take no other files.
  return { unmeasured: { images: [], audio: [], documents: [], file: null, imageFiles: files, fidelity: fields.get('input_fidelity') } }
}

/** The images of a JSON body, as chats have them: each is an address or an id, by itself or in a member. */
function inputImages({ images, image, mask, input_fidelity: fidelity }: JsonObject): readonly Json[] {
  const values = [images, image, mask].flatMap((value) => (Array.isArray(value) ? value : [value])).filter(isGiven)
  return values.map((image) => {
    const place = isObject(image) ? (image['image_url'] ?? image['url']) : image
    return { url: isObject(place) ? (place['url'] ?? null) : (place ?? null), detail: fidelity ?? null }
  })
}
