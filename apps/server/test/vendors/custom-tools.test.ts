import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../app.ts'
import type { Script } from '../fake-upstream.ts'
import { anthropicDouble } from './doubles/anthropic.ts'
import { bedrockDouble } from './doubles/bedrock.ts'
import { cohereDouble } from './doubles/cohere.ts'
import { mistralDouble } from './doubles/compatible.ts'
import { geminiDouble } from './doubles/gemini.ts'
import { ollamaDouble } from './doubles/ollama.ts'
import { openaiDouble } from './doubles/openai.ts'
import { pieces, type VendorDouble } from './vendor-double.ts'

// Custom tools, whose input is free text, and groups of tools at vendors that know only functions.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

interface Called {
  readonly name: string
  readonly input: object
}

interface ExchangeOptions {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly call?: Called
}

interface Exchange {
  readonly upstreamBody: string
  readonly tools: readonly string[]
  readonly responseText: string
}

async function exchange(double: VendorDouble, { path, body, call }: ExchangeOptions): Promise<Exchange> {
  const { type, model, key, config, other } = double
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({
    ...{ groups, type, models: model, key: key.replaceAll('{upstream}', app.upstream.url) },
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  const token = (await app.make.token(await app.make.user({ groups, quota: 100_000_000 }))).key
  app.upstream.always((request): Script => {
    const usage = { prompt: 100, completion: 20 }
    const response = call === undefined ? ({ text: 'Done', usage } as const) : ({ tools: [call], finish: 'tool_calls', usage } as const)
    if (!double.read(request).stream) return double.whole(response)
    const { contentType, frames } = double.stream(response)
    return pieces(contentType, frames)
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify({ model, ...body }) })
  const responseText = await response.text()
  expect([response.status, response.status === 200 ? '' : responseText]).toEqual([200, ''])
  const request = app.upstream.received.at(-1)
  return { upstreamBody: request?.body ?? '', tools: request === undefined ? [] : double.read(request).tools, responseText }
}

const parameters = { type: 'object', properties: { a: { type: 'string' } } }
const history = {
  tools: [{ type: 'function', function: { name: 'look', parameters } }],
  messages: [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'run', input: 'make "all"' } }] },
    { role: 'tool', tool_call_id: 'call_1', content: 'done' },
  ],
}

test.each([anthropicDouble, geminiDouble, ollamaDouble, cohereDouble, bedrockDouble].map((double) => [double.name, double] as const))(
  'a call of a custom tool in a chat before has its name and its input at %s',
  async (_name, double) => {
    const { upstreamBody } = await exchange(double, { path: '/v1/chat/completions', body: history })
    expect(upstreamBody).toContain('"name":"run"')
    expect(upstreamBody.replaceAll('\\', '')).toContain('"input":"make "all""')
  },
)

test('OpenAI gets such a call as it is', async () => {
  const { upstreamBody } = await exchange(openaiDouble, { path: '/v1/chat/completions', body: history })
  expect(JSON.parse(upstreamBody)).toMatchObject({ messages: history.messages })
})

const long = 'x'.repeat(62)
const group = (name: string, ...tools: readonly object[]): object => ({ type: 'namespace', name, description: name, tools })
const named = (name: string): object => ({ type: 'function', name, parameters, strict: false })

/** The items of a response, also of a stream. */
function outputOf(responseText: string): unknown {
  const last = responseText.trim().split('\n').at(-1) ?? ''
  const { output, response } = JSON.parse(last.startsWith('data: ') ? last.slice('data: '.length) : responseText) as {
    readonly output?: unknown
    readonly response?: { readonly output: unknown }
  }
  return response?.output ?? output
}

const cases: ReadonlyArray<readonly [what: string, tools: readonly object[], names: readonly string[], item: object]> = [
  [
    'a custom tool in a group',
    [group('grp', { type: 'custom', name: 'run', description: 'd' })],
    ['grp__run'],
    { type: 'custom_tool_call', namespace: 'grp', name: 'run', input: 'ls -la' },
  ],
  [
    'groups with one long name, the first',
    [group('alpha', named(long)), group('beta', named(long))],
    [`__${long}`, `__${'x'.repeat(60)}_2`],
    { type: 'function_call', namespace: 'alpha', name: long, arguments: '{"input":"ls -la"}' },
  ],
  [
    'groups whose names meet, the second',
    [group('beta', named('other')), group('alpha', named('b__c')), group('alpha__b', named('c'))],
    ['beta__other', 'alpha__b__c', 'alpha__b__c_2'],
    { type: 'function_call', namespace: 'alpha__b', name: 'c', arguments: '{"input":"ls -la"}' },
  ],
  [
    'a function that is named as one of a group',
    [group('grp', named('f')), named('grp__f'), named('grp__f_2')],
    ['grp__f_3', 'grp__f', 'grp__f_2'],
    { type: 'function_call', namespace: 'grp', name: 'f', arguments: '{"input":"ls -la"}' },
  ],
]

test.each(cases)('%s', async (what, tools, names, item) => {
  const at = what.endsWith('the second') ? names.length - 1 : 0
  for (const stream of [false, true]) {
    const call = { name: names[at] ?? '', input: { input: 'ls -la' } }
    const options = { path: '/v1/responses', body: { input: 'Go', store: false, stream, tools }, call }
    const { responseText, tools: toolNames } = await exchange(mistralDouble, options)
    expect([...toolNames]).toEqual([...names])
    const [first] = outputOf(responseText) as ReadonlyArray<Readonly<Record<string, unknown>>>
    expect(first).toMatchObject(item)
    const { upstreamBody: again } = await exchange(mistralDouble, {
      ...options,
      body: {
        ...{ store: false, tools, tool_choice: { type: 'function', name: names[at] } },
        input: [{ role: 'user', content: 'Go' }, first, { type: 'function_call_output', call_id: first?.['call_id'], output: 'ok' }],
      },
    })
    const { messages } = JSON.parse(again) as { readonly messages: unknown }
    expect(messages).toMatchObject([{}, { tool_calls: [{ function: { name: names[at] } }] }, { role: 'tool' }])
  }
})
