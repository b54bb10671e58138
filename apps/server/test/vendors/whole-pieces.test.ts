import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../app.ts'
import { chats, responses } from '../client-streams.ts'
import { events, type Script } from '../fake-upstream.ts'
import { clients, requestResponse, summaryOf } from './response-scene.ts'
import { responseSummary } from './response-summary.ts'

// Streams of responses whose texts and arguments come in pieces, whole, or both: every client that is translated gets each once.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const at = { type: 1, model: 'gpt-6-sol' }
const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'So be it.' }] }
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read_note', arguments: '{"a":"one"}' }
const other = { ...call, id: 'fc_2', call_id: 'call_2', name: 'write_note', arguments: '{"a":"two"}' }
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
const responseOf = (output: readonly object[]) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'gpt-6-sol', status: 'completed', output, usage },
})
const created = { type: 'response.created', response: { ...responseOf([]), status: 'in_progress', usage: null } }
const completed = { type: 'response.completed', response: responseOf([message, call, other]) }
const added = (item: object, output_index: number, empty: object) => ({
  ...{ type: 'response.output_item.added', output_index },
  item: { ...item, ...empty },
})
const done = (item: object, output_index: number) => ({ type: 'response.output_item.done', output_index, item })
const delta = (kind: string, output_index: number, text: string) => ({ type: `response.${kind}.delta`, output_index, delta: text })
const whole = (kind: string, output_index: number, rest: object) => ({ type: `response.${kind}.done`, output_index, ...rest })
const begun = [added(message, 0, { content: [] }), added(call, 1, { arguments: '' }), added(other, 2, { arguments: '' })] as const
const pieces = [
  ...[begun[0], delta('output_text', 0, 'So '), delta('output_text', 0, 'be it.')],
  ...[begun[1], delta('function_call_arguments', 1, '{"a":'), delta('function_call_arguments', 1, '"one"}')],
  ...[begun[2], delta('function_call_arguments', 2, other.arguments)],
]
const wholes = [
  whole('output_text', 0, { content_index: 0, text: 'So be it.' }),
  whole('function_call_arguments', 1, { arguments: call.arguments }),
  whole('function_call_arguments', 2, { arguments: other.arguments }),
]
const ended = [done(message, 0), done(call, 1), done(other, 2)]
const withoutOutput = { type: 'response.completed', response: responseOf([]) }

const streams: ReadonlyArray<readonly [string, readonly object[]]> = [
  ['in pieces', [...pieces, withoutOutput]],
  ['in pieces and whole in each later event', [...pieces, ...wholes, ...ended, completed]],
  ['whole at the end of each text', [...begun.flatMap((event, index) => [event, wholes[index] ?? {}]), withoutOutput]],
  ['whole at the end of each item', [...ended, withoutOutput]],
  ['whole from the beginning of each item', [added(call, 1, {}), done(call, 1), added(other, 2, {}), done(other, 2), completed]],
  ['whole at the end of the answer', [completed]],
  [
    'in pieces that the next event goes on from',
    [begun[0], delta('output_text', 0, 'So '), begun[1], delta('function_call_arguments', 1, '{"a"'), completed],
  ],
  ['in pieces without a place', [{ type: 'response.output_text.delta', delta: 'So be it.' }, ...wholes.slice(0, 1), ...ended, completed]],
  ['in pieces at another place', [delta('output_text', 3, 'So be it.'), ...ended, completed]],
]
const streamOf = (data: readonly object[]): Script => events([created, ...data])

const expected = {
  text: 'So be it.',
  calls: [
    { id: 'call_1', name: 'read_note', input: { a: 'one' } },
    { id: 'call_2', name: 'write_note', input: { a: 'two' } },
  ],
}

describe.each(clients.filter((client) => client !== responses).map((client) => [client.name, client] as const))('%s', (_name, client) => {
  describe.each(streams)('a response that comes %s', (_how, data) => {
    test.each([true, false])('is complete, as a stream: %p', async (isStream) => {
      expect(await summaryOf(app, { client, at, script: streamOf(data), isStream })).toMatchObject(expected)
    })
  })

  test('a whole text that is another than its pieces is left out', async () => {
    const data = [begun[0], delta('output_text', 0, 'So was it.'), completed]
    expect(await summaryOf(app, { client, at, script: streamOf(data), isStream: true })).toMatchObject({ ...expected, text: 'So was it.' })
  })

  test('a response that is cut at its limit has all that came', async () => {
    const response = { ...responseOf([message]), status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    const script = streamOf([{ type: 'response.incomplete', response }])
    const { text, end } = await summaryOf(app, { client, at, script, isStream: true })
    expect([text, String(end)]).toEqual(['So be it.', expect.stringMatching(/length|max_tokens|MAX_TOKENS/)])
  })
})

test.each(streams)('a client that asks for a response at the path of chats has a response that comes %s', async (_how, data) => {
  const tools = ['read_note', 'write_note'].map((name) => ({ type: 'function', name, parameters: {} }))
  const more = { messages: undefined, input: 'Hi', tools }
  const script = streamOf(data)
  const { text } = await requestResponse(app, { client: chats, at: { type: 1, model: 'gpt-4o' }, script, isStream: true, more })
  expect(responseSummary(chats, text)).toMatchObject(expected)
})

test('refusals, reasoning and inputs of custom tools that come whole are in a chat once', async () => {
  const refused = { ...message, content: [{ type: 'refusal', refusal: 'No.' }] }
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gA' }
  const open = { type: 'reasoning', id: 'rs_2', summary: [], content: [{ type: 'reasoning_text', text: 'Aha.' }] }
  const patch = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_3', name: 'patch', input: '*** Begin' }
  const tools = [{ type: 'custom', custom: { name: 'patch' } }]
  for (const output of [
    [reasoning, refused, patch],
    [open, refused, patch],
  ]) {
    const ways = [
      [{ type: 'response.completed', response: responseOf(output) }],
      [...output.map(done), withoutOutput],
      [...output.map(done), { type: 'response.completed', response: responseOf(output) }],
    ]
    for (const data of ways) {
      const request = { client: chats, at, script: streamOf(data), more: { tools } }
      const { text } = await requestResponse(app, { ...request, isStream: false })
      expect(JSON.parse(text).choices[0].message).toMatchObject({
        ...{ refusal: 'No.', reasoning_content: output[0] === open ? 'Aha.' : 'Hm.' },
        tool_calls: [{ id: 'call_3', type: 'custom', custom: { name: 'patch', input: '*** Begin' } }],
      })
      const { text: streamed } = await requestResponse(app, { ...request, script: streamOf(data), isStream: true })
      expect(streamed.match(/"(?:refusal|reasoning_content|input)":"[^"]/g)).toHaveLength(3)
    }
  }
})
