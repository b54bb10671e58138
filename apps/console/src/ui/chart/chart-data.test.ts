import { expect, test } from 'bun:test'
import { chartFile, lineAt, totalAt } from './chart-data.ts'

const line = (key: string, ...values: readonly number[]) => ({ key, label: key, fill: '', dot: '', values })
const lines = [line('a', 1, 0), line('=b', 2, 3)]

test('lines are stacked in their order', () => {
  expect(totalAt(lines, 0)).toBe(3)
  expect(lineAt(lines, 0, 0.9)?.key).toBe('a')
  expect(lineAt(lines, 0, 1)?.key).toBe('=b')
  expect(lineAt(lines, 1, 0)?.key).toBe('=b')
  expect(lineAt(lines, 0, 3)).toBeNull()
})

test('a file has a row for each bucket, and no name that a spreadsheet would run', () => {
  const buckets = [
    { from: 0, to: 1 },
    { from: 1, to: 2 },
  ]
  const words = { timeLabel: 'Time', beforeLabel: 'Before', bucketText: ({ from }: { readonly from: number }) => `at ${from}` }
  const text = chartFile({ buckets, lines, isWhole: true }, words)
  expect(text).toBe("\uFEFFTime,a,'=b\r\nat 0,1,2\r\nat 1,0,3\r\n")
  expect(chartFile({ buckets, lines, isWhole: true, before: [7] }, words)).toBe("\uFEFFTime,a,'=b,Before\r\nat 0,1,2,7\r\nat 1,0,3,0\r\n")
})
