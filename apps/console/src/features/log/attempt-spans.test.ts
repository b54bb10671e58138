import { expect, test } from 'bun:test'
import { attemptSpans } from './attempt-spans.ts'

const failed = (start_time: number, elapsed_time: number) => ({
  ...{ channel: 1, name: 'one', address: 'https://vendor.example', status: 500, kind: 'unavailable', message: 'overloaded' },
  ...{ start_time, elapsed_time },
})
const times = (row: Parameters<typeof attemptSpans>[0]) => attemptSpans(row).map(({ from, to, failed: why }) => [from, to, why !== null])

test('the attempt that responded begins when the last failure has ended', () => {
  expect(times({ failed_attempts: [failed(5, 200), failed(210, 40)], attempts: 3, elapsed_time: 900 })).toEqual([
    [5, 205, true],
    [210, 250, true],
    [250, 900, false],
  ])
  expect(times({ failed_attempts: [], attempts: 1, elapsed_time: 900 })).toEqual([[0, 900, false]])
})

test('a request without a response, or with a stream that broke off, has failures only', () => {
  expect(times({ failed_attempts: [failed(0, 100), failed(100, 950)], attempts: 2, elapsed_time: 1_000 })).toEqual([
    [0, 100, true],
    [100, 1_000, true],
  ])
})

test('rows without times of attempts have no spans', () => {
  expect(times({ failed_attempts: [failed(0, 0)], attempts: 2, elapsed_time: 900 })).toEqual([])
  expect(times({ failed_attempts: [], attempts: 0, elapsed_time: 900 })).toEqual([])
  expect(times({ failed_attempts: [], attempts: 1, elapsed_time: 0 })).toEqual([])
})
