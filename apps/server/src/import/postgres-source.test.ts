import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePostgresGateway } from '../../test/gateway-database.ts'
import { sharedPostgres } from '../../test/postgres-server.ts'
import { runServer } from '../../test/server-process.ts'
import { openForReading } from '../db/open-for-reading.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-import-postgres-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a gateway on PostgreSQL comes over like one on SQLite: its padded keys, its big numbers, its booleans and its JSON', async () => {
  const postgres = await sharedPostgres()
  const address = await postgres.createDatabase()
  const short = 'k'.repeat(40)
  await makePostgresGateway(address, 'new-api', {
    users: [
      { id: 1, username: 'root', password: '', role: 100, quota: 500_000_000_000_000, access_token: 'short' },
      { id: 2, username: 'ann', password: '', quota: -7, used_quota: 30, group: 'vip', deleted_at: null },
      { id: 3, username: 'gone', password: '', quota: 9, deleted_at: new Date(0) },
    ],
    tokens: [
      {
        id: 1,
        user_id: 2,
        key: short,
        name: 'work',
        unlimited_quota: true,
        remain_quota: -1,
        model_limits_enabled: true,
        model_limits: 'gpt-4o',
      },
      { id: 2, user_id: 2, key: 'l'.repeat(48), name: 'narrow', unlimited_quota: false, remain_quota: 5, allow_ips: '10.0.0.1\n10.0.0.2' },
    ],
    channels: [{ id: 1, type: 1, key: 'one\ntwo', name: 'up', models: 'gpt-4o', balance: 1.25, channel_info: { is_multi_key: true } }],
    logs: [
      { id: 1, user_id: 2, created_at: 1_700_000_000, type: 2, quota: 3, username: 'ann', use_time: 2, is_stream: true, channel_id: 1 },
    ],
    options: [{ key: 'SystemName', value: 'Theirs' }],
  })
  const variables = { DATA_DIR: join(folder, 'data'), SLUICE_SECRET: 'a master key for the tests', LOG_LEVEL: 'silent' }
  const { code, text } = await runServer(['import', address, '--apply'], variables)
  expect(text).toContain('new-api, found by its tables')
  expect(text).toContain('user 3 "gone": the account was deleted')
  expect(text).toMatch(/in the ledger here, of those taken +499,999,999,999,993\n/)
  expect(code).toBe(0)

  const { db, close } = openForReading(join(folder, 'data/sluice.db'))
  const tokens = await db
    .selectFrom('tokens')
    .select(['name', 'unlimited_quota', 'remain_quota', 'models', 'subnet'])
    .orderBy('id')
    .execute()
  expect(tokens).toEqual([
    { name: 'work', unlimited_quota: 1, remain_quota: 0, models: 'gpt-4o', subnet: '' },
    { name: 'narrow', unlimited_quota: 0, remain_quota: 5, models: '', subnet: '10.0.0.1,10.0.0.2' },
  ])
  expect(await db.selectFrom('channels').select(['name', 'balance']).orderBy('id').execute()).toEqual([
    { name: 'up', balance: 1.25 },
    { name: 'up (2)', balance: 0 },
  ])
  expect(await db.selectFrom('logs').select(['elapsed_ms', 'is_stream', 'quota']).where('type', '=', 2).execute()).toEqual([
    { elapsed_ms: 2_000, is_stream: 1, quota: 3 },
  ])
  await close()

  const again = await runServer(['import', address, '--apply'], variables)
  expect(again.text).toMatch(/users +3 +0 +2 +1\n/)
  expect((await runServer(['verify'], variables)).code).toBe(0)
  await postgres.dropDatabase(address)
}, 120_000)
