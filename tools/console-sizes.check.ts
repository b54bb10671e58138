import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { consoleSizes, sizeTable } from './console-sizes.ts'

// Run after a build of the console: `npm run sizes`, and in `npm run check`.

const sizes = consoleSizes(join(import.meta.dir, '../apps/console/dist'))
console.log(sizeTable(sizes))

test('the frame, its styles, each page and all scripts together are within their budgets', () => {
  expect(sizes.length).toBeGreaterThan(20)
  expect(sizes.filter(({ kb, budgetKb }) => kb >= budgetKb)).toEqual([])
})
