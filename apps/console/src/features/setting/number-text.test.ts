import { expect, test } from 'bun:test'
import { numberText } from './number-text.ts'

test.each([
  ['RetryTimes', 'setting.number.whole', {}],
  ['QuotaPerUnit', 'setting.number.above', {}],
  ['ChannelDisableThreshold', 'setting.number', {}],
  ['SMTPPort', 'setting.number.wholeWithin', { least: 1, most: 65_535 }],
  ['LogRetentionDays', 'setting.number.wholeWithin', { least: 0, most: 36_500 }],
  ['YuanPerDollar', 'setting.number.within', { least: 0.01, most: 10_000 }],
] as const)('the field of %s says which numbers it takes', (key, text, numbers) => {
  expect(numberText(key)).toEqual([text, numbers])
})
