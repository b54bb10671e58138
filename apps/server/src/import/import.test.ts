import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type FakeUpstream, startFakeUpstream } from '../../test/fake-upstream.ts'
import { addRows, makeGatewayDatabase } from '../../test/gateway-database.ts'
import {
  ann,
  annsToken,
  apply,
  change,
  counts,
  key,
  listChannels,
  listUsers,
  look,
  openPlaces,
  type Place,
  placeOf,
  root,
  run,
  whole,
} from '../../test/import-place.ts'
import { runServer, type ServerProcess, startServer } from '../../test/server-process.ts'

let upstream: FakeUpstream
const { place, close } = openPlaces()
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(async () => {
  await upstream.close()
  await close()
})

describe('a whole installation', () => {
  let at: Place
  let dry: { code: number; text: string }
  let first: { code: number; text: string }
  let server: ServerProcess
  beforeAll(async () => {
    at = await place('one-api-0.6.8', whole(upstream.url))
    dry = await run(at)
    first = await apply(at)
    server = await startServer(at.variables)
  })
  afterAll(async () => {
    server.signal('SIGTERM')
    expect(await server.exited).toBe(0)
    expect((await runServer(['verify'], at.variables)).text).toContain('The ledger is consistent.')
  })

  test('can be checked first: the report lists what would be imported, and nothing is written', async () => {
    expect(dry.code).toBe(0)
    expect(dry.text).toContain('Nothing was written.')
    expect(counts(dry.text, 'users')).toEqual([2, 2, 0, 0, 0])
  })

  test('is imported, and the report has the number of rows of each kind', () => {
    expect(first.text).toContain('one-api-0.6.8, detected')
    expect(first.code).toBe(0)
    expect(counts(first.text, 'users')).toEqual([2, 2, 0, 0, 0])
    expect(counts(first.text, 'tokens')).toEqual([1, 1, 0, 0, 0])
    expect(counts(first.text, 'channels')).toEqual([1, 1, 0, 0, 0])
    expect(counts(first.text, 'redemptions')).toEqual([2, 2, 0, 0, 0])
    expect(counts(first.text, 'options')).toEqual([3, 2, 0, 1, 0])
    expect(counts(first.text, 'logs')).toEqual([2, 2, 0, 0, 0])
    expect(first.text).toContain('option Theme2: ')
    expect(first.text).toContain('The balances agree.')
    expect(first.text).not.toContain('nobody can log in')
    expect(first.text).toMatch(/in the source +500,000,000,070,000\n/)
    expect(first.text).toMatch(/in the ledger here, of those taken +500,000,000,070,000\n/)
  })

  test('the log has a row about the import', async () => {
    const rows = await look(at, (db) => db.selectFrom('logs').select(['content', 'user_id']).where('type', '=', 3).orderBy('id').execute())
    const what = 'users 2, tokens 1, channels 1, redemptions 2, options 2, logs 2'
    expect(rows[0]).toEqual({ content: `imported from ${at.path}: ${what}`, user_id: 0 })
  })

  test('a client can still use its token', async () => {
    const chat = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key('a')}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
    })
    expect(chat.status).toBe(200)
    expect(upstream.received.at(-1)?.headers['authorization']).toBe('Bearer upstream-key')
  })

  test('people can log in with their old passwords, and scripts with their access tokens', async () => {
    const login = (username: string, password: string) =>
      fetch(`${server.url}/api/user/login`, { method: 'POST', body: JSON.stringify({ username, password }) }).then((response) =>
        response.json(),
      )
    expect(await login('ann', 'a good password')).toMatchObject({ success: true, data: { display_name: 'Ann' } })
    expect(await login('root', '12345678')).toMatchObject({ success: false, message: expect.stringContaining('reset-password root') })
    const self = await fetch(`${server.url}/api/user/self`, { headers: { authorization: 'f'.repeat(32) } }).then((response) =>
      response.json(),
    )
    expect(self).toMatchObject({
      data: { username: 'ann', group: 'vip', used_quota: expect.any(Number), aff_code: 'AAAA', inviter_id: 1, email: 'ann@example.com' },
    })
  })

  test('the default password of the source must be changed', async () => {
    const [first] = await listUsers(at)
    expect(first).toMatchObject({ username: 'root', role: 100, default_password: 1 })
  })

  test('channels, options and the log have the same values', async () => {
    expect(await listChannels(at)).toMatchObject([
      { name: 'up', type: 1, models: 'gpt-4o-mini,gpt-4o', groups: 'default,vip', priority: 3, weight: 5 },
    ])
    expect(await (await fetch(`${server.url}/api/status`)).json()).toMatchObject({ data: { system_name: 'Our gateway' } })
    const logs = await fetch(`${server.url}/api/log/self/?type=2`, { headers: { authorization: 'f'.repeat(32) } }).then((response) =>
      response.json(),
    )
    const [channel] = await listChannels(at)
    const served = await look(at, (db) => db.selectFrom('logs').select('channel_id').where('model_name', '=', 'gpt-4o').execute())
    expect(served).toContainEqual({ channel_id: Number(channel?.id) })
    const theirs = { model_name: 'gpt-4o', quota: 500, prompt_tokens: 40, completion_tokens: 20, token_name: 'work' }
    expect(logs).toMatchObject({ data: expect.arrayContaining([expect.objectContaining(theirs)]) })
    const span = 'start_timestamp=1699999200&end_timestamp=1700006400&group=model'
    const series = await fetch(`${server.url}/api/log/self/series?${span}`, { headers: { authorization: 'f'.repeat(32) } })
    expect(await series.json()).toMatchObject({ data: [{ name: 'gpt-4o', requests: 1, quota: 500 }] })
  })

  test('a code that was redeemed before the import cannot be redeemed again', async () => {
    const redeem = (code: string) =>
      fetch(`${server.url}/api/user/topup`, {
        method: 'POST',
        headers: { authorization: 'f'.repeat(32) },
        body: JSON.stringify({ key: code }),
      }).then((response) => response.json())
    expect(await redeem('c'.repeat(32))).toMatchObject({ success: true, data: 1_000 })
    expect(await redeem('d'.repeat(32))).toMatchObject({ success: false })
  })

  test('no key of a channel, token, code or account is stored unencrypted', async () => {
    const all = JSON.stringify(
      await look(at, async (db) => [
        await db.selectFrom('tokens').selectAll().execute(),
        await db.selectFrom('channels').selectAll().execute(),
        await db.selectFrom('redemptions').selectAll().execute(),
        await db.selectFrom('users').selectAll().execute(),
      ]),
    )
    for (const secret of [key('a'), 'upstream-key', 'c'.repeat(32), 'f'.repeat(32)]) expect(all).not.toContain(secret)
  })

  test('cannot be imported while a server runs, but can be checked', async () => {
    const refused = await apply(at)
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('another process is using this database') })
    const looked = await run(at)
    expect(counts(looked.text, 'users')).toEqual([2, 0, 2, 0, 0])
  })
})

describe('a second run', () => {
  test('imports only new rows and changes nothing else', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    const before = await look(at, (db) => db.selectFrom('ledger').selectAll().execute())
    const again = await apply(at)
    expect(again.code).toBe(0)
    expect(counts(again.text, 'users')).toEqual([2, 0, 2, 0, 0])
    expect(counts(again.text, 'tokens')).toEqual([1, 0, 1, 0, 0])
    expect(counts(again.text, 'channels')).toEqual([1, 0, 1, 0, 0])
    expect(counts(again.text, 'redemptions')).toEqual([2, 0, 2, 0, 0])
    expect(counts(again.text, 'options')).toEqual([3, 0, 2, 1, 0])
    expect(counts(again.text, 'logs')).toEqual([2, 0, 2, 0, 0])
    expect(await look(at, (db) => db.selectFrom('ledger').selectAll().execute())).toEqual(before)

    addRows(at.path, {
      users: [{ ...ann, id: 9, username: 'bob', email: '', aff_code: 'BBBB', access_token: null, quota: 5 }],
      tokens: [{ ...annsToken, id: 6, user_id: 9, key: key('b') }],
      logs: [{ id: 12, user_id: 9, created_at: 1_700_000_400, type: 4, content: 'hello', username: 'bob' }],
    })
    const third = await apply(at)
    expect(counts(third.text, 'users')).toEqual([3, 1, 2, 0, 0])
    expect(counts(third.text, 'tokens')).toEqual([2, 1, 1, 0, 0])
    expect(counts(third.text, 'logs')).toEqual([3, 1, 2, 0, 0])
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })

  test('does not change a balance that changed in the source meanwhile, and reports it', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    const moved = await place('one-api-0.6.8', { ...whole(), users: [root, { ...ann, quota: 90_000 }] })
    const again = await runServer(['import', moved.path, '--apply'], at.variables)
    expect(again.text).toContain('have another balance in the source by now: 1.')
    expect((await listUsers(at)).find(({ username }) => username === 'ann')?.quota).toBe(70_000)
  })

  test('recognizes a moved database by its keys, and imports nothing twice', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    const elsewhere = await place('one-api-0.6.8', whole())
    const again = await runServer(['import', elsewhere.path, '--apply'], at.variables)
    expect(counts(again.text, 'users')).toEqual([2, 0, 2, 0, 0])
    expect(again.text).toContain(`Remembered as: ${at.path}`)
  })

  test('recognizes that another database is at the same place', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    rmSync(at.path)
    makeGatewayDatabase(at.path, 'one-api-0.6.8', { users: [root, { ...ann, username: 'eve' }], tokens: [{ ...annsToken, key: key('e') }] })
    const other = await apply(at)
    expect(other).toMatchObject({ code: 1, text: expect.stringContaining('holds none of the keys that came then') })
    const named = await apply(at, '--name', 'the other one')
    expect(named.code).toBe(0)
    expect((await listUsers(at)).map(({ username }) => username)).toEqual(['root', 'ann', 'eve'])
    expect(named.text).toContain('merged into the existing root account')
  })

  test('adds a balance once after a run that broke off between an account and its balance', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    await change(at, async (db) => {
      await db.deleteFrom('ledger').where('kind', '=', 'import').where('user_id', '=', 2).execute()
      await db.updateTable('users').set({ quota: 0 }).where('id', '=', 2).execute()
      const left = db
        .selectFrom('ledger')
        .select(({ fn }) => fn.sum<number>('amount').as('amount'))
        .where('kind', '=', 'import')
      const balance = -Number((await left.executeTakeFirstOrThrow()).amount)
      await db.updateTable('ledger_accounts').set({ balance }).where('name', '=', 'sys:import').execute()
      // The log rows were imported, but the position after them was not stored.
      await db.deleteFrom('imported').where('kind', '=', 'log').execute()
    })
    const again = await apply(at)
    expect(again.code).toBe(0)
    expect((await listUsers(at)).map(({ quota }) => quota)).toEqual([500_000_000_000_000, 70_000])
    const logged = await look(at, (db) => db.selectFrom('logs').select('request_id').where('request_id', '<>', '').execute())
    expect(logged).toHaveLength(2)
  })
})

describe('an impossible import is reported in one line', () => {
  test('for wrong arguments, files and other databases', async () => {
    const at = await place('one-api', {})
    const text = async (...args: readonly string[]) => (await runServer(['import', ...args], at.variables)).text
    expect(await text()).toContain('Usage: import SOURCE')
    expect(await text(at.path, '--dialect', 'two-api')).toContain('--dialect must be one of')
    expect(await text(at.path, '--colour')).toContain('Usage: import SOURCE')
    expect(await text(join(at.path, '..', 'nothing.db'))).toContain('no such file')
    await apply(at)
    expect(await text(placeOf(at.variables))).toContain('does not have the tables of one-api or new-api')
  })

  test('for a server that does not respond, without printing its password', async () => {
    const at = await place('one-api', {})
    const { code, text } = await runServer(['import', 'root:hidden-word@tcp(127.0.0.1:1)/oneapi'], at.variables)
    expect(code).toBe(1)
    expect(text).toContain('The import failed')
    expect(text).not.toContain('hidden-word')
  })
})
