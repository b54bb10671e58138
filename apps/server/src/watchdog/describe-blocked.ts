import { readFileSync } from 'node:fs'
import type { SeenActivity } from '../lib/activity-board.ts'
import { nowSeconds, systemClock, utcTime } from '../lib/clock.ts'
import { scrubText } from '../lib/scrub.ts'

interface Blocked {
  /** The one that made a step last first. */
  readonly activities: readonly SeenActivity[]
  readonly blockedMs: number
  /** Monotonic milliseconds of the event loop. */
  readonly nowMs: number
}

/** Activities that are listed: a line of this many fits into what a pipe takes at once. */
const listedMax = 12

/** A line of the log about an event loop that does not turn. */
export function describeBlocked({ activities, blockedMs, nowMs: countedMs }: Blocked): string {
  // Where the whole machine is slow, such as without memory, a turn takes longer than was counted, and begins activities until its end.
  const nowMs = Math.max(countedMs, ...activities.map(({ startedMs }) => startedMs))
  const listed = activities.slice(0, listedMax).map(({ id, method, path, kind, model, channel, bytes, startedMs }) => ({
    ...(id === '' ? {} : { requestId: id }),
    route: `${method} ${withoutSecrets(path)}`,
    ...(kind === '' ? {} : { kind, model }),
    ...(channel === 0 ? {} : { channel }),
    bytes,
    ms: Math.round(nowMs - startedMs),
  }))
  const time = utcTime(nowSeconds(systemClock))
  const msg = 'event loop blocked, ending the process'
  return `${JSON.stringify({ level: 'fatal', time, blockedMs, mainThread: mainThreadState(), running: activities.length, activities: listed, msg })}\n`
}

/** Longer parts of a path may be keys of any form; ids and names of models are shorter. */
const longPart = /[^/]{41,}/g

const withoutSecrets = (path: string): string => scrubText(path).replaceAll(longPart, '***')

/** What Linux says of a thread (proc(5), read 2026-11-29). */
const states: Readonly<Record<string, string>> = { R: 'running', S: 'sleeping', D: 'waiting for a disk' }

/** Whether the main thread computes or waits for the system. */
function mainThreadState(): string {
  try {
    // Its id is that of the process. The name of the program in brackets may hold anything, so the last bracket ends it.
    const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'latin1')
    return states[stat.charAt(stat.lastIndexOf(')') + 2)] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}
