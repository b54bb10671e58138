import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { openForReading } from '../src/db/open-beside.ts'
import { verify } from '../src/ledger/verify.ts'
import { json, type Script, startFakeUpstream } from './fake-upstream.ts'
import { startS3Store } from './s3-store.ts'
import { createServerPlace } from './server-place.ts'
import { startServer, until } from './server-process.ts'
import { mp4File } from './task-scene.ts'

// The server is killed again and again, at random times, while tasks are created, end, and are copied to a store.

const { place, accessToken, variables: plain, remove } = await createServerPlace('task-loop')
const [upstream, s3] = await Promise.all([startFakeUpstream(), startS3Store()])
const variables = { ...plain, ...s3.env }
afterAll(async () => {
  await Promise.all([upstream.close(), s3.close()])
  await remove()
})

/** Questions about each video; it is completed at the third. */
const questions = new Map<string, number>()
let createRequests = 0
upstream.fallback(({ method, path }) => {
  const video = { object: 'video', model: 'sora-2', seconds: '4', size: '720x1280', progress: 0, created_at: 1 }
  if (method === 'POST') return json({ ...video, id: `vid-${++createRequests}`, status: 'queued' })
  const [, , , id = '', below] = path.split('/')
  if (below !== undefined) return slowVideo
  const count = (questions.get(id) ?? 0) + 1
  questions.set(id, count)
  return json({ ...video, id, status: count > 2 ? 'completed' : 'in_progress' })
})

const slowVideo: Script = [
  { do: 'head', status: 200, headers: { 'content-type': 'video/mp4', 'content-length': String(mp4File.length) } },
  { do: 'send', bytes: mp4File.subarray(0, 2_000) },
  { do: 'pause', ms: 40 },
  { do: 'send', bytes: mp4File.subarray(2_000) },
]

async function look() {
  const { db, close } = openForReading(place)
  const tasks = await db.selectFrom('tasks').select(['state', 'stage', 'vendor_id', 'error_code', 'charged']).execute()
  const files = await db.selectFrom('task_files').select(['task_id', 'place', 'state', 'bytes']).execute()
  const charges = await db.selectFrom('ledger').select('amount').where('kind', '=', 'consume').execute()
  const { checks } = await verify(db, { withLogs: true })
  await close()
  return { tasks, files, charges, broken: checks.flatMap(({ broken }) => broken) }
}

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1_000_000))

/** Numbers from 0 to 1 (mulberry32). */
function randomOf(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** More for a longer run. */
const kills = Number(process.env['KILLS'] ?? 4)
const tasksPerLife = 5

test(`whenever it is killed, every task ends once, is paid once, and is copied whole (seed ${seed})`, async () => {
  const random = randomOf(seed)
  let headers: Record<string, string> | null = null
  for (let life = 0; life <= kills; life += 1) {
    const server = await startServer(variables)
    headers ??= await prepare(server.url)
    const own = { method: 'POST', headers, body: JSON.stringify({ model: 'sora-2', prompt: 'A cat', seconds: '4' }) }
    // A connection breaks when the process ends.
    const created = Array.from({ length: tasksPerLife }, () => fetch(`${server.url}/v1/videos`, own).catch(() => null))
    if (life === kills) {
      await Promise.all(created)
      await until(async () => {
        const { tasks, files } = await look()
        return tasks.every(({ stage }) => stage === 'ended') && files.every(({ state }) => state === 'kept')
      })
      server.signal('SIGTERM')
      await server.exited
      break
    }
    await Bun.sleep(random() * 1_600)
    server.signal('SIGKILL')
    await Promise.all([server.exited, ...created])
    expect((await look()).broken).toEqual([])
  }
  const { tasks, files, charges, broken } = await look()
  expect(broken).toEqual([])
  const completed = tasks.filter(({ state }) => state === 'completed')
  // Tasks whose creation got a response are completed; the rest has failed because it was lost, and is free.
  expect(completed.length).toBeGreaterThanOrEqual(tasksPerLife)
  expect(new Set(completed.map(({ vendor_id: id }) => id)).size).toBe(completed.length)
  const lost = tasks.filter(({ state }) => state !== 'completed')
  for (const { error_code: code, charged } of lost)
    expect([Number(charged), /^task_(?:not_sent|submission_lost)$/.test(code)]).toEqual([0, true])
  expect(charges.map(({ amount }) => Number(amount))).toEqual(completed.map(() => -200_000))
  // OpenAI's videos have three results.
  expect(files.length).toBe(completed.length * 3)
  expect(files.every(({ bytes }) => Number(bytes) === mp4File.length)).toBe(true)
  expect(new Set(s3.names())).toEqual(new Set(files.map(({ task_id: id, place: at }) => `${id}-${at}`)))
  const spooled = join(plain['DATA_DIR'] ?? '', 'results')
  expect(existsSync(spooled) ? readdirSync(spooled) : []).toEqual([])
}, 120_000)

async function prepare(url: string): Promise<Record<string, string>> {
  const call = async (method: string, path: string, body: object) => {
    const response = await fetch(url + path, { method, headers: { authorization: accessToken }, body: JSON.stringify(body) })
    // Holds: every response of the management API is an envelope.
    return (await response.json()) as { readonly data?: { readonly key?: string } }
  }
  await call('PUT', contract.option.update.path, { key: 'TaskResultHours', value: '24' })
  await call('POST', contract.channel.create.path, { name: 'up', type: 48, key: 'k', models: 'sora-2', base_url: upstream.url })
  const { data } = await call('POST', contract.token.create.path, { name: 't', unlimited_quota: true })
  return { authorization: `Bearer sk-${data?.key}`, 'content-type': 'application/json' }
}
