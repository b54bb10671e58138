import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type FakeUpstream, json, type Script, startFakeUpstream } from '../fake-upstream.ts'
import { type SdkClient, sdkClients } from './sdk-clients.ts'
import { pieces, type ScriptedError, type ScriptedResponse } from './vendor-double.ts'

// The doubles of the suite, read by the vendors' own clients: where one rejects or misreads a response, the double is wrong.

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(() => upstream.close())

const usage = { prompt: 100, completion: 20 }
const called = { name: 'weather', input: { city: 'Lisboa "ü" \\ 北京' } }
const other = { name: 'weather', input: { city: 'Porto' } }

const embeddings: Readonly<Record<string, Script>> = {
  '@google/genai': json({ embeddings: [{ values: [0.5, -1] }] }),
  'cohere-ai': json({
    id: 'e-1',
    embeddings: { float: [[0.5, -1]] },
    texts: ['Hi'],
    response_type: 'embeddings_by_type',
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: 7 } },
  }),
  '@mistralai/mistralai': json({
    id: 'x',
    object: 'list',
    model: 'mistral-embed',
    data: [{ object: 'embedding', embedding: [0.5, -1], index: 0 }],
    usage: { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 },
  }),
  ollama: json({ model: 'nomic-embed-text', embeddings: [[0.5, -1]], total_duration: 5_000, load_duration: 1_000, prompt_eval_count: 7 }),
}

function streamed({ double }: SdkClient, response: ScriptedResponse): Script {
  const { contentType, frames } = double.stream(response)
  return pieces(contentType, frames)
}

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => null,
    (error: unknown) => error,
  )
}

const statusIn = ([head]: Script): number => (head?.do === 'head' ? head.status : 0)

describe.each(sdkClients.map((client) => [client.name, client] as const))('%s', (_, client) => {
  const { double, ask } = client
  const responses: ReadonlyArray<readonly [string, ScriptedResponse]> = [
    ['text', { text: 'Grüße, 世界 🙂', usage }],
    ['reasoning and text', { reasoning: 'Think about it.', text: 'Done.', usage }],
    ['a call of a tool', { text: 'Let me see.', tools: [called], finish: 'tool_calls', usage }],
    ['several calls', { tools: [called, other], finish: 'tool_calls', usage }],
  ]
  const expected = ({ text = '', reasoning = '', tools = [] }: ScriptedResponse) => ({ text, reasoning, calls: tools, ...usage })

  test.each(responses)('reads %s in a whole response of the double', async (_what, response) => {
    if (ask === undefined) return
    upstream.script(double.whole(response))
    expect(await ask(upstream.url)).toEqual(expected(response))
  })

  test.each(responses)('reads %s in a stream of the double', async (_what, response) => {
    upstream.script(streamed(client, response))
    expect(await client.stream(upstream.url)).toEqual(expected(response))
  })

  const errors: readonly ScriptedError[] = ['bad_key', 'rate_limited', 'unavailable', 'model_not_found', 'bad_request', 'context_length']
  test.each(errors)('reads the double’s error %s', async (what) => {
    const script = double.error(what)
    if (script === null) return
    upstream.script(script)
    const error = await thrownBy(client.stream(upstream.url))
    expect(client.statusOf(error)).toBe(statusIn(script))
  })

  test('sends what the double reads', async () => {
    upstream.script(streamed(client, { text: 'Hello', usage }))
    await client.stream(upstream.url)
    const request = upstream.received.at(-1)
    expect(request && double.read(request)).toMatchObject({ text: 'Hi' })
    if (client.sendsKey === true) expect(request && double.isAuthorized(request)).toBe(true)
  })

  test('reads an embedding', async () => {
    const script = embeddings[client.name]
    if (client.embed === undefined || script === undefined) return
    upstream.script(script)
    expect(await client.embed(upstream.url)).toEqual([0.5, -1])
  })
})
