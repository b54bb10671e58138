import { isObject } from '@sluice/vendors/core/is-object'
import type { Json } from '@sluice/vendors/core/json'
import { imageSizeOf, type Size } from './image-size.ts'

/** How a model counts the tokens of an image. */
type Rule = (size: Size, detail: Json | undefined) => number

/**
 * Scaled to fit 2048 x 2048, then to a shorter side of at most 768; then a base count plus a count per tile of 512 (OpenAI, "Images and
 * vision", "Tile-based image tokenization", a stored copy read 2026-11-21). Low detail is the base count only.
 */
const tiles =
  (base: number, tile: number): Rule =>
  (size, detail) =>
    detail === 'low' ? base : base + tile * tilesOf(size, 768)

/** Tiles of 512 of an image with such a shorter side. */
function tilesOf(size: Size, side: number): number {
  const square = within(size, 2048)
  const { width, height } = shrink(square, Math.min(1, side / Math.min(square.width, square.height)))
  return Math.ceil(width / 512) * Math.ceil(height / 512)
}

/**
 * Of a model that draws: 65, and 129 for each tile with a shorter side of 512; if it is to look closely (`input_fidelity`), 4,160 more, or 6,240 for
 * an image that is not square (OpenAI, "Images and vision" and "Image generation", as community.openai.com, 1275254 and 1281361, quote the pages
 * and what was billed, read 2026-11-29). Later models always look closely.
 */
const painted =
  (isAlwaysClose: boolean): Rule =>
  (size, detail) => {
    const close = size.width === size.height ? 4_160 : 6_240
    return 65 + 129 * tilesOf(size, 512) + (isAlwaysClose || detail === 'high' ? close : 0)
  }

/** Maximum size of an image: pixels of the longer side, and patches. */
interface Bounds {
  readonly side: number
  readonly patches: number
}

const usual: Bounds = { side: 2048, patches: 2500 }
const older: Bounds = { side: 2048, patches: 6144 }
const small: Bounds = { side: 512, patches: 256 }
const original: Bounds = { side: 6000, patches: 10_000 }
/** The page gives no patch limit; that more than these are refused is from an unofficial source (2026-09-29). */
const unlimited: Bounds = { side: 65_535, patches: 30_000 }
/** Bounds of models that are being retired: from an older copy of the page, because the current one has none. */
const least: Bounds = { side: 2048, patches: 1536 }

/**
 * One token per 32 x 32 pixels, times a factor of the model; an image beyond the model's bounds for its detail is scaled down first
 * (same page, "Model sizing behavior" and "Patch-based image tokenization", read 2026-11-21).
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
 * One token per 28 x 28 pixels, up to the model's limit (Anthropic, "Vision", "Resolution and token cost", a stored copy read 2026-11-21).
 * A larger image is scaled down to fit; its real count can be a few tokens below the limit that is used here.
 */
const byVisualTokens =
  (side: number, most: number): Rule =>
  (size) =>
    Math.min(most, squaresOf(within(size, side), 28))

const standardResolution = byVisualTokens(1568, 1568)
const highResolution = byVisualTokens(2576, 4784)

/**
 * 258 if no side is longer than 384, else 258 per tile; a tile's side is the shorter side divided by 1.5 (Google, "Image understanding",
 * "Token calculation", a stored copy read 2026-11-21, which calls the formula approximate).
 */
const byCrops: Rule = (size) => {
  const { width, height } = size
  return width <= 384 && height <= 384 ? 258 : 258 * squaresOf(size, Math.max(1, Math.floor(Math.min(width, height) / 1.5)))
}

/** The default of Gemini 3 and later models, for every size (Google, "Media resolution", a stored copy read 2026-11-21). */
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

/** By prefix of the model name; the first match applies. Undocumented models use the rule of their closest relative. */
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
  ['gpt-image-1', painted(false)],
  ['gpt-image-', painted(true)],
  ['chatgpt-image-', painted(true)],
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

/** Assumed size of a remote image. We never fetch it: the client chose the URL, which may point into our network. */
const unseen: Size = { width: 2048, height: 768 }

/** Whether the bytes of an image are in the request. */
export function isInline(image: Json): boolean {
  const url = isObject(image) ? image['url'] : image
  return typeof url === 'string' && url.startsWith('data:')
}

/** Sizes of which one has the most tokens of an image of unknown size, by every rule. */
const largest: readonly Size[] = [unseen, { width: 65_535, height: 65_535 }]

/** LLM tokens of one image of a request: an object with a `url`, as in a chat, or the URL itself. */
export function countImageTokens(image: Json, model: string): number {
  const url = isObject(image) ? image['url'] : image
  return tokensOfSize(typeof url === 'string' ? imageSizeOf(url) : null, model, detailOf(image))
}

/** Prompt tokens of an image of this size; `null`: the size is not known. */
export function tokensOfSize(size: Size | null, model: string, detail: Json | undefined): number {
  return ruleOf(model)(size ?? unseen, detail)
}

/** Most LLM tokens of an image that only the vendor sees. */
export function imageTokensMax(image: Json, model: string): number {
  return Math.max(...largest.map((size) => ruleOf(model)(size, detailOf(image))))
}

function ruleOf(model: string): Rule {
  return rules.find(([start]) => model.startsWith(start))?.[1] ?? tiles(85, 170)
}

function detailOf(image: Json): Json | undefined {
  return isObject(image) ? image['detail'] : undefined
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
