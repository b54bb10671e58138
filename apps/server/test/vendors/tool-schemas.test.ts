import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../app.ts'
import { anthropicDouble } from './doubles/anthropic.ts'
import { geminiDouble } from './doubles/gemini.ts'
import { openaiDouble } from './doubles/openai.ts'
import { responsesDouble } from './doubles/responses.ts'
import type { VendorDouble } from './vendor-double.ts'

// Schemas of functions that a vendor does not take at their top reach it in another form, which has all that a client's schema has.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

type Schema = Readonly<Record<string, unknown>>

interface Client {
  readonly path: (model: string) => string
  readonly body: (model: string, schema: Schema) => object
}

const clients: Readonly<Record<string, Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (model, parameters) => ({
      ...{ model, messages: [{ role: 'user', content: 'Go' }] },
      tools: [{ type: 'function', function: { name: 'act', description: 'Acts.', parameters } }],
    }),
  },
  responses: {
    path: () => '/v1/responses',
    body: (model, parameters) => ({
      ...{ model, input: 'Go', store: false },
      tools: [{ type: 'function', name: 'act', description: 'Acts.', parameters }],
    }),
  },
  messages: {
    path: () => '/v1/messages',
    body: (model, schema) => ({
      ...{ model, max_tokens: 100, messages: [{ role: 'user', content: 'Go' }] },
      tools: [{ name: 'act', description: 'Acts.', input_schema: schema }],
    }),
  },
  generateContent: {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_model, schema) => ({
      contents: [{ role: 'user', parts: [{ text: 'Go' }] }],
      tools: [{ functionDeclarations: [{ name: 'act', description: 'Acts.', parametersJsonSchema: schema }] }],
    }),
  },
}

/** Clients and vendors; Google's own clients get what they send, and OpenAI's responses are those of another double. */
const pairs = Object.keys(clients).flatMap((client) =>
  [openaiDouble, responsesDouble, anthropicDouble, geminiDouble]
    .filter((double) => !(client === 'generateContent' && double === geminiDouble))
    .filter((double) => !(double === responsesDouble && client !== 'responses') && !(double === openaiDouble && client === 'responses'))
    .map((double) => [client, double.name, double] as const),
)

interface Declared {
  readonly description: string
  readonly schema: Schema
}

/** The only function of a request in any form. */
function declaredIn(body: string): Declared {
  const [tool = {}] = (JSON.parse(body) as { readonly tools: readonly Schema[] }).tools
  const [google] = (tool['functionDeclarations'] ?? []) as readonly Schema[]
  const held = (google ?? tool['function'] ?? tool) as Schema
  const schema = held['parameters'] ?? held['input_schema'] ?? held['parametersJsonSchema']
  return { description: String(held['description']), schema: (schema ?? {}) as Schema }
}

async function readDeclared(client: string, double: VendorDouble, schema: Schema): Promise<Declared> {
  const { type, model, key, config, other } = double
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({
    ...{ groups, type, models: model, key: key.replaceAll('{upstream}', app.upstream.url) },
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  const token = (await app.make.token(await app.make.user({ groups, quota: 100_000_000 }))).key
  app.upstream.always(() => double.whole({ text: 'Done.', finish: 'stop', usage: { prompt: 100, completion: 20 } }))
  const form = clients[client]
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const response = await app.request(form?.path(model) ?? '', {
    ...{ method: 'POST', headers, body: JSON.stringify(form?.body(model, schema)) },
  })
  const responseText = await response.text()
  expect([response.status, response.status === 200 ? '' : responseText]).toEqual([200, ''])
  return declaredIn(app.upstream.received.at(-1)?.body ?? '')
}

const create = { type: 'object', properties: { action: { const: 'create' }, name: { type: 'string' } }, required: ['action', 'name'] }
const remove = { type: 'object', properties: { action: { const: 'delete' }, id: { type: 'integer' } }, required: ['action', 'id'] }
const both = {
  type: 'object',
  properties: { action: { enum: ['create', 'delete'] }, name: { type: 'string' }, id: { type: 'integer' } },
  required: ['action'],
}

const order = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const node = { type: 'object', properties: { v: { type: 'string' }, next: { $ref: '#/$defs/Node' } }, required: ['v'] }

describe.each(pairs)('%s at %s', (client, _name, double) => {
  const readsUnions = double === geminiDouble

  test('a union at the top: the model may choose any alternative', async () => {
    for (const union of ['anyOf', 'oneOf']) {
      const { schema } = await readDeclared(client, double, { [union]: [create, remove] })
      expect(schema).toEqual(readsUnions ? { [union]: [create, remove] } : both)
    }
  })

  test('alternatives that are references of references, parts or unions keep their parameters', async () => {
    const $defs = { A: { $ref: '#/$defs/B' }, B: { allOf: [{ $ref: '#/$defs/C' }, { anyOf: [create, remove] }] }, C: order }
    const { schema } = await readDeclared(client, double, { allOf: [{ $ref: '#/$defs/A' }], $defs })
    expect(schema).toEqual({ $defs, type: 'object', properties: { ...order.properties, ...both.properties }, required: ['city', 'action'] })
  })

  test('a reference at the top', async () => {
    const named = await readDeclared(client, double, { $ref: '#/definitions/Order', definitions: { Order: order } })
    expect(named.schema).toEqual({ ...order, [double === geminiDouble ? '$defs' : 'definitions']: { Order: order } })
    const recursive = await readDeclared(client, double, { $ref: '#/$defs/Node', $defs: { Node: node } })
    expect(recursive.schema).toEqual({ ...node, $defs: { Node: node } })
  })

  test('free names are kept', async () => {
    const free = { type: 'object', additionalProperties: true }
    expect((await readDeclared(client, double, free)).schema).toMatchObject(free)
    const patterned = { type: 'object', patternProperties: { '^x-': { type: 'string' } } }
    const { schema, description } = await readDeclared(client, double, patterned)
    expect(schema).toMatchObject(patterned)
    expect(description.includes('"^x-"')).toBe(double === geminiDouble)
  })

  test('what cannot be a schema at the top is put into words', async () => {
    const endless = { anyOf: [{ $ref: '#/$defs/A' }], $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } }
    const { schema, description } = await readDeclared(client, double, endless)
    if (readsUnions) expect(schema).toEqual(endless)
    else expect(description).toBe(`Acts.\n\nThe arguments are an object that fits this JSON schema: ${JSON.stringify(endless)}`)
  })
})
