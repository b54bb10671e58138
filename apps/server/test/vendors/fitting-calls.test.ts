import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../app.ts'
import type { Received, Script } from '../fake-upstream.ts'
import { doubles } from './doubles/all.ts'
import { openaiDouble } from './doubles/openai.ts'
import { responsesDouble } from './doubles/responses.ts'
import { type Call, callsIn, resultsIn } from './upstream-calls.ts'
import { pieces, type VendorDouble } from './vendor-double.ts'

// Names of tools and ids of calls reach every vendor in a form that it takes, whatever the client and the vendor of earlier turns wrote; the client gets
// its own names back.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const long = 'mcp__plugin_harbour-office-archive_tide-tables-and-berths-server__list_tides_of_the_week'
const alike = 'mcp__plugin_harbour-office-archive_tide-tables-and-berths-server__book_a_berth_of_the_week'
const dotted = 'berths.free:today'
const names = [long, alike, dotted, '7th_tide'] as const

/** Three rounds: the ids of the first two are equal, that of the last one is too long. */
const ids = ['functions.berths.free:0', 'functions.berths.free:0', `call_${'x'.repeat(80)}`] as const
const rounds = ids.map((id, index) => ({ id, name: names[index] ?? long, result: `result ${index}` }))

const parameters = { type: 'object', properties: { day: { type: 'string' } } }

interface Client {
  readonly path: (model: string, isStream: boolean) => string
  readonly body: (model: string, isStream: boolean) => object
}

const clients: Readonly<Record<string, Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (model, isStream) => ({
      ...{ model, stream: isStream, max_tokens: 100 },
      tools: names.map((name) => ({ type: 'function', function: { name, parameters } })),
      messages: [
        { role: 'user', content: 'Tides?' },
        ...rounds.flatMap(({ id, name, result }) => [
          { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name, arguments: '{"day":"1"}' } }] },
          { role: 'tool', tool_call_id: id, content: result },
        ]),
      ],
    }),
  },
  responses: {
    path: () => '/v1/responses',
    body: (model, isStream) => ({
      ...{ model, stream: isStream, max_output_tokens: 100, store: false },
      tools: names.map((name) => ({ type: 'function', name, parameters, strict: false })),
      input: [
        { role: 'user', content: 'Tides?' },
        ...rounds.flatMap(({ id, name, result }) => [
          { type: 'function_call', call_id: id, name, arguments: '{"day":"1"}' },
          { type: 'function_call_output', call_id: id, output: result },
        ]),
      ],
    }),
  },
  messages: {
    path: () => '/v1/messages',
    body: (model, isStream) => ({
      ...{ model, stream: isStream, max_tokens: 100 },
      tools: names.map((name) => ({ name, input_schema: parameters })),
      messages: [
        { role: 'user', content: 'Tides?' },
        ...rounds.flatMap(({ id, name, result }) => [
          { role: 'assistant', content: [{ type: 'tool_use', id, name, input: { day: '1' } }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
        ]),
      ],
    }),
  },
  generateContent: {
    path: (model, isStream) => `/v1beta/models/${model}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => ({
      generationConfig: { maxOutputTokens: 100 },
      tools: [{ functionDeclarations: names.map((name) => ({ name, parametersJsonSchema: parameters })) }],
      contents: [
        { role: 'user', parts: [{ text: 'Tides?' }] },
        ...rounds.flatMap(({ id, name, result }) => [
          { role: 'model', parts: [{ functionCall: { id, name, args: { day: '1' } } }] },
          { role: 'user', parts: [{ functionResponse: { id, name, response: { result } } }] },
        ]),
      ],
    }),
  },
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

const usage = { prompt: 100, completion: 20 }
/** The first tool in the vendor's request is called. */
function summaryOf(double: VendorDouble, request: Received, isStream: boolean): Script {
  const [name = ''] = double.read(request).tools
  const response = { tools: [{ name, input: { day: '2' } }], finish: 'tool_calls', usage } as const
  if (!isStream) return double.whole(response)
  const { contentType, frames } = double.stream(response)
  return pieces(contentType, frames)
}

/** In their own protocols, clients know what names there are. */
const isNative = (client: string, { type, model, name }: VendorDouble): boolean =>
  (client === 'responses' && name === responsesDouble.name) ||
  (client === 'messages' && (type === 14 || model.startsWith('claude'))) ||
  (client === 'generateContent' && (type === 24 || model.startsWith('gemini')))

/** Over a WebSocket, a double responds before it has read the request. */
const withTools = doubles.filter(({ lacks = [], type }) => !lacks.includes('tools') && type !== 18)

/** OpenAI's own models are called through the Responses API, which has a double of its own. */
const doublesFor = (client: string): readonly VendorDouble[] =>
  withTools.filter((double) => !isNative(client, double) && !(client === 'responses' && double === openaiDouble))

interface Exchange {
  readonly body: string
  readonly responseText: string
}

async function exchange(double: VendorDouble, client: Client, isStream: boolean): Promise<Exchange> {
  const key = await tokenAt(double)
  app.upstream.always((request) => double.grant?.(request) ?? summaryOf(double, request, isStream))
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const response = await app.request(client.path(double.model, isStream), {
    ...{ method: 'POST', headers, body: JSON.stringify(client.body(double.model, isStream)) },
  })
  const responseText = await response.text()
  expect([response.status, response.status === 200 ? '' : responseText]).toEqual([200, ''])
  return { body: app.upstream.received.findLast((request) => double.grant?.(request) == null)?.body ?? '', responseText }
}

const accepted = /^[a-zA-Z0-9_-]{1,64}$/

/** Vendors that refuse other ids, and equal ones. */
const isStrict = ({ type, model }: VendorDouble): boolean => type === 14 || type === 33 || model.startsWith('claude')

describe.each(Object.entries(clients))('%s', (client, form) => {
  describe.each(doublesFor(client).map((double) => [double.name, double] as const))('at %s', (_name, double) => {
    const isStreamed = !(double.lacks ?? []).includes('stream')
    test.each(isStreamed ? [false, true] : [false])('a stream: %p', async (isStream) => {
      const { body, responseText } = await exchange(double, form, isStream)
      const upstreamBody: unknown = JSON.parse(body)
      const toolNames = double.read({ ...app.upstream.received.at(-1), body } as Received).tools
      expect(toolNames.filter((name) => !accepted.test(name))).toEqual([])
      expect(new Set(toolNames).size).toBe(names.length)
      const calls = callsIn(upstreamBody)
      expect(calls.filter(({ name }) => !toolNames.includes(name))).toEqual([])
      const strange = calls.filter(({ id }: Call) => id !== undefined && !(isStrict(double) ? accepted.test(id) : /^.{1,64}$/.test(id)))
      expect(strange).toEqual([])
      if (isStrict(double)) expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
      // Each result has the id of its call.
      const results = resultsIn(upstreamBody)
      if (results.length > 0 && !results.includes(undefined)) expect(results).toEqual(calls.map(({ id }) => id))
      expect(responseText).toContain(JSON.stringify(long))
      expect(responseText).not.toContain(JSON.stringify(toolNames[0]))
    })
  })
})

test('the same conversation becomes the same bytes, and a later turn begins with them', async () => {
  const [chat] = Object.values(clients)
  if (chat === undefined) throw new Error('there are no clients')
  const first = await exchange(openaiDouble, chat, false)
  const longer: Client = {
    ...chat,
    body(model, isStream) {
      // Holds: the body of the table above.
      const body = chat.body(model, isStream) as { readonly messages: readonly object[] }
      return { ...body, messages: [...body.messages, { role: 'user', content: 'And next week?' }] }
    },
  }
  const [again, next] = [await exchange(openaiDouble, chat, false), await exchange(openaiDouble, longer, false)]
  expect(again.body).toBe(first.body)
  const turnsOf = (body: string): readonly unknown[] => (JSON.parse(body) as { readonly messages: readonly unknown[] }).messages
  expect(turnsOf(next.body).slice(0, -1)).toEqual([...turnsOf(first.body)])
})
