import { isObject } from '@sluice/vendors/is-object'
import type { Json } from '@sluice/vendors/json'
import { pictureSizeOf, type Size } from './picture-size.ts'

/** How a model reckons a picture in tokens. */
type Rule = (size: Size, isLow: boolean) => number

/**
 * Scaled to fit 2048 x 2048, then to a shorter side of 768 at most; then so many tokens, and so many for each tile of 512
 * (OpenAI, "Images and vision", "Calculating costs", read 2026-11-21). At low detail only the first.
 */
const tiles =
  (base: number, tile: number): Rule =>
  (size, isLow) => {
    if (isLow) return base
    const square = shrink(size, Math.min(1, 2048 / Math.max(size.width, size.height)))
    const { width, height } = shrink(square, Math.min(1, 768 / Math.min(square.width, square.height)))
    return base + tile * Math.ceil(width / 512) * Math.ceil(height / 512)
  }

/** One token for each 32 x 32, at most 1,536 of them, times a factor of the model (same page). */
const patches =
  (factor: number): Rule =>
  ({ width, height }) =>
    Math.ceil(Math.min(1536, Math.ceil(width / 32) * Math.ceil(height / 32)) * factor)

/** Anthropic, "Vision", read 2026-11-21: the area by 750, of a picture whose longer side is 1,568 at most. */
const byArea: Rule = (size) => {
  const { width, height } = shrink(size, Math.min(1, 1568 / Math.max(size.width, size.height)))
  return Math.ceil((width * height) / 750)
}

/** Google, "Image understanding", read 2026-11-21: 258 for each tile of 768. */
const by768: Rule = ({ width, height }) => 258 * Math.ceil(width / 768) * Math.ceil(height / 768)

/** By how the name of the model begins; the first that fits. */
const rules: ReadonlyArray<readonly [string, Rule]> = [
  ['gpt-4o-mini', tiles(2833, 5667)],
  ['gpt-4.1-mini', patches(1.62)],
  ['gpt-4.1-nano', patches(2.46)],
  ['gpt-5-mini', patches(1.62)],
  ['gpt-5-nano', patches(2.46)],
  ['o4-mini', patches(1.72)],
  ['gpt-5', tiles(70, 140)],
  ['o1', tiles(75, 150)],
  ['o3', tiles(75, 150)],
  ['claude-', byArea],
  ['gemini-', by768],
  ['', tiles(85, 170)],
]

/** Of a picture that we do not see. It is never fetched: the address is the client's, and may be one of ours. */
const unseen: Size = { width: 2048, height: 768 }

/** LLM tokens of one picture of a request: an object with its `url`, as in a chat, or the address itself. */
export function pictureTokens(picture: Json, model: string): number {
  const url = isObject(picture) ? picture['url'] : picture
  const isLow = isObject(picture) && picture['detail'] === 'low'
  const rule = rules.find(([start]) => model.startsWith(start))?.[1] ?? tiles(85, 170)
  return rule((typeof url === 'string' ? pictureSizeOf(url) : null) ?? unseen, isLow)
}

function shrink({ width, height }: Size, factor: number): Size {
  return { width: width * factor, height: height * factor }
}
