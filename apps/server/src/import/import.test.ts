import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeUpstream, startFakeUpstream } from '../../test/fake-upstream.ts'
import { addRows, makeGatewayDatabase, type Product, type Row } from '../../test/gateway-database.ts'
import { runServer, type ServerProcess, startServer } from '../../test/server-process.ts'
import { createTestDatabase } from '../../test/stores.ts'
import type { Db } from '../db/connect.ts'
import { connectStore } from '../db/connect-store.ts'
import { openForReading } from '../db/open-for-reading.ts'
import { storePlace } from '../db/store-place.ts'

// The command as operators run it: a process of its own, on databases of other gateways that the test makes.

const folder = mkdtempSync(join(tmpdir(), 'sluice-import-'))
const drops: Array<() => Promise<void>> = []
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(async () => {
  await upstream.close()
  for (const drop of drops) await drop()
  rmSync(folder, { recursive: true, force: true })
})

type Tables = Readonly<Record<string, readonly Row[]>>

interface Place {
  readonly path: string
  readonly variables: Readonly<Record<string, string>>
}

let places = 0
/** A source with these rows, and a folder for ours. */
async function place(product: Product, tables: Tables): Promise<Place> {
  const own = join(folder, `place${places++}`)
  mkdirSync(own)
  const path = join(own, 'gateway.db')
  makeGatewayDatabase(path, product, tables)
  const { url, drop } = await createTestDatabase()
  drops.push(drop)
  return {
    path,
    variables: { DATA_DIR: join(own, 'data'), DATABASE_URL: url, SLUICE_SECRET: 'a master key for the tests', LOG_LEVEL: 'silent' },
  }
}

const run = ({ path, variables }: Place, ...more: readonly string[]) => runServer(['import', path, ...more], variables)
const apply = (at: Place, ...more: readonly string[]) => run(at, '--apply', ...more)

const placeOf = ({ DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl = '' }: Place['variables']): string =>
  storePlace({ dataDir, databaseUrl })

/** Looks into our database. */
async function look<Value>({ variables }: Place, read: (db: Db) => Promise<Value>): Promise<Value> {
  const { db, close } = openForReading(placeOf(variables))
  try {
    return await read(db)
  } finally {
    await close()
  }
}
/** Changes our database by hand. */
async function change({ variables }: Place, work: (db: Db) => Promise<void>): Promise<void> {
  const store = await connectStore(placeOf(variables), { report: () => {} })
  await work(store.db)
  await store.close()
}
const listUsers = (at: Place) => look(at, (db) => db.selectFrom('users').selectAll().orderBy('id').execute())
const listTokens = (at: Place) => look(at, (db) => db.selectFrom('tokens').selectAll().orderBy('id').execute())
const listChannels = (at: Place) => look(at, (db) => db.selectFrom('channels').selectAll().orderBy('id').execute())

/** The numbers of one line of the report: read, taken, already here, not taken. */
function counts(text: string, kind: string): readonly number[] {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${kind} `)) ?? ''
  return (line.slice(kind.length).match(/[\d,]+/g) ?? []).map((number) => Number(number.replaceAll(',', '')))
}

const bcrypt = (password: string): string => Bun.password.hashSync(password, { algorithm: 'bcrypt', cost: 4 })
const key = (letter: string): string => letter.repeat(48)
const root: Row = { id: 1, username: 'root', password: bcrypt('12345678'), role: 100, status: 1, quota: 500_000_000_000_000, aff_code: '' }
const ann: Row = {
  id: 2,
  username: 'ann',
  password: bcrypt('a good password'),
  display_name: 'Ann',
  email: 'Ann@Example.com',
  quota: 70_000,
  used_quota: 30_000,
  request_count: 12,
  group: 'vip',
  aff_code: 'AAAA',
  inviter_id: 1,
  access_token: 'f'.repeat(32),
}
const annsToken: Row = {
  id: 5,
  user_id: 2,
  key: key('a'),
  status: 1,
  name: 'work',
  created_time: 1_700_000_000,
  accessed_time: 1_700_000_100,
  remain_quota: 40_000,
  used_quota: 9_000,
}
const up = (): Row => ({
  id: 3,
  type: 1,
  key: 'upstream-key',
  status: 1,
  name: 'up',
  base_url: upstream.url,
  models: 'gpt-4o-mini,gpt-4o',
  group: 'default,vip',
  used_quota: 77,
  priority: 3,
  weight: 5,
})
const whole = (): Tables => ({
  users: [root, ann],
  tokens: [annsToken],
  channels: [up()],
  redemptions: [
    { id: 1, user_id: 1, key: 'c'.repeat(32), status: 1, name: 'gift', quota: 1_000, created_time: 1_700_000_000 },
    {
      id: 2,
      user_id: 1,
      key: 'd'.repeat(32),
      status: 3,
      name: 'used',
      quota: 1_000,
      created_time: 1_700_000_000,
      redeemed_time: 1_700_000_500,
    },
  ],
  options: [
    { key: 'SystemName', value: 'Our gateway' },
    { key: 'GroupRatio', value: '{"default":1,"vip":1}' },
    { key: 'Theme2', value: 'x' },
  ],
  logs: [
    {
      id: 10,
      user_id: 2,
      created_at: 1_700_000_200,
      type: 2,
      content: 'ratio',
      username: 'ann',
      token_name: 'work',
      model_name: 'gpt-4o',
      quota: 500,
      prompt_tokens: 40,
      completion_tokens: 20,
      channel_id: 3,
    },
    { id: 11, user_id: 2, created_at: 1_700_000_300, type: 1, content: 'top-up', username: 'ann' },
  ],
})

describe('a whole installation', () => {
  let at: Place
  let dry: { code: number; text: string }
  let first: { code: number; text: string }
  let server: ServerProcess
  beforeAll(async () => {
    at = await place('one-api-0.6.8', whole())
    dry = await run(at)
    first = await apply(at)
    server = await startServer(at.variables)
  })
  afterAll(async () => {
    server.signal('SIGTERM')
    expect(await server.exited).toBe(0)
    expect((await runServer(['verify'], at.variables)).text).toContain('The ledger is sound.')
  })

  test('is looked at first: the report says what would come, and nothing is written', async () => {
    expect(dry.code).toBe(0)
    expect(dry.text).toContain('Nothing was written.')
    expect(counts(dry.text, 'users')).toEqual([2, 2, 0, 0])
  })

  test('comes over, and the report says of each kind how many rows', () => {
    expect(first.text).toContain('one-api-0.6.8, found by its tables')
    expect(first.code).toBe(0)
    expect(counts(first.text, 'users')).toEqual([2, 2, 0, 0])
    expect(counts(first.text, 'tokens')).toEqual([1, 1, 0, 0])
    expect(counts(first.text, 'channels')).toEqual([1, 1, 0, 0])
    expect(counts(first.text, 'redemptions')).toEqual([2, 2, 0, 0])
    expect(counts(first.text, 'options')).toEqual([3, 2, 0, 1])
    expect(counts(first.text, 'logs')).toEqual([2, 2, 0, 0])
    expect(first.text).toContain('option Theme2: ')
    expect(first.text).toContain('The balances agree.')
    expect(first.text).not.toContain('nobody can log in')
    expect(first.text).toMatch(/in the source +500,000,000,070,000\n/)
    expect(first.text).toMatch(/in the ledger here, of those taken +500,000,000,070,000\n/)
  })

  test('the log says that it came, and what', async () => {
    const rows = await look(at, (db) => db.selectFrom('logs').select(['content', 'user_id']).where('type', '=', 3).orderBy('id').execute())
    const what = 'users 2, tokens 1, channels 1, redemptions 2, options 2, logs 2'
    expect(rows[0]).toEqual({ content: `imported from ${at.path}: ${what}`, user_id: 0 })
  })

  test('a client goes on with the token that it has', async () => {
    const chat = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key('a')}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
    })
    expect(chat.status).toBe(200)
    expect(upstream.received.at(-1)?.headers['authorization']).toBe('Bearer upstream-key')
  })

  test('people log in with the passwords that they have, and scripts with their access tokens', async () => {
    const login = (username: string, password: string) =>
      fetch(`${server.url}/api/user/login`, { method: 'POST', body: JSON.stringify({ username, password }) }).then((reply) => reply.json())
    expect(await login('ann', 'a good password')).toMatchObject({ success: true, data: { display_name: 'Ann' } })
    expect(await login('root', '12345678')).toMatchObject({ success: true })
    const self = await fetch(`${server.url}/api/user/self`, { headers: { authorization: 'f'.repeat(32) } }).then((reply) => reply.json())
    expect(self).toMatchObject({
      data: { username: 'ann', group: 'vip', used_quota: expect.any(Number), aff_code: 'AAAA', inviter_id: 1, email: 'ann@example.com' },
    })
  })

  test('the password that every installation begins with must be changed', async () => {
    const [first] = await listUsers(at)
    expect(first).toMatchObject({ username: 'root', role: 100, default_password: 1 })
  })

  test('channels, options and the log say what they said', async () => {
    expect(await listChannels(at)).toMatchObject([
      { name: 'up', type: 1, models: 'gpt-4o-mini,gpt-4o', groups: 'default,vip', priority: 3, weight: 5 },
    ])
    expect(await (await fetch(`${server.url}/api/status`)).json()).toMatchObject({ data: { system_name: 'Our gateway' } })
    const logs = await fetch(`${server.url}/api/log/self/?type=2`, { headers: { authorization: 'f'.repeat(32) } }).then((reply) =>
      reply.json(),
    )
    const [channel] = await listChannels(at)
    const theirs = { model_name: 'gpt-4o', quota: 500, prompt_tokens: 40, completion_tokens: 20, token_name: 'work', channel: channel?.id }
    expect(logs).toMatchObject({ data: expect.arrayContaining([expect.objectContaining(theirs)]) })
    const span = 'start_timestamp=1699999200&end_timestamp=1700006400&group=model'
    const series = await fetch(`${server.url}/api/log/self/series?${span}`, { headers: { authorization: 'f'.repeat(32) } })
    expect(await series.json()).toMatchObject({ data: [{ name: 'gpt-4o', requests: 1, quota: 500 }] })
  })

  test('a code is redeemed once: not again where it was before', async () => {
    const redeem = (code: string) =>
      fetch(`${server.url}/api/user/topup`, {
        method: 'POST',
        headers: { authorization: 'f'.repeat(32) },
        body: JSON.stringify({ key: code }),
      }).then((reply) => reply.json())
    expect(await redeem('c'.repeat(32))).toMatchObject({ success: true, data: 1_000 })
    expect(await redeem('d'.repeat(32))).toMatchObject({ success: false })
  })

  test('no key of channel, token, code or account stands in our database in clear', async () => {
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

  test('is refused for writing while a server has the database, and can be looked at', async () => {
    const refused = await apply(at)
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('another process is using this database') })
    const looked = await run(at)
    expect(counts(looked.text, 'users')).toEqual([2, 0, 2, 0])
  })
})

describe('a second run', () => {
  test('changes nothing, and brings what is new', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    const before = await look(at, (db) => db.selectFrom('ledger').selectAll().execute())
    const again = await apply(at)
    expect(again.code).toBe(0)
    expect(counts(again.text, 'users')).toEqual([2, 0, 2, 0])
    expect(counts(again.text, 'tokens')).toEqual([1, 0, 1, 0])
    expect(counts(again.text, 'channels')).toEqual([1, 0, 1, 0])
    expect(counts(again.text, 'redemptions')).toEqual([2, 0, 2, 0])
    expect(counts(again.text, 'options')).toEqual([3, 0, 2, 1])
    expect(counts(again.text, 'logs')).toEqual([2, 0, 2, 0])
    expect(await look(at, (db) => db.selectFrom('ledger').selectAll().execute())).toEqual(before)

    addRows(at.path, {
      users: [{ ...ann, id: 9, username: 'bob', email: '', aff_code: 'BBBB', access_token: null, quota: 5 }],
      tokens: [{ ...annsToken, id: 6, user_id: 9, key: key('b') }],
      logs: [{ id: 12, user_id: 9, created_at: 1_700_000_400, type: 4, content: 'hello', username: 'bob' }],
    })
    const third = await apply(at)
    expect(counts(third.text, 'users')).toEqual([3, 1, 2, 0])
    expect(counts(third.text, 'tokens')).toEqual([2, 1, 1, 0])
    expect(counts(third.text, 'logs')).toEqual([3, 1, 2, 0])
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })

  test('leaves a balance that has moved in the source meanwhile, and says so', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    const moved = await place('one-api-0.6.8', { ...whole(), users: [root, { ...ann, quota: 90_000 }] })
    const again = await runServer(['import', moved.path, '--apply'], at.variables)
    expect(again.text).toContain('have another balance in the source by now: 1.')
    expect((await listUsers(at)).find(({ username }) => username === 'ann')?.quota).toBe(70_000)
  })

  test('knows a database that has moved by its keys, and brings nothing twice', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    const elsewhere = await place('one-api-0.6.8', whole())
    const again = await runServer(['import', elsewhere.path, '--apply'], at.variables)
    expect(counts(again.text, 'users')).toEqual([2, 0, 2, 0])
    expect(again.text).toContain(`Remembered as: ${at.path}`)
  })

  test('does not take another database at the same place for the one that was there', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    rmSync(at.path)
    makeGatewayDatabase(at.path, 'one-api-0.6.8', { users: [root, { ...ann, username: 'eve' }], tokens: [{ ...annsToken, key: key('e') }] })
    const other = await apply(at)
    expect(other).toMatchObject({ code: 1, text: expect.stringContaining('holds none of the keys that came then') })
    const named = await apply(at, '--name', 'the other one')
    expect(named.code).toBe(0)
    expect((await listUsers(at)).map(({ username }) => username)).toEqual(['root', 'ann', 'eve'])
    expect(named.text).toContain('joined the root account that is here')
  })

  test('after one that broke off between an account and its balance gives the balance once', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    await change(at, async (db) => {
      await db.deleteFrom('ledger').where('kind', '=', 'import').where('user_id', '=', 2).execute()
      await db.updateTable('users').set({ quota: 0 }).where('id', '=', 2).execute()
      // The log rows came, the mark behind them did not.
      await db.deleteFrom('imported').where('kind', '=', 'log').execute()
    })
    const again = await apply(at)
    expect(again.code).toBe(0)
    expect((await listUsers(at)).map(({ quota }) => quota)).toEqual([500_000_000_000_000, 70_000])
    const logged = await look(at, (db) => db.selectFrom('logs').select('request_id').where('request_id', '<>', '').execute())
    expect(logged).toHaveLength(2)
  })
})

describe('accounts', () => {
  const secondRoot: Row = { ...root, id: 7, username: 'boss', quota: 1_000, used_quota: 400, aff_code: 'ROOT', access_token: null }

  test('the root account of the source joins the one that is here, with its balance and its tokens', async () => {
    const at = await place('one-api-0.6.8', { users: [secondRoot], tokens: [{ ...annsToken, user_id: 7 }] })
    const server = await startServer({ ...at.variables, INITIAL_ROOT_PASSWORD: 'a root password' })
    server.signal('SIGTERM')
    await server.exited
    expect((await apply(at)).code).toBe(0)
    const users = await listUsers(at)
    expect(users).toMatchObject([{ id: 1, username: 'root', role: 100, quota: 500_000_000_001_000, used_quota: 400, default_password: 0 }])
    expect(await listTokens(at)).toMatchObject([{ user_id: 1, name: 'work' }])
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })

  test('names, addresses, identities and invite codes that are taken stay with who has them', async () => {
    const at = await place('ezlinkai', {
      users: [
        { ...ann, id: 1, username: 'ann', github_id: '12345' },
        { ...ann, id: 2, username: 'Ann', email: 'ann@example.com ', github_id: '12345', aff_code: 'BBBB', access_token: null },
        { ...ann, id: 3, username: '', email: null, github_id: 'octocat', aff_code: 'CCCC', access_token: null },
        { ...ann, id: 4, username: 'n'.repeat(80), email: '', aff_code: null, access_token: null },
        { ...ann, id: 5, username: 'n'.repeat(81), email: '', aff_code: '', access_token: null },
      ],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(0)
    expect((await listUsers(at)).map(({ username, email, github_id, aff_code }) => [username, email, github_id, aff_code])).toEqual([
      ['ann', 'ann@example.com', '12345', 'AAAA'],
      ['Ann', '', '', 'BBBB'],
      ['user3', '', 'octocat', 'CCCC'],
      ['n'.repeat(64), '', '', ''],
      [`${'n'.repeat(56)}-2`, '', '', ''],
    ])
    expect(text).toContain('user 2 "Ann": email was not kept: another account has it')
    expect(text).toContain('user 3 "": is called user3 here')
  })

  test('a GitHub login name of digits lets in nobody who has them for an id', async () => {
    const at = await place('one-api', {
      users: [
        { ...ann, github_id: '583231' },
        { ...ann, id: 3, username: 'bob', email: '', aff_code: 'BBBB', access_token: null, github_id: 'octocat' },
      ],
    })
    expect((await apply(at)).text).toContain('user 2 "ann": github_id was not kept')
    expect((await listUsers(at)).map(({ github_id }) => github_id)).toEqual(['', 'octocat'])
  })

  test('a name that somebody has here gets a number', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    const other = await place('one-api-0.6.8', {
      users: [{ ...ann, email: '', aff_code: 'XXXX', access_token: null }],
      tokens: [{ ...annsToken, key: key('x') }],
    })
    await runServer(['import', other.path, '--apply'], at.variables)
    expect((await listUsers(at)).map(({ username }) => username)).toEqual(['root', 'ann', 'ann-2'])
  })

  test('deleted ones stay away, with their tokens; their log rows keep the name', async () => {
    const at = await place('one-api-0.6.8', {
      users: [root, { ...ann, username: 'deleted_0123', status: 3, quota: 50 }],
      tokens: [annsToken],
      logs: [{ id: 1, user_id: 2, created_at: 1_700_000_000, type: 4, content: 'x', username: 'ann' }],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(0)
    expect(counts(text, 'users')).toEqual([2, 1, 0, 1])
    expect(text).toContain('user 2 "deleted_0123": the account was deleted')
    expect(text).toContain('token 5 "work": its account 2 is not here')
    expect(text).toMatch(/of accounts that were not taken +50\n/)
    expect(await look(at, (db) => db.selectFrom('logs').select(['user_id', 'username']).where('type', '=', 4).execute())).toEqual([
      { user_id: 0, username: 'ann' },
    ])
  })

  test('an account that was deleted here does not come back, and gets no further tokens', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    const server = await startServer(at.variables)
    await fetch(`${server.url}/api/user/self`, { method: 'DELETE', headers: { authorization: 'f'.repeat(32) } })
    server.signal('SIGTERM')
    await server.exited
    addRows(at.path, { tokens: [{ ...annsToken, id: 6, key: key('b') }] })
    const again = await apply(at)
    expect(again.code).toBe(0)
    expect(counts(again.text, 'users')).toEqual([2, 0, 2, 0])
    expect(again.text).toContain('token 6 "work": its account 2 is not here')
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })

  test('balances below zero come as they are, empty cells as what they stand for, and odd roles and states as the least', async () => {
    const at = await place('one-api-0.6.8', {
      users: [
        { ...ann, id: 2, quota: -250 },
        { id: 3, username: 'bare', password: '', role: null, status: null, quota: null, group: null, email: null, inviter_id: null },
        { id: 4, username: 'odd', password: 'plain text', role: 50, status: 9, quota: '9007199254740993' },
        { id: 5, username: 'banned', password: '', role: 10, status: 2, quota: 1, group: 'a, b,,a' },
      ],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(0)
    expect(text).toContain('user 4: its quota cannot be kept exactly')
    expect((await listUsers(at)).map(({ username, role, status, quota, groups }) => [username, role, status, quota, groups])).toEqual([
      ['ann', 1, 1, -250, 'vip'],
      ['bare', 1, 1, 0, 'default'],
      ['banned', 10, 2, 1, 'a,b'],
    ])
    const odd = await place('one-api-0.6.8', { users: [{ id: 4, username: 'odd', password: 'plain text', role: 50, status: 9, quota: 1 }] })
    expect((await run(odd)).text).toContain('user 4 "odd": nobody can log in to it')
    expect((await apply(odd)).text).toMatch(/password cannot be read.*\n.*role 50 became 1\n.*nobody can log in.*\n.*status 9 became 2/)
    expect(await listUsers(odd)).toMatchObject([{ role: 1, status: 2, password_hash: '' }])
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })
})

describe('tokens', () => {
  test('keep what they may do; what would let somebody do more is refused', async () => {
    const at = await place('one-api-0.6.8', {
      users: [{ ...ann, id: 2 }],
      tokens: [
        { ...annsToken, id: 1, key: `${'k'.repeat(40)}        `, models: 'gpt-4o, ,gpt-4o-mini', subnet: '10.0.0.0/8, 192.168.1.1' },
        { ...annsToken, id: 2, key: key('b'), remain_quota: -1, unlimited_quota: 1, expired_time: 1_900_000_000 },
        { ...annsToken, id: 3, key: key('c'), remain_quota: -30, status: 4, name: '' },
        { ...annsToken, id: 4, key: key('d'), status: 8 },
        { ...annsToken, id: 5, key: key('e'), subnet: '10.0.0.0/8,somewhere' },
        { ...annsToken, id: 6, key: 'with-a-dash' },
        { ...annsToken, id: 7, key: '' },
        { ...annsToken, id: 8, key: key('f'), user_id: 99 },
        { ...annsToken, id: 9, key: key('g'), expired_time: null, unlimited_quota: null, models: null, subnet: null, remain_quota: null },
      ],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(0)
    expect(counts(text, 'tokens')).toEqual([9, 5, 0, 4])
    const rows = await listTokens(at)
    expect(
      rows.map(({ name, status, expired_time, remain_quota, unlimited_quota, models, subnet }) => [
        name,
        status,
        expired_time,
        remain_quota,
        unlimited_quota,
        models,
        subnet,
      ]),
    ).toEqual([
      ['work', 1, -1, 40_000, 0, 'gpt-4o,gpt-4o-mini', '10.0.0.0/8,192.168.1.1'],
      ['work', 1, 1_900_000_000, 0, 1, '', ''],
      ['token 3', 4, -1, 0, 0, '', ''],
      ['work', 2, -1, 40_000, 0, '', ''],
      ['work', 1, -1, 0, 0, '', ''],
    ])
    expect(text).toContain('token 5 "work": its address range "somewhere" cannot be read')
    expect(text).toContain('token 3 "": limit of -30 became 0')
    const server = await startServer(at.variables)
    const models = await fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer sk-${key('b')}` } })
    expect(models.status).toBe(200)
    server.signal('SIGTERM')
    await server.exited
  })
})

describe('channels', () => {
  test('come under the number that their type has here; what has no place here is named', async () => {
    const at = await place('new-api', {
      channels: [
        { ...up(), id: 1, type: 8, base_url: 'https://one.example/v1/chat/completions' },
        { ...up(), id: 2, type: 8, base_url: 'https://two.example/{model}/generate' },
        { ...up(), id: 3, type: 37 },
        { ...up(), id: 4, type: 48, base_url: '' },
        { ...up(), id: 5, base_url: 'http://169.254.169.254' },
        { ...up(), id: 6, models: '' },
        {
          ...up(),
          id: 7,
          models: 'gpt-4o,gpt-4-gizmo-*',
          model_mapping: '{}',
          weight: null,
          priority: null,
          param_override: '{"temperature":0}',
        },
        { ...up(), id: 8, model_mapping: 'not json' },
        { ...up(), id: 9, key: 'one\ntwo\n', channel_info: '{"is_multi_key": true,"multi_key_size":2}', status: 3 },
        { ...up(), id: 10, key: 'one\ntwo' },
        { ...up(), id: 11, key: '' },
      ],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(0)
    expect((await listChannels(at)).map(({ name, type, base_url, models, status }) => [name, type, base_url, models, status])).toEqual([
      ['up', 8, 'https://one.example/v1', 'gpt-4o-mini,gpt-4o', 1],
      ['up', 8, 'https://api.x.ai', 'gpt-4o-mini,gpt-4o', 1],
      ['up', 1, upstream.url, 'gpt-4o', 1],
      ['up', 1, upstream.url, 'gpt-4o-mini,gpt-4o', 3],
      ['up (2)', 1, upstream.url, 'gpt-4o-mini,gpt-4o', 3],
      ['up', 1, upstream.url, 'gpt-4o-mini,gpt-4o', 1],
      ['up (2)', 1, upstream.url, 'gpt-4o-mini,gpt-4o', 1],
    ])
    expect(text).toContain('channel 3 "up": there is no channel type here for its type 37')
    expect(text).toContain('channel 7 "up": models that cannot be named here were not kept: gpt-4-gizmo-*')
    expect(text).toContain('channel 7 "up": param_override was not kept')
    expect(text).toContain('channel 9 "up": became 2 channels')
    expect(counts(text, 'channels')).toEqual([11, 5, 0, 6])
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })

  test('the same number of another product is another type', async () => {
    const rows = { channels: [{ ...up(), id: 1, type: 43 }] }
    const [proxy, compatible] = [await run(await place('one-api', rows)), await run(await place('new-api', rows), '--dialect', 'one-api')]
    expect(proxy.text).toContain('no channel type here for its type 43')
    expect(compatible.text).toContain('no channel type here for its type 43')
    const asItself = await run(await place('new-api', rows))
    expect(asItself.text).toContain('type 43 is 36')
  })
})

describe('codes, options and logs', () => {
  test('codes that would be debts or are deleted stay away, and those whose time is over are disabled', async () => {
    const code: Row = { user_id: 1, status: 1, name: 'a name that is longer than names may be', quota: 10, created_time: 1 }
    const at = await place('new-api', {
      redemptions: [
        { ...code, id: 1, key: 'a'.repeat(32), quota: -5 },
        { ...code, id: 2, key: 'b'.repeat(32), expired_time: 1_600_000_000 },
        { ...code, id: 3, key: 'c'.repeat(32), expired_time: 4_000_000_000 },
        { ...code, id: 4, key: 'd'.repeat(32), deleted_at: '2025-01-01 00:00:00' },
      ],
    })
    const { text } = await apply(at)
    expect(counts(text, 'redemptions')).toEqual([4, 2, 0, 2])
    expect(await look(at, (db) => db.selectFrom('redemptions').select(['status', 'name']).orderBy('id').execute())).toEqual([
      { status: 2, name: 'a name that is longe' },
      { status: 1, name: 'a name that is longe' },
    ])
    expect(text).toContain('its end of validity was not kept')
  })

  test('options that are set here stay, and what is no value of an option stays away', async () => {
    const at = await place('one-api-0.6.8', {
      options: [
        { key: 'SystemName', value: 'Theirs' },
        { key: 'RetryTimes', value: '99' },
        { key: 'ModelRatio', value: '{broken' },
        { key: 'Footer', value: '<b>x</b><script>1</script>' },
      ],
    })
    await apply(at)
    const other = await place('one-api-0.6.8', { options: [{ key: 'SystemName', value: 'Others' }] })
    const again = await runServer(['import', other.path, '--apply'], at.variables)
    expect(counts(again.text, 'options')).toEqual([1, 0, 1, 0])
    expect(await look(at, (db) => db.selectFrom('options').selectAll().orderBy('key').execute())).toEqual([
      { key: 'Footer', value: '<b>x</b>' },
      { key: 'SystemName', value: 'Theirs' },
    ])
  })

  test('an option that needs another is taken with it and refused without it, when looked at as when written', async () => {
    const alone = await place('one-api-0.6.8', { options: [{ key: 'GitHubOAuthEnabled', value: 'true' }] })
    for (const report of [await run(alone), await apply(alone)]) expect(counts(report.text, 'options')).toEqual([1, 0, 0, 1])
    const both = {
      options: [
        { key: 'GitHubOAuthEnabled', value: 'true' },
        { key: 'GitHubClientId', value: 'id' },
        { key: 'GitHubClientSecret', value: 'hush' },
      ],
    }
    const whole = await place('one-api-0.6.8', both)
    for (const report of [await run(whole), await apply(whole)]) expect(counts(report.text, 'options')).toEqual([3, 3, 0, 0])
    const stored = await look(whole, (db) => db.selectFrom('options').selectAll().execute())
    expect(JSON.stringify(stored)).not.toContain('hush')
  })

  test('failed requests of products that count them apart are requests without a charge', async () => {
    const at = await place('ezlinkai', {
      logs: [
        {
          id: 1,
          user_id: 2,
          created_at: 1,
          type: 5,
          content: 'upstream said no',
          quota: 7,
          duration: 1.5,
          first_word_latency: 0.25,
          is_stream: 1,
          cached_tokens: 3,
        },
        { id: 2, user_id: 2, created_at: 2, type: 77, content: 'what is this' },
      ],
    })
    const { text } = await apply(at)
    expect(counts(text, 'logs')).toEqual([2, 1, 0, 1])
    expect(await look(at, (db) => db.selectFrom('logs').selectAll().where('type', '=', 2).execute())).toMatchObject([
      { type: 2, quota: 0, end_reason: 'failed', elapsed_ms: 1500, first_byte_ms: 250, is_stream: 1, cached_tokens: 3 },
    ])
  })

  test('a log in a database of its own is read there, in pages, and can be left where it is', async () => {
    const at = await place('one-api-0.6.8', { users: [{ ...ann, id: 2 }] })
    const rows = Array.from({ length: 2_500 }, (_, index) => ({
      id: index * 2 + 1,
      user_id: 2,
      created_at: 1_700_000_000 + index,
      type: 2,
      quota: 1,
      username: 'ann',
    }))
    const logs = await place('one-api-0.6.8', { logs: rows })
    expect(counts((await apply(at, '--no-logs')).text, 'logs')).toEqual([0, 0, 0, 0])
    expect(counts((await apply(at, '--logs', logs.path)).text, 'logs')).toEqual([2_500, 2_500, 0, 0])
    expect(await look(at, (db) => db.selectFrom('logs').select('id').where('type', '=', 2).execute())).toHaveLength(2_500)
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })
})

describe('what cannot be imported is said in one line', () => {
  test('arguments, files and databases of something else', async () => {
    const at = await place('one-api', {})
    const text = async (...args: readonly string[]) => (await runServer(['import', ...args], at.variables)).text
    expect(await text()).toContain('Usage: import SOURCE')
    expect(await text(at.path, '--dialect', 'two-api')).toContain('--dialect must be one of')
    expect(await text(at.path, '--colour')).toContain('Usage: import SOURCE')
    expect(await text(join(folder, 'nothing.db'))).toContain('there is no file')
    await apply(at)
    expect(await text(placeOf(at.variables))).toContain('has not the tables of one-api or new-api')
  })

  test('a server that does not answer, without the password that was given for it', async () => {
    const at = await place('one-api', {})
    const { code, text } = await runServer(['import', 'root:hidden-word@tcp(127.0.0.1:1)/oneapi'], at.variables)
    expect(code).toBe(1)
    expect(text).toContain('The import could not be done')
    expect(text).not.toContain('hidden-word')
  })
})
