import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setOptions } from '../../../test/channel-scene.ts'
import { mp4File, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// A store of copies whose responses do not end. What matters is how much of them is read.

type Method = 'PUT' | 'GET' | 'DELETE'

interface EndlessStore {
  readonly url: string
  /** Responds to requests of a method with a body that does not end within any time that a test waits for. `null`: none. */
  endless: { readonly method: Method; readonly status: number } | null
  /** Bytes of such bodies that the other side, or the buffers in between, took. */
  takenBytes(): Promise<number>
  readonly requests: Method[]
  close(): void
}

/** Much more than the buffers of two sockets hold. */
const endlessBytes = 128 * 1024 * 1024
/** What is read, with the buffers of two sockets and of a client. */
const takenBytesMax = 16 * 1024 * 1024
const piece = Buffer.alloc(256 * 1024, ' ')

/** Resolves with what was taken once the connection is closed or all was taken. */
function sendEndless(response: ServerResponse): Promise<number> {
  return new Promise((resolve) => {
    let taken = 0
    const send = (): void => {
      if (taken >= endlessBytes) {
        response.destroy()
        return
      }
      response.write(piece, (error) => {
        if (error !== null && error !== undefined) return
        taken += piece.length
        send()
      })
    }
    response.on('close', () => resolve(taken))
    send()
  })
}

/** It keeps no object, but responds as if it did. */
async function startEndlessStore(): Promise<EndlessStore> {
  const transfers: Array<Promise<number>> = []
  const server = createServer((request, response) => {
    // Holds: no other method is sent to a store.
    const method = request.method as Method
    store.requests.push(method)
    request.resume().on('end', () => {
      const { endless } = store
      if (endless?.method === method) {
        response.writeHead(endless.status)
        transfers.push(sendEndless(response))
      } else if (method === 'GET') {
        response.writeHead(206, { 'content-range': `bytes 0-${mp4File.length - 1}/${mp4File.length}` }).end(mp4File)
      } else response.writeHead(method === 'PUT' ? 200 : 204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it has no port')
  const store: EndlessStore = {
    url: `http://127.0.0.1:${address.port}`,
    endless: null,
    takenBytes: async () => (await Promise.all(transfers)).reduce((all, bytes) => all + bytes, 0),
    requests: [],
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return store
}

let store: EndlessStore
let scene: TaskScene
let folder: string

beforeEach(async () => {
  store = await startEndlessStore()
  folder = mkdtempSync(join(tmpdir(), 'sluice-results-'))
  const key = { RESULTS_S3_BUCKET: 'results', RESULTS_S3_ACCESS_KEY_ID: 'key', RESULTS_S3_SECRET_ACCESS_KEY: 'secret' }
  scene = await taskScene({ env: { DATA_DIR: folder, RESULTS_S3_ENDPOINT: store.url, ...key } })
  await setOptions(scene.app, { TaskResultHours: 24 })
})

afterEach(async () => {
  await scene.app.close()
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function copy(ms = 6_000): Promise<void> {
  scene.clock.advance(ms)
  // Holds: this job returns what it has started.
  const { done } = (await scene.run('copy-results')) as { readonly done: Promise<unknown> }
  await done
}

/** A task whose video is all that its vendor has of it. */
async function createCompleted(): Promise<string> {
  const { id } = await scene.client.videos.create({ model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' })
  for (const video of scene.vendor.videos.values()) video.status = 'completed'
  await scene.poll()
  return id
}

const states = async (id: string): Promise<readonly string[]> => {
  const rows = await scene.app.app.store.db.selectFrom('task_files').select(['state', 'place']).where('task_id', '=', id).execute()
  return rows.filter(({ place }) => place === 0).map(({ state }) => state)
}

test.each([200, 500])('an upload whose response (%i) does not end fails and is tried again', async (status) => {
  store.endless = { method: 'PUT', status }
  const id = await createCompleted()
  await copy()
  expect(await states(id)).toEqual(['wanted'])
  expect(await store.takenBytes()).toBeLessThan(takenBytesMax)
  store.endless = null
  await copy(61_000)
  expect(await states(id)).toEqual(['kept'])
})

test.each([200, 500])('a deletion whose response (%i) does not end is tried again', async (status) => {
  const id = await createCompleted()
  await copy()
  expect(await states(id)).toEqual(['kept'])
  await scene.client.videos.delete(id)
  store.endless = { method: 'DELETE', status }
  await copy()
  expect(await store.takenBytes()).toBeLessThan(takenBytesMax)
  store.endless = null
  await copy(61_000)
  await copy()
  expect(await states(id)).toEqual([])
})

test('a copy for which the store responds with an error that does not end is read from the vendor', async () => {
  const id = await createCompleted()
  await copy()
  store.endless = { method: 'GET', status: 500 }
  const response = await scene.app.request(`/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${scene.key}` } })
  expect(Buffer.from(await response.arrayBuffer()).equals(mp4File)).toBe(true)
  expect(store.requests).toContain('GET')
  expect(await store.takenBytes()).toBeLessThan(takenBytesMax)
})
