import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../app.ts'
import { createVendorPlaces, model, places } from './vendor-places.ts'

// What the messages of clients contain arrives at every vendor, in an order and a form that it takes.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const { tokenAt, sentFor: upstreamBodiesFor, refusalOf } = createVendorPlaces(() => app)

const parameters = { type: 'object', properties: { a: { type: 'string' } } }
const name = 'get_x'

/** Who says what in a turn: `call` and `result` name the call, others are texts. */
type Step = readonly ['call' | 'result' | 'text' | 'user', string]

const items = (steps: readonly Step[]) =>
  steps.map(([kind, text]) => {
    if (kind === 'call') return { type: 'function_call', call_id: text, name, arguments: JSON.stringify({ a: text }) }
    if (kind === 'result') return { type: 'function_call_output', call_id: text, output: `R-${text}` }
    return { role: kind === 'user' ? 'user' : 'assistant', content: text }
  })

const messages = (steps: readonly Step[]) =>
  steps.map(([kind, text]) => {
    if (kind === 'call') return { role: 'assistant', content: [{ type: 'tool_use', id: text, name, input: { a: text } }] }
    if (kind === 'result') return { role: 'user', content: [{ type: 'tool_result', tool_use_id: text, content: `R-${text}` }] }
    return { role: kind === 'user' ? 'user' : 'assistant', content: text }
  })

const contents = (steps: readonly Step[]) =>
  steps.map(([kind, text]) => {
    if (kind === 'call') return { role: 'model', parts: [{ functionCall: { id: text, name, args: { a: text } } }] }
    if (kind === 'result') return { role: 'user', parts: [{ functionResponse: { id: text, name, response: { output: `R-${text}` } } }] }
    return { role: kind === 'user' ? 'user' : 'model', parts: [{ text }] }
  })

const clients: Readonly<Record<string, { readonly path: string; readonly body: (steps: readonly Step[]) => object }>> = {
  responses: {
    path: '/v1/responses',
    body: (steps) => ({ model, store: false, input: items(steps), tools: [{ type: 'function', name, parameters }] }),
  },
  messages: {
    path: '/v1/messages',
    body: (steps) => ({ model, max_tokens: 100, messages: messages(steps), tools: [{ name, input_schema: parameters }] }),
  },
  generateContent: {
    path: `/v1beta/models/${model}:generateContent`,
    body: (steps) => ({ contents: contents(steps), tools: [{ functionDeclarations: [{ name, parametersJsonSchema: parameters }] }] }),
  },
}

/** The order of a turn whose calls and results have gaps between them, and what must stand in the request in this order. */
const turns: ReadonlyArray<readonly [string, readonly Step[], readonly string[]]> = [
  [
    'text between calls',
    [
      ['user', 'U1'],
      ['call', 'c1'],
      ['text', 'T1'],
      ['call', 'c2'],
      ['result', 'c1'],
      ['result', 'c2'],
      ['text', 'T2'],
      ['user', 'U2'],
    ],
    ['U1', 'T1', 'R-c1', 'R-c2', 'T2', 'U2'],
  ],
  [
    'text after a call',
    [
      ['user', 'U1'],
      ['text', 'T0'],
      ['call', 'c1'],
      ['text', 'T1'],
      ['result', 'c1'],
      ['user', 'U2'],
    ],
    ['U1', 'T0', 'T1', 'R-c1', 'U2'],
  ],
  [
    'text between results',
    [
      ['user', 'U1'],
      ['call', 'c1'],
      ['call', 'c2'],
      ['result', 'c1'],
      ['text', 'T1'],
      ['result', 'c2'],
      ['user', 'U2'],
    ],
    ['U1', 'T1', 'R-c1', 'R-c2', 'U2'],
  ],
  [
    'words of the user before a result',
    [
      ['user', 'U1'],
      ['call', 'c1'],
      ['user', 'U2'],
      ['result', 'c1'],
      ['text', 'T1'],
      ['user', 'U3'],
    ],
    ['U1', 'R-c1', 'U2', 'T1', 'U3'],
  ],
  [
    'a call that was never answered',
    [
      ['user', 'U1'],
      ['call', 'c0'],
      ['user', 'U2'],
      ['call', 'c1'],
      ['result', 'c1'],
      ['text', 'T1'],
      ['user', 'U3'],
    ],
    ['U1', 'U2', 'R-c1', 'T1', 'U3'],
  ],
]

type JsonMembers = Readonly<Record<string, unknown>>
interface Turn {
  readonly role: string
  readonly calls: number
  readonly results: number
}

const listIn = (value: unknown): readonly JsonMembers[] => (Array.isArray(value) ? value : [])
const hasAny = (part: JsonMembers, names: readonly string[]): boolean =>
  names.some((one) => part[one] !== undefined || part['type'] === one)

/** The turns of a request in the form of any vendor. */
function turnsOf(text: string): readonly Turn[] {
  const body: JsonMembers = JSON.parse(text)
  return [...listIn(body['messages']), ...listIn(body['contents'])].map((message) => {
    const parts = [...listIn(message['content']), ...listIn(message['parts'])]
    return {
      role: String(message['role']),
      calls: listIn(message['tool_calls']).length + parts.filter((part) => hasAny(part, ['tool_use', 'toolUse', 'functionCall'])).length,
      results:
        (message['role'] === 'tool' ? 1 : 0) +
        parts.filter((part) => hasAny(part, ['tool_result', 'toolResult', 'functionResponse'])).length,
    }
  })
}

/** What a vendor would refuse: a message between calls and their results. */
function gapIn(turns: readonly Turn[], responded: number): string | null {
  let open = 0
  let seen = 0
  for (const [at, { role, calls, results }] of turns.entries()) {
    if (open > 0 && results === 0) return `${role} at ${at}`
    seen += results
    open = Math.max(0, open + (calls > 0 ? Math.min(calls, responded - seen) : 0) - results)
  }
  return null
}

describe.each(Object.entries(clients))('%s', (_client, { path, body }) => {
  const translated = places.filter(([, upstream]) => {
    if (path === '/v1/messages') return !upstream.startsWith('claude')
    return path.startsWith('/v1/') ? true : !upstream.startsWith('gemini')
  })

  describe.each(turns)('%s', (_turn, steps, order) => {
    test.each(translated)('lets results follow their calls at %p: %s', async (type, upstream) => {
      const [upstreamBody = ''] = await upstreamBodiesFor(await tokenAt({ type, upstream }), path, body(steps))
      const places = order.map((word) => upstreamBody.indexOf(word))
      expect([places.includes(-1), places]).toEqual([false, places.toSorted((one, other) => one - other)])
      const dangling = steps.filter(([kind, id]) => kind === 'call' && !steps.some(([other, of]) => other === 'result' && of === id))
      if (dangling.length === 0) expect(gapIn(turnsOf(upstreamBody), steps.filter(([kind]) => kind === 'result').length)).toBeNull()
    })
  })
})

const question = [{ role: 'user', content: 'Hi' }]
const ask = {
  chat: (more: object) => ({ path: '/v1/chat/completions', body: { model, messages: question, ...more } }),
  messages: (more: object) => ({ path: '/v1/messages', body: { model, max_tokens: 100, messages: question, ...more } }),
  responses: (more: object) => ({ path: '/v1/responses', body: { model, store: false, input: 'Hi', ...more } }),
  generateContent: (more: object) => ({
    path: `/v1beta/models/${model}:generateContent`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...more },
  }),
}

const chatPlaces = places.filter(([, upstream]) => !upstream.startsWith('claude'))
/** Places with a form of their own. */
const otherForms = places.filter(([type]) => [14, 24, 30, 33, 35, 42].includes(type))

test.each(chatPlaces)('a tool that failed is reported as failed, with what it said in several parts, at %p: %s', async (type, upstream) => {
  const key = await tokenAt({ type, upstream })
  const text = (output: string) => ({ type: 'text', text: output })
  for (const content of [
    [text('DISK'), text('FULL')],
    [text('DISK'), text('FULL'), text('error 5')],
    ['DISK', 'FULL'],
  ]) {
    const { path, body } = ask.messages({
      tools: [{ name, input_schema: parameters }],
      messages: [
        ...question,
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name, input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content }] },
      ],
    })
    const [upstreamBody = ''] = await upstreamBodiesFor(key, path, body)
    expect(upstreamBody).toMatch(/Error: DISK.*FULL/)
  }
})

describe('texts in the place of parts arrive', () => {
  test.each(chatPlaces)('of messages at %p: %s', async (type, upstream) => {
    const { path, body } = ask.messages({
      system: ['SYSTEM', 'MORE'],
      messages: [{ role: 'user', content: ['ONE', { type: 'text', text: 'TWO' }] }],
    })
    const [upstreamBody = ''] = await upstreamBodiesFor(await tokenAt({ type, upstream }), path, body)
    for (const word of ['SYSTEM', 'MORE', 'ONE', 'TWO']) expect(upstreamBody).toContain(word)
  })

  test.each(otherForms)('of chats at %p: %s', async (type, upstream) => {
    const { path, body } = ask.chat({ messages: [{ role: 'user', content: ['ONE', 'TWO'] }] })
    const [upstreamBody = ''] = await upstreamBodiesFor(await tokenAt({ type, upstream }), path, body)
    expect(upstreamBody).toMatch(/ONE.*TWO/)
  })

  test.each(places)('of responses at %p: %s, with results that are values and instructions that are items', async (type, upstream) => {
    const { path, body } = ask.responses({
      instructions: [{ role: 'developer', content: 'SYSTEM' }, 'MORE'],
      input: [
        { role: 'user', content: ['ONE', { type: 'input_text', text: 'TWO' }] },
        { type: 'function_call', call_id: 'c1', name, arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: { temperature: 21 } },
      ],
      tools: [{ type: 'function', name, parameters }],
    })
    const [upstreamBody = ''] = await upstreamBodiesFor(await tokenAt({ type, upstream }), path, body)
    for (const word of ['SYSTEM', 'MORE', 'ONE', 'TWO']) expect(upstreamBody).toContain(word)
    expect(upstreamBody).toMatch(/temperature[\\":]+21/)
  })

  test('images and documents of a chat in Claude’s form arrive at Gemini', async () => {
    const { path, body } = ask.chat({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'CONTRACT' } },
          ],
        },
      ],
    })
    const [upstreamBody = ''] = await upstreamBodiesFor(await tokenAt({ type: 24, upstream: 'gemini-3.8-flash' }), path, body)
    expect(upstreamBody).toContain('"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}')
    expect(upstreamBody).toContain('CONTRACT')
  })
})

describe('a request is refused by the name of', () => {
  const part = { type: 'text', text: 'Hi' }
  const cited = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'DOC' }, citations: { enabled: true } }
  const mp4File = { fileData: { fileUri: 'https://a.example/v.mp4', mimeType: 'video/mp4' }, videoMetadata: { startOffset: '10s' } }
  const grammar = { type: 'grammar', grammar: 'root ::= "yes"' }
  const refusals: ReadonlyArray<readonly [field: string, { path: string; body: object }]> = [
    ['system', ask.messages({ system: part })],
    ['system', ask.messages({ system: 7 })],
    ['messages[0].content', ask.messages({ messages: [{ role: 'user', content: part }] })],
    ['messages[0].content', ask.messages({ messages: [{ role: 'user', content: 7 }] })],
    ['messages[0].content', ask.messages({ messages: [{ role: 'user', content: [7] }] })],
    ['messages[0].content[0].citations', ask.messages({ messages: [{ role: 'user', content: [cited, part] }] })],
    [
      'tools[0].allowed_callers',
      ask.messages({ tools: [{ name, input_schema: parameters, allowed_callers: ['code_execution_20250825'] }] }),
    ],
    ['instructions', ask.responses({ instructions: { role: 'developer', content: 'x' } })],
    ['input[0].content', ask.responses({ input: [{ role: 'user', content: part }] })],
    ['input[0].content', ask.responses({ input: [{ role: 'user', content: 7 }] })],
    ['text.format', ask.responses({ text: { format: { type: 'grammar', syntax: 'lark', definition: 'x' } } })],
    ['contents[].parts[].videoMetadata', ask.generateContent({ contents: [{ role: 'user', parts: [mp4File, { text: 'Hi' }] }] })],
  ]

  describe.each(refusals)('%s', (field, { path, body }) => {
    const translated = places.filter(([type, upstream]) => {
      if (path === '/v1/responses') return ![1, 8, 23, 40].includes(type)
      return !upstream.startsWith(path === '/v1/messages' ? 'claude' : 'gemini')
    })
    test.each(translated)('at %p: %s', async (type, upstream) => {
      const refusal = await refusalOf(await tokenAt({ type, upstream }), path, body)
      // Where no model sees videos, these are refused.
      expect(field.includes('video') && refusal.includes('parts[] (video)') ? field : refusal).toContain(field)
    })
  })

  const ofChats: ReadonlyArray<readonly [field: string, object]> = [
    ['messages[0].content', { messages: [{ role: 'user', content: part }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: 7 }] }],
    ['modalities', { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }],
    ['response_format', { response_format: grammar }],
    ['guided_json', { guided_json: { type: 'object' } }],
  ]
  describe.each(ofChats)('%s of a chat %j', (field, more) => {
    test.each(otherForms)('at %p: %s', async (type, upstream) => {
      const { path, body } = ask.chat(more)
      expect(await refusalOf(await tokenAt({ type, upstream }), path, body)).toContain(field)
    })
  })

  test('messages[].content with a part that Gemini does not know', async () => {
    const { path, body } = ask.chat({ messages: [{ role: 'user', content: [{ type: 'hologram', x: 1 }, part] }] })
    expect(await refusalOf(await tokenAt({ type: 24, upstream: 'gemini-3.8-flash' }), path, body)).toContain('messages[].content')
  })
})

test.each(places.filter(([, upstream]) => !upstream.startsWith('gemini')))(
  'a response schema without a type implies JSON at %p: %s',
  async (type, upstream) => {
    const { path, body } = ask.generateContent({
      generationConfig: { responseSchema: { type: 'OBJECT', properties: { city: { type: 'STRING' } } } },
    })
    const response = await app.request(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenAt({ type, upstream })}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    const upstreamBody = app.upstream.received.at(-1)?.body ?? ''
    expect(response.status === 400 ? text : upstreamBody).toMatch(/city|responseMimeType/)
  },
)
