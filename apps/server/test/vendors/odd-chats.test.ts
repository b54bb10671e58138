import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../app.ts'
import { type ClientStream, chats, generated, messages, responses } from '../client-streams.ts'
import { events, json, type Script } from '../fake-upstream.ts'

// Chats of servers in other forms than OpenAI's: every client reads them in its own.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
beforeEach(() =>
  app.upstream.always(({ path }) => (/chat\/completions$|\/deployments\//.test(path) ? null : json({ error: 'no such path' }, 404))),
)
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const model = 'gpt-4o-mini'
const clients: readonly ClientStream[] = [chats, messages, responses, generated]
const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model }
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const chunk = (choice: object, rest: object = {}) => ({ ...head, choices: [{ index: 0, ...choice }], ...rest })
const tools = [{ type: 'function', function: { name: 'read_note', parameters: { type: 'object', properties: { a: { type: 'string' } } } } }]
const note = { name: 'read_note', arguments: '{"a":"number one"}' }

async function keyAt(type: number) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  await app.make.channel({ groups, type, models: model, baseUrl: app.upstream.url })
  return (await app.make.token(await app.make.user({ groups, quota: 100_000_000 }), { isUnlimited: true })).key
}

interface ChatRequest {
  readonly type: number
  readonly script: Script
  readonly isStream: boolean
  readonly more?: object
}

async function ask(client: ClientStream, { type, script, isStream, more = {} }: ChatRequest): Promise<string> {
  app.upstream.script(script)
  const path = isStream ? client.pathOf(model) : client.pathOf(model).replace('streamGenerateContent?alt=sse', 'generateContent')
  const body = { ...client.bodyOf({ model, content: 'Hi' }), ...(client === generated ? {} : { stream: isStream }), ...more }
  const headers = { authorization: `Bearer ${await keyAt(type)}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
  return text
}

const end = [chunk({ delta: {}, finish_reason: 'stop' }), { ...head, choices: [], usage }, '[DONE]']
const streams: ReadonlyArray<readonly [string, readonly unknown[]]> = [
  [
    'a message in the place of a delta',
    [chunk({ message: { role: 'assistant', content: 'It is done.' }, finish_reason: 'stop' }), ...end.slice(1)],
  ],
  ['messages in the place of deltas', [chunk({ message: { content: 'It is ' } }), chunk({ message: { content: 'done.' } }), ...end]],
  ['the text of a completion', [chunk({ text: 'It is ' }), chunk({ text: 'done.' }), ...end]],
]
const wholes: ReadonlyArray<readonly [string, object]> = [
  ['a delta in the place of a message', { delta: { role: 'assistant', content: 'It is done.' }, finish_reason: 'stop' }],
  ['the text of a completion', { text: 'It is done.', finish_reason: 'stop' }],
]
const calls: ReadonlyArray<readonly [string, boolean, Script]> = [
  [
    ...(['in a stream', true] as const),
    events([
      chunk({ delta: { role: 'assistant', content: null, function_call: { name: 'read_note', arguments: '' } } }),
      ...['{"a":"num', 'ber one"}'].map((part) => chunk({ delta: { function_call: { arguments: part } } })),
      chunk({ delta: {}, finish_reason: 'function_call' }),
      ...end.slice(1),
    ]),
  ],
  [
    ...(['in a whole answer', false] as const),
    json({ ...chunk({ message: { role: 'assistant', content: null, function_call: note }, finish_reason: 'function_call' }), usage }),
  ],
]
const declared: Readonly<Record<string, object>> = {
  [chats.name]: { tools },
  [messages.name]: { tools: [{ name: 'read_note', input_schema: { type: 'object' } }] },
  [responses.name]: { tools: [{ type: 'function', name: 'read_note', parameters: { type: 'object' } }] },
  [generated.name]: { tools: [{ functionDeclarations: [{ name: 'read_note' }] }] },
}

describe.each([8, 36])('at type %i', (type) => {
  describe.each(clients.map((client) => [client.name, client] as const))('%s', (_name, client) => {
    test.each(streams)('a stream with %s', async (_form, data) => {
      const text = await ask(client, { type, script: events(data), isStream: true })
      expect(client.read(text)).toEqual({ text: 'It is done.', errors: [], isEnded: true })
    })

    test.each(wholes)('a whole response with %s', async (_form, choice) => {
      const text = await ask(client, { type, script: json({ ...chunk(choice), usage }), isStream: false })
      expect(text).toContain('It is done.')
    })

    test.each(calls)('a call in the form before tools, %s', async (_form, isStream, script) => {
      const text = await ask(client, { type, script, isStream, more: declared[client.name] ?? {} })
      const parts = [...text.matchAll(/"(?:arguments|partial_json|delta)":"((?:[^"\\]|\\.)*)"/g)].map(([, part]) => part)
      expect(`${text}${parts.join('')}`.replaceAll(/\\|\s/g, '')).toContain('{"a":"numberone"}')
      expect(text).toContain('"read_note"')
      expect(text).not.toContain('function_call"}')
      expect(text).not.toMatch(/"function_call":\{|"finish_reason":"function_call"/)
    })
  })

  test.each(calls)('a client of the form before tools gets it as it came, %s', async (_form, isStream, script) => {
    const functions = tools.map((tool) => tool.function)
    const text = await ask(chats, { type, script, isStream, more: { functions } })
    expect(text).toContain('"finish_reason":"function_call"')
    expect(text).toContain('"function_call":{"name":"read_note"')
    expect(text).not.toContain('tool_calls')
  })
})

describe.each([3, 8])('chunks that strict clients refuse, at type %i', (type) => {
  const filtered = {
    ...chunk({ finish_reason: null, content_filter_results: { hate: { filtered: false } } }),
    id: '',
    object: '',
    model: '',
  }
  const words = [
    chunk({ delta: { role: 'assistant', content: 'a' } }),
    filtered,
    chunk({ delta: { content: 'b' } }),
    filtered,
    ...end.slice(0, 1),
  ]
  const uses: ReadonlyArray<readonly [string, object]> = [
    ['null', { choices: null }],
    ['missing', {}],
    ['empty', { choices: [] }],
  ]

  test.each(uses)('each has choices, and each choice a delta; those of the usage are %s', async (_form, choices) => {
    for (const includesUsage of [true, false]) {
      const script = events([...words, { ...head, ...choices, usage }, filtered, '[DONE]'])
      const text = await ask(chats, {
        type,
        script,
        isStream: true,
        more: includesUsage ? { stream_options: { include_usage: true } } : {},
      })
      const lines = text.split('\n').filter((line) => line.startsWith('data: {'))
      // Holds: every event is a chunk.
      const chunks = lines.map((line) => JSON.parse(line.slice('data: '.length)) as { choices: { delta: object }[]; usage?: object })
      for (const { choices: list } of chunks) for (const { delta } of list) expect(delta).toBeObject()
      expect(chunks.flatMap((one) => (one.usage == null ? [] : [one.choices]))).toEqual(includesUsage ? [[]] : [])
      expect(text).toContain('"content_filter_results"')
      expect(chats.read(text)).toEqual({ text: 'ab', errors: [], isEnded: true })
    }
  })
})
