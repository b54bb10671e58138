import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type LogRow } from '@sluice/contract'
import { type AccountScene, accountScene } from '../../../test/account-scene.ts'
import { type TestApp, testApp } from '../../../test/app.ts'
import { setOptions } from '../../../test/channel-scene.ts'
import { chatChunk, events, json, type Script } from '../../../test/fake-upstream.ts'

// What a vendor counts for a response that it ends as failed is billed by it, and charged; the error has nothing of the response.

let app: TestApp
let account: AccountScene
beforeAll(async () => {
  app = await testApp()
  await setOptions(app, { RetryTimes: 0 })
  await app.data(contract.option.update, { key: 'PreConsumedQuota', value: '0' })
  await app.make.channel({ models: 'gpt-4o-mini,gpt-5.5' })
  await app.make.channel({ type: 20, models: 'openai/gpt-4o' })
  await app.make.channel({ type: 24, models: 'gemini-2.5-pro' })
  await app.make.channel({ type: 14, models: 'claude-haiku-4-5' })
  await app.make.channel({ type: 35, models: 'command-r' })
  account = await accountScene(app, { quota: 1_000_000_000 })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const secret = 'THE WHOLE ANSWER'
const messages = [{ role: 'user', content: 'Hi' }]
const chat = '/v1/chat/completions'
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]

async function failing(path: string, body: object, script: Script): Promise<LogRow> {
  app.upstream.script(script)
  expect(await (await account.send(path, body)).text()).not.toContain(secret)
  const row = await account.row()
  if (row === undefined) throw new Error('nothing was logged')
  return row
}

const malformed = (reason: string) => ({
  candidates: [
    {
      content: { role: 'model', parts: [] },
      finishReason: reason,
      finishMessage: `Malformed function call: call:answer{text: "${secret}"}`,
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 1, thoughtsTokenCount: 30_000, candidatesTokenCount: 1_000, totalTokenCount: 31_001 },
})
const usage = { prompt_tokens: 10, completion_tokens: 3_000, total_tokens: 3_010 }
const responseUsage = { input_tokens: 10, output_tokens: 3_000, total_tokens: 3_010 }
const failed = {
  id: 'resp_1',
  object: 'response',
  status: 'failed',
  model: 'gpt-5.5',
  output: [],
  error: { code: 'server_error', message: 'Failed.' },
  usage: responseUsage,
}

describe('a response that failed and has a usage is charged', () => {
  test.each([
    ...['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MALFORMED_RESPONSE'].flatMap(
      (reason): [string, string, object, Script, number][] => [
        [`${reason} by chats`, chat, { model: 'gemini-2.5-pro', messages, max_tokens: 40_000 }, json(malformed(reason)), 31_000],
        [
          `${reason} in a stream by messages`,
          '/v1/messages',
          { model: 'gemini-2.5-pro', messages, max_tokens: 40_000, stream: true },
          events([malformed(reason)]),
          31_000,
        ],
        [
          `${reason} in Google’s own calls`,
          '/v1beta/models/gemini-2.5-pro:generateContent',
          { contents, generationConfig: { maxOutputTokens: 40_000 } },
          json(malformed(reason)),
          31_000,
        ],
      ],
    ),
    [
      'a chat with an error',
      chat,
      { model: 'openai/gpt-4o', messages, max_tokens: 4_000 },
      json({
        id: 'g',
        object: 'chat.completion',
        choices: [
          { index: 0, finish_reason: 'error', error: { code: 502, message: 'Provider down' }, message: { role: 'assistant', content: '' } },
        ],
        usage,
      }),
      3_000,
    ],
    [
      'a chat without a choice',
      chat,
      { model: 'gpt-4o-mini', messages, max_tokens: 4_000 },
      json({ id: 'g', object: 'chat.completion', choices: [], usage }),
      3_000,
    ],
    ['a failed response', '/v1/responses', { model: 'gpt-5.5', input: 'Hi', max_output_tokens: 4_000 }, json(failed), 3_000],
    [
      'a failed response in a stream',
      '/v1/responses',
      { model: 'gpt-5.5', input: 'Hi', max_output_tokens: 4_000, stream: true },
      events([{ type: 'response.failed', response: failed }]),
      3_000,
    ],
    [
      'an error after the usage of a stream',
      chat,
      { model: 'gpt-4o-mini', messages, max_tokens: 4_000, stream: true },
      events([{ ...chatChunk({}), choices: [], usage }, { error: { message: 'Broken', code: 500 } }]),
      3_000,
    ],
    [
      'an error after the usage of a message',
      '/v1/messages',
      { model: 'claude-haiku-4-5', messages, max_tokens: 4_000, stream: true },
      events([
        { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 10, output_tokens: 1 } } },
        { type: 'message_delta', delta: {}, usage: { output_tokens: 3_000 } },
        { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      ]),
      3_000,
    ],
    [
      'Cohere’s error',
      chat,
      { model: 'command-r', messages, max_tokens: 4_000 },
      json({
        id: 'c',
        finish_reason: 'ERROR',
        message: { role: 'assistant', content: [] },
        usage: { billed_units: { input_tokens: 10, output_tokens: 3_000 } },
      }),
      3_000,
    ],
  ] satisfies [string, string, object, Script, number][])('%s', async (_, path, body, script, tokens) => {
    const row = await failing(path, body, script)
    expect(row.completion_tokens).toBe(tokens)
    expect(row.quota).toBeGreaterThan(0)
    expect(row.end_reason).toBe('failed')
  })

  test('after words of a response, by its usage', async () => {
    const delta = { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: 'Hi there' }
    const row = await failing(
      '/v1/responses',
      { model: 'gpt-5.5', input: 'Hi', max_output_tokens: 4_000, stream: true },
      events([delta, { type: 'response.failed', response: failed }]),
    )
    expect(row.completion_tokens).toBe(3_000)
  })

  test('and costs nothing without a usage', async () => {
    const before = (await app.data(contract.account.self, {}, account.user)).quota
    const { usage: _usage, ...rest } = failed
    app.upstream.script(json(rest))
    await account.send('/v1/responses', { model: 'gpt-5.5', input: 'Hi' })
    app.upstream.script(events([chatChunk({ role: 'assistant' }), { error: { message: 'broken', code: 500 } }]))
    await (await account.send(chat, { model: 'gpt-4o-mini', messages, stream: true })).text()
    await app.app.ledger.drain()
    expect((await app.data(contract.account.self, {}, account.user)).quota).toBe(before)
  })
})
