import type { Lengths, RejectedTask, TaskFields, TaskParams } from '../../core/task.ts'
import { anyText, anyWhole, lengthInPlace, oneOf, type Parameters, usually, without, wrongIn } from '../../core/task-parameter.ts'
import { isLength } from '../../protocols/tasks/lengths.ts'
import { durationOf, type Frame, frameOf, usualFrameSize, usualResolution } from '../../protocols/tasks/video-request.ts'
import { sizesOf } from '../../protocols/tasks/video-size.ts'
import { type App, appFor } from './apps.ts'

/** What is requested from an app: everything that the price depends on is sent, so that no default of the vendor can change it. */
export interface VideoParams extends Frame {
  readonly app: App
  readonly duration: number
}

/** Of an app that is not known here. */
const otherLengths: Lengths = { least: 1, most: 60 }

/** Reads an order: OpenAI's parameters, or the vendor's own in their place. */
export function paramsOf(params: TaskParams): VideoParams | RejectedTask {
  if (params.prompt === '') return { refused: 'prompt' }
  const app = appFor(params)
  if ('refused' in app) return app
  const wrong = wrongIn(params, parametersOf(app))
  if (wrong !== null) return { refused: wrong }
  const duration = durationOf(params, { otherwise: usualSecondsOf(app), isPossible: (seconds) => isLength(lengthsOf(app), seconds) })
  if (typeof duration !== 'number') return duration
  const frame = frameOf(params, { ...app, name: 'resolution' })
  return 'refused' in frame ? frame : { app, duration, ...frame }
}

/** `null`: there is no such app. A size says the resolution and the ratio, where there is one. */
export function fieldsOf(model: string): TaskFields | null {
  const fromWords = appFor({ model, images: [] })
  const app = 'path' in fromWords ? fromWords : appFor({ model, images: [{ url: '' }] })
  if ('refused' in app) return null
  const sizes = sizesOf(app.ratios, app.resolutions)
  return {
    seconds: lengthsOf(app),
    sizes,
    images: { least: 'path' in fromWords ? 0 : 1, most: 1 },
    usualSeconds: usualSecondsOf(app),
    ...(sizes.length > 0 && { usualSize: usualFrameSize }),
    parameters: without(parametersOf(app), ['duration', ...(sizes.length === 0 ? [] : ['aspect_ratio', 'resolution'])]),
  }
}

/** Sent with every order that names none, as the resolution is. */
function usualSecondsOf({ durations }: App): number {
  return durations?.[0] ?? 5
}

function parametersOf({ resolutions, ratios }: App): Parameters {
  return {
    negative_prompt: anyText,
    seed: anyWhole,
    resolution: usually(usualResolution, oneOf(resolutions)),
    duration: lengthInPlace,
    ...(ratios.length > 0 && { aspect_ratio: oneOf(ratios) }),
  }
}

function lengthsOf({ durations }: App): Lengths {
  return durations ?? otherLengths
}
