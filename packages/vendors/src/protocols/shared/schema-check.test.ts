import { describe, expect, test } from 'bun:test'
import type { Json, JsonObject } from '../../core/json.ts'
import { createSchemaCheck } from './schema-check.ts'

const misfit = (value: Json, schema: JsonObject): string | null | 'given up' => {
  const check = createSchemaCheck(schema)
  const place = check.misfitIn(value)
  return check.isGivenUp ? 'given up' : place
}

/** Generous: a check takes about ten milliseconds, and the tests share their processors. */
const msMax = 500

function timed<T>(run: () => T): T {
  const before = performance.now()
  const result = run()
  expect(performance.now() - before).toBeLessThan(msMax)
  return result
}

const tree: JsonObject = {
  $defs: {
    node: {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      required: ['name'],
      additionalProperties: false,
    },
  },
  $ref: '#/$defs/node',
}
const branch = (depth: number): JsonObject => (depth === 0 ? { name: 'leaf' } : { name: 'branch', children: [branch(depth - 1)] })

describe('a schema that refers to itself', () => {
  test('is followed as deep as the value', () => {
    expect(misfit(branch(15), tree)).toBeNull()
    expect(misfit({ name: 'root', children: [branch(3), { name: 'a', children: [{ nam: 'b' }] }] }, tree)).toBe(
      '$.children[1].children[0].name is missing',
    )
    expect(misfit({ next: { next: {} } }, { properties: { next: { $ref: '#' } }, additionalProperties: false })).toBeNull()
    expect(misfit({ next: { last: 1 } }, { properties: { next: { $ref: '#' } }, additionalProperties: false })).toBe('$.next.*')
  })

  test.each<[string, JsonObject]>([
    ['itself', { $ref: '#' }],
    ['two parts of each other', { $ref: '#/a', a: { $ref: '#/b' }, b: { $ref: '#/a' } }],
    ['itself in allOf', { allOf: [{ $ref: '#' }] }],
    ['itself in anyOf', { anyOf: [{ $ref: '#' }, { $ref: '#' }] }],
    ['itself in oneOf', { oneOf: [{ type: 'null' }, { $ref: '#' }] }],
  ])('without end is given up: %s', (_name, schema) => {
    expect(timed(() => misfit({}, schema))).toBe('given up')
  })
})

const doubling = (keyword: string): JsonObject => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: 30 }, (_, level) => [
      `d${level}`,
      level === 29
        ? { type: keyword === 'allOf' ? 'object' : 'null' }
        : { [keyword]: [1, 2].map(() => ({ $ref: `#/$defs/d${level + 1}` })) },
    ]),
  ),
})

describe('the steps of a check are limited', () => {
  test.each(['allOf', 'anyOf', 'oneOf'])('for a schema that doubles with each level of %s', (keyword) => {
    expect(timed(() => misfit({}, doubling(keyword)))).toBe('given up')
  })

  const words = Array.from({ length: 3_000 }, (_, index) => `${'x'.repeat(200)}${index + 1_000}`)
  test.each<[string, Json, JsonObject]>([
    ['long lists of values', Array(3_000).fill(words.at(-1) ?? ''), { items: { enum: words } }],
    ['long texts', Array(1_000).fill('a'.repeat(20_000)), { items: { const: 'a'.repeat(20_000) } }],
    ['objects as values', Array(1_000).fill(branch(20)), { items: { enum: [...Array(999).fill(branch(19)), branch(20)] } }],
    ['many names', Array(3_000).fill({ a: 1 }), { items: { required: Array(30_000).fill('a') } }],
    ['many members', Object.fromEntries(words.map((word) => [word, 1])), { anyOf: Array(3_000).fill({ additionalProperties: false }) }],
    ['many types', Array(3_000).fill(1), { items: { type: Array(3_000).fill('string').concat('number') } }],
    ['long references', Array(3_000).fill(1), { items: { $ref: `#${'/a'.repeat(500)}` } }],
  ])('with %s', (_name, value, schema) => {
    expect(timed(() => misfit(value, schema))).toBe('given up')
  })

  test('but suffice for a long response', () => {
    const item = { type: 'object', properties: { text: { type: 'string' }, at: { type: 'integer' } }, required: ['text', 'at'] }
    const rows = Array.from({ length: 5_000 }, (_, at) => ({ text: `row ${at}`, at }))
    expect(misfit(rows, { type: 'array', items: item })).toBeNull()
    expect(misfit([...rows, { text: 'last', at: 0.5 }], { type: 'array', items: item })).toBe('$[5000].at')
  })
})

test('a reference to a missing part or an inherited member fits everything, as does one that is too long', () => {
  for (const reference of ['#/$defs/none', '#/__proto__', '#/constructor/prototype', `#/${'a'.repeat(2_000)}`])
    expect(misfit(1, { $ref: reference, $defs: {} })).toBeNull()
})

test('a constant is compared as a value: the order of members does not matter', () => {
  expect(misfit({ a: 1, b: [null] }, { const: { b: [null], a: 1 } })).toBeNull()
  expect(misfit({ a: 1, b: [null] }, { enum: [{ a: 1 }, { a: 1, b: [false] }] })).toBe('$')
})

describe('names by a pattern', () => {
  const schema = {
    properties: { id: { type: 'integer' } },
    patternProperties: { '^x_': { type: 'string' }, '(a+)+$': { type: 'boolean' } },
    additionalProperties: false,
  }
  test.each<readonly [value: Json, place: string | null]>([
    [{ id: 1, x_a: 'b', ['a'.repeat(64)]: true }, null],
    [{ id: 'x' }, '$.id'],
    [{ x_a: 1 }, '$.*'],
  ])('%j: %p', (value, place) => {
    expect(timed(() => misfit(value, schema))).toBe(place)
  })
})

describe('a list whose items are declared one by one', () => {
  const [number, text] = [{ type: 'number' }, { type: 'string' }]
  test.each<readonly [schema: JsonObject, value: Json, place: string | null]>([
    [{ prefixItems: [number, text], items: false }, [1, 'a'], null],
    [{ prefixItems: [number, text], items: false }, [1], null],
    [{ prefixItems: [number, text], items: false }, [1, 'a', 2], '$[2]'],
    [{ prefixItems: [number, text], items: false }, ['a', 1], '$[0]'],
    [{ prefixItems: [number], items: text }, [1, 'a', 'b'], null],
    [{ prefixItems: [number] }, [1, 'a', 2], null],
    [{ items: [number, text] }, [1, 'a', true], null],
    [{ items: [number, text], additionalItems: false }, [1, 'a', true], '$[2]'],
  ])('%j, %j: %p', (schema, value, place) => {
    expect(misfit(value, schema)).toBe(place)
  })
})

test.each<readonly [reference: string, value: Json, place: string | null]>([
  ['#/anyOf/1', 'a', null],
  ['#/anyOf/1', 1, '$.a'],
  ['#/$defs/a~1b%20c', 1, '$.a'],
  ['#/$defs/a~1b%20c', 'a', null],
])('a reference is read: %s', (reference, value, place) => {
  const $defs = { 'a/b c': { type: 'string' } }
  const [one, other] = [{ properties: { a: { $ref: reference } } }, { type: 'string' }]
  expect(misfit({ a: value }, { $defs, anyOf: [one, other] })).toBe(place === null ? null : '$')
})
