import { afterAll, beforeAll, expect, test } from 'bun:test'
import { changesKept, contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'

let app: TestApp
let admin: TestUser
beforeAll(async () => {
  app = await testApp()
  admin = await app.make.user({ role: 10 })
})
afterAll(() => app.close())

/** A channel with a name, whose history begins empty. */
async function named(name: string, options: Parameters<TestApp['make']['channel']>[0] = {}): Promise<number> {
  const id = await app.make.channel(options)
  await app.app.store.db.updateTable('channels').set({ name }).where('id', '=', id).execute()
  return id
}

const history = (id: number) => app.data(contract.channel.history, { id }, admin)

test('an edit of a channel is kept with what was before, and sending that back undoes it', async () => {
  const id = await named('first', { models: 'gpt-4o', priority: 1 })
  expect(await history(id)).toEqual([])
  await app.data(contract.channel.update, { id, name: 'second', models: 'gpt-4o,o1', in_flight_max: 7 }, admin)
  const [change] = await history(id)
  expect(change).toMatchObject({
    changed_by: admin.username,
    before: { name: 'first', models: 'gpt-4o', in_flight_max: 0 },
    after: { name: 'second', models: 'gpt-4o,o1', in_flight_max: 7 },
    hidden: [],
  })
  await app.data(contract.channel.update, { id, ...change?.before }, admin)
  expect(await app.data(contract.channel.get, { id })).toMatchObject({ name: 'first', models: 'gpt-4o', in_flight_max: 0, priority: 1 })
  expect((await history(id)).map(({ after }) => after['name'])).toEqual(['first', 'second'])
})

test('secrets are named and not kept', async () => {
  const id = await named('secret')
  await app.data(contract.channel.update, { id, key: 'sk-another-key', headers: '{"X-Team":"hidden-value"}' }, admin)
  await app.data(contract.channel.update, { id, headers: '{"X-Team":"other-hidden-value"}' }, admin)
  expect((await history(id)).map(({ before, after, hidden }) => [Object.keys(before), after, hidden])).toEqual([
    [[], {}, ['settings']],
    [['headers'], { headers: '{"X-Team":""}' }, ['key']],
  ])
  const rows = JSON.stringify(await app.app.store.db.selectFrom('changes').selectAll().execute())
  for (const secret of ['sk-another-key', 'hidden-value']) expect(rows).not.toContain(secret)
})

test('an edit that changes nothing, or that is refused, is no part of the history', async () => {
  const id = await named('same')
  await app.data(contract.channel.update, { id, name: 'same' }, admin)
  expect((await app.call(contract.channel.update, { id, name: 'x', model_mapping: 'no JSON' }, admin)).success).toBe(false)
  expect(await history(id)).toEqual([])
})

test('the newest changes of each channel and option are kept', async () => {
  const id = await named('often')
  const other = await named('once')
  await app.data(contract.channel.update, { id: other, name: 'twice' }, admin)
  for (let count = 0; count < changesKept + 3; count++) await app.data(contract.channel.update, { id, priority: count + 1 }, admin)
  const changes = await history(id)
  expect(changes.map(({ after }) => after['priority'])).toEqual(Array.from({ length: changesKept }, (_, index) => changesKept + 3 - index))
  expect(await history(other)).toHaveLength(1)
})

test('an option has a history too, in which secrets have no values', async () => {
  const of = (key: string) => app.data(contract.option.history, { key }, admin)
  await app.data(contract.option.update, { key: 'SystemName', value: 'One' }, admin)
  await app.data(contract.option.update, { key: 'SystemName', value: 'Two' }, admin)
  await app.data(contract.option.update, { key: 'SystemName', value: 'Two' }, admin)
  expect((await of('SystemName')).map(({ before, after }) => [before['value'], after['value']])).toEqual([
    ['One', 'Two'],
    ['Sluice', 'One'],
  ])
  await app.data(contract.option.update, { key: 'SMTPToken', value: 'secret-of-mail' })
  expect(await of('SMTPToken')).toMatchObject([{ before: {}, after: {}, hidden: ['SMTPToken'] }])
  await app.data(contract.channel.setPrice, { model: 'mine', price: { free: true } }, admin)
  expect(await of('PriceRules')).toMatchObject([{ before: { value: '{}' }, after: { value: '{"mine":{"free":true}}' } }])
  // A table of ratios keeps what differs from the built-in one; sending that back restores it.
  await app.data(contract.option.update, { key: 'GroupRatio', value: '{"default":1,"vip":0.5}' }, admin)
  const [change] = await of('GroupRatio')
  await app.data(contract.option.update, { key: 'GroupRatio', value: String(change?.before['value']) }, admin)
  expect((await of('GroupRatio'))[0]?.after).toEqual(change?.before ?? {})
  expect(await of('nothing')).toEqual([])
})

test('customers read no history', async () => {
  const user = await app.make.user()
  expect((await app.call(contract.channel.history, { id: 1 }, user)).success).toBe(false)
  expect((await app.call(contract.option.history, { key: 'SystemName' }, user)).success).toBe(false)
})
