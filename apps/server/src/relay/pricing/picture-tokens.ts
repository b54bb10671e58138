import { isObject } from '@sluice/vendors/is-object'
import type { Json } from '@sluice/vendors/json'
import { pictureSizeOf, type Size } from './picture-size.ts'

/** How a model reckons a picture in tokens. */
type Rule = (size: Size, detail: Json | undefined) => number

/**
 * Scaled to fit 2048 x 2048, then to a shorter side of 768 at most; then so many tokens, and so many for each tile of 512
 * (OpenAI, "Images and vision", "Tile-based image tokenization", a stored copy read 2026-11-21). At low detail only the first.
 */
const tiles =
  (base: number, tile: number): Rule =>
  (size, detail) => {
    if (detail === 'low') return base
    const square = within(size, 2048)
    const { width, height } = shrink(square, Math.min(1, 768 / Math.min(square.width, square.height)))
    return base + tile * Math.ceil(width / 512) * Math.ceil(height / 512)
  }

/** What a picture may have at most: pixels of its longer side, and patches. */
interface Bounds {
  readonly side: number
  readonly patches: number
}

const usual: Bounds = { side: 2048, patches: 2500 }
const older: Bounds = { side: 2048, patches: 6144 }
const small: Bounds = { side: 512, patches: 256 }
const original: Bounds = { side: 6000, patches: 10_000 }
/** The page names no limit of patches; that more than these are refused is from somebody's notes of a later one (2026-09-29). */
const unlimited: Bounds = { side: 65_535, patches: 30_000 }
/** Of models that are about to end. The page has dropped their bounds; these are of an older copy of it. */
const least: Bounds = { side: 2048, patches: 1536 }

/**
 * One token for each 32 x 32, times a factor of the model, of a picture that is made smaller where it is beyond the model's bounds for the
 * detail (same page, "Model sizing behavior" and "Patch-based image tokenization", read 2026-11-21).
 */
const patches =
  (factor: number, bounds: ReadonlyMap<Json | undefined, Bounds>, otherwise: Bounds): Rule =>
  (size, detail) => {
    const bound = bounds.get(detail) ?? otherwise
    return Math.ceil(patchesWithin(size, bound) * factor)
  }

function patchesWithin(size: Size, { side, patches: most }: Bounds): number {
  const fitting = within(size, side)
  if (squaresOf(fitting, 32) <= most) return squaresOf(fitting, 32)
  const scaled = shrink(fitting, Math.sqrt((32 * 32 * most) / (fitting.width * fitting.height)))
  const [columns, rows] = [scaled.width / 32, scaled.height / 32]
  const { width, height } = shrink(scaled, Math.min(Math.floor(columns) / columns, Math.floor(rows) / rows))
  return Math.min(most, squaresOf({ width: Math.floor(width), height: Math.floor(height) }, 32))
}

/**
 * One token for each 28 x 28, up to the limit of the model (Anthropic, "Vision", "Resolution and token cost", a stored copy read 2026-11-21).
 * A picture beyond it is made as large as fits, which can be a few tokens less than the limit that is reckoned here.
 */
const byVisualTokens =
  (side: number, most: number): Rule =>
  (size) =>
    Math.min(most, squaresOf(within(size, side), 28))

const standardResolution = byVisualTokens(1568, 1568)
const highResolution = byVisualTokens(2576, 4784)

/**
 * 258 where no side is longer than 384, else for each tile, whose side is the shorter side by 1.5 (Google, "Image understanding", "Token
 * calculation", a stored copy read 2026-11-21, which calls it rough).
 */
const byCrops: Rule = (size) => {
  const { width, height } = size
  return width <= 384 && height <= 384 ? 258 : 258 * squaresOf(size, Math.max(1, Math.floor(Math.min(width, height) / 1.5)))
}

/** The default of Gemini 3 and what came after it, whatever the size (Google, "Media resolution", a stored copy read 2026-11-21). */
const byResolution: Rule = () => 1120

const anyDetail: ReadonlyMap<string, Bounds> = new Map()
const lowOrHigh = new Map([
  ['low', small],
  ['high', usual],
])
const lowOrOriginal = new Map([
  ['low', older],
  ['original', original],
])

/** By how the name of the model begins; the first that fits. Models that no page names are reckoned like their nearest relation. */
const rules: ReadonlyArray<readonly [string, Rule]> = [
  ['gpt-4o-mini', tiles(2833, 5667)],
  ['gpt-4.1-mini', patches(1.62, anyDetail, older)],
  ['gpt-4.1-nano', patches(2.46, anyDetail, least)],
  ['gpt-5-mini', patches(1.2, anyDetail, least)],
  ['gpt-5-nano', patches(1.5, anyDetail, least)],
  ['gpt-5.2', patches(1.2, anyDetail, older)],
  ['gpt-5.3', patches(1.2, anyDetail, older)],
  ['gpt-5.4', patches(1.2, lowOrOriginal, usual)],
  ['gpt-5.5', patches(1.2, lowOrHigh, original)],
  ['gpt-5.6', patches(1.2, lowOrHigh, unlimited)],
  ['gpt-6', patches(1.2, lowOrHigh, unlimited)],
  ['o4-mini', patches(1.72, anyDetail, least)],
  ['gpt-5', tiles(70, 140)],
  ['o1', tiles(75, 150)],
  ['o3', tiles(75, 150)],
  ['claude-opus-4-7', highResolution],
  ['claude-opus-4-8', highResolution],
  ['claude-2', standardResolution],
  ['claude-3', standardResolution],
  ['claude-instant', standardResolution],
  ['claude-haiku-4', standardResolution],
  ['claude-sonnet-4', standardResolution],
  ['claude-opus-4', standardResolution],
  ['claude-', highResolution],
  ['gemini-1', byCrops],
  ['gemini-2', byCrops],
  ['gemini-', byResolution],
  ['', tiles(85, 170)],
]

/** Of a picture that we do not see. It is never fetched: the address is the client's, and may be one of ours. */
const unseen: Size = { width: 2048, height: 768 }

/** LLM tokens of one picture of a request: an object with its `url`, as in a chat, or the address itself. */
export function pictureTokens(picture: Json, model: string): number {
  const url = isObject(picture) ? picture['url'] : picture
  const detail = isObject(picture) ? picture['detail'] : undefined
  const rule = rules.find(([start]) => model.startsWith(start))?.[1] ?? tiles(85, 170)
  return rule((typeof url === 'string' ? pictureSizeOf(url) : null) ?? unseen, detail)
}

function shrink({ width, height }: Size, factor: number): Size {
  return { width: width * factor, height: height * factor }
}

function within(size: Size, side: number): Size {
  return shrink(size, Math.min(1, side / Math.max(size.width, size.height)))
}

function squaresOf({ width, height }: Size, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side)
}
