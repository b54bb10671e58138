import { expect, test } from 'bun:test'
import { incidentsOf } from './incident-list.ts'

const hour = 3_600
const day = 86_400
/** Half past ten, on some day. */
const clock = { day: 1_000 * day, hour: 1_000 * day + 10 * hour }

const days = (bad: Readonly<Record<number, number | null>>) => Array.from({ length: 90 }, (_, index) => bad[89 - index] ?? 10_000)
const hours = (bad: Readonly<Record<number, number | null>>) => Array.from({ length: 24 }, (_, index) => bad[23 - index] ?? 10_000)

test('days and hours that follow each other are one incident, with its worst share, and the latest is first', () => {
  const models = [
    { name: 'a', days: days({ 5: 9_800, 4: 3_000, 3: 9_899, 20: 0 }), hours: hours({ 2: 9_000 }) },
    { name: 'b', days: days({ 30: null, 31: 9_900 }), hours: hours({ 0: 100, 1: 200 }) },
  ]
  expect(incidentsOf(models, clock)).toEqual([
    { name: 'b', state: 'down', from: clock.hour - hour, to: clock.hour + hour, share: 100, isHourly: true },
    { name: 'a', state: 'degraded', from: clock.hour - 2 * hour, to: clock.hour - hour, share: 9_000, isHourly: true },
    { name: 'a', state: 'down', from: clock.day - 5 * day, to: clock.day - 2 * day, share: 3_000, isHourly: false },
    { name: 'a', state: 'down', from: clock.day - 20 * day, to: clock.day - 19 * day, share: 0, isHourly: false },
  ])
})

test('what is listed by the hour is not listed by the day again', () => {
  const models = [{ name: 'a', days: days({ 0: 0, 1: 0, 2: 0 }), hours: hours({ 0: 0, 14: 0 }) }]
  expect(incidentsOf(models, clock).map(({ from, isHourly }) => [from, isHourly])).toEqual([
    [clock.hour, true],
    [clock.hour - 14 * hour, true],
    [clock.day - 2 * day, false],
  ])
})
