import type { Json, JsonObject } from '../../core/json.ts'
import type { InputImage, RejectedTask, TaskParams } from '../../core/task.ts'
import { numberIn, textIn } from '../../core/task-parameter.ts'
import { resolutionOf } from './step-parts.ts'
import { pixelsOf, ratioOf, textOf } from './video-size.ts'

// OpenAI's `seconds` and `size` for vendors that have a duration, a resolution and a ratio. A client may send either; both must agree.

export interface Frame {
  readonly resolution: string
  /** `undefined`: there is no such parameter, because an image decides the ratio. */
  readonly ratio: string | undefined
  /** In pixels, if known. */
  readonly size: string | undefined
}

export interface FrameRules {
  readonly resolutions: readonly string[]
  /** Empty: there is no such parameter. */
  readonly ratios: readonly string[]
  /** The vendor's name of the resolution. */
  readonly name: string
}

/** Those of the parameters that are addresses of images. */
export function addressesIn(values: ReadonlyArray<Json | undefined>): readonly InputImage[] {
  return values.flatMap((value) => (typeof value === 'string' ? [{ url: value }] : []))
}

export function lastFrameIn({ last_frame: frame }: JsonObject): readonly InputImage[] {
  return addressesIn([frame])
}

export function referencesIn({ reference_images: references }: JsonObject): readonly InputImage[] {
  return addressesIn(Array.isArray(references) ? references : [])
}

/** Sent with every task request that names none, whatever the vendor would choose: the price depends on them. */
export const usualResolution = '720p'
const usual = { resolution: usualResolution, ratio: '16:9' }

/** The size if a request names none. */
export const usualFrameSize = pixelsOf(usual.ratio, usual.resolution)

export function frameOf({ size, extra }: TaskParams, { resolutions, ratios, name }: FrameRules): Frame | RejectedTask {
  const own = { resolution: textIn(extra, name), ratio: textIn(extra, 'aspect_ratio') }
  const hasRatio = ratios.length > 0
  if (size === null) {
    const resolution = own.resolution ?? usual.resolution
    const ratio = hasRatio ? (own.ratio ?? usual.ratio) : undefined
    return { resolution, ratio, size: ratio === undefined ? undefined : pixelsOf(ratio, resolution) }
  }
  const resolution = resolutionOf(size)
  const ratio = hasRatio ? ratioOf(size, ratios) : undefined
  if (!resolutions.includes(resolution) || ratio === null) return { refused: 'size' }
  if (own.resolution !== undefined && own.resolution !== resolution) return { refused: name }
  if (own.ratio !== undefined && own.ratio !== ratio) return { refused: 'aspect_ratio' }
  return { resolution, ratio, size: textOf(size) }
}

/** The length that the client named as `seconds` or `duration`. @param otherwise the length that is sent if it named none */
export function durationOf(
  { seconds, extra }: TaskParams,
  { otherwise, isPossible }: { readonly otherwise: number; isPossible(duration: number): boolean },
): number | RejectedTask {
  const own = numberIn(extra, 'duration')
  if (seconds !== null && own !== undefined && seconds !== own) return { refused: 'duration' }
  const duration = seconds ?? own ?? otherwise
  return isPossible(duration) ? duration : { refused: own === undefined ? 'seconds' : 'duration' }
}

/** The failure of a submission that `plan` would have refused. */
export function refusal(param: string) {
  return {
    kind: 'bad_request',
    message: `the parameter ${param} has a value that is not supported`,
    type: null,
    param,
    code: null,
  } as const
}
