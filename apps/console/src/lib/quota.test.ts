import { describe, expect, test } from 'bun:test'
import { abbreviate, exactQuota, formatQuota, parseMoney, parseWhole } from './quota.ts'

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

describe('money', () => {
  test.each([
    [500_000, '$1.00'],
    [499_999_999_965_000, '$999,999,999.93'],
    [-250_000, '-$0.50'],
    [250_000, '$0.50'],
    [3_750, '$0.0075'],
    [195, '$0.00039'],
    [12, '$0.000024'],
    [5_000, '$0.01'],
    [2_500, '$0.005'],
    [0, '$0.00'],
    [499_999, '$0.999998'],
    [500_001, '$1.00'],
  ])('of %d is %s', (quota, text) => expect(formatQuota(quota, dollars)).toBe(text))

  test('is not shown where the server shows quota', () => expect(formatQuota(500_000, plain)).toBe('500.0k'))

  test.each([
    ['1', 500_000],
    ['$1,000.50', 500_250_000],
    ['.5', 250_000],
    ['0.1', 50_000],
    ['0.000002', 1],
  ])('typed as %p is %d', (text, quota) => expect(parseMoney(text, dollars)).toBe(quota))

  test('is refused if it is no amount', () => {
    for (const text of ['', '.', '-1', '1e9', 'abc', '9999999999999']) expect(parseMoney(text, dollars)).toBeNull()
  })
})

test('the exact value names money and quota', () => {
  expect(exactQuota(1_234_567, dollars)).toBe('$2.469134 = 1,234,567')
  expect(exactQuota(1_234_567, plain)).toBe('1,234,567')
})

test('a broken unit shows zero, not infinity', () => expect(formatQuota(5, { quotaPerUnit: 0, inCurrency: true })).toBe('$0.00'))

test('whole numbers are read with thousands separators and refused otherwise', () => {
  expect(parseWhole('500,000')).toBe(500_000)
  expect(parseWhole(' 1 000 ')).toBe(1_000)
  expect(parseWhole('５００，０００')).toBe(500_000)
  for (const text of ['', '-1', '1.5', 'abc', '99999999999999999']) expect(parseWhole(text)).toBeNull()
})
