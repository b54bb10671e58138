import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../app.ts'
import type { Script } from '../fake-upstream.ts'
import { anthropicDouble } from './doubles/anthropic.ts'
import { openaiDouble } from './doubles/openai.ts'
import { pieces, type VendorDouble } from './vendor-double.ts'

// Schemas of responses reach a vendor in a form in which a response can fit them, and a response that fits is not refused.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

type Schema = Readonly<Record<string, unknown>>

interface Client {
  readonly path: (model: string, isStream: boolean) => string
  readonly body: (model: string, schema: Schema, isStream: boolean) => object
}

const chat: Client = {
  path: () => '/v1/chat/completions',
  body: (model, schema, stream) => ({
    ...{ model, stream, messages: [{ role: 'user', content: 'Go' }] },
    response_format: { type: 'json_schema', json_schema: { name: 'n', strict: true, schema } },
  }),
}
const messages: Client = {
  path: () => '/v1/messages',
  body: (model, schema, stream) => ({
    ...{ model, stream, max_tokens: 100, messages: [{ role: 'user', content: 'Go' }] },
    ...{ output_config: { format: { type: 'json_schema', schema } }, tools: [{ name: 'act', strict: true, input_schema: schema }] },
  }),
}

/** OpenAI's and Google's clients; Anthropic's own sends its schema as it is. */
const clients: Readonly<Record<string, Client>> = {
  chat,
  responses: {
    path: () => '/v1/responses',
    body: (model, schema, stream) => ({
      ...{ model, stream, input: 'Go', store: false, text: { format: { type: 'json_schema', name: 'n', strict: true, schema } } },
    }),
  },
  generateContent: {
    path: (model, isStream) => `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: (_model, schema) => ({
      contents: [{ role: 'user', parts: [{ text: 'Go' }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema },
    }),
  },
}

interface ExchangeOptions {
  readonly schema: Schema
  readonly text?: string
  readonly isStream?: boolean
}

interface Exchange {
  readonly status: number
  readonly responseText: string
  readonly body: Schema
}

async function tokenAt({ type, model, key, config, other }: VendorDouble): Promise<string> {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({
    ...{ groups, type, models: model, key: key.replaceAll('{upstream}', app.upstream.url) },
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  return (await app.make.token(await app.make.user({ groups, quota: 100_000_000 }))).key
}

async function exchange(double: VendorDouble, client: Client, options: ExchangeOptions): Promise<Exchange> {
  const { schema, text = '{}', isStream = false } = options
  const key = await tokenAt(double)
  app.upstream.always((request): Script => {
    const response = { text, finish: 'stop', usage: { prompt: 100, completion: 20 } } as const
    if (!double.read(request).stream) return double.whole(response)
    const { contentType, frames } = double.stream(response)
    return pieces(contentType, frames)
  })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const response = await app.request(client.path(double.model, isStream), {
    ...{ method: 'POST', headers, body: JSON.stringify(client.body(double.model, schema, isStream)) },
  })
  const responseText = await response.text()
  // Holds: the gateway sends an object.
  return { status: response.status, responseText, body: JSON.parse(app.upstream.received.at(-1)?.body ?? '{}') as Schema }
}

const free: ReadonlyArray<readonly [what: string, schema: Schema, fits: string, unfit: string]> = [
  ['names with a schema', { type: 'object', additionalProperties: { type: 'string' } }, '{"de":"Haus"}', '{"de":1}'],
  [
    'an object of any members within another',
    { type: 'object', properties: { meta: { type: 'object' } }, required: ['meta'], additionalProperties: false },
    '{"meta":{"a":1}}',
    '{"meta":1}',
  ],
  [
    'names by a pattern',
    { type: 'object', patternProperties: { '^x_': { type: 'string' } }, additionalProperties: false },
    '{"x_a":"1"}',
    '{"x_a":1}',
  ],
  [
    'a list of places',
    { type: 'object', properties: { p: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false } } },
    '{"p":[1,2]}',
    '{"p":[1,2,3]}',
  ],
]

describe.each(Object.entries(clients))('%s at Claude', (_client, form) => {
  test.each(free)('%s are put into words, and the response is checked', async (_what, schema, fits, unfit) => {
    for (const isStream of [false, true]) {
      const good = await exchange(anthropicDouble, form, { schema, text: fits, isStream })
      expect([good.status, good.body['output_config'], good.body['stream'] ?? false]).toEqual([200, undefined, false])
      expect(JSON.stringify(good.body['system'])).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1))
      expect(good.responseText).toContain(JSON.stringify(fits).slice(1, -1))
      const bad = await exchange(anthropicDouble, form, { schema, text: unfit, isStream })
      expect([bad.status, bad.responseText.includes('does not match the schema')]).toEqual([502, true])
    }
  })

  test('limits stand in the descriptions, and streams stay streams', async () => {
    const score = { type: 'integer', minimum: 1, maximum: 5, description: 'Stars' }
    const schema = { type: 'object', properties: { score, tags: { type: 'array', minItems: 1, maxItems: 3 } }, required: ['score'] }
    const { status, body } = await exchange(anthropicDouble, form, { schema, text: '{"score":4}', isStream: true })
    expect([status, body['stream'], body['system']]).toEqual([200, true, undefined])
    expect(body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          ...{ type: 'object', required: ['score'], additionalProperties: false },
          properties: {
            score: { type: 'integer', description: 'Stars (minimum: 1, maximum: 5)' },
            tags: { type: 'array', minItems: 1, description: '(maxItems: 3)' },
          },
        },
      },
    })
  })
})

test.each(free)('strict functions at Claude with %s keep their schema, and are not strict', async (_what, schema) => {
  const form: Client = {
    ...chat,
    body: (model) => ({
      ...{ model, messages: [{ role: 'user', content: 'Go' }] },
      tools: [{ type: 'function', function: { name: 'act', strict: true, parameters: schema } }],
    }),
  }
  const { body } = await exchange(anthropicDouble, form, { schema })
  expect(body['tools']).toEqual([{ name: 'act', input_schema: schema }])
})

test('schemas of Anthropic’s clients are strict at OpenAI only if it takes them so', async () => {
  const properties = { x: { type: 'string' }, y: { type: 'integer' } }
  for (const required of [['x', 'y'], ['x']]) {
    const schema = { type: 'object', properties, required, additionalProperties: false }
    const { body } = await exchange(openaiDouble, messages, { schema, text: '{"x":"1"}' })
    const strict = required.length === 2
    expect(body['response_format']).toEqual({ type: 'json_schema', json_schema: { name: 'answer', schema, strict } })
    expect(body['tools']).toEqual([{ type: 'function', function: { name: 'act', parameters: schema, ...(strict ? { strict } : {}) } }])
  }
})
