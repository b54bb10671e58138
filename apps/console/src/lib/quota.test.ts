import { describe, expect, test } from 'bun:test'
import { abbreviate, exactQuota, formatQuota, formatSmallQuota, parseWhole } from './quota.ts'

const dollars = { quotaPerUnit: 500_000, inCurrency: true }
const plain = { quotaPerUnit: 500_000, inCurrency: false }

describe('abbreviating', () => {
  test.each([
    [0, '0'],
    [9_999, '9999'],
    [10_000, '10.0k'],
    [12_345, '12.3k'],
    [999_999, '999.9k'],
    [1_000_000, '1.0M'],
    [1_500_000, '1.5M'],
    [999_999_999, '999.9M'],
    [2_000_000_000, '2.0B'],
    [-12_345, '-12.3k'],
  ])('%d is %s', (value, text) => expect(abbreviate(value)).toBe(text))
})

test('money has two decimals', () => {
  expect(formatQuota(500_000, dollars)).toBe('$1.00')
  expect(formatQuota(1, dollars)).toBe('$0.00')
  expect(formatQuota(-250_000, dollars)).toBe('-$0.50')
  expect(formatQuota(500_000, plain)).toBe('500.0k')
})

test('small amounts show six decimals instead of nothing', () => {
  expect(formatSmallQuota(12, dollars)).toBe('$0.000024')
  expect(formatSmallQuota(2_500, dollars)).toBe('$0.01')
  expect(formatSmallQuota(0, dollars)).toBe('$0.00')
})

test('the exact value names money and quota', () => {
  expect(exactQuota(1_234_567, dollars)).toBe('$2.469134 = 1,234,567')
  expect(exactQuota(1_234_567, plain)).toBe('1,234,567')
})

test('a broken unit shows zero, not infinity', () => expect(formatQuota(5, { quotaPerUnit: 0, inCurrency: true })).toBe('$0.00'))

test('whole numbers are read with thousands separators and refused otherwise', () => {
  expect(parseWhole('500,000')).toBe(500_000)
  expect(parseWhole(' 1 000 ')).toBe(1_000)
  for (const text of ['', '-1', '1.5', 'abc', '99999999999999999']) expect(parseWhole(text)).toBeNull()
})
