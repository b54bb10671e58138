import { describe, expect, test } from 'bun:test'
import type { Json, JsonObject } from '../json.ts'
import { Rewrites } from '../rewrites.ts'
import { claudeSchemas, openaiSchemas, type SchemaForm, withPlainSchemas } from './tool-schemas.ts'

const parametersAt = (form: SchemaForm, parameters: Json): unknown => {
  const body = { tools: [{ type: 'function', function: { name: 'f', parameters } }] }
  const { tools } = withPlainSchemas(body, { place: 'chat', form, rewrites: new Rewrites() })
  return (tools as ReadonlyArray<{ readonly function: JsonObject }>)[0]?.function['parameters']
}

const day = { day: { type: 'string' } }
const place = { place: { type: 'string' } }

describe('schemas of functions', () => {
  test.each<readonly [what: string, form: SchemaForm, parameters: Json, sent: unknown]>([
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
  ])('%s are mended', (_what, form, parameters, sent) => {
    expect(parametersAt(form, parameters)).toEqual(sent)
  })

  test.each<readonly [form: SchemaForm, parameters: Json]>([
    [openaiSchemas, { type: 'object', properties: day }],
    [openaiSchemas, { $ref: '#/$defs/P' }],
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
})
