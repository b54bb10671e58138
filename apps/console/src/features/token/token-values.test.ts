import { expect, test } from 'bun:test'
import { changesOf, inputOf, newToken, valuesOf } from './token-values.ts'

const noLimits = { requests_per_minute: 0, tokens_per_minute: 0, requests_at_once: 0, quota_per_day: 0, quota_per_month: 0 }

const row = {
  id: 1,
  user_id: 1,
  key: 'k',
  status: 1,
  name: 'a',
  created_time: 1,
  accessed_time: 1,
  expired_time: 1_800_000_000,
  remain_quota: 12,
  unlimited_quota: true,
  used_quota: 0,
  models: 'a,b',
  subnet: '10.0.0.0/8',
  own_work_only: true,
  unreadable: [],
  ...noLimits,
}

test('a new token has half a million, no end and no restriction', () => {
  expect(inputOf({ ...newToken, name: 'x' })).toEqual({
    name: 'x',
    remain_quota: 500_000,
    unlimited_quota: false,
    expired_time: -1,
    models: '',
    subnet: '',
    own_work_only: false,
    ...noLimits,
  })
})

test('what was read is what would be sent', () => {
  const { name, remain_quota, unlimited_quota, expired_time, models, subnet, own_work_only } = row
  const input = { name, remain_quota, unlimited_quota, expired_time, models, subnet, own_work_only, ...noLimits }
  expect(inputOf(valuesOf(row))).toEqual(input)
})

test('an empty limit is none, and what is no number is not sent as one', () => {
  expect(valuesOf({ ...row, requests_per_minute: 60 })).toMatchObject({ requests_per_minute: '60', quota_per_day: '' })
  const input = inputOf({ ...newToken, requests_per_minute: ' 60 ', requests_at_once: '', quota_per_day: '1.5' })
  expect(input).toMatchObject({ requests_per_minute: 60, requests_at_once: 0, quota_per_day: Number.NaN })
})

test('what is no number and no time is not sent as one', () => {
  const input = inputOf({ ...newToken, remain_quota: '1.5', expired_time: 'tomorrow' })
  expect(input.remain_quota).toBeNaN()
  expect(input.expired_time).toBeNaN()
})

test('the quota of an unlimited token stands in no way', () => {
  expect(inputOf({ ...newToken, unlimited_quota: true, remain_quota: '' }).remain_quota).toBe(0)
})

test('an edit sends what was changed and nothing else, so that a quota which nobody touched is not written back', () => {
  const stored = { ...row, remain_quota_was: row.remain_quota, form_id: 'form' }
  const save = (change: object) => changesOf(stored, inputOf({ ...valuesOf(stored), ...change }))
  expect(save({})).toEqual({ id: 1 })
  expect(save({ name: 'b', models: ['a'] })).toEqual({ id: 1, name: 'b', models: 'a' })
  expect(save({ expired_time: '' })).toEqual({ id: 1, expired_time: -1 })
  expect(save({ remain_quota: '13' })).toEqual({ id: 1, remain_quota: 13, remain_quota_was: 12, form_id: 'form' })
})
