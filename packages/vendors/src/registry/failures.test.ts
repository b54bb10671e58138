import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { readJson } from '../../test/files.ts'
import type { Failure } from '../core/failure.ts'
import { classified, readFailureOf } from '../core/failure-rules.ts'
import type { Json } from '../core/json.ts'
import type { Vendor } from '../core/vendor.ts'
import { dialectOf } from './dialect-of.ts'
import { vendorByType } from './list.ts'

interface Documented {
  readonly status: number
  readonly body: Json
  readonly kind: Failure['kind']
  readonly code?: string | null
}

// Holds: the file is written as this interface says; a wrong row fails the comparison.
const documented = readJson(join(import.meta.dir, 'fixtures/failures.json')) as Readonly<Record<string, readonly Documented[]>>

function read(vendor: Vendor, { status, body }: Documented): Failure | null {
  const dialect = dialectOf(vendor, 'chat')
  if (dialect === null) return null
  if (status !== 200) return readFailureOf(dialect, vendor.failures, { status, body: JSON.stringify(body) })
  const context = { id: 'chatcmpl-1', created: 1, model: 'm' }
  const response = dialect.passthrough?.response(body) ?? dialect.response?.(body, context) ?? null
  return response !== null && 'kind' in response ? classified(response, vendor.failures) : null
}

describe('the free models of a day', () => {
  const openrouter = vendorByType(20)
  test.each([
    { code: 429, message: 'Rate limit exceeded: free-models-per-day. Add 10 credits', metadata: { headers: {} } },
    { code: '429', message: 'Rate limit exceeded: free-models-per-day-high-balance.', type: 'rate_limit_error' },
    { code: 429, message: 'Too many', metadata: { limit_source: 'openrouter_free_tier_daily' } },
  ])('keep requests away for the longest pause: %p', (error) => {
    const dialect = openrouter === null ? null : dialectOf(openrouter, 'chat')
    if (dialect === null) throw new Error('there are no chats')
    const failure = readFailureOf(dialect, openrouter?.failures, { status: 429, body: JSON.stringify({ error }) })
    expect(failure).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 60 })
  })
})

describe.each(Object.entries(documented))('the errors that type %s documents', (type, rows) => {
  const vendor = vendorByType(Number(type))
  if (vendor === null) throw new Error(`no vendor has the type ${type}`)

  for (const row of rows) {
    test(`${row.status} ${JSON.stringify(row.body).slice(0, 90)} means ${row.kind}`, () => {
      const failure = read(vendor, row)
      expect(failure?.kind).toBe(row.kind)
      if (row.code !== undefined) expect(failure?.code).toBe(row.code)
    })
  }

  test('mean nothing about the key if they are a page of a proxy', () => {
    for (const status of [401, 402, 403]) {
      const failure = read(vendor, { status, body: '<html>blocked</html>', kind: 'forbidden' })
      expect(failure?.kind).toBe('forbidden')
    }
  })
})
