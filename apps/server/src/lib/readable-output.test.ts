import { expect, test } from 'bun:test'
import { tokenRow } from '@sluice/contract'
import { readableOutput } from './readable-output.ts'

const row = {
  ...{ id: 1, user_id: 2, key: '', status: 1, name: 'a', created_time: 0, accessed_time: 0, expired_time: -1 },
  ...{ remain_quota: 5, unlimited_quota: false, used_quota: 0, models: '', subnet: '', requests_per_minute: 0, tokens_per_minute: 0 },
  ...{ requests_at_once: 0, quota_per_day: 0, quota_per_month: 0, own_work_only: false, unreadable: [] },
}

test('a value of another type or beyond its bounds is replaced by the nearest one, and its place is reported', () => {
  const places: string[] = []
  const read = (change: object) => readableOutput(tokenRow, { ...row, ...change }, (invalidPlaces) => places.push(...invalidPlaces))
  expect(read({})).toEqual(row)
  expect(places).toEqual([])
  expect(
    read({ remain_quota: 'text', used_quota: 1.5, name: 7, quota_per_day: 2 ** 60, quota_per_month: Number.NaN, models: null }),
  ).toEqual({
    ...row,
    ...{ remain_quota: 0, used_quota: 1, name: '7', quota_per_day: Number.MAX_SAFE_INTEGER, quota_per_month: 0, models: '' },
  })
  expect(places.toSorted()).toEqual(['models', 'name', 'quota_per_day', 'quota_per_month', 'remain_quota', 'used_quota'])
})

test('a missing member is a fault of the program', () => {
  const { name: _, ...without } = row
  expect(() => readableOutput(tokenRow, without, () => {})).toThrow()
})
