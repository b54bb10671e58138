import { daySeconds } from '../../lib/day.ts'
import type { Span } from './usage-rows.ts'

/** An offset from UTC in seconds, and the time from which it applies. */
interface Offset {
  readonly from: number
  readonly seconds: number
}

/** The offsets of a time zone in a span: the one at its start, and each change. */
export interface ZoneDays {
  readonly offsets: readonly [Offset, ...Offset[]]
}

/** A zone with a fixed offset. */
export function fixedDays(seconds: number): ZoneDays {
  return { offsets: [{ from: 0, seconds }] }
}

/** An IANA zone. Its offset is read once for each day; after a change the second of the change is searched. */
export function zoneDays(zone: string, { from, to }: Span): ZoneDays {
  const read = offsetReader(zone)
  const later: Offset[] = []
  let seconds = read(from)
  const first: Offset = { from, seconds }
  for (let at = from; at < to; at += daySeconds) {
    const next = Math.min(at + daySeconds, to)
    if (read(next) === seconds) continue
    seconds = read(next)
    later.push({ from: changeBetween(read, at, next), seconds })
  }
  return { offsets: [first, ...later] }
}

/** The offset that applies at a time. */
export function offsetAt({ offsets }: ZoneDays, at: number): number {
  const [first] = offsets
  return (offsets.findLast(({ from }) => from <= at) ?? first).seconds
}

/** Start of a day of the zone in seconds since the epoch; not before the start of the span. */
export function dayStart({ offsets }: ZoneDays, day: number): number {
  const local = day * daySeconds
  // The last offset that already applies at this midnight.
  const [first] = offsets
  const offset = offsets.findLast(({ from, seconds }) => local - seconds >= from) ?? first
  return local - offset.seconds
}

function changeBetween(read: (at: number) => number, from: number, to: number): number {
  let [before, after] = [from, to]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (read(middle) === read(to)) after = middle
    else before = middle
  }
  return after
}

function offsetReader(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at * 1000).map(({ type, value }) => [type, Number(value)]))
    const part = (name: string): number => parts[name] ?? 0
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
    return local / 1000 - at
  }
}
