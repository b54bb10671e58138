import type { Span } from './usage-rows.ts'

/** A difference from UTC in seconds, and the time from which it holds. */
interface Offset {
  readonly from: number
  readonly seconds: number
}

/** How the calendar of a time zone runs through a span: the offset at its beginning, and each one that follows. */
export interface ZoneDays {
  readonly offsets: readonly [Offset, ...Offset[]]
}

const daySeconds = 86_400

/** A zone that is always as far from UTC. */
export function fixedDays(seconds: number): ZoneDays {
  return { offsets: [{ from: 0, seconds }] }
}

/** An IANA zone. It is asked once a day, and where its offset has changed since the day before, for the second of the change. */
export function zoneDays(zone: string, { from, to }: Span): ZoneDays {
  const offsetAt = offsetReader(zone)
  const later: Offset[] = []
  let seconds = offsetAt(from)
  const first: Offset = { from, seconds }
  for (let at = from; at < to; at += daySeconds) {
    const next = Math.min(at + daySeconds, to)
    if (offsetAt(next) === seconds) continue
    seconds = offsetAt(next)
    later.push({ from: changeBetween(offsetAt, at, next), seconds })
  }
  return { offsets: [first, ...later] }
}

/** When a day of the zone's calendar begins, in seconds since the epoch; never before the span does. */
export function dayStart({ offsets }: ZoneDays, day: number): number {
  const local = day * daySeconds
  // The last offset under which this midnight is reached: with a later one it would lie before that one holds.
  const [first] = offsets
  const offset = offsets.findLast(({ from, seconds }) => local - seconds >= from) ?? first
  return local - offset.seconds
}

function changeBetween(offsetAt: (at: number) => number, from: number, to: number): number {
  let [before, after] = [from, to]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(middle) === offsetAt(to)) after = middle
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
