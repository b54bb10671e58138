import { setImmediate } from 'node:timers/promises'
import { systemClock } from './clock.ts'

/** How long a loop may run before other work gets a turn. */
const sliceMs = 8

/** For loops over many items: to be awaited between two of them. It yields to the event loop when a slice of time is used up. */
export function createPauses(): () => Promise<void> {
  let beganMs = systemClock.monotonicMs()
  return async () => {
    if (systemClock.monotonicMs() - beganMs < sliceMs) return
    await setImmediate()
    beganMs = systemClock.monotonicMs()
  }
}
