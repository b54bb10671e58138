import { expect, test } from 'bun:test'
import { newRedemption, type RedemptionValues, redemptionResolver } from './redemption-values.ts'

const resolve = (values: RedemptionValues) => redemptionResolver(values, undefined, { fields: {}, shouldUseNativeValidation: false })

test('a new code has the quota and number of the specification, as numbers', async () => {
  const { values, errors } = await resolve({ ...newRedemption, name: 'spring' })
  expect([values, errors]).toEqual([{ name: 'spring', quota: 100_000, count: 1 }, {}])
})

test('what is no whole number is not sent', async () => {
  const named = async (change: Partial<RedemptionValues>) => Object.keys((await resolve({ ...newRedemption, name: 'a', ...change })).errors)
  for (const text of ['', '1.5', '-1', 'many']) {
    expect([text, await named({ quota: text })]).toEqual([text, ['quota']])
    expect([text, await named({ count: text })]).toEqual([text, ['count']])
  }
  expect(await named({ count: '0' })).toEqual(['count'])
  expect(await named({ name: '' })).toEqual(['name'])
})
