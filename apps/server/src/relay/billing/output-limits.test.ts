import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatChunk, chatResponse, events, json, type Script } from '../../../test/fake-upstream.ts'

// The output limit sent to the vendor, and streams that stay below or exceed it.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  const ones = JSON.stringify({
    'gpt-4o-mini': 1,
    'gpt-4o': 1,
    'gpt-5': 1,
    'my-model': 1,
    'my-writer': 1,
    'claude-sonnet-4-5': 1,
    'gpt-3.5-turbo-instruct': 1,
  })
  for (const key of ['ModelRatio', 'CompletionRatio'] as const) await app.data(contract.option.update, { key, value: ones })
  await app.data(contract.option.update, { key: 'PreConsumedQuota', value: '0' })
  await app.make.channel({ models: 'gpt-4o-mini,gpt-5,my-model,gpt-3.5-turbo-instruct' })
  await app.make.channel({ models: 'gpt-4o', mapping: { 'gpt-4o': 'gpt-4-turbo' } })
  await app.make.channel({ type: 14, models: 'claude-sonnet-4-5,my-writer' })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const funds = 10_000_000

async function scene(quota = funds) {
  const user = await app.make.user({ quota })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const ask = (model: string, more: object = {}, path = '/v1/chat/completions'): Promise<Response> =>
    app.request(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        ...(path.endsWith('chat/completions') ? { messages: [{ role: 'user', content: 'Hi' }] } : {}),
        ...more,
      }),
    })
  return { user, ask }
}

const upstreamBody = (): Readonly<Record<string, unknown>> => JSON.parse(app.upstream.received.at(-1)?.body ?? '')

async function rowOf({ id }: TestUser) {
  await app.app.ledger.drain()
  return await app.app.store.db.selectFrom('logs').selectAll().where('user_id', '=', id).where('type', '=', 2).executeTakeFirstOrThrow()
}

async function balanceOf({ id }: TestUser): Promise<number> {
  await app.app.ledger.drain()
  return (await app.app.store.db.selectFrom('users').select('quota').where('id', '=', id).executeTakeFirstOrThrow()).quota
}

/** The limits that the vendor was sent. */
function upstreamLimits(): object {
  const names = ['max_tokens', 'max_completion_tokens', 'max_output_tokens']
  return Object.fromEntries(Object.entries(upstreamBody()).filter(([name]) => names.includes(name)))
}

describe('if the client names no limit, the vendor gets', () => {
  test.each([
    ['gpt-4o-mini', { max_tokens: 16_384 }],
    ['gpt-5', { max_completion_tokens: 128_000 }],
  ])('what the model can write, in the field that %s takes, whole or as a stream', async (model, limit) => {
    const { ask } = await scene()
    await app.data(contract.option.update, { key: 'MaxReserve', value: '1000' })
    app.upstream.script(json(chatResponse()), events([chatChunk({ content: 'Hi' }), chatChunk({}, 'stop'), '[DONE]']))
    for (const stream of [false, true]) {
      await (await ask(model, { stream })).text()
      expect(upstreamLimits()).toEqual(limit)
    }
    await app.data(contract.option.update, { key: 'MaxReserve', value: '500000' })
  })

  test('what the balance and the quota of the token cover beside the prompt', async () => {
    const prompt = { messages: [{ role: 'user', content: 'word '.repeat(4_000) }] }
    const { ask } = await scene(15_000)
    app.upstream.script(json(chatResponse()))
    expect((await ask('gpt-5', prompt)).status).toBe(200)
    expect(upstreamLimits()).toEqual({ max_completion_tokens: 15_000 - 5_004 })
    const user = await app.make.user({ quota: funds })
    const { key } = await app.make.token(user, { remain: 10_004 })
    app.upstream.script(json(chatResponse()))
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    await app.request('/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify({ model: 'gpt-5', ...prompt }) })
    expect(upstreamLimits()).toEqual({ max_completion_tokens: 5_000 })
  })

  test('no limit if it is not known what the model can write, unless the balance covers less than four times what is assumed', async () => {
    const { ask } = await scene()
    app.upstream.script(json(chatResponse()), json(chatResponse()), json(chatResponse()))
    await ask('my-model')
    expect(upstreamLimits()).toEqual({})
    const poor = await scene(4 * 8_192)
    await poor.ask('my-model')
    expect(upstreamLimits()).toEqual({ max_tokens: 8_192 })
    const poorer = await scene(5_005)
    await poorer.ask('my-model')
    expect(upstreamLimits()).toEqual({ max_tokens: 5_000 })
  })

  test('8,192 of an unknown model at Anthropic, which demands one', async () => {
    const { ask } = await scene()
    const hi = [{ type: 'text', text: 'Hi' }]
    app.upstream.script(json({ type: 'message', role: 'assistant', content: hi, usage: { input_tokens: 1, output_tokens: 1 } }))
    expect((await ask('my-writer')).status).toBe(200)
    expect(upstreamLimits()).toEqual({ max_tokens: 8_192 })
  })

  test('no more than the mapped model can write', async () => {
    const { ask } = await scene()
    app.upstream.script(json(chatResponse()))
    expect((await ask('gpt-4o')).status).toBe(200)
    expect(upstreamBody()).toMatchObject({ model: 'gpt-4-turbo', max_tokens: 4_096 })
  })

  test('the limit in the model’s price row', async () => {
    const { ask } = await scene()
    await app.data(contract.option.update, { key: 'PriceRules', value: '{"my-model":{"outputMax":1000}}' })
    app.upstream.script(json(chatResponse()))
    expect((await ask('my-model')).status).toBe(200)
    await app.data(contract.option.update, { key: 'PriceRules', value: '{}' })
    expect(upstreamBody()).toMatchObject({ max_tokens: 1_000 })
  })

  test('no limit if output is free', async () => {
    const { ask } = await scene()
    await app.data(contract.option.update, { key: 'GroupRatio', value: '{"default":0}' })
    app.upstream.script(json(chatResponse()))
    expect((await ask('gpt-4o-mini')).status).toBe(200)
    await app.data(contract.option.update, { key: 'GroupRatio', value: '{"default":1}' })
    expect(upstreamBody()).not.toHaveProperty('max_tokens')
  })

  test('no limit for completions, which are short by default, unless the balance covers less than the model can write', async () => {
    const path = '/v1/completions'
    const done = json({ id: 'c', object: 'text_completion', choices: [{ text: 'Hi', index: 0, finish_reason: 'length' }], usage: null })
    app.upstream.script(done, done)
    expect((await (await scene()).ask('gpt-3.5-turbo-instruct', { prompt: 'Hi' }, path)).status).toBe(200)
    expect(upstreamBody()).not.toHaveProperty('max_tokens')
    expect((await (await scene(5_001)).ask('my-model', { prompt: 'Hi' }, path)).status).toBe(200)
    expect(upstreamBody()).toMatchObject({ max_tokens: 5_000 })
  })

  test('the limit for a response, too, also if a chat is its fallback', async () => {
    const path = '/v1/responses'
    const { ask } = await scene(5_001)
    app.upstream.script(json({ id: 'resp_1', object: 'response', output: [], usage: { input_tokens: 1, output_tokens: 1 } }))
    await ask('gpt-4o-mini', { input: 'Hi' }, path)
    expect(upstreamBody()).toMatchObject({ max_output_tokens: 5_000 })
    app.upstream.script(
      json({ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi' }], usage: { input_tokens: 1, output_tokens: 1 } }),
    )
    await ask('claude-sonnet-4-5', { input: 'Hi' }, path)
    expect(upstreamBody()).toMatchObject({ max_tokens: 4_998 })
  })
})

/** A stream of the text in chunks of one character. */
const letterByLetter = (text: string, field = 'content'): Script =>
  events([...[...text].map((letter) => chatChunk({ [field]: letter })), chatChunk({}, 'stop'), '[DONE]'])

describe('a stream within its limit is never cut', () => {
  const english = 'Nobody pays twice for the same words, and nobody is cut in the middle of them. '
  const chinese = '在这个例子中，我们将讨论如何在流式响应运行时对输出进行计数，并在余额不足时停止。'

  test.each([
    ['in English', english],
    ['in Chinese', chinese],
    ['in Amharic', 'በዚህ ምሳሌ ውስጥ ውጤቱን እንዴት መቁጠር እንደሚቻል እንወያያለን። '],
  ])('%s, letter by letter, up to the last reserved token', async (_, sentence) => {
    const text = sentence.repeat(Math.ceil(2_250 / countTokens(sentence)))
    const limit = countTokens(text)
    // The exact cost: the prompt has five tokens.
    const { user, ask } = await scene(limit + 10)
    app.upstream.script(letterByLetter(text))
    const response = await (await ask('gpt-4o-mini', { stream: true, max_tokens: limit })).text()
    expect(response).not.toContain('"error"')
    expect(response.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await rowOf(user)).toMatchObject({ end_reason: 'complete', completion_tokens: limit })
  })

  test('of spaces, whose estimate is several times their count', async () => {
    const line = `${' '.repeat(79)}\n`
    const lines = Array.from({ length: 300 }, () => chatChunk({ content: line }))
    const limit = countTokens(line.repeat(300))
    const { user, ask } = await scene(limit + 10)
    app.upstream.script(events([...lines, chatChunk({}, 'stop'), '[DONE]']))
    const response = await (await ask('gpt-4o-mini', { stream: true, max_tokens: limit })).text()
    expect(response).not.toContain('"error"')
    expect(await rowOf(user)).toMatchObject({ end_reason: 'complete' })
  })

  test('by a vendor that counts two tokens if we count three', async () => {
    const text = chinese.repeat(60)
    const limit = Math.floor((countTokens(text) * 2) / 3)
    const { user, ask } = await scene(limit + 10)
    app.upstream.script(letterByLetter(text, 'reasoning_content'))
    const response = await (await ask('gpt-4o-mini', { stream: true, max_tokens: limit })).text()
    expect(response).not.toContain('"error"')
    expect(await rowOf(user)).toMatchObject({ end_reason: 'complete' })
  })

  test('that reasons within the larger limit that was sent to its vendor', async () => {
    const { user, ask } = await scene()
    const piece = (delta: object): object => ({ type: 'content_block_delta', index: 0, delta })
    app.upstream.script(
      events([
        { type: 'message_start', message: { role: 'assistant', content: [], usage: { input_tokens: 5, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
        ...Array.from({ length: 60 }, () => piece({ type: 'thinking_delta', thinking: english.repeat(10) })),
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 12_000 } },
        { type: 'message_stop' },
      ]),
    )
    const response = await (await ask('claude-sonnet-4-5', { stream: true, max_tokens: 100, reasoning_effort: 'high' })).text()
    expect(response).not.toContain('"error"')
    expect(await rowOf(user)).toMatchObject({ end_reason: 'complete', completion_tokens: 12_000 })
  })
})

describe('a stream beyond its limit', () => {
  test('that the gateway set is charged as long as the balance covers it, and then cut by an exact count', async () => {
    const text = ' word'.repeat(100)
    const { user, ask } = await scene(10_005)
    // MaxReserve caps the initial reservation; extensions use the rest of the balance.
    await app.data(contract.option.update, { key: 'MaxReserve', value: '300' })
    app.upstream.script(events([...Array.from({ length: 200 }, () => chatChunk({ content: text })), chatChunk({}, 'stop'), '[DONE]']))
    const response = await (await ask('gpt-4o-mini', { stream: true })).text()
    await app.data(contract.option.update, { key: 'MaxReserve', value: '500000' })
    expect(response).toContain('insufficient_user_quota')
    expect(response).not.toContain('[DONE]')
    const row = await rowOf(user)
    expect(row).toMatchObject({ end_reason: 'out_of_quota', estimated: 1 })
    // More than the initial 4,096 tokens, and only what was sent.
    expect(row.completion_tokens).toBeGreaterThan(6_000)
    // Long texts are counted in parts, which may split a word.
    expect(Math.abs(row.completion_tokens - (response.match(/ word/g) ?? []).length)).toBeLessThan(3)
    expect(await balanceOf(user)).toBeGreaterThanOrEqual(0)
  })

  test('in one large piece is not sent', async () => {
    const { user, ask } = await scene(4_105)
    app.upstream.script(
      events([chatChunk({ content: 'begin' }), chatChunk({ content: ' word'.repeat(9_000) }), chatChunk({}, 'stop'), '[DONE]']),
    )
    const response = await (await ask('gpt-4o-mini', { stream: true })).text()
    expect(response).toContain('begin')
    expect(response).not.toContain(' word')
    expect(await rowOf(user)).toMatchObject({ end_reason: 'out_of_quota', completion_tokens: 1 })
  })
})

test('usage beyond the reservation is charged if the balance covers it; if not, the log says how much was not charged', async () => {
  // A vendor may count more than its limit, because it has a tokenizer of its own.
  const long = json(chatResponse('yes', { prompt_tokens: 5, completion_tokens: 1_495 }))
  const rich = await scene(20_000)
  app.upstream.script(long)
  await rich.ask('gpt-5', { max_completion_tokens: 400 })
  expect([(await rowOf(rich.user)).quota, await balanceOf(rich.user)]).toEqual([1_500, 18_500])
  const poor = await scene(450)
  app.upstream.script(long)
  await poor.ask('gpt-5', { max_completion_tokens: 400 })
  // The balance, and the price of 1,024 tokens.
  expect(await rowOf(poor.user)).toMatchObject({ quota: 1_474, content: expect.stringContaining('26') })
  expect(await balanceOf(poor.user)).toBe(-1_024)
})

test('limits of streams whose reasoning cannot be watched do not exceed the balance together', async () => {
  // Each takes at most half of what the others left, however they meet.
  const { user, ask } = await scene(300_000)
  await app.data(contract.option.update, { key: 'MaxReserve', value: '20000' })
  const before = app.upstream.received.length
  const responses: Promise<Response>[] = []
  app.upstream.fallback(({ body }) => {
    const { max_completion_tokens: limit } = JSON.parse(body)
    const usage = {
      prompt_tokens: 5,
      completion_tokens: limit,
      total_tokens: limit + 5,
      completion_tokens_details: { reasoning_tokens: limit - 1 },
    }
    const [head, ...rest] = events([
      chatChunk({ content: 'ok' }),
      chatChunk({}, 'stop'),
      { ...chatChunk({}), choices: [], usage },
      '[DONE]',
    ])
    return head === undefined ? [] : [{ do: 'wait', name: 'all were sent' }, head, ...rest]
  })
  let refused = 0
  for (let count = 0; count < 6; count += 1) {
    const response = ask('gpt-5', { stream: true })
    responses.push(response)
    // Only those that are refused get a response while the others wait.
    void response.then(({ status }) => {
      if (status === 403) refused += 1
    })
  }
  while (app.upstream.received.length - before + refused < 6) await new Promise((resolve) => setImmediate(resolve))
  app.upstream.release('all were sent')
  for (const response of responses) await (await response).text()
  const limits = app.upstream.received.slice(before).map(({ body }) => Number(JSON.parse(body).max_completion_tokens))
  expect(limits.length).toBeGreaterThan(2)
  expect(limits.reduce((sum, limit) => sum + limit, 0)).toBeLessThanOrEqual(300_000)
  expect(Math.max(...limits)).toBeGreaterThan(40_000)
  expect(await balanceOf(user)).toBeWithin(0, 300_001)
  await app.data(contract.option.update, { key: 'MaxReserve', value: '500000' })
})
