import { expect, test } from 'bun:test'
import type { Json } from '../../core/json.ts'
import { isStrictSchema } from './strict-schema.ts'

const text = { type: 'string' }
const object = (properties: Json, more: object = {}): Json => ({
  ...{ type: 'object', properties, required: ['a'], additionalProperties: false },
  ...more,
})

test.each<readonly [schema: Json | undefined, isStrict: boolean]>([
  [object({ a: text }), true],
  [object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: object({ a: { type: ['integer', 'null'], minimum: 1 } }) } }), true],
  [object({ a: { type: 'array', items: { anyOf: [object({ a: text }), { type: 'null' }] } } }), true],
  [object({ a: text, b: text }), false],
  [object({ a: text }, { additionalProperties: true }), false],
  [object({ a: object({ b: text }) }), false],
  [object({ a: { type: 'array', items: object({ b: text }) } }), false],
  [object({ a: { $ref: '#/$defs/A', description: 'x' } }, { $defs: { A: text } }), false],
  [object({ a: text }, { $defs: { A: object({ b: text }) } }), false],
  [object({ a: { type: 'object' } }), false],
  [object({ a: { oneOf: [text] } }), false],
  [object({ a: text }, { anyOf: [{ required: ['a'] }] }), false],
  [{ anyOf: [object({ a: text })] }, false],
  [{ type: 'array', items: text }, false],
  [{}, false],
  [true, false],
  [undefined, false],
])('%j is one that OpenAI takes with `strict`: %p', (schema, isStrict) => {
  expect(isStrictSchema(schema)).toBe(isStrict)
})
