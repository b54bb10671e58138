import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { meaningOf } from '../test/failures.ts'
import { dialectOf } from './dialects.ts'
import { readFailureOf } from './failure-rules.ts'
import { vendors } from './list.ts'

/** What the plainest errors mean: JSON that says no more than the status, and OpenAI's words for a prompt that is too long. */
const plain = {
  400: 'bad_request',
  401: 'bad_key',
  402: 'no_quota',
  403: 'forbidden',
  404: 'model_not_found',
  413: 'bad_request',
  422: 'bad_request',
  429: 'rate_limited',
  500: 'unavailable',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
  529: 'unavailable',
} as const

/** By type, where a vendor means something else; the reason is in its record. */
const others: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  23: { 402: 'forbidden' },
  37: { 413: 'context_length_exceeded' },
  38: { 403: 'bad_key', 529: 'rate_limited' },
  39: { 403: 'context_length_exceeded', 413: 'context_length_exceeded' },
}

/** Every text and number of the tests and fixtures that have errors of vendors. */
const told: readonly string[] = readdirSync(import.meta.dir, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?:test\.ts|failures\.json)$/.test(file))
  .map((file) => readFileSync(join(import.meta.dir, file), 'utf8'))
  .filter((text) => /withStatus|inAnswer|meaningOf|readFailureOf|"status":/.test(text))
  .flatMap((text) => [...text.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|\b(\d{1,9})\b|\b(\w+):/g)])
  .map(([, single, double, number, name]) => single ?? double ?? number ?? name ?? '')
/** With the groups of codes: a row `A` also stands for codes `A.B`. */
const names = new Set(told.flatMap((text) => [text, text.replace(/\..*$/, '')]))
const isTold = (key: string): boolean => names.has(key)

describe.each(vendors.map((vendor) => [vendor.type, vendor.name, vendor] as const))('type %d, %s:', (type, _name, vendor) => {
  const dialect = dialectOf(vendor, 'chat', 'm')

  test.if(dialect !== null)('the plainest errors mean what their status says', () => {
    if (dialect === null) return
    const read = (status: number, body: string): string => meaningOf(readFailureOf(dialect, vendor.failures, { status, body }))
    for (const [status, meaning] of Object.entries(plain)) {
      const expected = others[type]?.[Number(status)] ?? meaning
      expect([status, read(Number(status), '{"error":{"message":"no","type":null,"code":null}}')]).toEqual([status, expected])
    }
    // A page of a proxy says nothing about the key, the account or the prompt.
    for (const status of [400, 401, 402, 403, 413, 451]) {
      expect(['bad_request', 'forbidden', 'unavailable']).toContain(read(status, '<html>blocked</html>'))
    }
  })

  test('every row of its table of errors is the case of a test', () => {
    const untested = Object.entries(vendor.failures ?? {}).flatMap(([key, row]) => {
      if (typeof row === 'string') return isTold(key) ? [] : [key]
      const missing = row.filter(([pattern]) => !told.some((text) => pattern.test(text))).map(([pattern]) => String(pattern))
      return isTold(key) ? missing : [key, ...missing]
    })
    expect(untested).toEqual([])
  })
})
