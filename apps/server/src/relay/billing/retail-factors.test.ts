import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type OptionKey } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { until } from '../../../test/channel-scene.ts'
import { chatChunk, chatResponse, events, json, type Script } from '../../../test/fake-upstream.ts'

// Factors by the type of the responding channel and by model: what is charged, reserved, logged and marked.

const model = 'my-model'
let app: TestApp
/** Type 1, tried first, and type 8. */
let first: number
let second: number
beforeAll(async () => {
  app = await testApp()
  first = await app.make.channel({ models: `${model},gpt-5,gpt-image-1`, priority: 1 })
  second = await app.make.channel({ type: 8, models: model, baseUrl: app.upstream.url })
  await set('ModelRatio', `{"${model}":1}`)
  await set('PreConsumedQuota', '0')
})
afterAll(() => app.close())
afterEach(async () => {
  await set('ChannelTypeRatio', '{}')
  await set('RetailRatio', '{}')
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const set = (key: OptionKey, value: string) => app.data(contract.option.update, { key, value })
const usage = { prompt_tokens: 1_000, completion_tokens: 500 }
const script: Script = json(chatResponse('Hello', usage))
const overloaded: Script = json({ error: { message: 'overloaded', type: 'server_error' } }, 503)

async function scene(quota = 1_000_000) {
  const user = await app.make.user({ quota })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const ask = (more: object = {}, path = '/v1/chat/completions'): Promise<Response> =>
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

/** The log row of a request, after its response was read. */
async function rowOf({ user, ask }: { readonly user: TestUser; readonly ask: () => Promise<Response> }) {
  await (await ask()).text()
  await app.app.ledger.drain()
  const [row] = await app.data(contract.log.list, { username: user.username })
  if (row === undefined) throw new Error('nothing was logged')
  return row
}

describe('a charge', () => {
  test('is multiplied by the factors of the model and of the type of the channel that responded', async () => {
    await set('ChannelTypeRatio', '{"1": 1.5, "8": 3}')
    await set('RetailRatio', `{"${model}": 2}`)
    const { user, ask } = await scene()
    app.upstream.script(script)
    expect(await rowOf({ user, ask })).toMatchObject({
      quota: 1_500 * 1.5 * 2,
      channel: first,
      content: `${model} 1 × group 1 × channel type 1.5 × model factor 2 × completion 1`,
      charges: [
        { unit: 'prompt', count: 1_000, price: 3 },
        { unit: 'completion', count: 500, price: 3 },
      ],
    })
  })

  test('has the factor of the channel that responded after another failed', async () => {
    await set('ChannelTypeRatio', '{"1": 1.5, "8": 3}')
    const { user, ask } = await scene()
    app.upstream.script(overloaded, script)
    expect(await rowOf({ user, ask })).toMatchObject({ quota: 1_500 * 3, channel: second, attempts: 2 })
    await set('ChannelTypeRatio', '{"1": 1.5}')
    app.upstream.script(overloaded, script)
    expect(await rowOf({ user, ask })).toMatchObject({ quota: 1_500, content: `${model} 1 × group 1 × completion 1` })
  })

  test('is the same whole, streamed, broken off and counted here', async () => {
    await set('ChannelTypeRatio', '{"1": 1.5}')
    await set('RetailRatio', `{"${model}": 2}`)
    const { user, ask } = await scene()
    const responseScript: Script = events([
      chatChunk({ content: 'Hello' }),
      chatChunk({}, 'stop'),
      { ...chatChunk({}), choices: [], usage },
      '[DONE]',
    ])
    app.upstream.script(responseScript)
    expect((await rowOf({ user, ask: () => ask({ stream: true }) })).quota).toBe(1_500 * 3)
    const broken: Script = events([chatChunk({ content: 'one two three' })], [{ do: 'wait', name: 'the client has read' }, { do: 'cut' }])
    app.upstream.script(broken)
    const response = await ask({ stream: true })
    app.upstream.release('the client has read')
    const cut = await rowOf({ user, ask: () => Promise.resolve(response) })
    expect(cut).toMatchObject({ estimated: true, end_reason: 'upstream_cut' })
    expect(cut.quota).toBe((cut.prompt_tokens + cut.completion_tokens) * 3)
  })

  test('is at the factors in the mark that is charged after a crash', async () => {
    await set('ChannelTypeRatio', '{"1": 1.5}')
    await set('RetailRatio', `{"${model}": 2}`)
    const { ask } = await scene()
    app.upstream.script(events([chatChunk({ content: 'one two three' })], [{ do: 'wait', name: 'the mark was read' }, { do: 'cut' }]))
    const response = await ask({ stream: true })
    const marks = app.app.store.db.selectFrom('holds').select(['delivered_quota', 'prompt_tokens', 'completion_tokens'])
    const mark = await until(
      () => marks.executeTakeFirst(),
      (row) => row !== undefined && row.delivered_quota > 0,
    )
    app.upstream.release('the mark was read')
    await response.text()
    await app.app.ledger.drain()
    expect(mark?.delivered_quota).toBe(((mark?.prompt_tokens ?? 0) + (mark?.completion_tokens ?? 0)) * 3)
  })

  test('covers the tools of a vendor and the models that they use', async () => {
    await set('ChannelTypeRatio', '{"1": 2}')
    await set('RetailRatio', '{"gpt-5": 3, "gpt-image-1": 5}')
    const { user, ask } = await scene(100_000_000)
    const drawing = { type: 'image_generation_call', result: 'iVBORw0KGgo=', size: '1024x1024', quality: 'medium' }
    const output = [{ type: 'web_search_call' }, drawing]
    const tools = [{ type: 'image_generation', model: 'gpt-image-1' }]
    const counted = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 }
    app.upstream.script(json({ id: 'resp_1', object: 'response', output, usage: counted, store: false, tools }))
    const row = await rowOf({
      user,
      ask: () => ask({ model: 'gpt-5', input: 'Hi', store: false, tools: [{ type: 'web_search' }, ...tools] }, '/v1/responses'),
    })
    // 0.042 dollars for a square of medium quality.
    expect(row.quota).toBe((1_000 * 0.625 + 100 * 5 + 5_000) * 2 * 3 + 21_000 * 2 * 5)
  })

  test('of a free model, or with a factor of 0, is nothing', async () => {
    await set('ChannelTypeRatio', '{"1": 9}')
    await set('PriceRules', `{"${model}":{"free":true}}`)
    const { user, ask } = await scene(0)
    app.upstream.script(script)
    expect((await rowOf({ user, ask })).quota).toBe(0)
    await set('PriceRules', '{}')
    await set('RetailRatio', `{"${model}": 0}`)
    app.upstream.script(script)
    expect((await rowOf({ user, ask })).quota).toBe(0)
  })

  test('has the factors of the time when the request began', async () => {
    await set('ChannelTypeRatio', '{"1": 1.5}')
    const { user, ask } = await scene()
    app.upstream.script([{ do: 'wait', name: 'the factor is another one' }, ...script])
    const pending = ask()
    await until(
      async () => app.app.ledger.openHolds(),
      (open) => open > 0,
    )
    await set('ChannelTypeRatio', '{"1": 100}')
    app.upstream.release('the factor is another one')
    expect((await rowOf({ user, ask: () => pending })).quota).toBe(1_500 * 1.5)
  })
})

describe('a reservation', () => {
  const limited = { max_tokens: 1_000 }

  let reads = 0
  /** The quota that is reserved while a request waits for its response. */
  async function heldBy(ask: () => Promise<Response>): Promise<number> {
    reads += 1
    const name = `reservation ${reads} was read`
    app.upstream.script([{ do: 'wait', name }, ...script])
    const pending = ask()
    const holds = app.app.store.db.selectFrom('holds').select('amount')
    const held = await until(
      () => holds.executeTakeFirst(),
      (row) => row !== undefined,
    )
    app.upstream.release(name)
    await (await pending).text()
    await app.app.ledger.drain()
    return held?.amount ?? 0
  }

  test('covers the dearest type among the channels that may respond', async () => {
    const { ask } = await scene()
    const held = (): Promise<number> => heldBy(() => ask(limited))
    const plain = await held()
    for (const [factors, times] of [
      ['{"1": 2, "8": 5}', 5],
      ['{"1": 2}', 2],
      // Type 8 has none, so its factor is 1.
      ['{"1": 0.5}', 1],
      ['{"1": 0.5, "8": 0.5}', 0.5],
      ['{"14": 7}', 1],
    ] as const) {
      await set('ChannelTypeRatio', factors)
      expect([factors, await held()]).toEqual([factors, Math.ceil(plain * times)])
    }
    await set('RetailRatio', `{"${model}": 3}`)
    expect(await held()).toBe(plain * 3)
  })

  test('is more than a balance that covers only a cheaper type', async () => {
    await set('ChannelTypeRatio', '{"8": 5}')
    const before = app.upstream.received.length
    const { ask } = await scene(2_000)
    expect((await ask(limited)).status).toBe(403)
    expect(app.upstream.received.length).toBe(before)
  })

  test('covers only the channel that an administrator names', async () => {
    await set('ChannelTypeRatio', '{"8": 5}')
    const { key } = await app.make.token(app.root, { isUnlimited: true })
    await app.data(contract.user.update, { ...(await app.data(contract.user.get, { id: app.root.id })), quota: 1_000_000, password: '' })
    const held = (channel: number): Promise<number> =>
      heldBy(() =>
        app.request('/v1/chat/completions', {
          method: 'POST',
          headers: { authorization: `Bearer ${key}-${channel}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], ...limited }),
        }),
      )
    expect(await held(second)).toBe((await held(first)) * 5)
  })
})

test('usage beyond the reservation is charged at the factor, and what the balance cannot pay up to one overshoot', async () => {
  await set('ChannelTypeRatio', '{"1": 2, "8": 2}')
  const { user, ask } = await scene(4_000)
  // Within what a vendor's own tokenizer explains.
  app.upstream.script(json(chatResponse('yes '.repeat(1_900), { prompt_tokens: 5, completion_tokens: 3_795 })))
  const row = await rowOf({ user, ask: () => ask({ max_tokens: 1_900 }) })
  expect(row).toMatchObject({ quota: 4_000 + 1_024 * 2, content: expect.stringContaining(String(7_600 - 4_000 - 1_024 * 2)) })
})
