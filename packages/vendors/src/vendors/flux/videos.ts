import type { Json, JsonObject } from '../../core/json.ts'
import type { TaskDialect, TaskParams } from '../../core/task.ts'
import { flag, jsonThat, oneOf, type Parameters, videoAddress, wholeBetween, without, wrongIn } from '../../core/task-parameter.ts'
import { omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { isLength } from '../../protocols/tasks/lengths.ts'
import { nearestRatio, withoutNull } from '../../protocols/tasks/step-parts.ts'
import { sizesOf } from '../../protocols/tasks/video-size.ts'
import { addressOrContent, pollFor, submitWith } from './task-steps.ts'

// BFL API reference, "Generate a video with FLUX 3", and "Pricing", stored copies read 2026-11-23.

const lengths = { least: 5, most: 20 }
const continuedLengths = { ...lengths, most: 15 }
const keyframesMax = 10

/** The shorter side of `fhd`. */
const sideMax = 1080

const ratios = ['21:9', '2:1', '16:9', '4:3', '1:1', '3:4', '9:16']

const isFilled = (value: Json): boolean => typeof value === 'string' && value !== ''

/** A still at a second of the video. */
const isTimed = (value: Json): boolean => Array.isArray(value) && value.length === 2 && isWithin(value[0]) && isFilled(value[1] ?? null)

function isWithin(second: Json | undefined): boolean {
  return typeof second === 'number' && second >= 0 && second <= lengths.most
}

const areKeyframes = (value: Json): boolean =>
  isFilled(value) ||
  (Array.isArray(value) && value.length > 0 && value.length <= keyframesMax && (value.every(isFilled) || value.every(isTimed)))

/** `qhd` and `uhd` are not among them, because no page lists their price. */
const resolutions = ['hd', 'fhd'] as const
type Resolution = (typeof resolutions)[number]

const parameters: Parameters = {
  aspect_ratio: oneOf(['auto', ...ratios]),
  resolution: oneOf(resolutions),
  version: oneOf(['latest']),
  generate_audio: flag,
  safety_tolerance: wholeBetween(0, 4),
  draft: flag,
  user: jsonThat((value) => typeof value === 'string' && value.length > 0 && value.length <= 256),
  keyframes: jsonThat(areKeyframes),
  start_video: videoAddress,
}

/** Credits for a second; audio costs nothing. */
const credits = {
  made: { draft: 6, hd: 17, fhd: 29 },
  continued: { draft: 12, hd: 43, fhd: 54 },
} as const

export const fluxVideos: TaskDialect = {
  secondsMax: 2 * 60 * 60,
  fields: () => ({
    seconds: lengths,
    usualSeconds: lengths.least,
    sizes: sizesOf(ratios, ['720p', '1080p']),
    images: { least: 0, most: keyframesMax },
    // The images are the keyframes, unless each has a time.
    parameters: without(parameters, ['aspect_ratio', 'resolution', 'version', 'user']),
  }),
  plan(rawParams) {
    const params = withoutNull(rawParams)
    const refused = wrongIn(params, parameters) ?? refusedIn(params)
    if (refused !== null) return { refused }
    const seconds = secondsOf(params)
    const prices = params.extra['start_video'] === undefined ? credits.made : credits.continued
    const perSecond = params.extra['draft'] === true ? prices.draft : prices[resolutionOf(params)]
    const { size } = params
    return { counts: { credits: perSecond * seconds }, seconds, ...(size === null ? {} : { size: `${size.width}x${size.height}` }) }
  },
  submit: submitWith(bodyFor),
  poll: pollFor('video'),
}

function refusedIn(params: TaskParams): string | null {
  const seconds = secondsOf(params)
  const possible = params.extra['start_video'] === undefined ? lengths : continuedLengths
  if (!isLength(possible, seconds)) return 'seconds'
  if (params.extra['start_video'] === '') return 'start_video'
  return refusedSize(params) ?? refusedImage(params)
}

/** A size says the resolution and the ratio, so these cannot stand beside it. A draft has one resolution. */
function refusedSize(params: TaskParams): string | null {
  const { size, extra } = params
  if (size !== null) {
    if (Math.min(size.width, size.height) > sideMax) return 'size'
    const twice = ['resolution', 'aspect_ratio'].find((name) => extra[name] !== undefined)
    if (twice !== undefined) return twice
  }
  return extra['draft'] === true && resolutionOf(params) !== 'hd' ? 'draft' : null
}

/** A video begins with images or continues another one. */
function refusedImage({ images, extra }: TaskParams): string | null {
  const isContinued = extra['start_video'] !== undefined
  if (images.length > (isContinued ? 0 : keyframesMax)) return 'input_reference'
  return extra['keyframes'] !== undefined && (isContinued || images.length > 0) ? 'keyframes' : null
}

/** The vendor's own default depends on the content, so the shortest is sent instead. */
function secondsOf({ seconds }: TaskParams): number {
  return seconds ?? lengths.least
}

function resolutionOf({ size, extra }: TaskParams): Resolution {
  if (size !== null) return Math.min(size.width, size.height) > 720 ? 'fhd' : 'hd'
  return extra['resolution'] === 'fhd' ? 'fhd' : 'hd'
}

function bodyFor(params: TaskParams): JsonObject {
  const { prompt, size, images, extra } = params
  const keyframes = images.length === 0 ? extra['keyframes'] : images.map(addressOrContent)
  return omitUndefined({
    ...extra,
    mode: extra['start_video'] !== undefined ? 'v2v' : keyframes === undefined ? 't2v' : 'i2v',
    prompt,
    duration: secondsOf(params),
    resolution: resolutionOf(params),
    aspect_ratio: size === null ? extra['aspect_ratio'] : nearestRatio(size, ratios),
    keyframes,
  })
}
