import { expect, test } from 'bun:test'
import type { SeriesPoint } from '@sluice/contract'
import { bucketTotals, chartLines, linesOf, logSearchOf, marginOf, runningSums, tokenLines, totalsOf } from './usage-lines.ts'

const buckets = [
  { from: 0, to: 10 },
  { from: 10, to: 20 },
]
const point = (time: number, name: string, more: Partial<SeriesPoint> = {}): SeriesPoint => ({
  ...{ time, id: 0, name, is_other: false, requests: 1, failures: 0, quota: 5, prompt_tokens: 3, completion_tokens: 2, elapsed_time: 100 },
  ...more,
})
const points = [point(0, 'a'), point(10, 'a'), point(10, 'b', { requests: 9, quota: 0 }), point(0, '', { is_other: true, requests: 99 })]

test('lines are sorted by the metric, and everything else comes last', () => {
  expect(linesOf(points, buckets, 'requests').map(({ key }) => key)).toEqual(['0 b', '0 a', 'other'])
  expect(linesOf(points, buckets, 'quota').map(({ key }) => key)).toEqual(['0 a', '0 b', 'other'])
})

test('a line has a value for each bucket, and is left out without any', () => {
  const rendered = chartLines(linesOf(points, buckets, 'quota'), { metric: 'quota', buckets, nameOf: ({ name }) => name })
  expect(rendered.map(({ label, values }) => [label, values])).toEqual([
    ['a', [5, 5]],
    ['', [5, 0]],
  ])
})

test('the totals of each bucket sum all names, without what is in none', () => {
  expect(bucketTotals([...points, point(99, 'a')], buckets, 'requests')).toEqual([100, 10])
  expect(bucketTotals([], buckets, 'tokens')).toEqual([0, 0])
})

test('tokens that went in and came out are lines of their own, of all names together', () => {
  const labels = { input: 'in', output: 'out' }
  const brief = (all: readonly SeriesPoint[]) => tokenLines(all, buckets, labels).map(({ label, values }) => [label, values])
  expect(brief(points)).toEqual([
    ['in', [6, 6]],
    ['out', [4, 4]],
  ])
  expect(brief([point(0, 'vectors', { completion_tokens: 0 })])).toEqual([['in', [3, 0]]])
  expect(brief([])).toEqual([])
})

test('a running sum has everything before it', () => {
  expect(runningSums([1, 0, 2])).toEqual([1, 1, 3])
  expect(runningSums([])).toEqual([])
})

test('totals sum everything', () => {
  expect(totalsOf(points)).toEqual({
    requests: 110,
    failures: 0,
    quota: 15,
    tokens: 20,
    promptTokens: 12,
    completionTokens: 8,
    elapsed: 400,
    cost: 0,
    costedQuota: 0,
  })
})

test('a margin is what is left of the charges whose cost is known', () => {
  const margin = (...costs: readonly (readonly [cost: number, costed_quota: number])[]) =>
    marginOf(totalsOf(costs.map(([cost, costed_quota]) => ({ ...point(0, 'a'), cost, costed_quota }))))
  expect(margin([2, 5], [0, 0])).toBe(3)
  expect(margin([9, 5])).toBe(-4)
  expect(margin([0, 5])).toBe(5)
  expect(margin([0, 0])).toBeNull()
  expect(marginOf(totalsOf(points))).toBeNull()
})

test('a line opens the log of its name', () => {
  const [line] = linesOf([point(0, 'gpt-4o', { id: 7 })], buckets, 'requests')
  expect(logSearchOf(line ?? null, 'model')).toEqual({ model: 'gpt-4o' })
  expect(logSearchOf(line ?? null, 'token')).toEqual({ token: 'gpt-4o' })
  expect(logSearchOf(line ?? null, 'channel')).toEqual({ channel: 7 })
  expect(logSearchOf(null, 'model')).toEqual({})
  const [other] = linesOf([point(0, 'x', { is_other: true })], buckets, 'requests')
  expect(logSearchOf(other ?? null, 'user')).toEqual({})
})
