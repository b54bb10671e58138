import { lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** Aspect ratios of the vendor (Gemini API, "Image generation", a stored copy read 2026-11-22). */
const ratios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const

const sizes: Readonly<Record<string, string>> = { low: '1K', standard: '1K', medium: '1K', hd: '2K', high: '2K' }

/** Models of one size refuse the field. */
const oneSize = /gemini-2|lite-image/

/** `imageConfig` for OpenAI's `size` and `quality`, or for a ratio that the client names itself. */
export function toImageConfig({ size, quality, aspect_ratio: ratio, image_size: own }: JsonObject, model: string): JsonObject {
  const aspectRatio = textOr(ratio, '') || nearestRatio(size)
  const imageSize = textOr(own, '') || (oneSize.test(model) ? undefined : lookUp(sizes, textOr(quality, '')))
  return { ...(aspectRatio === null ? {} : { aspectRatio }), ...(imageSize === undefined ? {} : { imageSize }) }
}

const pixels = /^([1-9]\d*)x([1-9]\d*)$/

/** Whether a client's `size` is one: pixels, or nothing, empty or `auto`, with which the model chooses. */
export function isImageSize(size: Json | undefined): boolean {
  if (size === undefined || size === null) return true
  return typeof size === 'string' && (size === '' || size === 'auto' || pixels.test(size))
}

/** The vendor's ratio that is nearest to a size such as `1024x1536`; `null` = the model chooses. */
function nearestRatio(size: Json | undefined): string | null {
  const [, width, height] = pixels.exec(textOr(size, '')) ?? []
  if (width === undefined || height === undefined) return null
  const target = Math.log(Number(width) / Number(height))
  return ratios.toSorted((one, other) => Math.abs(logOf(one) - target) - Math.abs(logOf(other) - target))[0] ?? null
}

function logOf(ratio: string): number {
  const [width = '', height = ''] = ratio.split(':')
  return Math.log(Number(width) / Number(height))
}
