import { lookUp } from '../../core/is-object.ts'
import type { Lengths, RejectedTask, TaskFields, TaskParams } from '../../core/task.ts'
import { lengthInPlace, oneOf, type Parameters, textIn } from '../../core/task-parameter.ts'
import { isLength } from './lengths.ts'
import { resolutionOf } from './step-parts.ts'
import { durationOf } from './video-request.ts'
import { pixelsOf, ratioOf } from './video-size.ts'

// OpenAI's `seconds` and `size` for vendors whose models each have lengths, resolutions and ratios of their own.

/** What the videos of a model may be, by the vendor's names. The first resolution and the first ratio are the defaults of a request. */
export interface FramedModel {
  readonly seconds: Lengths
  readonly resolutions: readonly string[]
  /** Empty: the image decides it. */
  readonly ratios: readonly string[]
}

export interface ChosenFrame {
  readonly seconds: number
  readonly resolution: string
  /** `undefined`: the image decides it. */
  readonly ratio: string | undefined
  /** In pixels, as far as it is known. */
  readonly size: string | undefined
  /** Key of the price's factors by size. */
  readonly sizeKey: string
}

/** The vendor's name of the ratio. */
export type RatioName = 'ratio' | 'aspect_ratio'

/** The shorter side of resolutions whose names do not say it. */
const lines: Readonly<Record<string, string>> = { '1K': '1024p', '2K': '1440p', '4K': '2160p', '4k': '2160p' }

/** `720p` for `720P`, `2160p` for `4K`. */
function linesOfResolution(resolution: string): string {
  return lookUp(lines, resolution) ?? resolution.toLowerCase()
}

/** What a request may have in place of `seconds` and `size`. */
export function frameParameters({ resolutions, ratios }: FramedModel, ratioName: RatioName): Parameters {
  return {
    duration: lengthInPlace,
    resolution: oneOf(resolutions),
    ...(ratios.length === 0 ? {} : { [ratioName]: oneOf(ratios) }),
  }
}

/** The part of the fields that says lengths and sizes. */
export function frameFields(model: FramedModel): Pick<TaskFields, 'seconds' | 'usualSeconds' | 'sizes' | 'usualSize'> {
  const { seconds, resolutions, ratios } = model
  const ratioList = ratios.length === 0 ? ['16:9', '9:16'] : ratios
  return {
    seconds,
    usualSeconds: usualLength(model),
    sizes: resolutions.flatMap((resolution) => ratioList.map((ratio) => pixelsOf(ratio, linesOfResolution(resolution)))),
    usualSize: pixelsOf(ratioList[0] ?? '16:9', linesOfResolution(resolutions[0] ?? '720p')),
  }
}

/** The length and the frame of a task request, or the parameter whose value the model does not support. Its `frameParameters` were checked before. */
export function chosenFrame(params: TaskParams, model: FramedModel, ratioName: RatioName): ChosenFrame | RejectedTask {
  const seconds = durationOf(params, { otherwise: usualLength(model), isPossible: (length) => isLength(model.seconds, length) })
  if (typeof seconds !== 'number') return seconds
  const frame = frameOf(params, model, ratioName)
  if ('refused' in frame) return frame
  const { resolution, ratio } = frame
  const sizeKey = linesOfResolution(resolution)
  return {
    seconds,
    resolution,
    ratio,
    size: ratio === undefined ? undefined : pixelsOf(ratio, sizeKey),
    sizeKey: sizeKey === '2160p' ? '4k' : sizeKey,
  }
}

function usualLength({ seconds }: FramedModel): number {
  if (isLength(seconds, 5)) return 5
  return 'least' in seconds ? seconds.least : (seconds[0] ?? 5)
}

function frameOf(
  { size, extra }: TaskParams,
  { resolutions, ratios }: FramedModel,
  ratioName: RatioName,
): Pick<ChosenFrame, 'resolution' | 'ratio'> | RejectedTask {
  const own = { resolution: textIn(extra, 'resolution'), ratio: textIn(extra, ratioName) }
  if (size === null) return { resolution: own.resolution ?? resolutions[0] ?? '720p', ratio: own.ratio ?? ratios[0] }
  const resolution = resolutions.find((name) => linesOfResolution(name) === resolutionOf(size))
  const ratio = ratios.length === 0 ? undefined : ratioOf(size, ratios)
  if (resolution === undefined || ratio === null) return { refused: 'size' }
  if (own.resolution !== undefined && own.resolution !== resolution) return { refused: 'resolution' }
  return own.ratio !== undefined && own.ratio !== ratio ? { refused: ratioName } : { resolution, ratio }
}
