import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { vendors } from '@sluice/vendors/registry/list'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const setOption = (key: string, value: string) => app.data(contract.option.update, { key, value })

test('models are listed with their kinds, vendors, limits and prices for the account that asks', async () => {
  await setOption('GroupRatio', '{"default":1,"vip":0.5}')
  await setOption('ModelRatio', '{"made-up":3}')
  await setOption('CompletionRatio', '{"made-up":4}')
  await app.make.channel({ groups: 'default,vip', models: 'made-up,gpt-4o,whisper-1,text-embedding-3-small,sora-2' })
  await app.make.channel({ type: 14, groups: 'vip', models: 'made-up,unpriced-model' })
  const ann = await app.make.user({ groups: 'default' })
  const vip = await app.make.user({ groups: 'vip' })
  const rows = await app.data(contract.model.list, {}, ann)
  expect(rows.map(({ name, kinds }) => [name, kinds])).toEqual([
    ['gpt-4o', ['chat']],
    ['made-up', ['chat']],
    ['sora-2', ['videos']],
    ['text-embedding-3-small', ['embeddings']],
    ['whisper-1', ['transcriptions']],
  ])
  const row = (name: string) => rows.find((one) => one.name === name)
  expect(row('made-up')).toMatchObject({ vendors: [1], context: 0, prices: { prompt: 3, completion: 12 }, state: 'up' })
  expect(row('gpt-4o')).toMatchObject({ context: 128_000, output: 16_384, is_priced: true })
  expect(row('sora-2')?.prices).toEqual({ videoMs: 50 })
  expect(row('gpt-4o')).toMatchObject({
    inputs: ['text', 'image', 'file'],
    outputs: ['text'],
    features: ['tools', 'structured'],
    released: '2024-05-13',
  })
  expect(row('made-up')).toMatchObject({ inputs: [], outputs: [], features: [], released: '', first_byte: null, tokens_per_second: null })

  const cheaper = await app.data(contract.model.list, {}, vip)
  expect(cheaper.find(({ name }) => name === 'made-up')).toMatchObject({ vendors: [1, 14], prices: { prompt: 1.5, completion: 6 } })
  expect(cheaper.find(({ name }) => name === 'unpriced-model')).toMatchObject({ is_priced: false, prices: {} })
})

test('what no channel of a model lets through is not listed of it, and what one of them does is', async () => {
  const lacking = vendors.find(({ chat: { lacks = [] } = {} }) => lacks.includes('files in') && !lacks.includes('tools'))?.type ?? 0
  await app.make.channel({ type: lacking, models: 'gpt-4o,gpt-4o-mini' })
  const rows = await app.data(contract.model.list, {})
  const inputs = (name: string) => rows.find((one) => one.name === name)?.inputs
  expect(inputs('gpt-4o-mini')).not.toContain('file')
  expect(rows.find(({ name }) => name === 'gpt-4o-mini')?.features).toContain('tools')
  // Another channel serves it, too.
  expect(inputs('gpt-4o')).toContain('file')
})

test('a price for longer requests is listed apart', async () => {
  await setOption('PriceRules', '{"long-reader":{"ratio":1,"completion":2,"tiers":[{"above":200000,"ratio":2,"completion":3}]}}')
  await app.make.channel({ models: 'long-reader' })
  const rows = await app.data(contract.model.list, {})
  expect(rows.find(({ name }) => name === 'long-reader')).toMatchObject({
    prices: { prompt: 1, completion: 2 },
    tiers: [{ above: 200_000, above_output: 0, prices: { prompt: 2, completion: 6 } }],
  })
})

test('prices of responses with reasoning and of explicit cache marks are listed separately where they differ', async () => {
  await setOption('ModelRatio', '{"thinker":1,"plain-thinker":1}')
  await setOption('CompletionRatio', '{"thinker":2,"plain-thinker":2}')
  await setOption('ThinkingRatio', '{"thinker":8,"plain-thinker":2}')
  await setOption('PriceRules', '{"thinker":{"cached":0.5,"cachedExplicit":0.25,"tiers":[{"above":100000,"ratio":2,"thinking":10}]}}')
  await app.make.channel({ models: 'thinker,plain-thinker' })
  const rows = await app.data(contract.model.list, {})
  expect(rows.find(({ name }) => name === 'thinker')).toMatchObject({
    prices: { prompt: 1, completion: 2, thinking: 8, cached: 0.5, cachedExplicit: 0.25 },
    tiers: [{ above: 100_000, prices: { prompt: 2, completion: 4, thinking: 20, cached: 1, cachedExplicit: 0.5 } }],
  })
  expect(rows.find(({ name }) => name === 'plain-thinker')?.prices).toEqual({
    prompt: 1,
    completion: 2,
    searches: 5_000,
    fileSearches: 1_250,
  })
})

test('visitors see the models of the first group, and only if an option allows it', async () => {
  expect((await app.request('/api/model/')).status).toBe(401)
  await setOption('PublicModelsEnabled', 'true')
  const visitor = { headers: {} }
  expect((await app.data(contract.status.get, {}, visitor)).public_models).toBe(true)
  const names = (await app.data(contract.model.list, {}, visitor)).map(({ name }) => name)
  expect(names).toContain('made-up')
  expect(names).not.toContain('unpriced-model')
  await setOption('PublicModelsEnabled', 'false')
})

test('a model that fails is down, and one of which a channel fails is degraded', async () => {
  const [lame, dead] = ['lame-model', 'dead-model']
  await setOption('ModelRatio', JSON.stringify({ 'made-up': 3, [lame]: 1, [dead]: 1 }))
  await app.make.channel({ models: `${lame},${dead}`, priority: 1, key: 'sk-broken' })
  app.upstream.always(({ headers }) =>
    headers['authorization'] === 'Bearer sk-broken' ? json({ error: { message: 'broken' } }, 500) : null,
  )
  app.upstream.fallback(() => json(chatResponse()))
  await app.make.channel({ models: lame })
  const user = await app.make.user({ quota: 100_000_000 })
  // A circuit opens by the failures of several tokens only.
  for (let round = 0; round < 12; round++) {
    const { key } = await app.make.token(user, { isUnlimited: true })
    for (const model of [lame, dead]) {
      await app.request('/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: `${round}` }] }),
      })
    }
  }
  const rows = await app.data(contract.model.list, {}, user)
  const stateOf = (name: string) => rows.find((row) => row.name === name)?.state
  expect([stateOf(lame), stateOf(dead), stateOf('made-up')]).toEqual(['degraded', 'down', 'up'])
})
