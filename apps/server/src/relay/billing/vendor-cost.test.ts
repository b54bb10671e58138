import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en, type InputOf } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatResponse, json, type Script } from '../../../test/fake-upstream.ts'

// What the vendor of a channel charges beside what a customer is charged: gpt-4o costs 2.5 and 10 dollars for a million tokens, that is
// 1.25 and 5 units of quota for a token.

const usage = { prompt_tokens: 1_000, completion_tokens: 500 }
const listed = 1_000 * 1.25 + 500 * 5

let app: TestApp
let user: TestUser
let key: string
let channel: number
beforeAll(async () => {
  app = await testApp()
  channel = await app.make.channel({ models: 'gpt-4o,our-gpt,deployed,nobody-knows', mapping: { 'our-gpt': 'gpt-4o', deployed: 'x-1' } })
  await app.data(contract.option.update, { key: 'ModelRatio', value: '{"our-gpt":10,"deployed":10,"nobody-knows":10}' })
  user = await app.make.user({ quota: 1_000_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

type Costs = Pick<InputOf<typeof contract.channel.update>, 'cost_factor' | 'cost_prices'>

/** The log row of a request for a model, with these cost prices of its channel. */
async function rowOf(model: string, costs: Costs = {}, script: Script = json(chatResponse('Hello', usage))) {
  await app.data(contract.channel.update, { id: channel, cost_factor: 1, cost_prices: '', ...costs })
  app.upstream.script(script)
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  await response.text()
  await app.app.ledger.drain()
  const [row] = await app.data(contract.log.list, { username: user.username })
  if (row === undefined) throw new Error('nothing was logged')
  return row
}

const costOf = async (model: string, costs?: Costs) => (await rowOf(model, costs)).cost

describe('the cost of a request', () => {
  test('is the list price of the model that was requested from the vendor, whatever the customer pays', async () => {
    expect(await rowOf('gpt-4o')).toMatchObject({ quota: listed, cost: listed })
    expect(await rowOf('our-gpt')).toMatchObject({ quota: 15_000, cost: listed })
  })

  test('is multiplied by the part of the list price that the channel pays', async () => {
    expect(await costOf('gpt-4o', { cost_factor: 0.8 })).toBe(listed * 0.8)
    expect(await costOf('gpt-4o', { cost_factor: 0 })).toBe(0)
    expect(await costOf('gpt-4o', { cost_factor: 1.5 })).toBe(listed * 1.5)
  })

  test('follows the channel’s own price, by either name of the model', async () => {
    expect(await costOf('our-gpt', { cost_prices: '{"gpt-4o":{"ratio":2}}' })).toBe(1_000 * 2 + 500 * 2 * 4)
    expect(await costOf('deployed', { cost_prices: '{"deployed":{"ratio":2,"completion":3}}' })).toBe(1_000 * 2 + 500 * 6)
    expect(await costOf('deployed', { cost_prices: '{"x-1":{"like":"gpt-4o"}}' })).toBe(listed)
    expect(await costOf('gpt-4o', { cost_prices: '{"gpt-4o":{"free":true}}' })).toBe(0)
    expect(await costOf('deployed', { cost_prices: '{"deployed":{"call":0.01}}', cost_factor: 0.5 })).toBe(2_500)
  })

  test('is unknown where neither the channel nor the list has a price, and such rows are in no margin', async () => {
    const before = await totals()
    expect(await rowOf('nobody-knows')).toMatchObject({ quota: 15_000, cost: null })
    expect(await rowOf('deployed')).toMatchObject({ quota: 15_000, cost: null })
    await rowOf('gpt-4o', { cost_factor: 2 })
    const after = await totals()
    expect(after.quota - before.quota).toBe(30_000 + listed)
    expect([after.cost - before.cost, after.costed_quota - before.costed_quota]).toEqual([listed * 2, listed])
  })

  test('is nothing if nothing was brought', async () => {
    expect(await rowOf('gpt-4o', {}, json({ error: { message: 'overloaded' } }, 503))).toMatchObject({ quota: 0, cost: 0 })
  })
})

const totals = async () => {
  const points = await app.data(contract.log.series, { group: 'channel', channel })
  const sum = (column: 'quota' | 'cost' | 'costed_quota') => points.reduce((all, point) => all + point[column], 0)
  return { quota: sum('quota'), cost: sum('cost'), costed_quota: sum('costed_quota') }
}

test('cost prices of another form are refused, and the ones before remain', async () => {
  await app.data(contract.channel.update, { id: channel, cost_factor: 0.5, cost_prices: '{"gpt-4o":{"ratio":2}}' })
  const refusals: readonly (readonly [Costs, string])[] = [
    [{ cost_factor: -1 }, en.cost_factor_invalid],
    [{ cost_factor: 101 }, en.cost_factor_invalid],
    [{ cost_prices: '{"gpt-4o":5}' }, en.cost_prices_invalid],
    [{ cost_prices: '{"gpt-4o":{"price":5}}' }, en.cost_prices_invalid],
    [{ cost_prices: 'none' }, en.cost_prices_invalid],
  ]
  for (const [costs, message] of refusals)
    expect(await app.call(contract.channel.update, { id: channel, ...costs })).toMatchObject({ success: false, message })
  expect(await app.data(contract.channel.get, { id: channel })).toMatchObject({ cost_factor: 0.5, cost_prices: '{"gpt-4o":{"ratio":2}}' })
})

test('list prices are returned as cost prices, for the models that have one', async () => {
  const prices = await app.data(contract.channel.listPrices, { models: 'gpt-4o,nobody-knows,glm-5' })
  expect(Object.keys(prices).sort()).toEqual(['glm-5', 'gpt-4o'])
  expect(prices['gpt-4o']).toMatchObject({ ratio: 1.25, completion: 4 })
  expect(await costOf('gpt-4o', { cost_prices: JSON.stringify(prices) })).toBe(listed)
})

test('customers read no costs', async () => {
  const [row] = await app.data(contract.log.listSelf, {}, user)
  expect(Object.keys(row ?? {})).not.toContain('cost')
})
