import { describe, expect, test } from 'bun:test'
import { expiryText, fileStamp, formatRelative, formatTime, formatUtc, isoTime, parseExpiry, parseTime } from './time.ts'

const seconds = Math.floor(new Date(2026, 10, 21, 9, 5, 7).getTime() / 1000)

test('times read as year to second', () => {
  expect(formatTime(seconds)).toBe('2026-11-21 09:05:07')
  expect(formatTime(Number.NaN)).toBe('')
  expect(fileStamp(new Date(2026, 10, 21, 9, 5, 7))).toBe('20261121-090507')
})

test('a time is read as it was written', () => {
  expect(parseTime(formatTime(seconds))).toBe(seconds)
})

describe('reading a typed time', () => {
  test.each(['2026-11-21 09:05:07', '2026-11-21T09:05:07', '2026-11-21T09:05:07.000', ' 2026-11-21 9:05:07 '])('takes %p', (text) =>
    expect(parseTime(text)).toBe(seconds),
  )
  test.each(['', 'tomorrow', '2026-13-01 00:00', '2026-02-30', '2026-11-21 25:00', '21.11.2026'])('refuses %p', (text) =>
    expect(parseTime(text)).toBeNull(),
  )
})

test('the end of a row is empty if there is none, and no time is no end', () => {
  for (const end of [-1, seconds]) expect(parseExpiry(expiryText(end))).toBe(end)
  expect(expiryText(-1)).toBe('')
  expect(parseExpiry('soon')).toBeNaN()
})

test('a time that no date can hold is blank and breaks no page', () => {
  for (const beyond of [8_640_000_000_001, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER]) {
    expect([formatTime(beyond), formatUtc(beyond), isoTime(beyond)]).toEqual(['', '', undefined])
    expect(formatRelative(beyond, { nowMs: 0, locale: 'en' })).toEndWith(beyond > 0 ? 'years' : 'years ago')
  }
})

test('distances name their largest unit', () => {
  const at = { nowMs: seconds * 1000, locale: 'en' }
  expect(formatRelative(seconds + 12 * 86_400, at)).toBe('in 12 days')
  expect(formatRelative(seconds - 7_200, at)).toBe('2 hours ago')
  expect(formatRelative(seconds + 86_400, { ...at, locale: 'zh' })).toBe('1 天后')
})
