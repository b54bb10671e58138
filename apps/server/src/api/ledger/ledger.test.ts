import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'
import { until } from '../../../test/server-process.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const check = () => app.data(contract.ledger.check, {})

async function look() {
  await app.app.reconciler.run()
  return await check()
}

test('the books are checked after startup without a request', async () => {
  await until(async () => (await check()).checked_at > 0)
  expect(await check()).toMatchObject({ unexplained: 0, findings: [], stale_holds: 0, negative_balances: 0 })
})

test('what was spent between two looks is explained, and what nobody has entered is found, not mended', async () => {
  const { db } = app.app.store
  const user = await app.make.user()
  const channelId = await app.make.channel()
  const { key, id: tokenId } = await app.make.token(user)
  const before = await look()
  app.upstream.script(json(chatResponse('hello', { prompt_tokens: 100, completion_tokens: 50 })))
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
  await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
  await app.app.ledger.drain()
  const spent = await look()
  expect([spent.unexplained, spent.entries - before.entries, spent.requests - before.requests]).toEqual([0, 1, 1])

  await db
    .updateTable('users')
    .set(({ eb }) => ({ quota: eb('quota', '+', 5) }))
    .where('id', '=', user.id)
    .execute()
  await db
    .updateTable('tokens')
    .set(({ eb }) => ({ used_quota: eb('used_quota', '+', 2) }))
    .where('id', '=', tokenId)
    .execute()
  await db
    .updateTable('channel_usage')
    .set(({ eb }) => ({ used_quota: eb('used_quota', '+', 3) }))
    .where('channel_id', '=', channelId)
    .execute()
  for (const result of [await look(), await look()]) {
    expect(result).toMatchObject({
      unexplained: 10,
      findings: [
        { what: 'balance', id: user.id },
        { what: 'used by token', id: tokenId },
        { what: 'used by channel', id: channelId },
      ],
    })
  }
  await db
    .updateTable('users')
    .set(({ eb }) => ({ quota: eb('quota', '-', 5) }))
    .where('id', '=', user.id)
    .execute()
  await db
    .updateTable('tokens')
    .set(({ eb }) => ({ used_quota: eb('used_quota', '-', 2) }))
    .where('id', '=', tokenId)
    .execute()
  await db
    .updateTable('channel_usage')
    .set(({ eb }) => ({ used_quota: eb('used_quota', '-', 3) }))
    .where('channel_id', '=', channelId)
    .execute()
  expect(await look()).toMatchObject({ unexplained: 0, findings: [] })
})

test('an account of the system that its entries do not explain is found, and so is quota that came from nowhere', async () => {
  const { db } = app.app.store
  const user = await app.make.user({ quota: 1_000 })
  expect(await look()).toMatchObject({ unexplained: 0, findings: [] })
  expect(await app.inconsistencies()).toEqual([])
  const granted = await db.selectFrom('ledger_accounts').select('balance').where('name', '=', 'sys:grant').executeTakeFirstOrThrow()
  expect(granted.balance).toBeLessThanOrEqual(-1_000)

  const change = (amount: number) =>
    db
      .updateTable('ledger_accounts')
      .set(({ eb }) => ({ balance: eb('balance', '+', amount) }))
      .where('name', '=', 'sys:grant')
      .execute()
  await change(7)
  for (const result of [await look(), await look()])
    expect(result).toMatchObject({
      unexplained: 7,
      findings: [{ what: 'account sys:grant', id: 0, stored: granted.balance + 7, summed: granted.balance }],
    })
  expect(await app.inconsistencies()).toEqual([
    expect.stringContaining('account sys:grant: stored'),
    expect.stringContaining('the accounts of the system'),
  ])
  await change(-7)

  // An entry with one side only, which the balances follow: the sum of both sides shows it.
  const entry = { kind: 'admin', ref: 'by hand', user_id: user.id, account: 'sys:admin', amount: 3, created_at: 0 }
  await db.insertInto('ledger').values(entry).execute()
  await db.updateTable('users').set({ quota: 1_003 }).where('id', '=', user.id).execute()
  expect(await look()).toMatchObject({ unexplained: 3, findings: [{ what: 'account sys:admin', stored: 0, summed: -3 }] })
  expect((await app.inconsistencies()).length).toBe(2)
  await db.deleteFrom('ledger').where('ref', '=', 'by hand').execute()
  await db.updateTable('users').set({ quota: 1_000 }).where('id', '=', user.id).execute()
  expect(await app.inconsistencies()).toEqual([])
})

test('every account of the system is the other side of what happened to balances', async () => {
  const { db } = app.app.store
  const accounts = await db.selectFrom('ledger_accounts').selectAll().execute()
  const users = await db
    .selectFrom('users')
    .select(({ fn }) => fn.sum<number>('quota').as('quota'))
    .executeTakeFirstOrThrow()
  expect(accounts.map(({ name }) => name)).toContain('sys:consume')
  expect(accounts.reduce((sum, { balance }) => sum + Number(balance), 0)).toBe(-Number(users.quota))
})
