import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type InputOf } from '@sluice/contract'
import { type TestApp, testApp } from '../../test/app.ts'
import { json, type Script } from '../../test/fake-upstream.ts'

// Models that a body names beside the requested one, at channels that have other names for them. `real-dear` is the vendor's name of a dear model,
// and the gateway's name of a cheap one of another kind.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  const rules = {
    cheap: { ratio: 1, completion: 1 },
    dear: { ratio: 10, completion: 1 },
    'real-dear': { ratio: 0.1, completion: 1 },
    painter: { picture: 0.01 },
  }
  await app.data(contract.option.update, { key: 'PriceRules', value: JSON.stringify(rules) })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

type Settings = Omit<InputOf<typeof contract.channel.update>, 'id'>

interface SceneChannel extends Settings {
  readonly type: number
  readonly models: string
  readonly mapping?: Readonly<Record<string, string>>
}

const mapping = { cheap: 'real-cheap', dear: 'real-dear', 'real-dear': 'real-toy', painter: 'real-painter' }
const models = 'cheap,dear,real-dear,painter'

/** An account whose channels are tried in this order; those of `others` are of a group that it has not. */
async function scene(channels: readonly SceneChannel[], others: readonly SceneChannel[] = []) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, quota: 10_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const ids: number[] = []
  for (const [index, { type, mapping: names, ...settings }] of [...channels, ...others].entries()) {
    const groups = index < channels.length ? group : `${group}-other`
    const id = await app.make.channel({ groups, priority: -index, type, ...(names === undefined ? {} : { mapping: names }) })
    await app.data(contract.channel.update, { id, key: 'upstream-key', ...settings })
    ids.push(id)
  }
  return {
    ids,
    async post(path: string, body: object, ...responses: readonly Script[]) {
      app.upstream.script(...responses)
      const before = app.upstream.received.length
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
      const text = await response.text()
      await app.app.ledger.drain()
      const [row] = response.ok ? await app.data(contract.log.list, { username: user.username }) : []
      const upstreamBodies = app.upstream.received.slice(before).map((one): Record<string, unknown> => JSON.parse(one.body))
      return { status: response.status, text, row, upstreamBodies }
    },
  }
}

const message = (more: object = {}) => ({ model: 'cheap', max_tokens: 100, messages: [{ role: 'user', content: 'dear' }], ...more })
const chat = (more: object = {}) => ({ model: 'cheap', messages: [{ role: 'user', content: 'dear' }], ...more })
const advisor = (model: string) => ({ type: 'advisor_20260301', name: 'advisor', model })
const counts = (input: number, output: number) => ({
  ...{ input_tokens: input, output_tokens: output, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
})
const messageResponse = (usage: object) =>
  json({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'real-cheap', stop_reason: 'end_turn', stop_sequence: null },
    content: [{ type: 'text', text: 'Hello' }],
    usage,
  })

describe('a model that a body names', () => {
  const forms: ReadonlyArray<readonly [number, string, object, object]> = [
    [
      14,
      '/v1/messages',
      message({ fallbacks: [{ model: 'dear', max_tokens: 9 }] }),
      { fallbacks: [{ model: 'real-dear', max_tokens: 9 }] },
    ],
    [14, '/v1/messages', message({ tools: [advisor('dear'), advisor('dear')] }), { tools: [advisor('real-dear'), advisor('real-dear')] }],
    [14, '/v1/messages', message({ tools: [advisor('real-dear')] }), { tools: [advisor('real-toy')] }],
    [14, '/v1/chat/completions', chat({ tools: [advisor('dear')] }), { tools: [advisor('real-dear')] }],
    [20, '/v1/chat/completions', chat({ models: ['cheap', 'dear'] }), { models: ['real-cheap', 'real-dear'] }],
    [
      8,
      '/v1/chat/completions',
      chat({ fallbacks: [{ cheap: ['dear', { model: 'dear' }] }, 'real-dear'] }),
      {
        fallbacks: [{ cheap: ['real-dear', { model: 'real-dear' }] }, 'real-toy'],
      },
    ],
    [8, '/v1/chat/completions', chat({ fallbacks: [{ cheap: 'dear' }] }), { fallbacks: [{ cheap: 'real-dear' }] }],
    [
      1,
      '/v1/responses',
      { model: 'cheap', input: 'dear', tools: [{ type: 'image_generation', model: 'painter' }] },
      {
        ...{ input: 'dear', tools: [{ type: 'image_generation', model: 'real-painter' }] },
      },
    ],
  ]

  test.each(forms)(
    'reaches a channel of type %i by %s with the name that the channel has for it (%j)',
    async (type, path, body, expected) => {
      const { post } = await scene([{ type, models, mapping }])
      const { upstreamBodies } = await post(path, body, json({}))
      expect(upstreamBodies[0]).toMatchObject({ model: 'real-cheap', ...expected })
      expect(JSON.stringify(upstreamBodies[0]).split('"dear"').length).toBe(2)
    },
  )

  test('stays as it is where the channel has no other name for it', async () => {
    const { post } = await scene([{ type: 14, models, mapping: { cheap: 'real-cheap' } }])
    const { upstreamBodies } = await post('/v1/messages', message({ fallbacks: [{ model: 'dear' }] }), json({}))
    expect(upstreamBodies[0]).toMatchObject({ fallbacks: [{ model: 'dear' }] })
  })

  test('costs what the client’s name costs, whatever the vendor calls it', async () => {
    const { post } = await scene([{ type: 14, models, mapping }])
    const declined = { type: 'message', model: 'real-cheap', ...counts(100, 0) }
    const usageBy = (model: string) => ({
      ...{ ...counts(120, 10), iterations: [declined, { type: 'fallback_message', model, ...counts(120, 10) }] },
    })
    const quotaOf = async (named: string, model: string) =>
      (await post('/v1/messages', message({ fallbacks: [{ model: named }] }), messageResponse(usageBy(model)))).row?.quota
    expect(await quotaOf('dear', 'real-dear')).toBe(1_300)
    expect(await quotaOf('real-dear', 'real-toy')).toBe(13)
    const usage = {
      ...counts(100, 10),
      iterations: [
        { type: 'message', ...counts(100, 10) },
        { type: 'advisor_message', model: 'real-dear', ...counts(1_000, 50) },
      ],
    }
    const advised = await post('/v1/messages', message({ tools: [advisor('dear')] }), messageResponse(usage))
    expect(advised.row?.quota).toBe(110 + 10_500)
  })

  test('that draws is charged by the client’s name', async () => {
    const { post } = await scene([{ type: 1, models, mapping }])
    const tool = { type: 'image_generation', model: 'painter' }
    const { row } = await post(
      '/v1/responses',
      { model: 'cheap', input: 'Hi', tools: [tool] },
      json({
        ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'real-cheap' },
        tools: [{ ...tool, model: 'real-painter' }],
        output: [{ type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aGk=' }],
        usage: { input_tokens: 10, output_tokens: 0, total_tokens: 10 },
      }),
    )
    expect(row?.quota).toBe(10 + 5_000)
  })
})

describe('a channel for a model that a body names', () => {
  const body = message({ fallbacks: [{ model: 'dear' }] })
  const refusal = { code: 'model_not_found' }

  test('must be one of the account’s groups', async () => {
    const { post } = await scene([{ type: 14, models: 'cheap' }], [{ type: 14, models }])
    const { status, text, upstreamBodies } = await post('/v1/messages', body)
    expect([status, upstreamBodies]).toEqual([404, []])
    for (const named of ['dear', 'fallbacks[0].model']) expect(text).toContain(named)
    const direct = await post('/v1/chat/completions', chat({ model: 'dear' }))
    expect([direct.status, JSON.parse(direct.text)]).toMatchObject([404, { error: refusal }])
    const asChat = await post('/v1/chat/completions', chat({ fallbacks: ['dear'] }))
    expect([asChat.status, JSON.parse(asChat.text)]).toMatchObject([404, { error: refusal }])
  })

  test('is chosen before one that has the requested model alone', async () => {
    const { post } = await scene([
      { type: 14, models: 'cheap', mapping: { cheap: 'first' } },
      { type: 14, models: 'cheap,dear', mapping: { cheap: 'second' } },
    ])
    expect((await post('/v1/messages', body, json({}))).upstreamBodies).toMatchObject([{ model: 'second' }])
    expect((await post('/v1/messages', message(), json({}))).upstreamBodies[0]).toMatchObject({ model: 'first' })
  })

  test('must have all of them', async () => {
    const { post } = await scene([
      { type: 8, models: 'cheap,dear' },
      { type: 8, models: 'cheap,real-dear' },
    ])
    const { status, text, upstreamBodies } = await post('/v1/chat/completions', chat({ fallbacks: ['dear', 'real-dear'] }))
    expect([status, upstreamBodies]).toEqual([404, []])
    expect(text).toContain('fallbacks[1]')
  })

  test('is not required of administrators who try one channel', async () => {
    const { ids } = await scene([{ type: 14, models: 'cheap' }])
    const admin = await app.make.token(await app.make.user({ role: 10, quota: 10_000_000 }), { isUnlimited: true })
    app.upstream.script(json({}))
    const before = app.upstream.received.length
    await app.request('/v1/messages', {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.key}-${ids[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(app.upstream.received.slice(before)).toHaveLength(1)
  })
})
