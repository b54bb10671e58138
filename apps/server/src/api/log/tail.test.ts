import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, tailRowsMax } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { plainLog } from '../../ledger/log-entry.ts'

let app: TestApp
let ann: TestUser
let bob: TestUser
beforeAll(async () => {
  app = await testApp()
  ann = await app.make.user()
  bob = await app.make.user()
})
afterAll(() => app.close())

interface RowFields {
  readonly createdAt?: number
  readonly modelName?: string
  readonly channelId?: number
}

async function write(owner: TestUser, content: string, fields: RowFields = {}): Promise<void> {
  const row = {
    userId: owner.id,
    username: owner.username,
    createdAt: 5_000,
    type: 2,
    content,
    modelName: 'gpt-4o',
    channelId: 7,
    ...fields,
  }
  await app.app.ledger.writeLog(plainLog(row))
}

const contents = (rows: readonly { readonly content: string }[]) => rows.map(({ content }) => content)

test('what is new since a call is in the next one, once, also a row whose request began earlier', async () => {
  await write(ann, 'first')
  const { rows, last } = await app.data(contract.log.tail, {})
  expect(contents(rows)[0]).toBe('first')
  expect(await app.data(contract.log.tail, { since: last })).toEqual({ rows: [], last })
  await write(ann, 'second')
  await write(ann, 'a long answer', { createdAt: 1_000 })
  const next = await app.data(contract.log.tail, { since: last })
  expect(contents(next.rows)).toEqual(['a long answer', 'second'])
  expect(next.last).toBe(next.rows[0]?.id ?? 0)
  expect((await app.data(contract.log.tail, { since: next.last })).rows).toEqual([])
})

test('only rows that match the filters are in it, and the position moves on although none does', async () => {
  const { last } = await app.data(contract.log.tail, {})
  await write(ann, 'of ann', { modelName: 'other', channelId: 3 })
  await write(bob, 'of bob')
  const since = { since: last }
  expect(contents((await app.data(contract.log.tail, { ...since, username: bob.username })).rows)).toEqual(['of bob'])
  expect(contents((await app.data(contract.log.tail, { ...since, model_name: 'other', channel: 3, type: 2 })).rows)).toEqual(['of ann'])
  expect(contents((await app.data(contract.log.tail, { ...since, start_timestamp: 5_001 })).rows)).toEqual([])
  const none = await app.data(contract.log.tail, { ...since, type: 1 })
  expect(none).toEqual({ rows: [], last: last + 2 })
})

test('of an ordinary user it has the own rows only, without the channel', async () => {
  const { last } = await app.data(contract.log.tailSelf, {}, bob)
  await write(ann, 'not for bob')
  await write(bob, 'for bob')
  const { rows } = await app.data(contract.log.tailSelf, { since: last }, bob)
  expect(rows).toMatchObject([{ content: 'for bob', channel: 0 }])
  expect(rows[0]).not.toHaveProperty('failed_attempts')
})

test('of many rows it has the newest', async () => {
  const { last } = await app.data(contract.log.tail, {})
  for (let number = 1; number <= tailRowsMax + 5; number++) await write(ann, `row ${number}`)
  const { rows } = await app.data(contract.log.tail, { since: last })
  expect(rows).toHaveLength(tailRowsMax)
  expect(contents(rows)[0]).toBe(`row ${tailRowsMax + 5}`)
})
