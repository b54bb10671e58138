import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isOptionKey } from '@sluice/contract'
import { makeServerGateway, type Product, type Row } from '../../test/gateway-database.ts'
import { ann, annsToken, counts, key, look, openPlaces, type Place, root, up } from '../../test/import-place.ts'
import { findMysql } from '../../test/mysql-programs.ts'
import { type MysqlServer, startMysql } from '../../test/mysql-server.ts'
import { sharedPostgres } from '../../test/postgres-server.ts'
import { runServer } from '../../test/server-process.ts'
import { openSeal } from '../admin/open-seal.ts'
import { openSecret } from '../api/option/stored-secrets.ts'

// Imports the same database from each engine of the family: every row and every cell must be the same.

const { place, close } = openPlaces()
const isMysqlHere = findMysql() !== null
if (!isMysqlHere) console.log('No MariaDB and no MySQL here: the import from MySQL is not tried.')
let mysql: MysqlServer | null = null
beforeAll(async () => {
  if (isMysqlHere) mysql = await startMysql()
})
afterAll(async () => {
  await mysql?.stop()
  await close()
})

/** More rows than are read at a time. */
const manyLogs = 1_050
const hash = String(ann['password'])
const createdTime = { created_time: 1_700_000_000 }

/** Characters that an engine could change: of four bytes, quotes, backslashes, line ends. */
const hardText = 'naïve 模型 😀 \'quoted\' "twice" back\\slash\nnext line'
const shortKey = 'k'.repeat(40)

const users: readonly Row[] = [
  { ...root, password: hash, display_name: 'Root User' },
  { ...ann, display_name: hardText, github_id: 'octocat', wechat_id: 'wx-1' },
  {
    id: 3,
    username: 'bob',
    password: hash,
    role: 10,
    status: 2,
    quota: -250,
    used_quota: 7_000_000_000,
    group: 'default,vip',
    inviter_id: 2,
  },
  { id: 5, username: '小明', password: '', email: null, github_id: null, access_token: null, quota: null, group: null, aff_code: null },
  { id: 6, username: 'deleted_1', password: hash, status: 3, quota: 9 },
]
const tokens: readonly Row[] = [
  { ...annsToken, id: 1, key: shortKey, unlimited_quota: true, remain_quota: -1, expired_time: 1_900_000_000 },
  { ...annsToken, id: 2, key: key('b'), unlimited_quota: false, status: 3, name: hardText.slice(0, 20) },
  { ...annsToken, id: 4, key: key('d'), user_id: 6 },
]
const channels: readonly Row[] = [
  {
    ...up(),
    ...createdTime,
    test_time: 5,
    response_time: 812,
    balance: 12.345678,
    balance_updated_time: 6,
    model_mapping: '{"a":"gpt-4o"}',
  },
  {
    id: 4,
    type: 14,
    key: 'sk-ant',
    name: hardText,
    models: 'claude-3-haiku',
    weight: null,
    priority: null,
    status: 3,
    balance: null,
    base_url: null,
  },
  { id: 6, type: 99, key: 'account|key', name: 'of another number', models: 'm' },
]
const redemptions: readonly Row[] = [
  { id: 1, user_id: 1, key: 'c'.repeat(32), status: 1, name: '礼品', quota: 1_000, ...createdTime },
  { id: 2, user_id: 1, key: 'd'.repeat(31), status: 3, name: 'used', quota: 2_000, ...createdTime, redeemed_time: 1_700_000_500 },
  { id: 3, user_id: 6, key: 'e'.repeat(32), status: 2, name: 'off', quota: 3_000, ...createdTime },
]
const options: readonly Row[] = [
  { key: 'Notice', value: hardText },
  { key: 'SMTPToken', value: 'hush' },
  { key: 'SMTPServer', value: 'smtp.example.com' },
  { key: 'ModelRatio', value: '{"my-model":1.25}' },
  { key: 'RetryTimes', value: '3' },
]
const log = { user_id: 2, created_at: 1_700_000_200, username: 'ann', content: hardText }
const logs: readonly Row[] = [
  { ...log, id: 1, type: 2, token_name: 'work', model_name: 'gpt-4o', quota: 500, prompt_tokens: 40, completion_tokens: 20, channel_id: 3 },
  { ...log, id: 2, type: 1, quota: 9_000_000_000 },
  { ...log, id: 4, type: 3, user_id: 6, username: 'gone', content: null },
  ...Array.from({ length: manyLogs }, (_, index) => ({
    id: 10 + 2 * index,
    user_id: 3,
    created_at: index,
    type: 2,
    username: 'bob',
    quota: index,
  })),
]

/** Columns that only some products have, by table and id. */
type Additions = Readonly<Record<string, Readonly<Record<number, Row>>>>
const additions: Partial<Record<Product, Additions>> = {
  'one-api': {
    users: { 2: { lark_id: 'ou_1' } },
    tokens: { 1: { models: 'gpt-4o, gpt-4o-mini', subnet: '10.0.0.0/8,192.168.1.1/32' } },
    channels: { 3: { system_prompt: hardText }, 4: { config: '{"region":"","user_id":"u"}' } },
    logs: { 1: { elapsed_time: 1_250, is_stream: true }, 4: { is_stream: false } },
  },
  'new-api': {
    users: { 2: { aff_quota: 5_000 }, 6: { deleted_at: '2025-01-01 00:00:00' } },
    tokens: {
      1: { model_limits_enabled: true, model_limits: 'gpt-4o,gpt-4o-mini', allow_ips: '10.0.0.0/8\n192.168.1.1/32' },
      2: { model_limits_enabled: false, model_limits: 'gpt-4o' },
    },
    channels: {
      3: {
        key: 'one\ntwo',
        channel_info: '{"is_multi_key":true,"multi_key_status_list":{"1":2}}',
        setting: JSON.stringify({ proxy: 'http://proxy.example:3128', system_prompt: hardText }),
        auto_ban: 0,
      },
    },
    redemptions: { 2: { used_user_id: 2 } },
    logs: { 1: { use_time: 2, is_stream: true } },
  },
}

function filled(product: Product): Readonly<Record<string, readonly Row[]>> {
  const more = additions[product] ?? {}
  const tables = { users, tokens, channels, redemptions, options, logs }
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [table, rows.map((row) => ({ ...row, ...more[table]?.[Number(row['id'])] }))]),
  )
}

/** All imported rows, with decrypted secrets. */
async function readAll(at: Place) {
  const { SLUICE_SECRET: secret = '', DATA_DIR: dataDir = '' } = at.variables
  const seal = await look(at, (db) => openSeal(db, { secret, nextSecret: '', dataDir }))
  const open = (sealed: string, purpose: string): string => (sealed === '' ? '' : seal.open(sealed, purpose))
  return await look(at, async (db) => ({
    users: (await db.selectFrom('users').selectAll().orderBy('id').execute()).map(
      ({ created_time: _now, access_token_lookup, ...row }) => ({
        ...row,
        // Each store derives its own key from the secret.
        hasAccessToken: access_token_lookup !== null,
      }),
    ),
    tokens: (await db.selectFrom('tokens').selectAll().orderBy('id').execute()).map(({ key_lookup, key_sealed, ...row }) => ({
      ...row,
      key: open(key_sealed, `token:${key_lookup}`),
      isFound: key_lookup === seal.lookup(open(key_sealed, `token:${key_lookup}`), 'token'),
    })),
    channels: (await db.selectFrom('channels').innerJoin('channel_usage', 'channel_id', 'id').selectAll().orderBy('id').execute()).map(
      ({ key_sealed, config_sealed, settings_sealed, ...row }) => ({
        ...row,
        key: open(key_sealed, `channel-key:${row.id}`),
        config: open(config_sealed, 'channel-config'),
        settings: settings_sealed === '' ? {} : JSON.parse(open(settings_sealed, 'channel-settings')),
      }),
    ),
    redemptions: (await db.selectFrom('redemptions').selectAll().orderBy('id').execute()).map(({ key_lookup, key_sealed, ...row }) => ({
      ...row,
      key: open(key_sealed, `redemption:${key_lookup}`),
    })),
    options: (await db.selectFrom('options').selectAll().orderBy('key').execute()).map(({ key, value }) => ({
      key,
      value: isOptionKey(key) && value.startsWith('v1.') ? openSecret(seal, key, value)?.text : value,
    })),
    logs: await db.selectFrom('logs').selectAll().where('request_id', '<>', '').orderBy('id').execute(),
    posted: await db.selectFrom('ledger').select(['user_id', 'amount', 'ref']).where('kind', '=', 'import').orderBy('id').execute(),
  }))
}

const dumps: Array<{ readonly product: Product; readonly all: Awaited<ReturnType<typeof readAll>> }> = []

const both = {
  users: [
    { id: 1, username: 'root', display_name: 'Root User', role: 100, quota: 500_000_000_000_000, groups: 'default', password_hash: hash },
    { id: 2, username: 'ann', display_name: hardText, email: 'ann@example.com', wechat_id: 'wx-1', groups: 'vip', aff_code: 'AAAA' },
    { id: 3, username: 'bob', role: 10, status: 2, quota: -250, used_quota: 7_000_000_000, groups: 'default,vip', inviter_id: 2 },
    { id: 4, username: '小明', display_name: '小明', password_hash: '', email: '', quota: 0, groups: 'default', aff_code: '' },
  ],
  tokens: [
    { key: shortKey, isFound: true, user_id: 2, name: 'work', remain_quota: 0, unlimited_quota: 1, used_quota: 9_000 },
    {
      key: key('b'),
      isFound: true,
      status: 3,
      name: hardText.slice(0, 20),
      remain_quota: 40_000,
      unlimited_quota: 0,
      models: '',
      subnet: '',
    },
  ],
  redemptions: [
    { user_id: 1, key: 'c'.repeat(32), status: 1, name: '礼品', quota: 1_000, created_time: 1_700_000_000, redeemed_time: 0 },
    { user_id: 1, key: 'd'.repeat(31), status: 3, name: 'used', quota: 2_000, redeemed_time: 1_700_000_500 },
    { user_id: 0, key: 'e'.repeat(32), status: 2, name: 'off', quota: 3_000 },
  ],
  options: [
    { key: 'ModelRatio', value: '{"my-model":1.25}' },
    { key: 'Notice', value: hardText },
    { key: 'RetryTimes', value: '3' },
    { key: 'SMTPServer', value: 'smtp.example.com' },
    { key: 'SMTPToken', value: 'hush' },
  ],
}
const [claude, ours] = [
  { type: 14, key: 'sk-ant', name: hardText, models: 'claude-3-haiku', weight: 0, priority: 0, status: 3, balance: 0, groups: 'default' },
  {
    type: 1,
    key: 'upstream-key',
    name: 'up',
    weight: 5,
    priority: 3,
    balance: 12.345678,
    test_time: 5,
    response_time: 812,
    used_quota: 77,
  },
]
const [request, topUp, adminAction] = [
  {
    type: 2,
    user_id: 2,
    channel_id: 1,
    content: hardText,
    token_name: 'work',
    quota: 500,
    prompt_tokens: 40,
    completion_tokens: 20,
    is_stream: 1,
  },
  { type: 1, user_id: 2, quota: 9_000_000_000, is_stream: 0 },
  { type: 3, user_id: 0, username: 'gone', content: '' },
]

/** The expected rows, in the order of their ids. */
const expected = {
  'one-api': {
    ...both,
    channels: [
      { ...ours, model_mapping: '{"a":"gpt-4o"}', settings: { system_prompt: hardText } },
      { ...claude, config: '{"region":"","user_id":"u"}' },
    ],
    logs: [{ ...request, elapsed_ms: 1_250 }, topUp, adminAction],
    balances: [500_000_000_000_000, 70_000, -250, 0],
    redeemers: [0, 0, 0],
  },
  'new-api': {
    ...both,
    channels: [
      {
        ...ours,
        key: 'one',
        settings: { system_prompt: hardText, proxy: 'http://proxy.example:3128', auto_disable: false },
      },
      { ...ours, key: 'two', name: 'up (2)', status: 2, balance: 0, used_quota: 0 },
      claude,
    ],
    logs: [{ ...request, elapsed_ms: 2_000 }, topUp, adminAction],
    balances: [500_000_000_000_000, 75_000, -250, 0],
    redeemers: [0, 2, 0],
  },
}

/** Creates the database in each engine. @returns the argument for the source */
const engines = {
  sqlite: async (product: Product) => (await place(product, filled(product))).path,
  postgres: async (product: Product) => {
    const address = await (await sharedPostgres()).createDatabase()
    await makeServerGateway(address, product, filled(product))
    return address
  },
  mysql: async (product: Product) => {
    const address = (await mysql?.createDatabase()) ?? ''
    await makeServerGateway(address, product, filled(product))
    const { username, password, host, pathname } = new URL(address)
    // The form of SQL_DSN, with an unescaped password.
    return `${username}:${decodeURIComponent(password)}@tcp(${host})${pathname}?charset=utf8mb4&parseTime=True&loc=Local`
  },
}

describe.each(['one-hub', 'done-hub'] as const)('a filled database of %s', (product) => {
  const rows = {
    users: [root, { ...ann, github_id: '583231' }],
    tokens: [{ ...annsToken, setting: '{"limits":{"limit_model_setting":{"enabled":true,"models":["gpt-4o-mini"]}}}' }],
    channels: [{ ...up(), type: 25, deleted_at: '2025-01-01 00:00:00' }],
  }
  const others = {
    sqlite: async () => (await place(product, rows)).path,
    postgres: async () => {
      const address = await (await sharedPostgres()).createDatabase()
      await makeServerGateway(address, product, rows)
      return address
    },
    mysql: async () => {
      const address = (await mysql?.createDatabase()) ?? ''
      await makeServerGateway(address, product, rows)
      return address
    },
  }
  for (const [engine, make] of Object.entries(others)) {
    test.skipIf(engine === 'mysql' && !isMysqlHere)(`is refused from ${engine}, also where the operator calls it new-api`, async () => {
      const at = await place('one-api', {})
      const source = await make()
      for (const more of [[], ['--apply'], ['--apply', '--dialect', 'new-api']]) {
        const { text, code } = await runServer(['import', source, ...more], at.variables)
        expect(code).toBe(1)
        expect(text).toContain('it is a database of one-hub (or its fork done-hub), which is not supported')
        expect(text).not.toContain('Refused')
      }
    })
  }
})

describe.each(['one-api', 'new-api'] as const)('a filled database of %s', (product) => {
  for (const [engine, make] of Object.entries(engines)) {
    test.skipIf(engine === 'mysql' && !isMysqlHere)(`is imported from ${engine} row by row and cell by cell`, async () => {
      const source = await make(product)
      const at = { ...(await place(product, {})), path: source }
      const { text, code } = await runServer(['import', source, '--apply', '--with-admins', '--name', 'filled'], at.variables)
      // One channel has an unknown type.
      expect(code).toBe(2)
      expect(text).toContain(`${product}, detected`)
      expect(text).toContain('The balances agree.')
      expect(text).toContain('The ledger is consistent.')
      const all = await readAll(at)
      const { logs, posted, ...tables } = all
      const { balances, redeemers, logs: firstLogs, ...rows } = expected[product]
      expect(tables).toMatchObject(rows)
      expect(all.tokens[0]).toMatchObject({
        models: 'gpt-4o,gpt-4o-mini',
        subnet: '10.0.0.0/8,192.168.1.1/32',
        expired_time: 1_900_000_000,
      })
      expect(all.users.map(({ quota }) => quota)).toEqual(balances)
      expect(posted.map(({ amount }) => amount)).toEqual(balances)
      expect(all.redemptions.map(({ used_user_id }) => used_user_id)).toEqual(redeemers)
      expect(logs.slice(0, firstLogs.length)).toMatchObject(firstLogs)
      expect(logs.slice(firstLogs.length).map(({ quota }) => quota)).toEqual(Array.from({ length: manyLogs }, (_, index) => index))
      dumps.push({ product, all })
      // All imported cells are the same from each engine.
      for (const dump of dumps) if (dump.product === product) expect(all).toEqual(dump.all)

      const again = await runServer(['import', source, '--apply', '--name', 'filled'], at.variables)
      expect(counts(again.text, 'users')).toEqual([5, 0, 4, 1, 0])
      expect(counts(again.text, 'logs')).toEqual([manyLogs + 3, 0, manyLogs + 3, 0, 0])
      expect(await readAll(at)).toEqual(all)
      expect((await runServer(['verify'], at.variables)).code).toBe(0)
    })
  }
})
