import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { type TestApp, testApp } from '../../test/app.ts'
import { chatResponse, json } from '../../test/fake-upstream.ts'
import { createReadyDatabase } from '../../test/stores.ts'
import { systemClock } from '../lib/clock.ts'
import { lookEveryMs } from './configuration.ts'

// A connection of the test stands for another node, a command or a person: the server learns of a change from the database alone.

const guaranteedMs = 2_000

/** @returns how long it took */
async function msUntil(condition: () => Promise<boolean>): Promise<number> {
  const startMs = performance.now()
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1))
  return performance.now() - startMs
}

interface Scene {
  readonly app: TestApp
  readonly other: SQL
  readonly userId: number
  readonly tokenId: number
  /** @returns the status of a chat, and its error */
  chat(): Promise<string>
  close(): Promise<void>
}

async function openScene(options: Parameters<typeof testApp>[0] = {}): Promise<Scene> {
  const database = await createReadyDatabase('postgres')
  const app = await testApp({ ...options, env: { DATABASE_URL: database.url, ...options.env } })
  const user = await app.make.user()
  await app.make.channel()
  const { id, key } = await app.make.token(user)
  app.upstream.fallback(() => json(chatResponse('hello', { prompt_tokens: 1, completion_tokens: 1 })))
  const other = new SQL(database.url, { max: 2 })
  return {
    app,
    other,
    userId: user.id,
    tokenId: id,
    async chat() {
      const response = await app.request('/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-4o-mini', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }),
      })
      // Holds: a response of the relay is an object, with `error` if it failed.
      const { error } = (await response.json()) as { readonly error?: { readonly code: string } }
      return error === undefined ? 'ok' : error.code
    },
    async close() {
      await other.close()
      await app.close()
      await database.drop()
    },
  }
}

describe('what another process changes counts here within two seconds', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
  }, 60_000)
  afterAll(() => scene.close())

  const changes = [
    ['a disabled token', 'UPDATE tokens SET status = 2', 'token_disabled', 'UPDATE tokens SET status = 1'],
    ['a banned account', 'UPDATE users SET status = 2 WHERE role < 100', 'user_banned', 'UPDATE users SET status = 1'],
    ['the groups of an account', "UPDATE users SET groups = 'vip'", 'model_not_found', "UPDATE users SET groups = 'default'"],
    ['the models of a token', "UPDATE tokens SET models = 'o3'", 'model_forbidden', "UPDATE tokens SET models = ''"],
    ['a disabled channel', 'UPDATE channels SET status = 3', 'no_channel', 'UPDATE channels SET status = 1'],
  ] as const

  test.each(changes)('%s', async (_name, change, expected, undo) => {
    expect(await scene.chat()).toBe('ok')
    await scene.other.unsafe(change)
    expect(await msUntil(async () => (await scene.chat()) === expected)).toBeLessThan(guaranteedMs)
    await scene.other.unsafe(undo)
    expect(await msUntil(async () => (await scene.chat()) === 'ok')).toBeLessThan(guaranteedMs)
  })

  test('an option changes what requests cost', async () => {
    const quota = async (): Promise<number> => {
      expect(await scene.chat()).toBe('ok')
      await scene.app.app.ledger.drain()
      const row = await scene.app.app.store.db.selectFrom('logs').select('quota').orderBy('id', 'desc').executeTakeFirstOrThrow()
      return row.quota
    }
    const usual = await quota()
    await scene.other.unsafe(`INSERT INTO options VALUES ('GroupRatio', '{"default":1000}', 100)`)
    expect(await msUntil(async () => (await quota()) > usual)).toBeLessThan(guaranteedMs)
  })

  test('a token that was unknown a moment ago is admitted', async () => {
    const stored = { ...(await scene.other.unsafe<{ key_lookup: string }[]>('SELECT * FROM tokens'))[0] }
    await scene.other.unsafe('DELETE FROM tokens')
    expect(await msUntil(async () => (await scene.chat()) === 'token_invalid')).toBeLessThan(guaranteedMs)
    expect(await scene.chat()).toBe('token_invalid')
    await scene.other`INSERT INTO tokens ${scene.other(stored)}`
    expect(await msUntil(async () => (await scene.chat()) === 'ok')).toBeLessThan(guaranteedMs)
  })

  test('also when the hints of the database do not arrive', async () => {
    await scene.other.unsafe("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    await scene.other.unsafe('ALTER TABLE tokens DISABLE TRIGGER tokens_changed')
    expect(await scene.chat()).toBe('ok')
    // The trigger without its notification.
    await scene.other.begin(async (tx) => {
      await tx.unsafe('UPDATE tokens SET status = 2')
      await tx.unsafe(`INSERT INTO config_changes (what, row_id) VALUES ('token', ${scene.tokenId})`)
    })
    expect(await msUntil(async () => (await scene.chat()) === 'token_disabled')).toBeLessThan(guaranteedMs)
    expect(lookEveryMs).toBeLessThan(guaranteedMs)
  })
})

test('a server that could not run for a while looks before it admits the first request', async () => {
  let pausedMs = 0
  const clock = { nowMs: systemClock.nowMs, monotonicMs: () => systemClock.monotonicMs() + pausedMs }
  // Without timers and, below, without hints, as after a pause of the whole process.
  const scene = await openScene({ schedule: () => () => {}, clock })
  expect(await scene.chat()).toBe('ok')
  await scene.other.unsafe('ALTER TABLE channels DISABLE TRIGGER channels_changed')
  await scene.other.unsafe('UPDATE channels SET status = 3')
  await scene.other.unsafe("INSERT INTO config_changes (what, row_id) VALUES ('channels', 0)")
  pausedMs = 2 * guaranteedMs
  expect(await scene.chat()).toBe('no_channel')
  await scene.close()
}, 60_000)
