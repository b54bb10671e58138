import { expect, test } from 'bun:test'
import { changesOf, newRedemption, type RedemptionValues, redemptionResolver, valuesOf } from './redemption-values.ts'

const resolve = (values: RedemptionValues) => redemptionResolver(values, undefined, { fields: {}, shouldUseNativeValidation: false })

test('a new code has the quota and number of the specification, as numbers', async () => {
  const { values, errors } = await resolve({ ...newRedemption, name: 'spring' })
  expect([values, errors]).toEqual([{ name: 'spring', quota: 100_000, count: 1, expired_time: -1 }, {}])
})

test('what is no whole number is not sent', async () => {
  const named = async (change: Partial<RedemptionValues>) => Object.keys((await resolve({ ...newRedemption, name: 'a', ...change })).errors)
  for (const text of ['', '1.5', '-1', 'many', '7 codes', '1e3']) {
    expect([text, await named({ quota: text })]).toEqual([text, ['quota']])
    expect([text, await named({ count: text })]).toEqual([text, ['count']])
  }
  expect(await named({ count: '0' })).toEqual(['count'])
  expect(await named({ name: '' })).toEqual(['name'])
  expect(await named({ expired_time: 'soon' })).toEqual(['expired_time'])
})

test('fields that the form did not change are not sent: an expiry may be over', async () => {
  const row = {
    ...{ id: 7, user_id: 1, key: 'k', status: 1, name: 'old', quota: 5, created_time: 0, redeemed_time: 0, used_user_id: 0, count: 0 },
    expired_time: 1_000_000_000,
    unreadable: [],
  }
  const changes = async (change: Partial<RedemptionValues>) => {
    const { values } = await resolve({ ...valuesOf(row), ...change })
    // Holds: the values are valid.
    return changesOf(row, values as Parameters<typeof changesOf>[1])
  }
  expect(await changes({ name: 'new' })).toEqual({ id: 7, name: 'new' })
  expect(await changes({ expired_time: '' })).toEqual({ id: 7, expired_time: -1 })
})
