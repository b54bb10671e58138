import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { contract, type LogRow } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json, type Script } from '../../../test/fake-upstream.ts'

// The output limit that a vendor was sent bounds its count, wherever its form has it.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'PreConsumedQuota', value: '0' })
  const price = { ratio: 1, completion: 1 }
  const models = ['o-mystery', 'gpt-5', 'gpt-3.5-turbo-instruct', 'gemini-3.1-pro-preview', 'deepseek-r1', 'deepseek-r1:8b']
  await app.data(contract.option.update, {
    key: 'PriceRules',
    value: JSON.stringify(Object.fromEntries(models.map((model) => [model, price]))),
  })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

interface Place {
  readonly type: number
  readonly models: string
  readonly key?: string
  readonly quota?: number
}

/** An account with one channel, which responds so. */
async function at({ quota = 1_000_000_000, ...channel }: Place, script: Script) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, quota })
  const { key } = await app.make.token(user, { isUnlimited: true })
  await app.make.channel({ groups: group, ...channel })
  app.upstream.fallback(({ path }) =>
    path === '/token' ? json({ access_token: 'ya29', expires_in: 3_599, token_type: 'Bearer' }) : script,
  )
  const ask = (path: string, body: object): Promise<Response> =>
    app.request(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const rowOf = async (path: string, body: object): Promise<LogRow> => {
    await (await ask(path, body)).text()
    await app.app.ledger.drain()
    const [row] = await app.data(contract.log.list, { username: user.username })
    if (row === undefined) throw new Error('nothing was logged')
    return row
  }
  return { ask, rowOf }
}

const account = (): string =>
  JSON.stringify({
    type: 'service_account',
    client_email: 'a@p.example',
    private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${app.upstream.url}/token`,
  })

const gemini = (output: number): Script =>
  json({
    candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'hi' }] } }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: output, totalTokenCount: 5 + output },
  })
const bedrock = (output: number): Script =>
  json({
    output: { message: { role: 'assistant', content: [{ text: 'hi' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 5, outputTokens: output, totalTokens: 5 + output },
  })
const ollama = (output: number): Script =>
  json({
    model: 'm',
    message: { role: 'assistant', content: 'hi' },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 5,
    eval_count: output,
  })

const geminiModel = 'gemini-3.1-pro-preview'
const messages = [{ role: 'user', content: 'Hi' }]
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
const generate = `/v1beta/models/${geminiModel}:generateContent`
const chat = (model: string) => ({ model, messages, max_tokens: 500 })

const limited: ReadonlyArray<readonly [string, () => Place, (output: number) => Script, string, object]> = [
  ['Gemini by a chat', () => ({ type: 24, models: geminiModel }), gemini, '/v1/chat/completions', chat(geminiModel)],
  ['Gemini by messages', () => ({ type: 24, models: geminiModel }), gemini, '/v1/messages', chat(geminiModel)],
  ['Gemini itself', () => ({ type: 24, models: geminiModel }), gemini, generate, { contents, generationConfig: { maxOutputTokens: 500 } }],
  [
    'Gemini itself in snake case',
    () => ({ type: 24, models: geminiModel }),
    gemini,
    generate,
    { contents, generation_config: { max_output_tokens: 500 } },
  ],
  [
    'Vertex AI',
    () => ({ type: 42, models: geminiModel, key: `us-central1|p|${account()}` }),
    gemini,
    '/v1/chat/completions',
    chat(geminiModel),
  ],
  ['Bedrock', () => ({ type: 33, models: 'deepseek-r1', key: 'ak|sk|us-east-1' }), bedrock, '/v1/chat/completions', chat('deepseek-r1')],
  ['Ollama', () => ({ type: 30, models: 'deepseek-r1:8b' }), ollama, '/v1/chat/completions', chat('deepseek-r1:8b')],
]

describe.each(limited)('of the limit of %s', (_, place, response, path, body) => {
  test('a count above it is not believed, and one within it is', async () => {
    const above = await at(place(), response(90_000))
    const row = await above.rowOf(path, body)
    expect(row).toMatchObject({ usage_suspect: true, estimated: true })
    expect(row.completion_tokens).toBeLessThan(10)
    const within = await at(place(), response(1_700))
    expect(await within.rowOf(path, body)).toMatchObject({ usage_suspect: false, completion_tokens: 1_700 })
  })
})

test('the limit of a model that may respond to instead counts for both', async () => {
  const model = 'claude-haiku-4-5'
  const iteration = (type: string, of: string, output: number) => ({
    ...{ type, model: of, input_tokens: 9, output_tokens: output, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  })
  const response = (output: number): Script =>
    json({
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-4-5', stop_reason: 'end_turn' },
      content: [{ type: 'text', text: 'ok' }],
      usage: {
        ...{ input_tokens: 9, output_tokens: output },
        iterations: [iteration('message', model, 0), iteration('fallback_message', 'claude-opus-4-5', output)],
      },
    })
  const place = { type: 14, models: `${model},claude-opus-4-5` }
  const thinking = { type: 'enabled', budget_tokens: 60_000, display: 'omitted' }
  const body = { model, max_tokens: 10, messages, fallbacks: [{ model: 'claude-opus-4-5', max_tokens: 64_000, thinking }] }
  const rich = await at(place, response(60_000))
  expect(await rich.rowOf('/v1/messages', body)).toMatchObject({ usage_suspect: false, completion_tokens: 60_000 })
  const inflated = await at(place, response(100_000))
  expect(await inflated.rowOf('/v1/messages', body)).toMatchObject({ usage_suspect: true })
  const poor = await at({ ...place, quota: 50_000 }, response(60_000))
  const refused = await poor.ask('/v1/messages', body)
  const text = await refused.text()
  expect([refused.status, text]).toEqual([403, expect.stringContaining('needs at least')])
  // All of it is reserved at once, and not only compared with the balance.
  expect(Number(/at least (\d+)/.exec(text)?.[1])).toBeGreaterThan(700_000)
})

describe('completions', () => {
  const model = 'gpt-3.5-turbo-instruct'
  const response = (output: number): Script =>
    json({
      ...{ id: 'cmpl-1', object: 'text_completion', created: 1, model },
      choices: [{ index: 0, text: 'one two three', finish_reason: 'stop', logprobs: null }],
      usage: { prompt_tokens: 5, completion_tokens: output, total_tokens: 5 + output },
    })
  const place = { type: 1, models: model }

  test.each([
    ['best_of', { prompt: 'a', best_of: 20, max_tokens: 1_000 }, 18_000],
    ['few of best_of', { prompt: 'a', best_of: 3, max_tokens: 1_000 }, 2_600],
    ['several prompts', { prompt: Array.from({ length: 20 }, () => 'word '.repeat(9)), best_of: 2, max_tokens: 1_000 }, 36_000],
  ])('are charged for all that %s makes', async (_, body, output) => {
    const { rowOf } = await at(place, response(output))
    expect(await rowOf('/v1/completions', { model, ...body })).toMatchObject({ usage_suspect: false, completion_tokens: output })
  })

  test('have the limit of all responses together', async () => {
    const { rowOf } = await at(place, response(40_000))
    expect(await rowOf('/v1/completions', { model, prompt: 'a', best_of: 20, max_tokens: 1_000 })).toMatchObject({ usage_suspect: true })
  })
})

describe('one response is as long as the context of its model', () => {
  const long = 'word '.repeat(100_000)
  const response = (input: number, output: number, reasoning: number): Script =>
    json(
      chatResponse('ok', {
        ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
        completion_tokens_details: { reasoning_tokens: reasoning },
      }),
    )

  // gpt-5: 400,000 tokens. Neither the prompt nor the reasoning is odd by itself.
  test('and no longer', async () => {
    const body = { model: 'gpt-5', messages: [{ role: 'user', content: long }], n: 1 }
    const beyond = await at({ type: 8, models: 'gpt-5' }, response(300_000, 101_000, 100_990))
    expect(await beyond.rowOf('/v1/chat/completions', body)).toMatchObject({ usage_suspect: true, estimated: true })
    const whole = await at({ type: 8, models: 'gpt-5' }, response(300_000, 99_000, 98_990))
    expect(await whole.rowOf('/v1/chat/completions', body)).toMatchObject({ usage_suspect: false, completion_tokens: 99_000 })
  })
})
