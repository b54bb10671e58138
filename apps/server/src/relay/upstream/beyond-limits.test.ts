import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { accountScene } from '../../../test/account-scene.ts'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json, type Script } from '../../../test/fake-upstream.ts'

// Responses beyond our parsing limits, which the vendor has generated and bills.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  const models = ['gpt-4o', 'claude-opus-4-5', 'gemini-2.5-pro']
  const rules = Object.fromEntries(models.map((model) => [model, { ratio: 1, completion: 1 }]))
  await app.data(contract.option.update, { key: 'PriceRules', value: JSON.stringify(rules) })
})
afterAll(() => app.close())

/** Some channels of a model, for one account, and its log row after a call. */
async function scene(model: string, type: number, count = 2) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const account = await accountScene(app, { groups, quota: 1_000_000_000 })
  for (let at = 0; at < count; at += 1) await app.make.channel({ groups, type, priority: -at, models: model })
  return async (path: string, body: object, ...scripts: readonly Script[]) => {
    const { status, text, upstreamBodies } = await account.call(path, body, ...scripts)
    return { status, text, row: await account.row(), upstreamCount: upstreamBodies.length }
  }
}

const health = () => app.data(contract.channel.health, {})
const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
const base = { messages: [{ role: 'user', content: 'Hi' }] }

/** The probabilities of so many tokens, as OpenAI sends them. */
function probabilities(tokens: number) {
  const top = Array.from({ length: 20 }, (_, at) => ({ token: `word${at}`, logprob: -1.25, bytes: [119, 111, 114] }))
  return {
    content: Array.from({ length: tokens }, () => ({ token: 'word', logprob: -0.5, bytes: [119], top_logprobs: top })),
    refusal: null,
  }
}

test('a chat with the probabilities of thousands of tokens is passed on and charged by its usage', async () => {
  const call = await scene('gpt-4o', 1)
  const completion = chatResponse('word '.repeat(4_000), { prompt_tokens: 10, completion_tokens: 4_000, total_tokens: 4_010 })
  const response = { ...completion, choices: completion.choices.map((choice) => ({ ...choice, logprobs: probabilities(4_000) })) }
  const { status, text, row } = await call(
    '/v1/chat/completions',
    { ...base, model: 'gpt-4o', logprobs: true, top_logprobs: 20 },
    json(response),
  )
  expect([status, text === JSON.stringify(response)]).toEqual([200, true])
  expect(row).toMatchObject({ completion_tokens: 4_000, quota: 4_010, attempts: 1 })
})

test('a long transcript with the tokens of its segments is passed on', async () => {
  const call = await scene('gpt-4o', 1)
  const segments = Array.from({ length: 6_000 }, (_, id) => ({ id, text: 'words', tokens: Array.from({ length: 90 }, (_one, at) => at) }))
  const response = { ...chatResponse('Hi'), segments }
  expect((await call('/v1/chat/completions', { ...base, model: 'gpt-4o' }, json(response))).status).toBe(200)
})

describe('a response whose arguments are nested too deeply', () => {
  const used = { input_tokens: 10, output_tokens: 3_000 }
  const block = { type: 'tool_use', id: 't', name: 'f', input: { a: deep(70) } }
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-5',
    content: [block],
    stop_reason: 'tool_use',
    usage: used,
  }
  const tools = [{ name: 'f', input_schema: { type: 'object' } }]

  test('is charged by the usage in it, and requested once', async () => {
    const call = await scene('claude-opus-4-5', 14)
    const { status, row, upstreamCount } = await call(
      '/v1/messages',
      { ...base, model: 'claude-opus-4-5', max_tokens: 4_000, tools },
      json(message),
    )
    expect([status, upstreamCount]).toEqual([502, 1])
    expect(row).toMatchObject({ completion_tokens: 3_000, quota: 3_010, end_reason: 'failed', attempts: 1 })
  })

  test('is charged where it is translated, too', async () => {
    const call = await scene('gemini-2.5-pro', 24)
    const part = { functionCall: { name: 'f', args: { a: deep(70) } } }
    const response = {
      candidates: [{ content: { parts: [part], role: 'model' }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 500, thoughtsTokenCount: 2_500, totalTokenCount: 3_010 },
    }
    const functions = [{ type: 'function', function: { name: 'f' } }]
    const { status, row, upstreamCount } = await call(
      '/v1/chat/completions',
      { ...base, model: 'gemini-2.5-pro', tools: functions },
      json(response),
    )
    expect([status, upstreamCount]).toEqual([502, 1])
    expect(row).toMatchObject({ completion_tokens: 3_000, quota: 3_010 })
  })

  const responded = (content: object, more: object = {}): object => ({
    candidates: [{ content: { parts: [content], role: 'model' }, index: 0 }],
    ...more,
  })
  const streamed: Script = [
    { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
    ...[
      responded({ text: 'one two three' }),
      responded(
        { functionCall: { name: 'f', args: { a: deep(70) } } },
        { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 500, thoughtsTokenCount: 2_500, totalTokenCount: 3_010 } },
      ),
    ].map((event) => ({ do: 'send', bytes: `data: ${JSON.stringify(event)}\n\n` }) as const),
  ]

  test.each([
    ['/v1/chat/completions', { ...base, model: 'gemini-2.5-pro', stream: true, tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse', { contents: [{ parts: [{ text: 'Hi' }] }] }],
  ])('is charged by the usage beside them in a stream, by %s', async (path, body) => {
    const call = await scene('gemini-2.5-pro', 24)
    for (let time = 0; time < 8; time += 1) {
      const { row, upstreamCount } = await call(path, body, streamed)
      expect(upstreamCount).toBe(1)
      expect(row).toMatchObject({ completion_tokens: 3_000, prompt_tokens: 10 })
    }
    expect(JSON.stringify(await health())).not.toContain('gemini-2.5-pro')
  })

  test('does not keep others from the channel', async () => {
    const call = await scene('claude-opus-4-5', 14)
    for (let time = 0; time < 8; time += 1)
      await call('/v1/messages', { ...base, model: 'claude-opus-4-5', max_tokens: 4_000, tools }, json(message))
    expect(JSON.stringify(await health())).not.toContain('claude-opus-4-5')
  })
})

describe('a response that does not fit the schema of its client', () => {
  const schema = { type: 'object', additionalProperties: { type: 'string' } }
  const format = { type: 'json_schema', json_schema: { name: 'x', schema } }
  const body = { ...base, model: 'glm-4.6', max_tokens: 10_000, response_format: format }
  const usage = {
    ...{ prompt_tokens: 20, completion_tokens: 5_000, total_tokens: 5_020 },
    completion_tokens_details: { reasoning_tokens: 4_995 },
  }
  const completion = json(chatResponse('{"a":1}', usage))

  test('does not keep others from the channel', async () => {
    const call = await scene('glm-4.6', 16)
    for (let time = 0; time < 8; time += 1) await call('/v1/chat/completions', body, completion)
    expect(JSON.stringify(await health())).not.toContain('glm-4.6')
  })

  test.each([
    ['/v1/chat/completions', body],
    ['/v1/chat/completions', { ...body, stream: true }],
    [
      '/v1/responses',
      { model: 'glm-4.6', input: 'Hi', max_output_tokens: 10_000, text: { format: { type: 'json_schema', name: 'x', schema } } },
    ],
    ['/v1/messages', { ...base, model: 'glm-4.6', max_tokens: 10_000, output_config: { format: { type: 'json_schema', schema } } }],
  ])('is charged as its vendor counts it, and requested from none of the other three channels, by %s', async (path, requestBody) => {
    const call = await scene('glm-4.6', 16, 4)
    const { status, row, upstreamCount } = await call(path, requestBody, completion)
    expect([status, upstreamCount]).toEqual([502, 1])
    expect(row).toMatchObject({ completion_tokens: 5_000, prompt_tokens: 20, end_reason: 'failed', attempts: 1, usage_suspect: false })
  })
})

test('images that are too large together are charged, and generated once', async () => {
  const call = await scene('gpt-image-1', 1)
  const bytes = 'A'.repeat(1024 * 1024)
  const script: Script = [
    { do: 'head', status: 200, headers: { 'content-type': 'application/json' } },
    { do: 'send', bytes: '{"data":[' },
    ...Array.from({ length: 80 }, (_, at) => ({ do: 'send', bytes: `${at === 0 ? '' : ','}{"b64_json":"${bytes}"}` }) as const),
  ]
  const { status, row, upstreamCount } = await call('/v1/images/generations', { model: 'gpt-image-1', prompt: 'a cat', n: 10 }, script)
  expect([status, upstreamCount]).toEqual([502, 1])
  expect(row).toMatchObject({ end_reason: 'failed', charges: [{ unit: 'images', count: 10 }] })
})
