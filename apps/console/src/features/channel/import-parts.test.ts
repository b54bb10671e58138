import { expect, test } from 'bun:test'
import { importRowsMax } from '@sluice/contract'
import { partsOf } from './import-parts.ts'

const names = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `c${index}` }))

test('a long file is imported in parts of the most rows of a call, in the form of the file', () => {
  const rows = names(importRowsMax + 1)
  const parts = partsOf({ rows, version: 1 }, [...rows.keys()])
  expect(parts.map(({ places }) => places.length)).toEqual([importRowsMax, 1])
  expect(parts[1]?.file).toEqual({ sluice: 'channels', version: 1, channels: [{ name: `c${importRowsMax}` }] })
  expect(partsOf({ rows, version: null }, [2, 5])).toEqual([{ places: [2, 5], file: [{ name: 'c2' }, { name: 'c5' }] }])
})

test('long rows are imported in parts that the server accepts', () => {
  const rows = names(5).map((row) => ({ ...row, models: 'm'.repeat(100_000) }))
  expect(partsOf({ rows, version: null }, [0, 1, 2, 3, 4]).map(({ places }) => places)).toEqual([[0, 1], [2, 3], [4]])
})
