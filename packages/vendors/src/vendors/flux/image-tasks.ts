import type { Json, JsonObject } from '../../core/json.ts'
import type { TaskDialect, TaskParams } from '../../core/task.ts'
import { without, wrongIn } from '../../core/task-parameter.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { contentOf, nearestRatio, withoutNull } from '../../protocols/tasks/step-parts.ts'
import { textOf } from '../../protocols/tasks/video-size.ts'
import { type Family, familyOf, type Size } from './families.ts'
import { addressOrContent, pollFor, submitWith } from './task-steps.ts'

/** Multiples of 32, which every model takes that has sizes. */
const examples = ['1024x1024', '1024x768', '768x1024', '1280x704', '704x1280', '1440x960']

function sizeIn(text: string): Size {
  const [width = 0, height = 0] = text.split('x').map(Number)
  return { width, height }
}

/** Images that are made or changed. */
export const fluxImageTasks: TaskDialect = {
  actions: ['edit', 'vary'],
  secondsMax: 15 * 60,
  fields(model) {
    const family = familyOf(model)
    if (family === null) return null
    const { images, parameters } = family
    const sizes = examples.filter((size) => refusedSize(family, { size: sizeIn(size), extra: {} }) === null)
    return {
      seconds: null,
      sizes,
      ...(family.sizes !== null && 'usual' in family.sizes && { usualSize: textOf(family.sizes.usual) }),
      images: { least: images.least, most: images.max },
      parameters: sizes.length === 0 ? parameters : without(parameters, ['aspect_ratio']),
    }
  },
  plan(rawParams) {
    const params = withoutNull(rawParams)
    const family = familyOf(params.model)
    if (family === null) return { refused: 'model' }
    const refused =
      wrongIn(params, family.parameters) ?? refusedVariation(family, params) ?? refusedSize(family, params) ?? refusedImage(family, params)
    if (refused !== null) return { refused }
    const size = sizeOf(family, params)
    const reportedSize = params.size === null && size !== null && params.images.length === 0 ? size : params.size
    return {
      counts: { credits: family.credits(size, params.images.length) },
      ...(reportedSize === null ? {} : { size: `${reportedSize.width}x${reportedSize.height}` }),
    }
  },
  submit: submitWith(bodyFor),
  poll: pollFor('image'),
}

/** Only the first generation makes something like an image without a prompt (BFL API reference, "FLUX1.1 [pro]", `image_prompt`). */
function refusedVariation({ images: { name } }: Family, { action }: TaskParams): string | null {
  return action === 'vary' && name !== 'image_prompt' ? 'model' : null
}

/** The size that is sent; `null`: the model chooses, or has one only. */
function sizeOf({ sizes }: Family, { size, images }: Pick<TaskParams, 'size' | 'images'>): Size | null {
  if (sizes === null || 'ratios' in sizes) return null
  // What is changed keeps its size.
  return size ?? (images.length === 0 ? sizes.usual : null)
}

function refusedSize({ sizes }: Family, { size, extra }: Pick<TaskParams, 'size' | 'extra'>): string | null {
  if (size === null) return null
  if (sizes === null) return 'size'
  if ('ratios' in sizes) return extra['aspect_ratio'] === undefined ? null : 'aspect_ratio'
  const { step, least, most, pixelsMax } = sizes
  const isSide = (side: number): boolean => side % step === 0 && side >= least && side <= most
  return isSide(size.width) && isSide(size.height) && size.width * size.height <= pixelsMax ? null : 'size'
}

function refusedImage({ images: { max, least, takesAddresses } }: Family, { action, images, extra }: TaskParams): string | null {
  if (images.length > max || images.length < Math.max(least, action === 'create' ? 0 : 1)) return 'image'
  if (!takesAddresses && images.some((image) => contentOf(image) === null)) return 'image'
  return extra['mask'] !== undefined && maskIn(extra) === null ? 'mask' : null
}

/** The mask of an edit in base64: white is painted, black is kept. */
function maskIn({ mask }: JsonObject): string | null {
  return typeof mask === 'string' ? (contentOf({ url: mask })?.data ?? null) : null
}

function bodyFor(params: TaskParams): JsonObject {
  const family = familyOf(params.model)
  if (family === null) return { prompt: params.prompt }
  const { sizes } = family
  const size = sizeOf(family, params)
  const { mask, ...extra } = params.extra
  return omitUndefined({
    prompt: params.prompt,
    width: size?.width,
    height: size?.height,
    aspect_ratio: sizes !== null && 'ratios' in sizes && params.size !== null ? nearestRatio(params.size, sizes.ratios) : undefined,
    ...imagesOf(family, params),
    mask: mask === undefined ? undefined : maskIn(params.extra),
    ...extra,
  })
}

/** `input_image`, `input_image_2` and so on. */
function imagesOf({ images: { name } }: Family, { images }: TaskParams): Readonly<Record<string, Json>> {
  return Object.fromEntries(images.map((image, index) => [index === 0 ? name : `${name}_${index + 1}`, addressOrContent(image)]))
}
