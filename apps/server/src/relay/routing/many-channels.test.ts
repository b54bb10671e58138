import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { setOptions } from '../../../test/channel-scene.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await testApp()
  await setOptions(app, { UnpricedModelRatio: 1 })
  app.upstream.fallback(() => json(chatResponse()))
  const user = await app.make.user({ quota: 100_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
  await app.make.channel({ models: 'gpt-4o-mini' })
})
afterAll(() => app.close())

const form = () => ({ type: 1, name: 'many', base_url: app.upstream.url, group: 'default' })
const keysOf = (count: number) => Array.from({ length: count }, (_, index) => `sk-many-${index}`).join('\n')
const names = (count: number, prefix = 'm') => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

async function chat(model: string) {
  const messages = [{ role: 'user', content: 'Hi' }]
  const headers = { authorization: `Bearer ${key}` }
  const response = await app.request('/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify({ model, messages }) })
  return { status: response.status, text: await response.text() }
}

async function listedModels(): Promise<readonly string[]> {
  const response = await app.request('/v1/models', { headers: { authorization: `Bearer ${key}` } })
  // Holds: this is the form of OpenAI's list.
  const { data } = (await response.json()) as { readonly data: ReadonlyArray<{ readonly id: string }> }
  return data.map(({ id }) => id)
}

/** The longest time in which the event loop could do nothing else, in milliseconds. */
async function longestStep(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let beganAt = performance.now()
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - beganAt)
    beganAt = performance.now()
  }, 1)
  await work()
  longest = Math.max(longest, performance.now() - beganAt)
  clearInterval(timer)
  return longest
}

test('an edit counts for the next request, and so does each of many', async () => {
  await app.data(contract.channel.create, { ...form(), name: 'edited', key: keysOf(20), models: 'm-edited' })
  const rows = (await app.data(contract.channel.search, { keyword: 'edited' })).filter(({ name }) => name === 'edited')
  expect(rows).toHaveLength(20)
  expect((await chat('m-edited')).status).toBe(200)
  for (const { id } of rows) {
    expect((await chat('m-edited')).status).toBe(200)
    await app.data(contract.channel.update, { id, models: 'm-other' })
  }
  expect((await chat('m-edited')).text).toContain('model_not_found')
  expect((await chat('m-other')).status).toBe(200)
  for (const { id } of rows) await app.data(contract.channel.update, { id, status: 2 })
  expect((await chat('m-other')).text).toContain('no_channel')
  await app.data(contract.channel.removeDisabled, {})
  expect((await chat('m-other')).text).toContain('model_not_found')
}, 120_000)

describe('channels at their limits', () => {
  test('are loaded in steps, listed and served, whatever texts they share', async () => {
    const prices = JSON.stringify(Object.fromEntries(names(5_000).map((name) => [name, { ratio: 1 }])))
    const long = await longestStep(async () => {
      await app.data(contract.channel.create, { ...form(), key: keysOf(100), models: 'm-cost', cost_prices: prices })
      await app.data(contract.channel.create, { ...form(), key: keysOf(300), models: names(5_000).join() })
      for (const model of ['gpt-4o-mini', 'm-cost', 'm4999']) expect((await chat(model)).status).toBe(200)
      const listed = await listedModels()
      expect(listed).toHaveLength(5_002)
      expect(listed).toEqual(listed.toSorted())
      await app.data(contract.channel.list, { size: 100 })
    })
    // Each channel with these prices took 70 ms, in one step for all of them.
    expect(long).toBeLessThan(3_000)
  }, 120_000)

  test('are refused above them, with the name of the field', async () => {
    const prices = JSON.stringify(Object.fromEntries(names(5_000).map((name) => [name, { ratio: 1 }])))
    const refused = async (more: Readonly<Record<string, string>>) => {
      const response = await app.call(contract.channel.create, { ...form(), key: 'sk-one', models: 'm', ...more })
      // Holds: a refusal of an input names its field.
      return [response.success, (response as { readonly field?: string }).field, response.message]
    }
    expect(await refused({ models: names(5_001).join() })).toEqual([false, 'models', en.channel_models_too_many])
    const [, field, message] = await refused({ key: keysOf(1_000), cost_prices: prices })
    expect([field, String(message)]).toEqual(['key', expect.stringContaining('16777216')])
    const more = await refused({ models: names(5_000, 'further').join() })
    expect(more).toEqual([false, 'models', expect.stringContaining('10000 different models')])
  }, 120_000)

  test('work as before if they were stored above them, and take edits of other fields', async () => {
    const created = { ...form(), name: 'old', key: 'sk-old', models: 'm-old' }
    await app.data(contract.channel.create, created)
    const [row] = await app.data(contract.channel.list, { size: 1 })
    const id = row?.id ?? 0
    const models = names(12_000, 'old-').join()
    const mapping = JSON.stringify(Object.fromEntries(names(9_000, 'old-').map((name) => [name, `${name}-upstream`])))
    await app.app.store.db.updateTable('channels').set({ models, model_mapping: mapping }).where('id', '=', id).execute()
    expect((await app.data(contract.channel.update, { id, priority: 3 })).priority).toBe(3)
    expect((await chat('old-11999')).status).toBe(200)
    expect((await chat('old-8999')).status).toBe(200)
    const upstreamRequest = app.upstream.received.at(-1)
    expect(JSON.stringify(upstreamRequest?.body ?? '')).toContain('old-8999-upstream')
    expect(await listedModels()).toContain('old-0')
    expect((await app.call(contract.channel.update, { id, models: `${models},one-more` })).success).toBe(false)
  }, 120_000)
})
