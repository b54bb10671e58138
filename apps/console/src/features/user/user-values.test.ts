import { expect, test } from 'bun:test'
import { changesOf, resolverFor, type StoredUser, type UserInput, type UserValues, valuesOf } from './user-values.ts'

const stored: StoredUser = {
  id: 2,
  username: 'ann',
  password: '',
  display_name: 'Ann',
  role: 1,
  status: 1,
  email: 'ann@example.com',
  github_id: '4711',
  google_id: '',
  oidc_id: '',
  second_factor: false,
  wechat_id: '',
  lark_id: '',
  quota: 500,
  used_quota: 7,
  request_count: 3,
  group: 'vip,default',
  aff_code: 'abcd',
  inviter_id: 0,
  created_time: 1,
  quota_was: 500,
  form_id: 'form',
}

async function inputOf(change: Partial<UserValues>, row = stored): Promise<UserInput> {
  const { values, errors } = await resolverFor(row)({ ...valuesOf(row), ...change }, undefined, {
    fields: {},
    shouldUseNativeValidation: false,
  })
  expect(errors).toEqual({})
  // Holds: without errors the values are the input.
  return values as UserInput
}

test('an edit has what changed, and the balance with what the form showed', async () => {
  expect(changesOf(stored, await inputOf({}))).toEqual({ id: 2 })
  expect(changesOf(stored, await inputOf({ display_name: 'Anna', group: ['vip'] }))).toEqual({ id: 2, display_name: 'Anna', group: 'vip' })
  expect(changesOf(stored, await inputOf({ password: 'a new password' }))).toEqual({ id: 2, password: 'a new password' })
  expect(changesOf(stored, await inputOf({ quota: '700' }))).toEqual({ id: 2, quota: 700, quota_was: 500, form_id: 'form' })
})

test('a balance is a whole number, and below zero only if it was', async () => {
  expect((await inputOf({ quota: ' 1,000 ' })).quota).toBe(1_000)
  expect((await inputOf({ quota: '-5' }, { ...stored, quota: -5, quota_was: -5 })).quota).toBe(-5)
  for (const quota of ['', '1.5', 'much', '1e9', '-1']) {
    const { errors } = await resolverFor(stored)({ ...valuesOf(stored), quota }, undefined, {
      fields: {},
      shouldUseNativeValidation: false,
    })
    expect([quota, Object.keys(errors)]).toEqual([quota, ['quota']])
  }
})
