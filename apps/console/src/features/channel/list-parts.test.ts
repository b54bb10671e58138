import { expect, test } from 'bun:test'
import { formatSeconds, responseTone, testNote } from '../../crud/channel/response-time.ts'
import { barHeight, summaryOf } from '../../crud/channel/test-summary.ts'
import { formatBalance } from './balance.ts'
import { testModelOf } from './test-model.ts'
import { parseWholeCell } from './whole-cell-value.ts'

test.each([
  [0, 'grey'],
  [1, 'green'],
  [1000, 'green'],
  [1001, 'olive'],
  [3000, 'olive'],
  [3001, 'yellow'],
  [5000, 'yellow'],
  [5001, 'red'],
] as const)('%p ms are %p', (ms, tone) => {
  expect(responseTone(ms)).toBe(tone)
})

test('times have two decimals, and say when they were taken', () => {
  expect(formatSeconds(1234)).toBe('1.23')
  expect(testNote({ response_time: 0, test_time: 0 })).toBe('channel.test.never')
  expect(testNote({ response_time: 0, test_time: 5 })).toBe('channel.test.failedAt')
  expect(testNote({ response_time: 7, test_time: 5 })).toBe('channel.test.at')
})

test('a balance is money of its kind or quota', () => {
  expect(formatBalance(12.345, { unit: '$' })).toBe('$12.35')
  expect(formatBalance(-1, { unit: '¥' })).toBe('-¥1.00')
  expect(formatBalance(-0.001, { unit: '$' })).toBe('$0.00')
  expect(formatBalance(1_234_567.5, { unit: '$' })).toBe('$1,234,567.50')
  expect(formatBalance(123_400, { unit: '¥', divisor: 10_000 })).toBe('¥12.34')
  expect(formatBalance(123_456, { unit: 'quota' })).toBe('123.4k')
})

test('a test uses the chosen model, else the preferred one, else the first', () => {
  expect(testModelOf(['a', 'gpt-3.5-turbo'], 'a')).toBe('a')
  expect(testModelOf(['a', 'gpt-3.5-turbo'], 'gone')).toBe('gpt-3.5-turbo')
  expect(testModelOf(['a', 'b'], undefined)).toBe('a')
  expect(testModelOf([], undefined)).toBe('')
})

test('a cell takes whole numbers that are new; blank, the same and nonsense change nothing', () => {
  expect(parseWholeCell('7', { value: 1, min: null })).toBe(7)
  expect(parseWholeCell('0', { value: 1, min: null })).toBe(0)
  expect(parseWholeCell('-7', { value: 1, min: null })).toBe(-7)
  expect(parseWholeCell('-7', { value: 1, min: 0 })).toBe(0)
  for (const text of ['', ' ', '1', ' 1 ', '1.5', 'x']) expect(parseWholeCell(text, { value: 1, min: null })).toBeNull()
})

test('the summary of tests counts the passed ones and knows their times', () => {
  const tests = [400, 100, 300, 900].map((elapsed_time) => ({ passed: elapsed_time !== 900, elapsed_time }))
  expect(summaryOf(tests)).toEqual({ passed: 3, min: 100, median: 300, max: 400 })
  expect(summaryOf([])).toEqual({ passed: 0, min: 0, median: 0, max: 0 })
})

test('bars grow with the time, from a visible one to the full height', () => {
  expect([1, 100, 1_000, 10_000, 60_000].map((ms) => barHeight(ms, 16))).toEqual([3, 3, 8, 16, 16])
})
