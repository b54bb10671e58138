import { describe, expect, test } from 'bun:test'
import { formatDay } from '../lib/time.ts'
import { addMonths, dayAfterKey, daysOfMonth } from './calendar-days.ts'

const day = (text: string): Date => new Date(`${text}T00:00:00`)

describe('the days of a month', () => {
  test('are six weeks that begin on Monday', () => {
    const days = daysOfMonth(day('2026-11-22')).map(formatDay)
    expect([days.length, days[0], days.at(-1)]).toEqual([42, '2026-10-26', '2026-12-06'])
  })

  test('begin with the first week of the month, also if it starts on Monday', () => {
    expect(formatDay(daysOfMonth(day('2026-06-15'))[0] ?? day('1970-01-01'))).toBe('2026-06-01')
  })

  test('are each there once where the clocks change', () => {
    expect(new Set(daysOfMonth(day('2026-10-25')).map(formatDay)).size).toBe(42)
  })
})

test.each([
  ['ArrowLeft', '2026-03-01', '2026-02-28'],
  ['ArrowRight', '2026-12-31', '2027-01-01'],
  ['ArrowUp', '2026-11-03', '2026-10-27'],
  ['ArrowDown', '2026-10-27', '2026-11-03'],
  ['Home', '2026-11-22', '2026-11-16'],
  ['End', '2026-11-16', '2026-11-22'],
  ['PageUp', '2026-03-31', '2026-02-28'],
  ['PageDown', '2028-01-31', '2028-02-29'],
])('%s moves from %s to %s', (key, from, to) => {
  expect(formatDay(dayAfterKey(day(from), key) ?? day('1970-01-01'))).toBe(to)
})

test('other keys move nowhere', () => {
  expect(dayAfterKey(day('2026-11-22'), 'Enter')).toBeUndefined()
})

test('a year is twelve months', () => {
  expect(formatDay(addMonths(day('2026-11-22'), 12))).toBe('2027-11-22')
})
