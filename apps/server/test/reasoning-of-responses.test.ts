import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { type TestApp, testApp } from './app.ts'
import { events, json, type Script } from './fake-upstream.ts'

// OpenAI's reasoning models get chats with functions as responses. Their reasoning comes back to them with the client's next turn.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

const model = 'gpt-6-sol'

async function at(...scripts: Script[]) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const { key: token } = await app.make.token(await app.make.user({ groups: group }))
  await app.make.channel({ groups: group, type: 1, models: model })
  app.upstream.script(...scripts)
  const post = async (path: string, body: object): Promise<Response> =>
    await app.request(path, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) })
  return { client: new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 }), post }
}

const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAABo' }
const called = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{"city":"Porto"}' }
const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
const responseOf = (output: readonly object[]) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1_700_000_000, model, status: 'completed', output, usage },
})
const calling = responseOf([reasoning, called])
const done = responseOf([{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Dry.' }] }])
const streamOf = (response: ReturnType<typeof responseOf>) =>
  events([
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
    ...response.output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, encrypted_content: 'gA', arguments: '' } },
      ...('arguments' in item ? [{ type: 'response.function_call_arguments.delta', output_index, delta: item.arguments }] : []),
      ...('content' in item ? [{ type: 'response.output_text.delta', output_index, delta: 'Dry.' }] : []),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response },
  ])

const question = [{ role: 'user' as const, content: 'Rain?' }]
const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const tools: OpenAI.Chat.ChatCompletionTool[] = [{ type: 'function', function: { name: 'weather', parameters } }]

/** The turns that were sent to the vendor, without what the user said. */
const itemsOf = (body: string | undefined): readonly object[] => JSON.parse(body ?? '{}').input.slice(1)
const turns = (): readonly object[] => itemsOf(app.upstream.received.at(-1)?.body)
const responded = [
  { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Porto"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'dry' },
]

type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam
const turn = (message: ChatMessage): ChatMessage[] => [...question, message, { role: 'tool', tool_call_id: 'call_1', content: 'dry' }]

describe('OpenAI’s reasoning before a call', () => {
  test('comes back with the next turn of a chat, whole', async () => {
    const { client } = await at(json(calling), json(done))
    const first = await client.chat.completions.create({ model, tools, messages: question })
    expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '')).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] })
    const { message } = first.choices[0] ?? {}
    expect(message?.tool_calls).toMatchObject([{ id: 'call_1', extra_content: { openai: { reasoning: [{ id: 'rs_1' }] } } }])
    const second = await client.chat.completions.create({ model, tools, messages: turn(message as ChatMessage) })
    expect(second.choices[0]?.message.content).toBe('Dry.')
    expect(turns()).toEqual([reasoning, ...responded])
  })

  test('and streamed', async () => {
    const { client } = await at(streamOf(calling), streamOf(done))
    const tool_calls = new Map<number, OpenAI.Chat.ChatCompletionMessageFunctionToolCall>()
    for await (const { choices } of await client.chat.completions.create({ model, tools, messages: question, stream: true })) {
      for (const { index, function: part, type: _type, custom: _custom, ...call } of choices[0]?.delta.tool_calls ?? []) {
        const known = tool_calls.get(index) ?? {
          ...{ id: '', type: 'function' as const },
          ...call,
          function: { name: part?.name ?? '', arguments: '' },
        }
        known.function.arguments += part?.arguments ?? ''
        tool_calls.set(index, known)
      }
    }
    const messages = turn({ role: 'assistant', tool_calls: [...tool_calls.values()] })
    const second = client.chat.completions.stream({ model, tools, messages })
    expect(await second.finalContent()).toBe('Dry.')
    expect(turns()).toEqual([reasoning, ...responded])
  })

  test('is not missed where a client drops it', async () => {
    const { client } = await at(json(calling), json(done))
    await client.chat.completions.create({ model, tools, messages: question })
    const call = { id: 'call_1', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Porto"}' } }
    const second = await client.chat.completions.create({ model, tools, messages: turn({ role: 'assistant', tool_calls: [call] }) })
    expect(second.choices[0]?.message.content).toBe('Dry.')
    expect(turns()).toEqual(responded)
  })

  test('is left out in a second request where another organization made it', async () => {
    const message = 'The encrypted content for item rs_1 could not be verified.'
    const refusal = json({ error: { message, type: 'invalid_request_error', param: null, code: 'invalid_encrypted_content' } }, 400)
    const { client } = await at(json(calling), refusal, json(done))
    const first = await client.chat.completions.create({ model, tools, messages: question })
    const second = await client.chat.completions.create({ model, tools, messages: turn(first.choices[0]?.message as ChatMessage) })
    expect(second.choices[0]?.message.content).toBe('Dry.')
    expect(app.upstream.received.slice(-2).map(({ body }) => itemsOf(body))).toEqual([[reasoning, ...responded], responded])
  })

  test('comes back with the next turn of messages', async () => {
    const { post } = await at(json(calling), json(done))
    const request = { model, max_tokens: 100, tools: [{ name: 'weather', input_schema: parameters }] }
    const first = (await (await post('/v1/messages', { ...request, messages: question })).json()) as { content: object[] }
    const result = { type: 'tool_result', tool_use_id: 'call_1', content: 'dry' }
    const messages = [...question, { role: 'assistant', content: first.content }, { role: 'user', content: [result] }]
    expect((await post('/v1/messages', { ...request, messages })).status).toBe(200)
    expect(turns()).toEqual([reasoning, ...responded])
  })

  test('comes back with the next turn of contents', async () => {
    const { post } = await at(json(calling), json(done))
    const path = `/v1beta/models/${model}:generateContent`
    const request = { tools: [{ functionDeclarations: [{ name: 'weather', parameters }] }] }
    const user = { role: 'user', parts: [{ text: 'Rain?' }] }
    const first = (await (await post(path, { ...request, contents: [user] })).json()) as { candidates: [{ content: object }] }
    const result = { functionResponse: { id: 'call_1', name: 'weather', response: { output: 'dry' } } }
    const contents = [user, first.candidates[0].content, { role: 'user', parts: [result] }]
    expect((await post(path, { ...request, contents })).status).toBe(200)
    expect(turns()).toEqual([reasoning, ...responded])
  })
})
