import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../app.ts'
import { chats, generated, messages, responses } from '../client-streams.ts'
import { events, json, type Script } from '../fake-upstream.ts'
import { type Call, callsIn, type ReadCall } from './read-calls.ts'

// Calls of functions that servers stream in other pieces than OpenAI does: every client gets them whole.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
beforeEach(() => app.upstream.always(({ path }) => (path.endsWith('/chat/completions') ? null : json({ error: 'no such path' }, 404))))
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const of = (delta: object, finish_reason: string | null = null) => ({ ...head, choices: [{ index: 0, delta, finish_reason }] })
const piece = (index: number, args?: string, more: { readonly id?: string; readonly name?: string } = {}) => {
  const { id, name } = more
  return {
    ...{ index, ...(id === undefined ? {} : { id, type: 'function' }) },
    function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
  }
}
const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 }
const stream = (pieces: readonly object[]) =>
  events([
    of({ role: 'assistant', content: '' }),
    ...pieces.map((one) => of({ tool_calls: [one] })),
    { ...of({}, 'tool_calls'), usage },
    '[DONE]',
  ])

const x: ReadCall = { id: 'a1', name: 'get_x', input: { a: 'x' } }
const y: ReadCall = { id: 'b2', name: 'get_y', input: { a: 'y' } }
const begun = { x: piece(0, '', { id: 'a1', name: 'get_x' }), y: piece(1, '', { id: 'b2', name: 'get_y' }) }

const forms: ReadonlyArray<readonly [string, readonly object[], readonly ReadCall[]]> = [
  ['of two calls that interleave', [begun.x, begun.y, piece(0, '{"a":'), piece(1, '{"a":'), piece(0, '"x"}'), piece(1, '"y"}')], [x, y]],
  [
    'of two calls, of which the second ends first',
    [begun.x, piece(0, '{"a":'), piece(1, '{"a":"y"}', { id: 'b2', name: 'get_y' }), piece(0, '"x"}')],
    [x, y],
  ],
  ['whose name comes later', [piece(0, '', { id: 'a1' }), piece(0, undefined, { name: 'get_x' }), piece(0, '{"a":"x"}')], [x]],
  ['whose name is in pieces', [piece(0, '', { id: 'a1', name: 'get' }), piece(0, '', { name: '_x' }), piece(0, '{"a":"x"}')], [x]],
  [
    'whose name comes with the arguments, behind another call',
    [begun.x, piece(1, '', { id: 'b2' }), piece(0, '{"a":"x"}'), piece(1, '{"a":', { name: 'get_y' }), piece(1, '"y"}')],
    [x, y],
  ],
  ['with the id and the name in each', ['{"a":', '"x"}'].map((part) => piece(0, part, { id: 'a1', name: 'get_x' })), [x]],
  [
    'with an index of their own',
    [begun.x, piece(1, '{"a":'), piece(2, '"x"}'), piece(3, '', { id: 'b2', name: 'get_y' }), piece(4, '{"a":"y"}')],
    [x, y],
  ],
  [
    'with an index of their own, which the next call has, too',
    [begun.x, piece(1, '{"a":"x"}'), begun.y, piece(2, '{"a":'), piece(3, '"y"}')],
    [x, y],
  ],
]

async function keyAt(type: number, models: string) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({ groups, type, models, baseUrl: app.upstream.url })
  return (await app.make.token(await app.make.user({ groups, quota: 100_000_000 }), { isUnlimited: true })).key
}

const parameters = { type: 'object', properties: { a: { type: 'string' } } }
const names = ['get_x', 'get_y'] as const
const declared: Readonly<Record<string, object>> = {
  [chats.name]: { tools: names.map((name) => ({ type: 'function', function: { name, parameters } })) },
  [messages.name]: { tools: names.map((name) => ({ name, input_schema: parameters })) },
  [responses.name]: { tools: names.map((name) => ({ type: 'function', name, parameters })) },
  [generated.name]: { tools: [{ functionDeclarations: names.map((name) => ({ name, parameters })) }] },
}

interface ResponseRequest {
  readonly type: number
  readonly model: string
  readonly isStream: boolean
  readonly pieces: readonly object[]
  /** Of a whole response. */
  readonly script?: Script
}

async function ask(client: Call, { type, model, isStream, pieces, script = stream(pieces) }: ResponseRequest): Promise<string> {
  const { pathOf, bodyOf, name } = client
  app.upstream.script(script)
  const path = isStream ? pathOf(model) : pathOf(model).replace('streamGenerateContent?alt=sse', 'generateContent')
  const body = { ...bodyOf({ model, content: 'Hi' }), ...declared[name], ...(name === generated.name ? {} : { stream: isStream }) }
  const response = await app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${await keyAt(type, model)}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
  return text
}

/** Types of channels with a model, and whether the client wants a stream: some models can only stream. */
const cells = [
  ['in a stream', { type: 16, model: 'glm-4.6', isStream: true }],
  ['in a stream of a server of its own', { type: 8, model: 'gpt-4o-mini', isStream: true }],
  ['in a whole answer of a model that only streams', { type: 17, model: 'qwq-plus', isStream: false }],
] as const

describe.each(cells)('%s', (_cell, cell) => {
  describe.each([chats, messages, responses, generated].map((client) => [client.name, client] as const))('%s', (_name, client) => {
    test.each(forms)('get pieces %s', async (_form, pieces, expected) => {
      expect(callsIn(client, await ask(client, { ...cell, pieces }))).toEqual([...expected])
    })
  })
})

/** Arguments that are no object, and what the client gets where it gets an object. */
const odd: ReadonlyArray<readonly [string, string, object]> = [
  ['JSON that is written twice', JSON.stringify('{"a":"x"}'), { a: 'x' }],
  ['a brace too many', '{"a":"x"}}', { _raw: '{"a":"x"}}' }],
  ['a fence', '```json\n{"a":"x"}\n```', { _raw: '```json\n{"a":"x"}\n```' }],
  ['an end that is missing', '{"a":"x","b":"/etc', { _raw: '{"a":"x","b":"/etc' }],
  ['a list', '[{"a":"x"}]', { _raw: '[{"a":"x"}]' }],
  ['words of no JSON, written twice', JSON.stringify('none'), { _raw: '"none"' }],
  ['nothing', '', {}],
  ['null', 'null', {}],
]

describe.each(odd)('arguments of %s', (_form, args, expected) => {
  const call = { id: 'a1', type: 'function', function: { name: 'get_x', arguments: args } }
  const whole = {
    ...{ ...head, object: 'chat.completion', usage },
    choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }],
  }

  test('lose no words where they become an object', async () => {
    const cell = { type: 16, model: 'glm-4.6', pieces: [piece(0, args, { id: 'a1', name: 'get_x' })] }
    const request = { ...cell, isStream: false, script: json(whole) }
    expect(callsIn(messages, await ask(messages, request))).toEqual([{ ...x, input: expected }])
    expect(callsIn(generated, await ask(generated, request))).toEqual([{ ...x, input: expected }])
    expect(callsIn(generated, await ask(generated, { ...cell, isStream: true }))).toEqual([{ ...x, input: expected }])
  })
})

describe('a call without arguments', () => {
  const fn = { id: 'a1', type: 'function' }
  const wholeOf = (more: object, finish_reason = 'tool_calls') =>
    json({
      ...{ ...head, object: 'chat.completion', usage },
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, tool_calls: [{ ...fn, function: { name: 'get_x', ...more } }] },
          finish_reason,
        },
      ],
    })
  const wholes = [{}, { arguments: '' }, { arguments: null }].map((more) => [JSON.stringify(more), more] as const)
  const streams: ReadonlyArray<readonly [string, readonly object[]]> = [
    ['an empty text', [begun.x]],
    ['nothing', [piece(0, undefined, { id: 'a1', name: 'get_x' })]],
    ['null', [{ index: 0, ...fn, function: { name: 'get_x', arguments: null } }]],
    ['an empty text, and another call', [begun.x, begun.y, piece(1, '{"a":"y"}')]],
  ]
  const clients = [chats, messages, responses, generated].map((client) => [client.name, client] as const)

  describe.each([16, 8])('at type %i', (type) => {
    const cell = { type, model: type === 16 ? 'glm-4.6' : 'gpt-4o-mini', pieces: [] }

    test.each(clients)('has an empty object: %s', async (_name, client) => {
      for (const [, more] of wholes) {
        const read = callsIn(client, await ask(client, { ...cell, isStream: false, script: wholeOf(more) }))
        expect(read).toEqual([{ ...x, input: {} }])
      }
      for (const [form, pieces] of streams) {
        const [read, ...others] = callsIn(client, await ask(client, { ...cell, isStream: true, pieces }))
        // Anthropic's clients take no text for an empty object.
        expect(read).toEqual({ ...x, input: client === messages && read?.input === '' ? '' : {} })
        expect(others).toEqual(form.includes('another') ? [y] : [])
      }
    })

    test('stays without where the limit cut it', async () => {
      const script = wholeOf({ arguments: '' }, 'length')
      expect(callsIn(chats, await ask(chats, { ...cell, isStream: false, script }))).toEqual([{ ...x, input: '' }])
      const cut = events([of({ role: 'assistant', tool_calls: [begun.x] }), { ...of({}, 'length'), usage }, '[DONE]'])
      expect(callsIn(chats, await ask(chats, { ...cell, isStream: true, script: cut }))).toEqual([{ ...x, input: '' }])
      expect(callsIn(responses, await ask(responses, { ...cell, isStream: true, script: cut }))).toEqual([{ ...x, input: '' }])
    })
  })
})
