import { expect, test } from 'bun:test'
import { dayAfter, dayStart, formatInZone, inZone, monthStart, nextDay, zoneNamed } from './zone-time.ts'

const utc = (text: string): number => Date.parse(`${text}Z`) / 1_000

test('a moment is shown as the clocks of a zone show it', () => {
  const moment = utc('2026-11-23T17:30:05')
  expect(formatInZone(moment, 'UTC')).toBe('2026-11-23 17:30:05')
  expect(formatInZone(moment, 'Asia/Shanghai')).toBe('2026-11-24 01:30:05')
  expect(formatInZone(moment, 'Asia/Kathmandu')).toBe('2026-11-23 23:15:05')
  expect(formatInZone(utc('2026-11-23T00:00:00'), 'UTC')).toBe('2026-11-23 00:00:00')
})

test('a time of day is the moment at which clocks show it, also on days on which they change', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia', 'Australia/Lord_Howe'])
    for (const text of ['2026-01-01 00:00:00', '2026-03-08 12:00:00', '2026-03-29 23:59:59', '2026-10-25 00:00:00', '2026-11-01 04:00:00'])
      expect(formatInZone(inZone(text, zone), zone)).toBe(text)
  // Clocks are put from 2 to 3, and back from 3 to 2.
  expect(inZone('2026-03-29 02:30:00', 'Europe/Berlin')).toBe(utc('2026-03-29T01:30:00'))
  expect(inZone('2026-10-25 02:30:00', 'Europe/Berlin')).toBe(utc('2026-10-25T00:30:00'))
})

test('days begin at midnight of the zone, and have 23 to 25 hours', () => {
  const hours = (text: string, zone: string): number => {
    const start = dayStart(utc(text), zone)
    return (nextDay(start, zone) - start) / 3_600
  }
  expect(hours('2026-03-29T12:00:00', 'Europe/Berlin')).toBe(23)
  expect(hours('2026-10-25T12:00:00', 'Europe/Berlin')).toBe(25)
  expect(hours('2026-10-25T12:00:00', 'UTC')).toBe(24)
  expect(dayStart(utc('2026-11-23T17:30:00'), 'Asia/Shanghai')).toBe(utc('2026-11-23T16:00:00'))
  // There is no midnight on this day: clocks go from 23:59 to 1:00.
  expect(formatInZone(dayStart(utc('2026-03-08T15:00:00'), 'America/Havana'), 'America/Havana')).toBe('2026-03-08 01:00:00')
})

test('months begin at their first midnight, those before too', () => {
  const moment = utc('2026-03-01T03:00:00')
  expect(monthStart(moment, 'UTC')).toBe(utc('2026-03-01T00:00:00'))
  expect(monthStart(moment, 'America/New_York')).toBe(utc('2026-02-01T05:00:00'))
  expect(monthStart(moment, 'UTC', 1)).toBe(utc('2026-02-01T00:00:00'))
  expect(monthStart(moment, 'America/New_York', 2)).toBe(utc('2025-12-01T05:00:00'))
  expect(dayAfter('2028-02-28', 1)).toBe('2028-02-29')
})

test('zones have their usual names, and unknown ones none', () => {
  expect(zoneNamed('utc')).toBe('UTC')
  expect(zoneNamed('asia/shanghai')).toBe('Asia/Shanghai')
  expect(zoneNamed('Mars/Base')).toBeNull()
})
