import { expect, test } from 'bun:test'
import { createDatabaseClock } from './database-clock.ts'

let ms = 0
const clock = { monotonicMs: () => ms }
/** The database shows this time in the middle of a question of 10 ms. */
const shows = (databaseMs: number, lengthMs = 10) => ({ databaseMs, requestedAtMs: ms - lengthMs / 2, respondedAtMs: ms + lengthMs / 2 })

test('shows what the database shows, and goes on with the own clock', () => {
  ms = 1_000
  const database = createDatabaseClock(clock, shows(5_000_000))
  expect(database.nowMs()).toBe(5_000_000)
  ms += 60_000
  expect(database.nowMs()).toBe(5_060_000)
})

test('takes over a drift in small steps, and never jumps', () => {
  const database = createDatabaseClock(clock, shows(5_000_000))
  database.correct(shows(5_000_003))
  expect(database.nowMs()).toBe(5_000_003)
  database.correct(shows(5_000_001))
  expect(database.nowMs()).toBe(5_000_001)
  database.correct(shows(5_000_900))
  expect(database.nowMs()).toBe(5_000_006)
  database.correct(shows(4_999_100))
  expect(database.nowMs()).toBe(5_000_001)
})

test('a clock that was set is believed after a minute of equal measurements, and not before', () => {
  const database = createDatabaseClock(clock, shows(5_000_000))
  for (let times = 0; times < 60; times++) database.correct(shows(9_000_000 + times))
  expect(database.nowMs()).toBe(5_000_000)
  database.correct(shows(9_000_060))
  expect(database.nowMs()).toBe(9_000_060)
  for (let times = 0; times < 500; times++) database.correct(shows(20_000_000 + times * 1_000))
  expect(database.nowMs()).toBe(9_000_060)
})

test('believes no slow response, and takes over the clock of another database at once', () => {
  const database = createDatabaseClock(clock, shows(5_000_000))
  database.correct(shows(5_000_004, 300))
  expect(database.nowMs()).toBe(5_000_000)
  database.set(shows(8_000_000, 300))
  expect(database.nowMs()).toBe(8_000_000)
})
