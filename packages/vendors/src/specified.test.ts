import { describe, expect, test } from 'bun:test'
import { vendorByType, vendors } from './list.ts'
import type { Vendor } from './vendor.ts'

// What the product specification says about types by their number: sections 5 (keys) and 9 (balances).

type Facts = Readonly<Record<number, Partial<Vendor>>>

const dollars = { unit: '$' } as const
const yuan = { unit: '¥' } as const
const units = { unit: 'quota' } as const

/** Types with a balance; of all others the list says that it is not supported. */
const balances: Facts = {
  1: { balance: dollars },
  8: { balance: dollars },
  4: { balance: yuan },
  12: { balance: yuan },
  5: { balance: { unit: '¥', divisor: 10_000 } },
  10: { balance: units },
  13: { balance: units },
}

const keys: Facts = {
  33: { keyFields: ['ak', 'sk', 'region'] },
  42: { keyFields: ['region', 'vertex_ai_project_id', 'vertex_ai_adc'] },
  3: { otherDefault: '2024-03-01-preview' },
}

/** The key field names the parts of these keys. */
const keyHints: Readonly<Record<number, string>> = {
  15: 'APIKey|SecretKey',
  18: 'APPID|APISecret|APIKey',
  22: 'APIKey-AppId',
  23: 'AppId|SecretId|SecretKey',
}

describe('each record agrees with the specification', () => {
  test.each(vendors.map((vendor) => [vendor.type, vendor] as const))('type %d has the unit of its balance, or none', (type, vendor) => {
    expect(vendor.balance).toEqual(balances[type]?.balance)
  })

  test.each(vendors.map((vendor) => [vendor.type, vendor] as const))('type %d has the key and the default of its type', (type, vendor) => {
    expect({ keyFields: vendor.keyFields, otherDefault: vendor.otherDefault }).toEqual({
      keyFields: keys[type]?.keyFields,
      otherDefault: keys[type]?.otherDefault,
    })
    if (keyHints[type] !== undefined) expect(vendor.keyHint).toContain(keyHints[type])
  })

  test('types that the specification describes and that have no record yet are these', () => {
    const described = [...Object.keys(balances), ...Object.keys(keys), ...Object.keys(keyHints)].map(Number)
    const missing = described.filter((type) => vendorByType(type) === null).toSorted((a, b) => a - b)
    expect(missing).toEqual([3, 4, 5, 10, 12, 13, 15, 18, 22, 23, 33, 42])
  })
})
