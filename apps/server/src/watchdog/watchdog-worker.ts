import { readActivities } from '../lib/activity-board.ts'
import { describeBlocked } from './describe-blocked.ts'
import { endProcess } from './end-process.ts'
import { integersOf, pulsePlace, turnedAtOf, type WatchCommand } from './pulse.ts'

/**
 * Waits until the event loop has not turned for as many steps as it may. Steps are counted instead of time: while the whole process stands still
 * (SIGSTOP, a suspended machine, a paused container), it counts one at most, however long that takes.
 * @returns how long the event loop was blocked, in milliseconds
 */
function waitUntilBlocked({ pulse, stepMs }: WatchCommand): number {
  const integers = integersOf(pulse)
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let turns = 0
  let steps = 0
  while (steps < Atomics.load(integers, pulsePlace.stepsMax)) {
    Atomics.wait(pause, 0, 0, stepMs)
    const turnsNow = Atomics.load(integers, pulsePlace.turns)
    steps = turnsNow === turns ? steps + 1 : 0
    turns = turnsNow
  }
  return steps * stepMs
}

addEventListener('message', ({ data }: MessageEvent<WatchCommand>) => {
  postMessage('watching')
  const blockedMs = waitUntilBlocked(data)
  const [turnedAtMs = 0] = turnedAtOf(data.pulse)
  void endProcess(describeBlocked({ activities: readActivities(data.board), blockedMs, nowMs: turnedAtMs + blockedMs }))
})
