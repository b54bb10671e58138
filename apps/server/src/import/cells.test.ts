import { describe, expect, test } from 'bun:test'
import { timeMax } from '@sluice/contract'
import { bool, decimal, listOf, present, readRow, text, textOr, time, whole } from './cells.ts'

const columns = {
  id: whole(),
  key: text,
  group: textOr('default'),
  quota: whole(),
  unlimited_quota: bool,
  balance: decimal,
  channel_info: text,
  deleted_at: present,
}
/** One row as each engine's driver returns it. */
const shapes = {
  sqlite: {
    id: 7n,
    key: 'abc',
    group: null,
    quota: 500_000_000_000_000n,
    unlimited_quota: 1n,
    balance: 1.5,
    channel_info: '{"a":1}',
    deleted_at: null,
  },
  mysql: {
    id: 7,
    key: 'abc',
    group: '',
    quota: 500_000_000_000_000n,
    unlimited_quota: 1,
    balance: 1.5,
    channel_info: { a: 1 },
    deleted_at: null,
  },
  'mysql as bytes': {
    id: '7',
    key: new TextEncoder().encode('abc'),
    quota: '500000000000000',
    unlimited_quota: true,
    balance: '1.5',
    channel_info: { a: 1 },
  },
  postgres: {
    id: '7',
    key: `abc${' '.repeat(45)}`,
    group: 'default',
    quota: '500000000000000',
    unlimited_quota: true,
    balance: '1.5',
    channel_info: { a: 1 },
    deleted_at: null,
  },
  'postgres as text': {
    id: 7n,
    key: 'abc\0',
    quota: 500_000_000_000_000,
    unlimited_quota: 't',
    balance: '1.500000',
    channel_info: '{"a":1}',
  },
}

describe('a row', () => {
  for (const [engine, row] of Object.entries(shapes)) {
    test(`has the same values from ${engine}`, () => {
      expect(readRow(columns, row)).toEqual({
        id: 7,
        key: 'abc',
        group: 'default',
        quota: 500_000_000_000_000,
        unlimited_quota: true,
        balance: 1.5,
        channel_info: '{"a":1}',
        deleted_at: false,
      })
    })
  }

  test('with a number that cannot be stored exactly is refused with the column, never rounded', () => {
    for (const quota of ['9007199254740993', 9_007_199_254_740_993n, 1.5, 'many', '1e30'])
      expect(readRow(columns, { id: 1, quota })).toBe('quota')
  })

  test('with missing columns, or with null in them, gets default values', () => {
    const nothing = { id: 0, key: '', group: 'default', quota: 0, unlimited_quota: false, balance: 0, channel_info: '', deleted_at: false }
    expect(readRow(columns, {})).toEqual(nothing)
    expect(readRow(columns, Object.fromEntries(Object.keys(columns).map((name) => [name, null])))).toEqual(nothing)
    expect(whole(-1)(null)).toBe(-1)
  })

  test('is deleted if it has a time of deletion, in any form', () => {
    for (const deleted_at of ['2025-01-01 00:00:00', new Date(0), 1])
      expect(readRow(columns, { deleted_at })).toMatchObject({ deleted_at: true })
  })
})

test('blanks and duplicates are removed from lists', () => {
  expect(listOf(' a, b,,a ')).toEqual(['a', 'b'])
  expect(listOf('1.2.3.4\n10.0.0.0/8\n', /[,\s]/)).toEqual(['1.2.3.4', '10.0.0.0/8'])
})

test('a time is within the years that can be written', () => {
  const read = time(-1)
  expect([null, '1800000000', 8_640_000_000_001, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER].map(read)).toEqual([
    -1,
    1_800_000_000,
    timeMax,
    timeMax,
    -timeMax,
  ])
})
