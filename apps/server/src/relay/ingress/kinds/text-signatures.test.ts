import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { type TestApp, testApp } from '../../../../test/app.ts'
import { events, json } from '../../../../test/fake-upstream.ts'
import { messageScene } from '../../../../test/message-scene.ts'

// Gemini signs a text, and wants the signature back with it ("Thought signatures", read 2026-11-22).

const model = 'gemini-3.8-flash'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const counts = { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 3, totalTokenCount: 18 }
const signedText = { text: 'It is dry.', thoughtSignature: 'c2lnbmVk' }
const responded = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  usageMetadata: counts,
  modelVersion: model,
})
const scripts = {
  whole: json(responded([signedText], { finishReason: 'STOP' })),
  stream: events([
    responded([{ text: 'It is ' }]),
    responded([{ text: 'dry.' }]),
    responded([{ ...signedText, text: '' }], { finishReason: 'STOP' }),
  ]),
}
const channels = [{ type: 24, models: model }]
const second = json(responded([{ text: 'Yes.' }], { finishReason: 'STOP' }))
/** The turn of the model in the second request. */
const turn = { role: 'model', parts: [signedText] }

describe.each(['whole', 'stream'] as const)('the signature of a text (%s)', (how) => {
  const thinking = { type: 'enabled' as const, budget_tokens: 1024 }

  test('comes back from clients of messages, within reasoning of no words', async () => {
    const { client, upstreamBody } = await messageScene(app, channels, [scripts[how], second])
    const first: Anthropic.MessageParam = { role: 'user', content: 'Is it dry?' }
    const body = { model, max_tokens: 2_000, thinking, messages: [first] }
    const { content } = how === 'whole' ? await client.messages.create(body) : await client.messages.stream(body).finalMessage()
    expect(content).toMatchObject([
      { type: 'text', text: 'It is dry.' },
      { type: 'thinking', thinking: '' },
    ])
    await client.messages.create({ ...body, messages: [first, { role: 'assistant', content }, { role: 'user', content: 'Sure?' }] })
    expect(upstreamBody()['contents']).toMatchObject([{}, turn, {}])
  })

  test('is not sent to clients of messages that have not turned thinking on', async () => {
    const { client } = await messageScene(app, channels, [scripts[how]])
    const body = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'Is it dry?' }] }
    const { content } = how === 'whole' ? await client.messages.create(body) : await client.messages.stream(body).finalMessage()
    expect(content.map(({ type }) => type)).toEqual(['text'])
  })

  test('comes back from clients of responses, which send it or name the response', async () => {
    const { key, upstreamBody } = await messageScene(app, channels, [scripts[how], second, second])
    const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
    const body = { model, input: 'Is it dry?' }
    const {
      id,
      output,
      output_text: text,
    } = how === 'whole' ? await client.responses.create(body) : await client.responses.stream(body).finalResponse()
    expect([text, output.map(({ type }) => type)]).toEqual(['It is dry.', ['message', 'reasoning']])
    // Holds: a client may send back what it received.
    const input = [
      { role: 'user' as const, content: 'Is it dry?' },
      ...output,
      { role: 'user' as const, content: 'Sure?' },
    ] as OpenAI.Responses.ResponseInput
    await client.responses.create({ model, input })
    expect(upstreamBody()['contents']).toMatchObject([{}, turn, {}])
    await client.responses.create({ model, input: 'Sure?', previous_response_id: id })
    expect(upstreamBody()['contents']).toMatchObject([{}, turn, {}])
  })
})

test('other vendors do not get it', async () => {
  const { client } = await messageScene(app, channels, [scripts.whole])
  const first = { role: 'user' as const, content: 'Is it dry?' }
  const body = { max_tokens: 2_000, thinking: { type: 'enabled' as const, budget_tokens: 1024 } }
  const { content } = await client.messages.create({ model, ...body, messages: [first] })
  const messages: Anthropic.MessageParam[] = [first, { role: 'assistant', content }, { role: 'user', content: 'Sure?' }]
  for (const [type, other] of [
    [1, 'gpt-4o-mini'],
    [14, 'claude-sonnet-4-5'],
    [36, 'deepseek-v4-flash'],
  ] as const) {
    const { client: otherClient, upstreamBody } = await messageScene(
      app,
      [{ type, models: other }],
      [json({ error: { message: 'busy' } }, 400)],
    )
    await otherClient.messages.create({ model: other, ...body, messages }).catch(() => undefined)
    expect([
      JSON.stringify(upstreamBody()).includes('sluice:'),
      JSON.stringify(upstreamBody()).includes('c2lnbmVk'),
      JSON.stringify(upstreamBody()).includes('It is dry.'),
    ]).toEqual([false, false, true])
  }
})
