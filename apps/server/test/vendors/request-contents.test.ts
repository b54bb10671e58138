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
afterEach(async () => expect(await app.unsound()).toEqual([]))

const { tokenAt, sentFor } = createVendorPlaces(() => app)

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

type Sent = Readonly<Record<string, unknown>>
interface Turn {
  readonly role: string
  readonly calls: number
  readonly results: number
}

const listIn = (value: unknown): readonly Sent[] => (Array.isArray(value) ? value : [])
const hasAny = (part: Sent, names: readonly string[]): boolean => names.some((one) => part[one] !== undefined || part['type'] === one)

/** The turns of a request in the form of any vendor. */
function turnsOf(text: string): readonly Turn[] {
  const body: Sent = JSON.parse(text)
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
function gapIn(sent: readonly Turn[], answered: number): string | null {
  let open = 0
  let seen = 0
  for (const [at, { role, calls, results }] of sent.entries()) {
    if (open > 0 && results === 0) return `${role} at ${at}`
    seen += results
    open = Math.max(0, open + (calls > 0 ? Math.min(calls, answered - seen) : 0) - results)
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
      const [sent = ''] = await sentFor(await tokenAt({ type, upstream }), path, body(steps))
      const places = order.map((word) => sent.indexOf(word))
      expect([places.includes(-1), places]).toEqual([false, places.toSorted((one, other) => one - other)])
      const dangling = steps.filter(([kind, id]) => kind === 'call' && !steps.some(([other, of]) => other === 'result' && of === id))
      if (dangling.length === 0) expect(gapIn(turnsOf(sent), steps.filter(([kind]) => kind === 'result').length)).toBeNull()
    })
  })
})
