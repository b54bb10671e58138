import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '../src/db/connect.ts'
import { connectStore } from '../src/db/connect-store.ts'
import { openForReading } from '../src/db/open-beside.ts'
import { storePlace } from '../src/db/store-place.ts'
import { makeGatewayDatabase, type OtherProduct, type Product, type Row } from './gateway-database.ts'
import { runServer } from './server-process.ts'
import { createTestDatabase } from './stores.ts'

// Runs the import as operators do, in a separate process, on databases of other gateways that the test creates.

type Tables = Readonly<Record<string, readonly Row[]>>

/** A database of another gateway, and the place of ours. */
export interface Place {
  readonly path: string
  readonly variables: Readonly<Record<string, string>>
}

interface Places {
  /** Creates a source with these rows, and a folder for our database. */
  place(product: Product | OtherProduct, tables: Tables): Promise<Place>
  close(): Promise<void>
}

export function openPlaces(): Places {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-import-'))
  const drops: Array<() => Promise<void>> = []
  return {
    async place(product, tables) {
      const own = join(folder, `place${drops.length}`)
      mkdirSync(own)
      const path = join(own, 'gateway.db')
      makeGatewayDatabase(path, product, tables)
      const { url, drop } = await createTestDatabase()
      drops.push(drop)
      return {
        path,
        variables: { DATA_DIR: join(own, 'data'), DATABASE_URL: url, SLUICE_SECRET: 'a master key for the tests', LOG_LEVEL: 'silent' },
      }
    },
    async close() {
      for (const drop of drops) await drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const run = ({ path, variables }: Place, ...more: readonly string[]) => runServer(['import', path, ...more], variables)
export const apply = (at: Place, ...more: readonly string[]) => run(at, '--apply', ...more)

export const placeOf = ({ DATA_DIR: dataDir = '', DATABASE_URL: databaseUrl = '' }: Place['variables']): string =>
  storePlace({ dataDir, databaseUrl })

/** Reads our database. */
export async function look<Value>({ variables }: Place, read: (db: Db) => Promise<Value>): Promise<Value> {
  const { db, close } = openForReading(placeOf(variables))
  try {
    return await read(db)
  } finally {
    await close()
  }
}
/** Changes our database directly. */
export async function change({ variables }: Place, work: (db: Db) => Promise<void>): Promise<void> {
  const store = await connectStore(placeOf(variables), { report: () => {} })
  await work(store.db)
  await store.close()
}
export const listUsers = (at: Place) => look(at, (db) => db.selectFrom('users').selectAll().orderBy('id').execute())
export const listTokens = (at: Place) => look(at, (db) => db.selectFrom('tokens').selectAll().orderBy('id').execute())
export const listChannels = (at: Place) =>
  look(at, (db) => db.selectFrom('channels').innerJoin('channel_usage', 'channel_id', 'id').selectAll().orderBy('id').execute())

/** The numbers of one line of the report: read, imported, already here, skipped, refused. */
export function counts(text: string, kind: string): readonly number[] {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${kind} `)) ?? ''
  return (line.slice(kind.length).match(/[\d,]+/g) ?? []).map((number) => Number(number.replaceAll(',', '')))
}

const bcrypt = (password: string): string => Bun.password.hashSync(password, { algorithm: 'bcrypt', cost: 4 })
export const key = (letter: string): string => letter.repeat(48)
export const root: Row = {
  id: 1,
  username: 'root',
  password: bcrypt('12345678'),
  role: 100,
  status: 1,
  quota: 500_000_000_000_000,
  aff_code: '',
}
export const ann: Row = {
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
export const annsToken: Row = {
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
/** An upstream to which no request is sent. */
export const upstreamUrl = 'http://upstream.example'
export const up = (baseUrl = upstreamUrl): Row => ({
  id: 3,
  type: 1,
  key: 'upstream-key',
  status: 1,
  name: 'up',
  base_url: baseUrl,
  models: 'gpt-4o-mini,gpt-4o',
  group: 'default,vip',
  used_quota: 77,
  priority: 3,
  weight: 5,
})
export const whole = (baseUrl = upstreamUrl): Tables => ({
  users: [root, ann],
  tokens: [annsToken],
  channels: [up(baseUrl)],
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
