import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { structuredSchema } from './schema.ts'

describe('a schema for structured output', () => {
  test.each<readonly [schema: JsonObject, expected: JsonObject]>([
    [
      { type: 'object', properties: { a: {} }, additionalProperties: true },
      { type: 'object', properties: { a: {} }, additionalProperties: false },
    ],
    [
      { type: 'object', properties: {} },
      { type: 'object', properties: {}, additionalProperties: false },
    ],
    [
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false },
    ],
    [
      { type: 'object', oneOf: [{ $ref: '#/$defs/A' }], $defs: { A: { type: 'string' } } },
      { type: 'object', anyOf: [{ $ref: '#/$defs/A' }], $defs: { A: { type: 'string' } }, additionalProperties: false },
    ],
  ])('%j', (schema, expected) => {
    expect(structuredSchema(schema)).toEqual({ schema: expected, hasWords: false })
  })

  test.each<JsonObject>([
    { type: 'object' },
    { type: ['object', 'null'], additionalProperties: {} },
    { type: 'object', properties: {}, additionalProperties: true },
    { type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } },
    { type: 'array', items: { type: 'object', additionalProperties: true } },
    { anyOf: [{ type: 'null' }, { type: 'object' }] },
    { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: { type: 'object' } } },
    { type: 'array', items: [{ type: 'string' }] },
  ])('%j is none', (schema) => {
    expect(structuredSchema(schema)).toBeNull()
  })
})
