import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { openForReading } from '../src/db/open-beside.ts'
import { verify } from '../src/ledger/verify.ts'
import { chatResponse, chatStream, json, startFakeUpstream } from './fake-upstream.ts'
import { type OtherProcess, openOtherProcess } from './other-process.ts'
import { prepare, processPassword, type ServerProcess, startServer, until } from './server-process.ts'

// Other processes that use the SQLite file of a running server.

const upstream = await startFakeUpstream()
const usage = { prompt_tokens: 100, completion_tokens: 50 }
upstream.fallback(() => json(chatResponse('hello', usage)))
const accessToken = 'foreign-lock'.padEnd(40, 'x')
afterAll(() => upstream.close())

let folder = ''
let server: ServerProcess
let other: OtherProcess
let headers: Record<string, string> = {}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-foreign-lock-'))
  server = await startServer({ DATA_DIR: folder, INITIAL_ROOT_PASSWORD: processPassword, INITIAL_ROOT_ACCESS_TOKEN: accessToken })
  headers = await prepare(server, upstream)
  other = openOtherProcess(join(folder, 'sluice.db'))
}, 60_000)
afterEach(async () => {
  await other.close()
  server.signal('SIGKILL')
  await server.exited
  rmSync(folder, { recursive: true, force: true })
})

const chat = (isStream = false): Promise<Response> =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages: [{ role: 'user', content: 'hi' }] }),
  })

const setNotice = (value: string): Promise<Response> =>
  fetch(server.url + contract.option.update.path, {
    method: 'PUT',
    headers: { authorization: accessToken, 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'Notice', value }),
  })

const readyStatus = async (): Promise<number> => (await fetch(`${server.url}/readyz`)).status

/** Asks again and again how the server is. @returns ends it, with the longest wait in milliseconds */
function watchHealth(): () => Promise<number> {
  let isDone = false
  let longestMs = 0
  async function watch(): Promise<void> {
    while (!isDone) {
      const begunMs = performance.now()
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
      longestMs = Math.max(longestMs, performance.now() - begunMs)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const watching = watch()
  return async () => {
    isDone = true
    await watching
    return longestMs
  }
}

async function hasHold(): Promise<boolean> {
  const { db, close } = openForReading(join(folder, 'sluice.db'))
  const hold = await db.selectFrom('holds').select('request_id').executeTakeFirst()
  await close()
  return hold !== undefined
}

async function stopAndLook() {
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  const { db, close } = openForReading(join(folder, 'sluice.db'))
  const { checks, facts } = await verify(db, { withLogs: true })
  const charges = await db.selectFrom('ledger').select('id').where('kind', '=', 'consume').execute()
  await close()
  return { broken: checks.flatMap(({ broken }) => broken), holds: facts.openHolds, charges: charges.length }
}

for (const begin of ['BEGIN IMMEDIATE', 'BEGIN EXCLUSIVE']) {
  test(`while another process holds the write lock (${begin}), requests get 503 and nothing stands still; afterwards all goes on`, async () => {
    const whole = chatStream(['one', ' two'], { promptTokens: 100, completionTokens: 50 })
    upstream.script([...whole.slice(0, 3), { do: 'wait', name: begin }, ...whole.slice(3)])
    const stream = await chat(true)
    await other.run(begin)
    const endHealth = watchHealth()
    // The reservation of the stream is stored a moment after it began, which finds the lock.
    await until(async () => (await readyStatus()) === 503)
    const refused = await chat()
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      503,
      '5',
      { error: { code: 'database_unavailable' } },
    ])
    upstream.release(begin)
    const text = stream.text()
    // Reads of the console need no lock, and writes give up in the end.
    const saved = setNotice('during the lock')
    const read = await fetch(server.url + contract.option.list.path, { headers: { authorization: accessToken } })
    expect([read.status, await read.json()]).toMatchObject([200, { success: true }])
    const refusedWrite = await saved
    expect([refusedWrite.status, refusedWrite.headers.get('retry-after'), await refusedWrite.json()]).toMatchObject([
      503,
      '5',
      { success: false },
    ])
    expect(await readyStatus()).toBe(503)
    const longestMs = await endHealth()
    console.log(`longest answer of /healthz: ${longestMs.toFixed(0)} ms`)
    // A blocked event loop would stand still for as long as the engine waits for the lock, or as the lock is held.
    expect(longestMs).toBeLessThan(3_000)

    await other.run('ROLLBACK')
    await until(async () => (await readyStatus()) === 200)
    expect(await text).toEndWith('data: [DONE]\n\n')
    expect((await chat()).status).toBe(200)
    expect(await (await setNotice('after the lock')).json()).toMatchObject({ success: true })
    expect(server.printed()).toContain('database write lock held by another process')
    expect(await stopAndLook()).toEqual({ broken: [], holds: 0, charges: 2 })
  }, 60_000)
}

describe('while the lock is held for longer than a response waits for its charge', () => {
  /** A stream that began before the lock, and a whole response that began after it. @returns their texts, which have come during the lock */
  async function responseDuringLock(gate: string): Promise<readonly string[]> {
    const whole = chatStream(['one', ' two'], { promptTokens: 100, completionTokens: 50 })
    upstream.script([...whole.slice(0, 3), { do: 'wait', name: gate }, ...whole.slice(3)])
    const stream = await chat(true)
    await until(hasHold)
    await other.run('BEGIN IMMEDIATE')
    const pending = chat()
    upstream.release(gate)
    const begunMs = performance.now()
    const texts = await Promise.all([stream.text(), pending.then((response) => response.text())])
    expect(performance.now() - begunMs).toBeLessThan(15_000)
    expect(await readyStatus()).toBe(503)
    expect((await chat()).status).toBe(503)
    return texts
  }

  function expectWhole([stream, pending]: readonly string[]): void {
    expect(stream).toEndWith('data: [DONE]\n\n')
    expect(pending).toContain('"completion_tokens":50')
  }

  test('responses end without an error, and are charged once when it is free', async () => {
    expectWhole(await responseDuringLock('charged'))
    await other.run('ROLLBACK')
    await until(async () => (await readyStatus()) === 200)
    expect(await stopAndLook()).toEqual({ broken: [], holds: 0, charges: 2 })
  }, 60_000)

  test('a server that is killed meanwhile leaves audio books', async () => {
    expectWhole(await responseDuringLock('killed'))
    server.signal('SIGKILL')
    await server.exited
    await other.run('ROLLBACK')
    server = await startServer({ DATA_DIR: folder })
    const { broken, holds } = await stopAndLook()
    expect([broken, holds]).toEqual([[], 0])
  }, 60_000)
})

test('a write that finds the lock for a moment only waits for it', async () => {
  await other.run('BEGIN IMMEDIATE')
  const saved = setNotice('soon')
  // The response came after the write began.
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  await other.run('ROLLBACK')
  expect(await (await saved).json()).toMatchObject({ success: true })
}, 60_000)

test('VACUUM and a checkpoint by another process disturb no request', async () => {
  let charged = 0
  let isDone = false
  async function load(): Promise<void> {
    while (!isDone) {
      const { status } = await chat()
      expect([200, 503]).toContain(status)
      if (status === 200) charged += 1
    }
  }
  const loads = [load(), load(), load()]
  for (let round = 0; round < 5; round++)
    for (const sql of ['VACUUM', 'PRAGMA wal_checkpoint(TRUNCATE)']) {
      const before = charged
      await other.run(sql)
      await until(() => charged > before)
    }
  isDone = true
  await Promise.all(loads)
  expect(await stopAndLook()).toEqual({ broken: [], holds: 0, charges: charged })
}, 60_000)
