import { describe, expect, test } from 'bun:test'
import type { SchemaForm } from '../../core/call-form.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { Rewrites } from '../../core/rewrites.ts'
import { claudeSchemas, openaiSchemas, withPlainSchemas } from './tool-schemas.ts'

const parametersAt = (form: SchemaForm, parameters: Json): unknown => {
  const body = { tools: [{ type: 'function', function: { name: 'f', parameters } }] }
  const { tools } = withPlainSchemas(body, { place: 'chat', form, rewrites: new Rewrites() })
  return (tools as ReadonlyArray<{ readonly function: JsonObject }>)[0]?.function['parameters']
}

const day = { day: { type: 'string' } }
const place = { place: { type: 'string' } }

describe('schemas of functions', () => {
  test.each<readonly [what: string, form: SchemaForm, parameters: Json, expected: unknown]>([
    ['without a type', {}, { type: null, properties: day }, { type: 'object', properties: day }],
    ['without a type in a property', {}, { type: 'object', properties: { a: { type: null } } }, { type: 'object', properties: { a: {} } }],
    ['that are null', {}, null, undefined],
    ['that are empty', openaiSchemas, {}, { type: 'object', properties: {} }],
    ['without properties', openaiSchemas, { type: 'object' }, { type: 'object', properties: {} }],
    ['that may be null', openaiSchemas, { type: ['object', 'null'], properties: day }, { type: 'object', properties: day }],
    [
      'with alternatives',
      claudeSchemas,
      {
        anyOf: [
          { properties: day, required: ['day'] },
          { properties: { ...day, ...place }, required: ['day', 'place'] },
        ],
      },
      { type: 'object', properties: { ...day, ...place }, required: ['day'] },
    ],
    [
      'that are made of several',
      openaiSchemas,
      { type: 'object', properties: day, allOf: [{ $ref: '#/$defs/P' }], $defs: { P: { properties: place, required: ['place'] } } },
      {
        ...{ type: 'object', properties: { ...day, ...place }, required: ['place'] },
        $defs: { P: { properties: place, required: ['place'] } },
      },
    ],
    [
      'whose alternatives differ in a property',
      openaiSchemas,
      {
        oneOf: [
          { properties: day, required: ['day'] },
          { properties: { day: { type: 'integer' } }, required: ['day'] },
          { type: 'string' },
        ],
      },
      { type: 'object', properties: { day: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }, required: ['day'] },
    ],
    [
      'whose alternatives narrow a property',
      openaiSchemas,
      {
        properties: { act: { type: 'string', enum: ['a', 'b', 'c'], description: 'What' } },
        anyOf: [{ properties: { act: { const: 'a' } } }, { properties: { act: { enum: ['b'] }, ...day } }],
        additionalProperties: false,
      },
      {
        type: 'object',
        properties: { act: { type: 'string', enum: ['a', 'b'], description: 'What' }, ...day },
        additionalProperties: false,
      },
    ],
    [
      'that say two things of a property',
      openaiSchemas,
      { allOf: [{ properties: { n: { minimum: 1 } } }, { properties: { n: { minimum: 2 } } }, { properties: { n: true } }] },
      { type: 'object', properties: { n: { allOf: [{ minimum: 1 }, { minimum: 2 }] } } },
    ],
    [
      'whose alternatives have free names',
      openaiSchemas,
      { anyOf: [{ additionalProperties: { type: 'string' } }, { properties: day, additionalProperties: false }] },
      { type: 'object', properties: day, additionalProperties: { type: 'string' } },
    ],
    [
      'with references into a union',
      openaiSchemas,
      { anyOf: [{ properties: { ...day, $ref: { type: 'string' } } }, { properties: { until: { $ref: '#/anyOf/0/properties/day' } } }] },
      {
        type: 'object',
        properties: { ...day, $ref: { type: 'string' }, until: { $ref: '#/$defs/anyOf_0/properties/day' } },
        $defs: { anyOf_0: { properties: { ...day, $ref: { type: 'string' } } } },
      },
    ],
  ])('%s are mended', (_what, form, parameters, expected) => {
    expect(parametersAt(form, parameters)).toEqual(expected)
  })

  test.each<readonly [form: SchemaForm, parameters: Json]>([
    [openaiSchemas, { type: 'object', properties: day }],
    [claudeSchemas, { type: 'object' }],
    [{}, { anyOf: [{ properties: day }] }],
    [{}, {}],
  ])('%j that a vendor takes are the same: %j', (form, parameters) => {
    const body = { tools: [{ type: 'function', function: { name: 'f', parameters } }] }
    expect(withPlainSchemas(body, { place: 'chat', form, rewrites: new Rewrites() })).toBe(body)
  })

  test('of the vendor’s own tools are left alone, and of others mended in a message, too', () => {
    const computer = { type: 'computer_20250124', name: 'computer' }
    const body = { tools: [computer, { name: 'f', input_schema: { type: null } }] }
    expect(withPlainSchemas(body, { place: 'message', form: claudeSchemas, rewrites: new Rewrites() })).toEqual({
      tools: [computer, { name: 'f', input_schema: { type: 'object', properties: {} } }],
    })
    const off = new Rewrites(new Set(['tools']))
    expect(withPlainSchemas(body, { place: 'message', form: claudeSchemas, rewrites: off })).toBe(body)
  })

  test.each<readonly [what: string, parameters: JsonObject, properties: JsonObject]>([
    ['a reference in a circle', { $ref: '#' }, {}],
    ['a reference to nothing', { properties: day, allOf: [{ $ref: 'https://example.com/order.json' }] }, day],
    ['no object', { anyOf: [{ type: 'string' }] }, {}],
    ['a condition', { type: 'object', properties: day, not: { required: ['day', 'place'] } }, day],
    ['too many levels', { properties: day, allOf: [deep(40)] }, day],
  ])('%s: what cannot be sent as a schema goes into the description', (_what, parameters, properties) => {
    const tool = { type: 'function', name: 'f', parameters }
    const body = withPlainSchemas({ tools: [tool] }, { place: 'response', form: openaiSchemas, rewrites: new Rewrites() })
    const description = `The arguments are an object that fits this JSON schema: ${JSON.stringify(parameters)}`
    expect(body['tools']).toEqual([{ type: 'function', name: 'f', description, parameters: { type: 'object', properties } }])
  })

  test('that are strict stay so if the vendor takes what they become', () => {
    const union = (required: readonly string[]): JsonObject => ({
      anyOf: [{ type: 'object', properties: day, required, additionalProperties: false }],
    })
    const tools = [['day'], []].map((required) => ({
      type: 'function',
      function: { name: 'f', strict: true, parameters: union(required) },
    }))
    const body = withPlainSchemas({ tools }, { place: 'chat', form: openaiSchemas, rewrites: new Rewrites() })
    expect(body['tools']).toMatchObject([{ function: { strict: true } }, { function: { strict: false } }])
  })

  test('in groups of functions are mended', () => {
    const group = (parameters: JsonObject): JsonObject => ({
      tools: [{ type: 'namespace', name: 'g', tools: [{ type: 'function', name: 'f', parameters }] }],
    })
    const params = { place: 'response', form: openaiSchemas, rewrites: new Rewrites() } as const
    const plain = group({ type: 'object', properties: day })
    expect(withPlainSchemas(group({ anyOf: [{ properties: day }] }), params)).toEqual(plain)
    expect(withPlainSchemas(plain, params)).toBe(plain)
  })

  test('that branch without end take no more than their steps', () => {
    const levels = Array.from({ length: 30 }, (_, index): [string, JsonObject] => {
      const next = { $ref: `#/$defs/L${index + 1}` }
      return [`L${index}`, { anyOf: [next, next], properties: { [`p${index}`]: { type: 'string' } } }]
    })
    const branching = { $ref: '#/$defs/L0', $defs: Object.fromEntries(levels) }
    const many = { anyOf: Array.from({ length: 20_000 }, (_, index) => ({ properties: { a: { minimum: index } } })) }
    const tools = Array.from({ length: 20 }, () => branching).map((parameters) => ({ function: { name: 'f', parameters } }))
    const before = performance.now()
    withPlainSchemas(
      { tools: [...tools, { function: { name: 'g', parameters: many } }] },
      { place: 'chat', form: openaiSchemas, rewrites: new Rewrites() },
    )
    expect(performance.now() - before).toBeLessThan(1_000)
  })
})

function deep(levels: number): JsonObject {
  return levels === 0 ? { properties: place } : { allOf: [deep(levels - 1)] }
}
