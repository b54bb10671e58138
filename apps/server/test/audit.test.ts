import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en, zh } from '@sluice/contract'
import { sql } from 'kysely'
import { type Session, type TestApp, type TestUser, testApp } from './app.ts'
import { chatResponse, json } from './fake-upstream.ts'

let app: TestApp
let boss: TestUser
let ann: TestUser
beforeAll(async () => {
  app = await testApp()
  boss = await app.make.user({ role: 10 })
  ann = await app.make.user()
})
afterAll(() => app.close())

const inChinese = ({ headers }: Session): Session => ({ headers: { ...headers, 'accept-language': 'zh-CN,zh;q=0.9' } })

async function newest(as: Session) {
  const [row] = await app.data(contract.log.list, {}, as)
  if (row === undefined) throw new Error('the log is empty')
  return row
}

describe('a row of the log', () => {
  test('stores actor and target by id and its text as code and parameters, and is shown in the language of the reader', async () => {
    await app.data(contract.user.update, { id: ann.id, display_name: 'Ann' }, boss)
    const message = { code: 'log_user_edited', params: { actor: boss.username, user: ann.username, fields: 'display_name' } }
    const row = { type: 3, actor_id: boss.id, user_id: ann.id, ...message }
    expect(await newest(app.root)).toMatchObject({ ...row, content: `${boss.username} changed display_name of ${ann.username}` })
    const chinese = zh.log_user_edited.replace('{actor}', boss.username).replace('{user}', ann.username).replace('{fields}', 'display_name')
    expect(await newest(inChinese(app.root))).toMatchObject({ ...row, content: chinese })
    const [own] = await app.data(contract.log.listSelf, {}, inChinese(ann))
    expect(own).toMatchObject({ ...row, content: chinese })
  })

  test('of a channel test has the type of the system and an event', async () => {
    const id = await app.make.channel()
    app.upstream.script(json(chatResponse()))
    await app.data(contract.channel.test, { id }, boss)
    expect(await newest(inChinese(app.root))).toMatchObject({
      type: 4,
      event: 'channel_test',
      code: 'log_channel_tested',
      actor_id: boss.id,
    })
    expect((await newest(inChinese(app.root))).content).toStartWith('渠道')
  })

  test('with a reason from the catalogue is in one language throughout', async () => {
    const id = await app.make.channel()
    const { key_sealed } = await app.app.store.db.selectFrom('channels').select('key_sealed').where('id', '=', id).executeTakeFirstOrThrow()
    expect(key_sealed).not.toBe('')
    await app.data(contract.option.update, { key: 'ChannelDisableThreshold', value: '0.000000001' })
    await app.data(contract.option.update, { key: 'AutomaticDisableChannelEnabled', value: 'true' })
    app.upstream.fallback(() => json(chatResponse()))
    await app.data(contract.channel.testAll, { scope: 'all' }, boss)
    while ((await app.data(contract.channel.progress, {}, boss)).running) await app.data(contract.channel.progress, {}, boss)
    const rows = await app.data(contract.log.list, { type: 4 }, inChinese(app.root))
    const row = rows.find(({ code }) => code === 'log_channel_disabled')
    expect(row?.content).toContain(zh.channel_too_slow.split('{')[0] ?? '?')
    expect(row?.content).not.toContain('the limit is')
  })
})

test('errors about missing things are in one language', async () => {
  const calls = [
    app.call(contract.token.get, { id: 999 }, inChinese(ann)),
    app.call(contract.channel.get, { id: 999 }, inChinese(boss)),
    app.call(contract.user.get, { id: 999 }, inChinese(boss)),
    app.call(contract.redemption.get, { id: 999 }, inChinese(boss)),
  ]
  for (const { message } of await Promise.all(calls)) expect(message).not.toMatch(/[a-z]/i)
  expect((await app.call(contract.token.get, { id: 999 }, ann)).message).toBe(en.no_such_token)
})

describe('a change and its audit event', () => {
  /** While `work` runs, inserting a row of type 3 fails. */
  async function withoutAudit(work: () => Promise<void>): Promise<void> {
    const { db, engine } = app.app.store
    if (engine === 'sqlite')
      await sql`CREATE TRIGGER no_audit BEFORE INSERT ON logs WHEN NEW.type = 3 BEGIN SELECT RAISE(ABORT, 'no audit'); END`.execute(db)
    else await sql`ALTER TABLE logs ADD CONSTRAINT no_audit CHECK (type <> 3) NOT VALID`.execute(db)
    try {
      await work()
    } finally {
      if (engine === 'sqlite') await sql`DROP TRIGGER no_audit`.execute(db)
      else await sql`ALTER TABLE logs DROP CONSTRAINT no_audit`.execute(db)
    }
  }

  test('are written together or not at all', async () => {
    const bob = await app.make.user()
    const id = await app.make.channel()
    const [code = ''] = await app.data(contract.redemption.create, { name: 'kept', quota: 5, count: 1 }, boss)
    const [{ id: codeId = 0 } = {}] = await app.data(contract.redemption.search, { keyword: 'kept' }, boss)
    expect(code).not.toBe('')
    const tables = ['users', 'channels', 'redemptions', 'options', 'tokens', 'channel_usage'] as const
    const { db } = app.app.store
    const state = async () => await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().orderBy(sql`1`).execute()))
    const before = await state()
    await withoutAudit(async () => {
      const deeds = [
        () => app.call(contract.user.update, { id: bob.id, display_name: 'Bob' }, boss),
        () => app.call(contract.user.manage, { username: bob.username, action: 'disable' }, boss),
        () => app.call(contract.user.remove, { id: bob.id }, boss),
        () => app.call(contract.user.create, { username: 'carl', password: 'a good password', display_name: '' }, boss),
        () => app.call(contract.account.updateSelf, { username: 'bobby', password: 'another password' }, bob),
        () => app.call(contract.channel.update, { id, name: 'other' }, boss),
        () => app.call(contract.channel.remove, { id }, boss),
        () => app.call(contract.channel.create, { name: 'n', type: 1, key: 'k', models: 'm' }, boss),
        () => app.call(contract.redemption.update, { id: codeId, quota: 9 }, boss),
        () => app.call(contract.redemption.remove, { id: codeId }, boss),
        () => app.call(contract.redemption.create, { name: 'more', quota: 5, count: 2 }, boss),
        () => app.call(contract.option.update, { key: 'SystemName', value: 'Other' }, boss),
      ]
      for (const act of deeds) expect([String(act), (await act()).success]).toEqual([String(act), false])
    })
    expect(await state()).toEqual(before)
    expect((await app.data(contract.status.get, {}, boss)).system_name).not.toBe('Other')
    expect((await app.data(contract.account.self, {}, bob)).username).toBe(bob.username)
  })
})

test('editing the own account changes only the fields that are sent, in one transaction', async () => {
  const eve = await app.make.user()
  const self = async () => await app.data(contract.account.self, {}, eve)
  const before = await self()
  await app.data(contract.account.updateSelf, { password: '' }, eve)
  await app.data(contract.account.updateSelf, { username: eve.username }, eve)
  await app.data(contract.account.updateSelf, { username: null, display_name: null }, eve)
  expect(await self()).toEqual(before)
  await app.data(contract.account.updateSelf, { display_name: 'Eve' }, eve)
  expect(await self()).toEqual({ ...before, display_name: 'Eve' })
  await app.data(contract.account.updateSelf, { username: 'eve-2' }, eve)
  expect(await self()).toEqual({ ...before, username: 'eve-2', display_name: 'Eve' })
  const taken = { username: ann.username, display_name: 'Other', password: 'another password' }
  expect((await app.call(contract.account.updateSelf, taken, eve)).message).toBe(en.username_taken)
  expect(await self()).toEqual({ ...before, username: 'eve-2', display_name: 'Eve' })
})
