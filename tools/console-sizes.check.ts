import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { consoleSizes, pagesWith, sizeTable } from './console-sizes.ts'

// Run after a build of the console: `npm run sizes`, and in `npm run check`.

const folder = join(import.meta.dir, '../apps/console/dist')
const sizes = consoleSizes(folder)
console.log(sizeTable(sizes))

test('the frame, its styles, each page and all scripts together are within their budgets', () => {
  expect(sizes.length).toBeGreaterThan(20)
  expect(sizes.filter(({ kb, budgetKb }) => kb >= budgetKb)).toEqual([])
})

test('no page waits for the schemas of calls or for the code of dialogs', () => {
  expect(pagesWith(folder, 'home-page')).toEqual(['src/features/home/home-page.tsx'])
  expect(pagesWith(folder, 'contract/src/schemas')).toEqual([])
  expect(pagesWith(folder, 'dialog-parts')).toEqual([])
})
