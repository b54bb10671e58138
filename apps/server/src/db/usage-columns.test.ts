import { expect, test } from 'bun:test'
import * as contract from '@sluice/contract'
import { bandEnds, brokenEnds, elapsedColumns, endColumns, failedEnds, firstByteColumns } from './usage-columns.ts'

// The store does not import the contract, so both name the ends of responses and the bands of durations: charts would silently read other counts
// than the store sums if one of them changed alone.

test('the store counts the ends of responses that the contract names', () => {
  expect([...brokenEnds].sort()).toEqual([...contract.brokenEnds].sort())
  expect<readonly string[]>(endColumns).toEqual(brokenEnds.map((end) => `ended_${end}`))
  expect(new Set<string>(failedEnds)).toEqual(new Set<string>(contract.failedEnds))
})

test('the store counts durations in the bands of the contract, and all above in one more', () => {
  expect(bandEnds).toEqual(contract.timeBandEnds)
  for (const columns of [elapsedColumns, firstByteColumns]) expect(columns).toHaveLength(contract.timeBandEnds.length + 1)
})
