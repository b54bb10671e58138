import { lookUp } from '../../core/is-object.ts'

// What a video costs in credits (docs.platform.pixverse.ai, "Pricing", as a client of 2026-08-13 quotes it; the rows of version 5 and older on a
// stored copy of the page, read 2026-11-23). A combination that the page does not list is refused, because it has no price.

export interface VideoSpec {
  /** Without `pixverse-`. */
  readonly version: string
  readonly quality: string
  readonly duration: number
  readonly hasAudio: boolean
  readonly hasClips: boolean
  readonly isFast: boolean
  /** Audio are added to a silent video. */
  readonly hasEffects: boolean
}

/** Silent, and with audio. */
type Pair = readonly [number, number]

/** Version -> quality -> credits of a second. */
const bySecond: Readonly<Record<string, Readonly<Record<string, Pair>>>> = {
  v6: { '360p': [5, 7], '540p': [7, 9], '720p': [9, 12], '1080p': [18, 23] },
  c1: { '360p': [6, 8], '540p': [8, 10], '720p': [10, 13], '1080p': [19, 24] },
}

/**
 * Quality and seconds -> credits of a video of version 5.6. The list has 80 with audio for 5 seconds in 720p and 90 in 540p, which seem to be
 * exchanged: the higher one is used for both.
 */
const newest: Readonly<Record<string, Pair>> = {
  '360p 5': [35, 80],
  '360p 8': [70, 115],
  '360p 10': [77, 122],
  '540p 5': [35, 90],
  '540p 8': [70, 115],
  '540p 10': [77, 122],
  '720p 5': [45, 90],
  '720p 8': [90, 135],
  '720p 10': [99, 144],
  '1080p 5': [75, 150],
  '1080p 8': [150, 195],
}

/** Quality and seconds -> credits of a silent video of version 5.5. Older versions have no videos of 10 seconds. */
const older: Readonly<Record<string, number>> = {
  '360p 5': 45,
  '360p 8': 90,
  '360p 10': 99,
  '540p 5': 45,
  '540p 8': 90,
  '540p 10': 99,
  '720p 5': 60,
  '720p 8': 120,
  '720p 10': 132,
  '1080p 5': 120,
  '1080p 8': 240,
}

/** In version 5.5. */
const audioCredits = 10
const clipsCredits = 30

const longest = 15

/** Version -> credits of a video; `null`: there is no such video. */
const rules: Readonly<Record<string, (spec: VideoSpec) => number | null>> = {
  'v3.5': oldestCredits,
  v4: oldestCredits,
  'v4.5': oldestCredits,
  v5: (spec) => withEffects(shortCredits(spec), spec),
  'v5.5': (spec) => plus(listed(older, spec), (spec.hasAudio ? audioCredits : 0) + (spec.hasClips ? clipsCredits : 0)),
  'v5.6': (spec) => listed(newest, spec)?.[spec.hasAudio ? 1 : 0] ?? null,
  v6: secondsCredits,
  c1: secondsCredits,
}

/** `null`: there is no such video. */
export function creditsOf(spec: VideoSpec): number | null {
  return lookUp(rules, spec.version)?.(spec) ?? null
}

/** Lengths that have a price in some quality. */
export function lengthsOf(version: string): readonly number[] {
  const plain = { version, hasAudio: false, hasClips: false, isFast: false, hasEffects: false }
  const lengths = Array.from({ length: longest }, (_, index) => index + 1)
  return lengths.filter((duration) => creditsOf({ ...plain, quality: '540p', duration }) !== null)
}

function listed<Row>(rows: Readonly<Record<string, Row>>, { quality, duration }: VideoSpec): Row | null {
  return lookUp(rows, `${quality} ${duration}`) ?? null
}

function plus(credits: number | null, more: number): number | null {
  return credits === null ? null : credits + more
}

function secondsCredits({ version, quality, duration, hasAudio }: VideoSpec): number | null {
  const second = lookUp(lookUp(bySecond, version) ?? {}, quality)
  const isPossible = Number.isInteger(duration) && duration >= 1 && duration <= longest
  return second === undefined || !isPossible ? null : second[hasAudio ? 1 : 0] * duration
}

function shortCredits(spec: VideoSpec): number | null {
  return spec.duration > 8 ? null : listed(older, spec)
}

/** Fast videos, and those in 1080p, have a price for 5 seconds only, and not both. */
function oldestCredits(spec: VideoSpec): number | null {
  const { quality, duration, isFast } = spec
  const isLarge = quality === '1080p'
  if ((isLarge && isFast) || ((isLarge || isFast) && duration > 5)) return null
  const credits = shortCredits(spec)
  return withEffects(plus(credits, isFast ? (credits ?? 0) : 0), spec)
}

/** Ten for each five seconds that are begun. */
function withEffects(credits: number | null, { duration, hasEffects }: VideoSpec): number | null {
  return plus(credits, hasEffects ? Math.ceil(duration / 5) * 10 : 0)
}
