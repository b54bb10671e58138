import { isText, isWhole, oneOf, wrongIn } from '../tasks/parameter.ts'
import type { RefusedOrder, TaskOrder } from '../tasks/task.ts'
import { durationOf, type Frame, frameOf } from '../tasks/video-order.ts'
import { type App, appFor } from './apps.ts'

/** What an app is asked for: everything that the price depends on is sent, so that no default of the vendor can change it. */
export interface Wish extends Frame {
  readonly app: App
  readonly duration: number
}

/** Of an app that is not known here, in seconds. */
const longest = 60

/** Reads an order: OpenAI's parameters, or the vendor's own in their place. */
export function wishOf(order: TaskOrder): Wish | RefusedOrder {
  if (order.prompt === '') return { refused: 'prompt' }
  const app = appFor(order)
  if ('refused' in app) return app
  const wrong = wrongIn(order, checksFor(app))
  if (wrong !== null) return { refused: wrong }
  const duration = durationOf(order, { otherwise: app.durations?.[0] ?? 5, isPossible: (seconds) => isPossible(seconds, app) })
  if (typeof duration !== 'number') return duration
  const frame = frameOf(order, { ...app, name: 'resolution' })
  return 'refused' in frame ? frame : { app, duration, ...frame }
}

function checksFor({ resolutions, ratios }: App) {
  return {
    negative_prompt: isText,
    seed: isWhole,
    resolution: oneOf(resolutions),
    duration: (value: unknown) => Number.isInteger(Number(value)),
    ...(ratios.length > 0 && { aspect_ratio: oneOf(ratios) }),
  }
}

function isPossible(seconds: number, { durations }: App): boolean {
  return durations === null ? Number.isInteger(seconds) && seconds >= 1 && seconds <= longest : durations.includes(seconds)
}
