import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { openForReading } from '../src/db/open-beside.ts'
import { verify } from '../src/ledger/verify.ts'
import { json, type Script, startFakeUpstream } from './fake-upstream.ts'
import { createServerPlace } from './server-place.ts'
import { type ServerProcess, startServer, until } from './server-process.ts'
import { mp4File } from './task-scene.ts'

// The server is killed at each step of a task, and is started again: every task ends, once, and its reservation with it.

const { place, accessToken, variables, remove } = await createServerPlace('tasks')
const upstream = await startFakeUpstream()
afterAll(async () => {
  await upstream.close()
  await remove()
})

const batches = '/v1/messages/batches'

let isDone = false
/** The vendor says that what was done has failed. */
let hasFailed = false
let createRequests = 0

/** A vendor of batches with one request each. */
function batchResponse(method: string, path: string): Script {
  if (method === 'POST') createRequests += 1
  if (path.endsWith('/results')) {
    const message = { model: 'claude-sonnet-4-5', content: [], usage: { input_tokens: 100, output_tokens: 20 } }
    return json({ custom_id: 'a', result: { type: 'succeeded', message } })
  }
  const status = isDone && method === 'GET' ? 'ended' : 'in_progress'
  return json({
    id: 'msgbatch_1',
    processing_status: status,
    request_counts: { succeeded: 1 },
    results_url: 'https://vendor.example/results',
  })
}

/** The webhook address in the last video request to fal. */
let webhook: URL | null = null

function falResponse(method: string, path: string): Script {
  const { pathname, searchParams } = new URL(path, upstream.url)
  if (method === 'POST') {
    webhook = new URL(searchParams.get('fal_webhook') ?? '')
    return json({ request_id: `film-${++createRequests}`, status: 'IN_QUEUE' })
  }
  if (pathname.endsWith('/status')) return json({ status: isDone ? 'COMPLETED' : 'IN_PROGRESS' })
  return json({ video: { url: `${upstream.url}/film.mp4`, content_type: 'video/mp4' } })
}

/** What is created, and where. */
const works = {
  film: { path: '/v1/videos', body: { model: 'pika-2.2', prompt: 'A cat', seconds: '5', size: '1280x720' } },
  video: { path: '/v1/videos', body: { model: 'sora-2', prompt: 'A cat', seconds: '4' } },
  batch: {
    path: batches,
    body: {
      requests: [{ custom_id: 'a', params: { model: 'claude-sonnet-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] } }],
    },
  },
} as const
type WorkName = keyof typeof works
upstream.fallback(({ method, path }) => {
  if (path.startsWith(batches)) return batchResponse(method, path)
  if (path.startsWith('/fal-ai/')) return falResponse(method, path)
  const video = { object: 'video', model: 'sora-2', seconds: '4', size: '720x1280', progress: 0, created_at: 1 }
  if (method === 'POST') return json({ ...video, id: `vid-${++createRequests}`, status: 'queued' })
  const [, , , id = '', below] = path.split('/')
  if (below !== undefined) return stored
  return json({ ...video, id, status: isDone ? (hasFailed ? 'failed' : 'completed') : 'in_progress' })
})

/** The response to questions about videos. */
let stored: Script = json({}, 404)

async function post(server: ServerProcess, path: string, body: object) {
  const response = await fetch(server.url + path, { method: 'POST', headers: { authorization: accessToken }, body: JSON.stringify(body) })
  // Holds: every response of the management API is an envelope.
  return (await response.json()) as { data?: unknown }
}

async function set(server: ServerProcess, key: string, value: string): Promise<void> {
  const init = { method: 'PUT', headers: { authorization: accessToken }, body: JSON.stringify({ key, value }) }
  await fetch(server.url + contract.option.update.path, init)
}

async function look() {
  const { db, close } = openForReading(place)
  const tasks = await db.selectFrom('tasks').select(['public_id', 'state', 'stage', 'error_code', 'charged']).orderBy('id').execute()
  const holds = await db.selectFrom('holds').select('request_id').execute()
  const charges = await db.selectFrom('ledger').select('amount').where('kind', '=', 'consume').execute()
  const files = await db.selectFrom('task_files').select(['state', 'bytes']).orderBy('place').execute()
  const { checks } = await verify(db, { withLogs: true })
  await close()
  const last = tasks.at(-1)
  return { last, files, tasks: tasks.length, holds: holds.length, charges: charges.length, broken: checks.flatMap(({ broken }) => broken) }
}

async function create(server: ServerProcess, { key, work, name }: CreateParams): Promise<{ readonly status: number; readonly id: string }> {
  const headers = { authorization: `Bearer sk-${key}`, 'content-type': 'application/json', 'idempotency-key': name }
  const { path, body } = works[work]
  return await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) }).then(
    async (response) => {
      // Holds: a task has an id, an error none.
      const { id = '' } = (await response.json()) as { readonly id?: string }
      return { status: response.status, id }
    },
    // The connection broke when the process ended.
    () => ({ status: 0, id: '' }),
  )
}

interface CreateParams {
  /** Of the token. */
  readonly key: string
  readonly work: WorkName
  /** The name that its client gave the order. */
  readonly name: string
}

async function prepare(): Promise<string> {
  const server = await startServer(variables)
  await post(server, contract.channel.create.path, { name: 'up', type: 48, key: 'k', models: 'sora-2', base_url: upstream.url })
  await post(server, contract.channel.create.path, { name: 'b', type: 14, key: 'k', models: 'claude-sonnet-4-5', base_url: upstream.url })
  await post(server, contract.channel.create.path, { name: 'f', type: 44, key: 'k', models: 'pika-2.2', base_url: upstream.url })
  await set(server, 'ServerAddress', 'https://gateway.example.com')
  const { data } = await post(server, contract.token.create.path, { name: 't', unlimited_quota: true })
  server.signal('SIGTERM')
  await server.exited
  // Holds: the response contains the new token with its key.
  return (data as { key: string }).key
}

interface Row {
  readonly work: WorkName
  readonly title: string
  readonly failAt: string
  /** The vendor has the order. */
  readonly isSent: boolean
  /** What the next start makes of the task; `null`: there is none. */
  readonly end: 'completed' | 'task_not_sent' | 'task_submission_lost' | null
}

const rows: readonly Row[] = [
  { work: 'video', title: 'before its reservation', failAt: 'hold-taken:1', isSent: false, end: null },
  { work: 'video', title: 'after its reservation', failAt: 'hold-made:1', isSent: false, end: 'task_not_sent' },
  { work: 'video', title: 'just before it is sent', failAt: 'task-sending:1', isSent: false, end: 'task_submission_lost' },
  { work: 'video', title: 'after the vendor took it', failAt: 'task-accepted:1', isSent: true, end: 'task_submission_lost' },
  { work: 'video', title: 'after its id was stored', failAt: 'task-running:1', isSent: true, end: 'completed' },
  // The first reservation of a batch only finds out whether its account can pay, before its requests are read.
  { work: 'batch', title: 'after its reservation', failAt: 'hold-made:1', isSent: false, end: 'task_not_sent' },
  { work: 'batch', title: 'after the vendor took it', failAt: 'task-accepted:1', isSent: true, end: 'task_submission_lost' },
  { work: 'batch', title: 'after its id was stored', failAt: 'task-running:1', isSent: true, end: 'completed' },
]

test.each(rows)(
  'a server that is killed with a $work $title leaves no doubt',
  async ({ work, failAt, isSent, end }) => {
    key ??= await prepare()
    isDone = true
    const before = await look()
    const requestsBefore = createRequests
    const server = await startServer({ ...variables, FAIL_AT: failAt })
    const named = { key, work, name: `${work}-${failAt}` }
    expect(await create(server, named)).toEqual({ status: 0, id: '' })
    expect(await server.exited).toBe(128 + 9)
    expect(createRequests - requestsBefore).toBe(isSent ? 1 : 0)
    // Even before anything is repaired, the books are consistent.
    expect((await look()).broken).toEqual([])
    const next = await startServer(variables)
    await until(async () => (await look()).holds === 0)
    const after = await look()
    // Its client repeats it, and gets what became of it. What has no row was not sent: its name is free after minutes.
    expect(await create(next, named)).toEqual(end === null ? { status: 409, id: '' } : { status: 200, id: after.last?.public_id ?? '' })
    next.signal('SIGTERM')
    await next.exited
    expect(after.broken).toEqual([])
    expect(after.tasks - before.tasks).toBe(end === null ? 0 : 1)
    if (end !== null) expect([after.last?.state, after.last?.error_code]).toEqual(end === 'completed' ? ['completed', ''] : ['failed', end])
    expect(after.charges - before.charges).toBe(end === 'completed' ? 1 : 0)
    // Nothing was created again.
    expect(createRequests - requestsBefore).toBe(isSent ? 1 : 0)
  },
  60_000,
)

let key: string | undefined

const settling = [
  ['video', 'settle-asked:1'],
  ['video', 'batch-written:1'],
  ['video', 'batch-committed:1'],
  ['video', 'settle-committed:1'],
  ['batch', 'batch-written:1'],
  ['batch', 'settle-committed:1'],
] as const

test.each(settling)(
  'a server that is killed while a %s ends, at %s, charges it once',
  async (work, failAt) => {
    key ??= await prepare()
    isDone = false
    const before = await look()
    const first = await startServer(variables)
    expect(await create(first, { key, work, name: `${work}-ends-${failAt}` })).toMatchObject({ status: 200 })
    first.signal('SIGKILL')
    await first.exited
    expect((await look()).holds).toBe(1)
    isDone = true
    const second = await startServer({ ...variables, FAIL_AT: failAt })
    expect(await second.exited).toBe(128 + 9)
    expect((await look()).broken).toEqual([])
    const third = await startServer(variables)
    await until(async () => (await look()).holds === 0)
    const after = await look()
    third.signal('SIGTERM')
    await third.exited
    expect(after.broken).toEqual([])
    expect([after.last?.state, after.charges - before.charges]).toEqual(['completed', 1])
  },
  60_000,
)

const telling = ['settle-asked:1', 'batch-written:1', 'batch-committed:1', 'settle-committed:1'] as const

test.each(telling)(
  'a server that is killed at %s, during the webhook of a completed video, charges it once when the webhook is repeated after its start',
  async (failAt) => {
    key ??= await prepare()
    isDone = false
    const before = await look()
    const first = await startServer(variables)
    expect(await create(first, { key, work: 'film', name: `told-${failAt}` })).toMatchObject({ status: 200 })
    first.signal('SIGKILL')
    await first.exited
    isDone = true
    const path = `${webhook?.pathname}${webhook?.search}`
    // The connection may break, because the server ends.
    const report = ({ url }: ServerProcess, at = path): Promise<number> =>
      fetch(url + at, { method: 'POST', body: '{}' }).then(
        ({ status }) => status,
        () => 0,
      )
    const second = await startServer({ ...variables, FAIL_AT: failAt })
    const statuses = await Promise.all([report(second), report(second), report(second)])
    expect(statuses.every((status) => status === 200 || status === 0)).toBe(true)
    expect(await second.exited).toBe(128 + 9)
    expect((await look()).broken).toEqual([])
    const third = await startServer(variables)
    expect(await Promise.all([report(third), report(third), report(third, path.replace(/.$/, ''))])).toEqual([200, 200, 404])
    await until(async () => (await look()).holds === 0)
    expect(await report(third)).toBe(200)
    const after = await look()
    third.signal('SIGTERM')
    await third.exited
    expect(after.broken).toEqual([])
    expect([after.last?.state, Number(after.last?.charged), after.charges - before.charges]).toEqual(['completed', 100_000, 1])
  },
  60_000,
)

const turning = [
  ['settle-asked:1', 'failed'],
  ['batch-written:1', 'failed'],
  ['batch-committed:1', 'completed'],
  ['settle-committed:1', 'completed'],
] as const

test.each(turning)(
  'a video that was done when the server was killed at %s, and that its vendor calls failed after that, has one end: %s',
  async (failAt, end) => {
    key ??= await prepare()
    isDone = false
    const before = await look()
    const first = await startServer(variables)
    expect(await create(first, { key, work: 'video', name: `turning-${failAt}` })).toMatchObject({ status: 200 })
    first.signal('SIGKILL')
    await first.exited
    isDone = true
    const second = await startServer({ ...variables, FAIL_AT: failAt })
    expect(await second.exited).toBe(128 + 9)
    hasFailed = true
    const third = await startServer(variables)
    await until(async () => (await look()).holds === 0)
    const after = await look()
    third.signal('SIGTERM')
    await third.exited
    hasFailed = false
    expect(after.broken).toEqual([])
    expect([after.last?.state, after.charges - before.charges, Number(after.last?.charged) > 0]).toEqual([
      end,
      end === 'completed' ? 1 : 0,
      end === 'completed',
    ])
  },
  60_000,
)

test('a server that is killed while it stores a video charges it once, and stores it whole after its start', async () => {
  key ??= await prepare()
  isDone = true
  const before = await look()
  const first = await startServer(variables)
  await set(first, 'TaskResultHours', '24')
  const head = { do: 'head', status: 200, headers: { 'content-type': 'video/mp4', 'content-length': String(mp4File.length) } } as const
  stored = [head, { do: 'send', bytes: mp4File.subarray(0, 2_000) }, { do: 'wait', name: 'never' }]
  expect(await create(first, { key, work: 'video', name: 'stored' })).toMatchObject({ status: 200 })
  const folder = join(variables['DATA_DIR'] ?? '', 'results')
  const names = (): readonly string[] => (existsSync(folder) ? readdirSync(folder) : [])
  await until(() => Promise.resolve(names().some((name) => name.endsWith('.part'))))
  expect((await look()).charges - before.charges).toBe(1)
  first.signal('SIGKILL')
  await first.exited
  stored = [head, { do: 'send', bytes: mp4File }]
  const second = await startServer(variables)
  await until(async () => (await look()).files.every(({ state }) => state === 'kept'))
  const after = await look()
  second.signal('SIGTERM')
  await second.exited
  expect([after.broken, after.charges - before.charges, after.last?.state]).toEqual([[], 1, 'completed'])
  expect(after.files.map(({ bytes }) => Number(bytes))).toEqual([mp4File.length, mp4File.length, mp4File.length])
  expect(names().filter((name) => name.endsWith('.part'))).toEqual([])
}, 60_000)
