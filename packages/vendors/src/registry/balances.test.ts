import { describe, expect, test } from 'bun:test'
import { cryptoFunctions } from '../../test/crypto.ts'
import { vendorFiles } from '../../test/vendor-files.ts'
import { bearer } from '../core/auth.ts'
import type { Json } from '../core/json.ts'
import type { QueryContext, VendorQuery } from '../core/vendor-query.ts'
import { askSignedAction } from '../protocols/balances/action.ts'
import { askCurrencies, askDashboard } from '../protocols/balances/shapes.ts'
import { tc3 } from '../vendors/tencent/sign.ts'
import { vendors } from './list.ts'
import { queryContextOf } from './vendor-queries.ts'

const fixtures = new Map(vendorFiles('balance'))

interface Fixture {
  readonly baseUrl: string
  readonly key?: string
  readonly steps: ReadonlyArray<{
    readonly method: string
    readonly url: string
    readonly headers: object
    readonly body?: string
    readonly response: Json
  }>
  readonly balance: number
  readonly refused: Json
  readonly says: string
}

function contextOf(baseUrl: string, key = '<key>'): QueryContext {
  const facts = { baseUrl, key, config: {}, other: '' }
  const vendorAuth = { auth: key.includes('|') ? { signer: tc3 } : bearer, routes: { baseUrl } }
  const asker = { facts, credential: key, nowMs: Date.UTC(2026, 10, 21, 8), crypto: cryptoFunctions }
  return queryContextOf(vendorAuth, asker)
}

const rows: ReadonlyArray<readonly [string, VendorQuery<number>]> = vendors
  .toSorted((one, other) => one.type - other.type)
  .flatMap(({ type, askBalance }) => (askBalance === undefined ? [] : [[String(type), askBalance] as const]))

describe.each(rows)('type %s', (type, query) => {
  // Holds: the files are written as this interface says; a wrong one fails the comparison.
  const { baseUrl, key, steps, balance, refused, says } = fixtures.get(Number(type)) as Fixture

  const context = contextOf(baseUrl, key)

  test('sends the requests and reads the balance of its fixture', () => {
    for (const [index, { method, url, headers, body }] of steps.entries()) {
      const responses = steps.slice(0, index).map(({ response }) => response)
      const request = { method: method as 'GET', url, headers: { ...headers }, ...(body === undefined ? {} : { body }) }
      expect(query(context, responses)).toEqual({ request })
    }
    expect(
      query(
        context,
        steps.map(({ response }) => response),
      ),
    ).toEqual({ result: balance })
  })

  test('fails with the vendor’s message if there is no balance', () => {
    expect(query(context, [refused])).toEqual({ failed: says })
  })

  test('fails if the response has no valid number', () => {
    for (const response of [null, [], 'x', 7, {}, { data: null, balance: '', credits: 'NaN', balance_infos: [null] }]) {
      expect(query(context, [response])).toHaveProperty('failed')
    }
  })
})

describe('the balances', () => {
  test('have a fixture for every vendor', () => {
    expect([...fixtures.keys()].map(String)).toEqual(rows.map(([type]) => type))
  })

  test('are those of the vendors whose API reports one', () => {
    const types = [1, 2, 4, 5, 7, 8, 10, 12, 13, 20, 23, 25, 32, 36, 38, 41, 46, 47]
    expect(rows.map(([type]) => Number(type))).toEqual(types)
  })
})

test('a response without a balance in yuan is read in its first currency', () => {
  const response = { balance_infos: [{ currency: 'USD', total_balance: '2.50' }] }
  expect(askCurrencies('/user/balance')(contextOf('https://host'), [response])).toEqual({ result: 2.5 })
})

test('a dashboard with a limit but without usage has no balance', () => {
  expect(askDashboard(contextOf('https://host'), [{ hard_limit_usd: 5 }, { error: { message: 'not today' } }])).toEqual({
    failed: 'not today',
  })
})

test('a key of models cannot ask for the balance of the account that signs', () => {
  expect(askSignedAction(contextOf('https://host', 'sk-1'), [])).toEqual({
    failed: 'only a key AppId|SecretId|SecretKey can ask for the balance',
  })
})
