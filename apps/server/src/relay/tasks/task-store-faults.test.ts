import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setOptions } from '../../../test/channel-scene.ts'
import type { Script } from '../../../test/fake-upstream.ts'
import { type S3Store, startS3Store } from '../../../test/s3-store.ts'
import { type TaskScene, taskScene } from '../../../test/task-scene.ts'

// The store of copies fails or falls silent: before, in the middle of and after an upload, and while a copy is read.

const long = Buffer.alloc(3 * 1024 * 1024 + 17, 'a film that goes on and on. ')

/** Between the server and the store. It breaks each connection after so many bytes in a direction. */
interface Wire {
  readonly url: string
  break(where: Readonly<Partial<Record<'up' | 'down', number>>>): void
  /** Takes what is sent and passes on no more than so many bytes of each response. Resolves with the first bytes that are held back. */
  silence(downBytes: number): Promise<void>
  /** Resolves when the server has closed every connection on which something was held back. */
  connectionsClosed(): Promise<unknown>
  close(): void
}

let s3: S3Store
let wire: Wire
let scene: TaskScene
let folder: string
let isVendorGone: boolean

async function startWire(target: string): Promise<Wire> {
  let limits: Readonly<Partial<Record<'up' | 'down', number>>> = {}
  let held: (() => void) | null = null
  const silent = new Map<Socket, Promise<void>>()
  const sockets = new Set<Socket>()
  const server: Server = createServer((client) => {
    const store = connect(Number(new URL(target).port), '127.0.0.1')
    const end = (): void => {
      client.destroy()
      store.destroy()
    }
    for (const socket of [client, store]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    const pass = (from: Socket, to: Socket, direction: 'up' | 'down'): void => {
      let passed = 0
      from.on('data', (bytes: Buffer) => {
        const left = (limits[direction] ?? Number.POSITIVE_INFINITY) - passed
        passed += bytes.length
        if (bytes.length < left) to.write(bytes)
        else {
          if (held !== null && !silent.has(to)) silent.set(to, new Promise((resolve) => to.on('close', resolve)))
          to.write(bytes.subarray(0, Math.max(0, left)), held ?? end)
        }
      })
    }
    pass(client, store, 'up')
    pass(store, client, 'down')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it has no port')
  const limit = (where: typeof limits, onHeld: typeof held): void => {
    limits = where
    held = onHeld
    // Connections that are kept open count from their beginning.
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    break: (where) => limit(where, null),
    silence: (downBytes) => new Promise((resolve) => limit({ down: downBytes }, resolve)),
    connectionsClosed: () => Promise.all(silent.values()),
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** The video is all that the vendor has of a video. */
const content = (path: string): Script =>
  isVendorGone || path.includes('variant=')
    ? [{ do: 'head', status: 404, headers: {} }]
    : [
        { do: 'head', status: 200, headers: { 'content-type': 'video/mp4', 'content-length': String(long.length) } },
        { do: 'send', bytes: long },
      ]

beforeEach(async () => {
  isVendorGone = false
  s3 = await startS3Store()
  wire = await startWire(s3.url)
  folder = mkdtempSync(join(tmpdir(), 'sluice-store-faults-'))
  scene = await taskScene({ env: { DATA_DIR: folder, ...s3.env, RESULTS_S3_ENDPOINT: wire.url } })
  scene.vendor.response = ({ path }) => (path.includes('/content') ? content(path) : null)
  await setOptions(scene.app, { TaskResultHours: 24, TaskResultGigabytes: 10, TaskResultDelivery: 'proxy' })
})
afterEach(async () => {
  await scene.app.close()
  wire.close()
  await s3.close()
  rmSync(folder, { recursive: true, force: true })
})

async function copy(ms = 6_000): Promise<void> {
  scene.clock.advance(ms)
  // Holds: this job returns what it has started.
  const { done } = (await scene.run('copy-results')) as { readonly done: Promise<unknown> }
  await done
}

/** Lets time pass once the store does not respond. */
async function untilLate<Result>(work: Promise<Result>, silence: Promise<void>, ms: number): Promise<Result> {
  await silence
  scene.clock.advance(ms)
  return await work
}

async function createVideo(): Promise<string> {
  const { id } = await scene.client.videos.create({ model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' })
  for (const video of scene.vendor.videos.values()) video.status = 'completed'
  await scene.poll()
  return id
}

const get = (id: string): Promise<Response> =>
  scene.app.request(`/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${scene.key}` }, redirect: 'manual' })

const isWhole = async (response: Response): Promise<boolean> => Buffer.from(await response.arrayBuffer()).equals(long)

/** The states of the video's own copy. */
const states = async (id: string): Promise<readonly string[]> => {
  const rows = await scene.app.app.store.db.selectFrom('task_files').select(['state', 'place']).where('task_id', '=', id).execute()
  return rows.filter(({ place }) => place === 0).map(({ state }) => state)
}

test.each([
  ['refuses every connection', { up: 0, down: 0 }],
  ['breaks in the middle of an upload', { up: 1_000_000 }],
  ['breaks after an upload, before it has answered', { down: 0 }],
] as const)('a store that %s is tried again, and nothing of it counts until it is whole', async (_, where) => {
  wire.break(where)
  const id = await createVideo()
  await copy()
  expect(await states(id)).toEqual(['wanted'])
  expect(await isWhole(await get(id))).toBe(true)
  wire.break({})
  await copy(61_000)
  await copy()
  expect(await states(id)).toEqual(['kept'])
  isVendorGone = true
  expect(await isWhole(await get(id))).toBe(true)
})

test('while the store is unreachable, the vendor’s own result is passed on', async () => {
  const id = await createVideo()
  await copy()
  expect(await states(id)).toEqual(['kept'])
  wire.break({ up: 0, down: 0 })
  expect(await isWhole(await get(id))).toBe(true)
})

test('copies that the store does not delete are deleted later, and hold up nothing', async () => {
  const id = await createVideo()
  await copy()
  await scene.client.videos.delete(id)
  wire.break({ up: 0, down: 0 })
  const next = await createVideo()
  await copy()
  expect([await states(id), await states(next)]).toEqual([['dropped'], ['wanted']])
  wire.break({})
  await copy(61_000)
  await copy()
  expect([await states(id), await states(next)]).toEqual([[], ['kept']])
  expect(s3.names()).not.toContain(`${id}-0`)
})

test('a copy that is shorter in the store than it was is no copy', async () => {
  const id = await createVideo()
  await copy()
  const { env } = s3
  const store = new Bun.S3Client({
    endpoint: s3.url,
    bucket: env['RESULTS_S3_BUCKET'] ?? '',
    accessKeyId: env['RESULTS_S3_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: env['RESULTS_S3_SECRET_ACCESS_KEY'] ?? '',
  })
  await store.write(`${id}-0`, 'half')
  expect(await isWhole(await get(id))).toBe(true)
})

test('a store that breaks while a copy is read breaks the response, which never looks whole', async () => {
  const id = await createVideo()
  await copy()
  wire.break({ down: 1_000_000 })
  const response = await get(id)
  expect([response.status, Number(response.headers.get('content-length'))]).toEqual([200, long.length])
  await expect(response.arrayBuffer()).rejects.toThrow()
})

test('a store that takes a copy and never responds is given up after ten minutes, and tried again', async () => {
  const silence = wire.silence(0)
  const id = await createVideo()
  await untilLate(copy(), silence, 601_000)
  expect(await states(id)).toEqual(['wanted'])
  wire.break({})
  await copy(61_000)
  expect(await states(id)).toEqual(['kept'])
})

test('a store that never responds to a deletion holds up no copies', async () => {
  const id = await createVideo()
  await copy()
  await scene.client.videos.delete(id)
  const next = await createVideo()
  scene.clock.advance(6_000)
  const silence = wire.silence(0)
  await untilLate(scene.run('copy-results'), silence, 31_000)
  wire.break({})
  await copy(61_000)
  await copy(61_000)
  expect([await states(id), await states(next)]).toEqual([[], ['kept']])
})

test('a store that does not respond for half a minute is passed over, or breaks the response that it has begun', async () => {
  const id = await createVideo()
  await copy()
  expect(await isWhole(await untilLate(get(id), wire.silence(0), 31_000))).toBe(true)
  const silence = wire.silence(1_000_000)
  const response = await get(id)
  await expect(untilLate(response.arrayBuffer(), silence, 31_000)).rejects.toThrow()
  await wire.connectionsClosed()
})
