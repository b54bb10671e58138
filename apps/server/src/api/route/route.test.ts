import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import type { Updateable } from 'kysely'
import { type TestApp, testApp } from '../../../test/app.ts'
import { setStatus, until } from '../../../test/channel-scene.ts'
import { damagedSeal } from '../../../test/damaged-seal.ts'
import { chatResponse, json, type Script } from '../../../test/fake-upstream.ts'
import type { ChannelTable } from '../../db/schema.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const explain = (model: string, more: { readonly username?: string; readonly groups?: string; readonly kind?: string } = {}) =>
  app.data(contract.route.explain, { model, ...more } as never)

test('channels are listed in the order in which they are tried, with the chance to be the first', async () => {
  await app.data(contract.option.update, { key: 'ModelRatio', value: '{"m":1,"embedding-m":1}' })
  const heavy = await app.make.channel({ models: 'm', priority: 5, weight: 3 })
  const light = await app.make.channel({ models: 'm', priority: 5, weight: 1, mapping: { m: 'm-upstream' } })
  const later = await app.make.channel({ models: 'm', priority: 1 })
  const off = await app.make.channel({ models: 'm', priority: 9 })
  await setStatus(app, off, 2)
  const vip = await app.make.channel({ models: 'm', groups: 'vip', priority: 9 })
  const report = await explain('m')
  expect(report).toMatchObject({ group: 'default', is_priced: true, attempts: 4, choice: 'weighted' })
  expect(report.channels.map(({ id, chance, left_out }) => [id, chance, left_out])).toEqual([
    [off, 0, 'disabled'],
    [vip, 0, 'other_group'],
    [heavy, 0.75, ''],
    [light, 0.25, ''],
    [later, 0, ''],
  ])
  expect(report.channels[3]).toMatchObject({ upstream_model: 'm-upstream', priority: 5, weight: 1 })
})

test('the groups of an account decide, and an unknown account is refused by name', async () => {
  const ann = await app.make.user({ groups: 'vip' })
  const report = await explain('m', { username: ann.username })
  expect(report.group).toBe('vip')
  expect(report.channels.filter(({ left_out }) => left_out === '')).toHaveLength(1)
  expect(await app.call(contract.route.explain, { model: 'm', username: 'nobody-here' } as never)).toMatchObject({
    success: false,
    field: 'username',
  })
})

test('a call that a vendor does not have leaves its channels out', async () => {
  const claude = await app.make.channel({ type: 14, models: 'embedding-m' })
  const openai = await app.make.channel({ models: 'embedding-m' })
  const report = await explain('embedding-m')
  const reasons = Object.fromEntries(report.channels.map(({ id, left_out }) => [id, left_out]))
  expect(reasons).toEqual({ [claude]: 'not_offered', [openai]: '' })
  expect((await explain('embedding-m', { kind: 'chat' })).channels.every(({ left_out }) => left_out === '')).toBe(true)
})

test('a channel on cooldown reports when it ends, and the next one is tried', async () => {
  const limited = await app.make.channel({ models: 'rests', priority: 1, key: 'sk-limited' })
  const next = await app.make.channel({ models: 'rests' })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  app.upstream.always(({ headers }) =>
    headers['authorization'] === 'Bearer sk-limited' ? json({ error: { message: 'slow down' } }, 429, { 'retry-after': '30' }) : null,
  )
  app.upstream.fallback(() => json(chatResponse()))
  const user = await app.make.user({ quota: 1_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'rests', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  expect(response.status).toBe(200)
  const { channels } = await explain('rests')
  expect(channels.map(({ id, left_out, chance }) => [id, left_out, chance])).toEqual([
    [limited, 'cooled', 0],
    [next, '', 1],
  ])
  expect(channels[0]?.rest_ms).toBeGreaterThan(20_000)
  expect(channels[0]?.rest_ms).toBeLessThanOrEqual(30_000)
})

/** A request of an account with a token of its own, so that several of them count as several clients. */
async function asker(model: string, words = 'Hi'): Promise<() => Promise<Response>> {
  const { key } = await app.make.token(await app.make.user({ quota: 1_000_000 }), { isUnlimited: true })
  return () =>
    app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: words }] }),
    })
}

test('a channel with as many requests as it may have is left out until one of them ends', async () => {
  const id = await app.make.channel({ models: 'narrow' })
  await app.data(contract.channel.update, { id, in_flight_max: 1 })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  const ask = await asker('narrow')
  const held: Script = [{ do: 'wait', name: 'narrow' }, ...json(chatResponse())]
  app.upstream.script(held)
  const before = app.upstream.received.length
  const running = ask()
  await until(
    async () => app.upstream.received.length,
    (count) => count === before + 1,
  )
  expect((await explain('narrow')).channels).toMatchObject([{ id, left_out: 'full', chance: 0, in_flight: 1 }])
  app.upstream.release('narrow')
  expect((await running).status).toBe(200)
  expect((await explain('narrow')).channels).toMatchObject([{ id, left_out: '', chance: 1, in_flight: 0 }])
})

// Different requests of several tokens: those of one would open the circuit of this token only.
test('a channel whose circuit is open is left out, and the one below it is first', async () => {
  const broken = await app.make.channel({ models: 'circuit', priority: 1, key: 'sk-circuit' })
  const next = await app.make.channel({ models: 'circuit' })
  app.upstream.always(({ headers }) =>
    headers['authorization'] === 'Bearer sk-circuit' ? json({ error: { message: 'broken' } }, 500) : null,
  )
  app.upstream.fallback(() => json(chatResponse()))
  for (let round = 0; round < 12; round++) expect((await (await asker('circuit', `${round}`))()).status).toBe(200)
  expect((await explain('circuit')).channels.map(({ id, left_out, chance }) => [id, left_out, chance])).toEqual([
    [broken, 'down', 0],
    [next, '', 1],
  ])
})

test('a channel whose key, configuration or settings cannot be read is named, as is one of an unknown type', async () => {
  const bad: number[] = []
  for (const priority of [9, 8, 7, 6]) bad.push(await app.make.channel({ models: 'sealed', priority }))
  const other = await app.make.channel({ models: 'sealed-other' })
  const good = await app.make.channel({ models: 'sealed', priority: 1 })
  const changes: readonly Updateable<ChannelTable>[] = [
    { key_sealed: damagedSeal, groups: 'vip' },
    { config_sealed: damagedSeal, model_mapping: '{"sealed":"up"}' },
    { settings_sealed: damagedSeal },
    { type: 99_999 },
  ]
  for (const [index, change] of changes.entries())
    await app.app.store.db
      .updateTable('channels')
      .set(change)
      .where('id', '=', bad[index] ?? 0)
      .execute()
  for (const id of [...bad, other]) await app.data(contract.channel.update, { id, name: 'renamed' })
  const report = await explain('sealed')
  expect(report.channels.map(({ id, left_out, upstream_model, chance }) => [id, left_out, upstream_model, chance])).toEqual([
    [bad[0] ?? 0, 'unreadable', 'sealed', 0],
    [bad[1] ?? 0, 'unreadable', 'up', 0],
    [bad[2] ?? 0, 'unreadable', 'sealed', 0],
    [bad[3] ?? 0, 'unusable', 'sealed', 0],
    [good, '', 'sealed', 1],
  ])
  expect(report.channels[0]).toMatchObject({ groups: ['vip'], name: 'renamed', type: 1, rest_ms: 0, in_flight: 0 })
  // The relay does the same: with only these left, there is no channel.
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  await setStatus(app, good, 2)
  await app.data(contract.channel.update, { id: good, name: 'off' })
  expect((await (await asker('sealed'))()).status).toBe(503)
  expect((await explain('sealed', { groups: 'vip' })).channels.map(({ left_out }) => left_out)).toEqual([
    ...(['unreadable', 'unreadable', 'unreadable', 'unusable', 'other_group'] as const),
  ])
  await app.data(contract.channel.update, { id: bad[0] ?? 0, key: 'again', group: 'default' })
  expect((await explain('sealed')).channels[0]).toMatchObject({ id: bad[0], left_out: '' })
})

test('a model without a price is said to be refused, whichever channels have it', async () => {
  const id = await app.make.channel({ models: 'unpriced' })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '' })
  expect(await explain('unpriced')).toMatchObject({ is_priced: false, channels: [{ id, left_out: '' }] })
  await app.data(contract.option.update, { key: 'ModelRatio', value: '{"m":1,"embedding-m":1,"unpriced":1}' })
  expect(await explain('unpriced')).toMatchObject({ is_priced: true })
})

test('a model that nobody has leads nowhere', async () => {
  expect(await explain('unknown-model')).toMatchObject({ group: '', channels: [] })
  expect(await app.call(contract.route.explain, { model: '  ' } as never)).toMatchObject({ success: false })
})

test('a thousand channels of one model all have their chance and their reason', async () => {
  const count = 1_000
  await app.data(contract.channel.create, {
    ...{ type: 1, name: 'many', models: 'crowded', group: 'default', base_url: app.upstream.url, priority: 3 },
    key: Array.from({ length: count }, (_, index) => `sk-crowd-${index}`).join('\n'),
  })
  const { channels: all } = await explain('crowded')
  const ids = all.map(({ id }) => id)
  await app.app.store.db
    .updateTable('channels')
    .set({ status: 2 })
    .where(
      'id',
      'in',
      ids.filter((_, index) => index % 5 === 0),
    )
    .execute()
  await app.app.store.db
    .updateTable('channels')
    .set({ priority: 1 })
    .where(
      'id',
      'in',
      ids.filter((_, index) => index % 5 === 1),
    )
    .execute()
  await app.data(contract.channel.update, { id: ids[2] ?? 0, weight: 200 })
  // A call that changes many channels lets the server read all of them again.
  const others = { type: 1, name: 'others', models: 'uncrowded', base_url: app.upstream.url }
  await app.data(contract.channel.create, { ...others, key: Array.from({ length: 9 }, (_, index) => `sk-other-${index}`).join('\n') })
  const { channels } = await explain('crowded')
  expect(channels).toHaveLength(count)
  const first = channels.filter(({ priority, left_out }) => priority === 3 && left_out === '')
  expect(first).toHaveLength(600)
  expect(first.reduce((sum, { chance }) => sum + chance, 0)).toBeCloseTo(1, 9)
  expect(first[0]).toMatchObject({ id: ids[2], weight: 200 })
  expect(first[0]?.chance).toBeCloseTo(200 / 799, 9)
  expect(channels.filter(({ left_out }) => left_out === 'disabled')).toHaveLength(200)
  expect(channels.filter(({ priority }) => priority === 1).map(({ chance, left_out }) => [chance, left_out])).toEqual(
    Array.from({ length: 200 }, () => [0, '']),
  )
})
