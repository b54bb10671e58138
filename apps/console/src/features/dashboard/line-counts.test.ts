import { expect, test } from 'bun:test'
import { seriesLineCounts, seriesLines } from '@sluice/contract'
import { lineCountOf, lineCounts } from './line-counts.ts'

test('the numbers of lines are those of the server, and any other is the usual one', () => {
  expect(lineCounts).toEqual(seriesLineCounts)
  expect([undefined, 7, 1_000].map(lineCountOf)).toEqual([seriesLines, seriesLines, seriesLines])
  expect(lineCounts.map(lineCountOf)).toEqual([...seriesLineCounts])
})
