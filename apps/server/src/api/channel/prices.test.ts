import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

let app: TestApp
let admin: TestUser
beforeAll(async () => {
  app = await testApp()
  admin = await app.make.user({ role: 10 })
  await app.make.channel({ models: 'llama3,qwen3,mistral-local,gpt-4o' })
  app.upstream.fallback(() => json(chatResponse()))
})
afterAll(() => app.close())

const unpriced = (models: string) => app.data(contract.channel.unpriced, { models }, admin)

async function costOf(model: string, quota = 1_000_000): Promise<number | string> {
  const user = await app.make.user({ quota })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] }),
  })
  if (!response.ok) return ((await response.json()) as { error: { code: string } }).error.code
  await app.app.ledger.drain()
  return (await app.data(contract.account.self, {}, user)).used_quota
}

test('a form gets the list of its models without a price, and a choice sets their price', async () => {
  expect(await unpriced('gpt-4o,llama3,,qwen3,mistral-local')).toEqual(['llama3', 'qwen3', 'mistral-local'])
  expect(await unpriced('')).toEqual(['llama3', 'mistral-local', 'qwen3'])
  expect(await costOf('llama3')).toBe('model_price_not_set')
  await app.data(contract.channel.setPrice, { model: 'llama3', price: { free: true } }, admin)
  await app.data(contract.channel.setPrice, { model: 'qwen3', price: { like: 'gpt-4o' } }, admin)
  await app.data(contract.channel.setPrice, { model: 'mistral-local', price: { ratio: 3, completion: 2 } }, admin)
  expect(await unpriced('llama3,qwen3,mistral-local')).toEqual([])
  expect(await unpriced('')).toEqual([])
  expect(await costOf('llama3', 0)).toBe(0)
  expect(await costOf('qwen3')).toBe(await costOf('gpt-4o'))
  expect(await costOf('mistral-local')).toBe(10 * 3 + 5 * 3 * 2)
  expect(await app.inconsistencies()).toEqual([])
})

test('a choice replaces the previous one, does not change others, and is logged', async () => {
  await app.data(contract.channel.setPrice, { model: 'qwen3', price: { free: true } }, admin)
  expect(await costOf('qwen3')).toBe(0)
  expect(await costOf('mistral-local')).toBe(60)
  const [row] = await app.data(contract.log.list, { type: 3 })
  expect(row).toMatchObject({ code: 'log_model_price', actor_id: admin.id, params: { model: 'qwen3', price: '{"free":true}' } })
})

test('no model is priced like itself or like one without a price, and the error of a request says what to do', async () => {
  const like = async (model: string, other: string) =>
    (await app.call(contract.channel.setPrice, { model, price: { like: other } }, admin)).message
  expect(await like('new-one', 'new-one')).toBe(en.price_source_not_found.replace('{model}', 'new-one'))
  expect(await like('new-one', 'no-such')).toBe(en.price_source_not_found.replace('{model}', 'no-such'))
  expect(await unpriced('new-one')).toEqual(['new-one'])
  for (const word of ['channel', 'PriceRules', 'free', 'ModelRatio', 'UnpricedModelRatio']) expect(en.model_price_not_set).toContain(word)
})

test('a personal access token needs option:write too where a model has a price already', async () => {
  const set = async (model: string, ...scopes: readonly string[]) => {
    const as = await app.make.personalToken(admin, scopes)
    return await app.call(contract.channel.setPrice, { model, price: { free: true } }, as)
  }
  const priceRules = async () => (await app.data(contract.option.list, {})).find(({ key }) => key === 'PriceRules')?.value
  const lacking = en.scope_missing.replace('{scope}', 'option:write')
  expect((await set('gpt-4o', 'channel:write')).message).toBe(lacking)
  expect(await priceRules()).not.toContain('gpt-4o":{"free')
  expect(await set('new-of-token', 'channel:write')).toMatchObject({ success: true })
  expect((await set('new-of-token', 'channel:write', 'option:read')).message).toBe(lacking)
  expect(await set('new-of-token', 'channel:write', 'option:write')).toMatchObject({ success: true })
  expect(await set('gpt-4o', 'all')).toMatchObject({ success: true })
})
