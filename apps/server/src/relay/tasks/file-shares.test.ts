import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestUser } from '../../../test/app.ts'
import { setOptions } from '../../../test/channel-scene.ts'
import { json } from '../../../test/fake-upstream.ts'
import { clientFor, mp4File, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// The share of one account in the copies of results.

const params = { model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' } as const
/** A tenth of a gigabyte. */
const share = 100_000_000

let scene: TaskScene
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-shares-'))
  scene = await taskScene({ env: { DATA_DIR: folder } })
  await setOptions(scene.app, { TaskResultHours: 24, TaskResultGigabytes: 1, AccountStoragePercent: 10 })
  const headers = { 'content-type': 'video/mp4', 'content-length': String(mp4File.length) }
  scene.vendor.response = ({ path }) => {
    if (!path.includes('/content')) return null
    // The video is all that the vendor has.
    if (path.includes('variant=')) return json({}, 404)
    return [
      { do: 'head', status: 200, headers },
      { do: 'send', bytes: mp4File },
    ]
  }
})
afterAll(async () => {
  await scene.app.close()
  rmSync(folder, { recursive: true, force: true })
})

async function account() {
  const user = await scene.app.make.user({ quota: 10_000_000 })
  const { key } = await scene.app.make.token(user, { isUnlimited: true })
  return { user, client: clientFor(scene.app, key) }
}

type Account = Awaited<ReturnType<typeof account>>

async function work(ms = 6_000): Promise<void> {
  scene.clock.advance(ms)
  // Holds: this job returns what it has started.
  const { done } = (await scene.run('copy-results')) as { readonly done: Promise<unknown> }
  await done
}

/** A video whose copy was tried. */
async function copied({ client }: Account): Promise<string> {
  const { id } = await client.videos.create(params)
  for (const video of scene.vendor.videos.values()) video.status = 'completed'
  await scene.poll()
  await work()
  return id
}

const isKept = (id: string): boolean => readdirSync(join(folder, 'results')).some((name) => name.startsWith(id))

/** What the rows have is what the database says. */
async function setBytes(id: string, bytes: number): Promise<void> {
  await scene.app.app.store.db.updateTable('task_files').set({ bytes }).where('task_id', '=', id).where('place', '=', 0).execute()
}

/** The counter of an account, which must be the total of its copies. */
async function bytesOf({ id }: TestUser): Promise<number> {
  const { db } = scene.app.app.store
  const row = await db.selectFrom('stored_bytes').select('bytes').where('kind', '=', 'results').where('user_id', '=', id).executeTakeFirst()
  const files = await db.selectFrom('task_files').select('bytes').where('user_id', '=', id).where('state', '=', 'kept').execute()
  const counted = Number(row?.bytes ?? 0)
  expect(counted).toBe(files.reduce((sum, { bytes }) => sum + Number(bytes), 0))
  return counted
}

test('an account that has used up its share loses its own oldest copies, and nobody else’s', async () => {
  const [one, other] = [await account(), await account()]
  const foreign = await copied(other)
  const [first, second] = [await copied(one), await copied(one)]
  expect(await bytesOf(one.user)).toBe(2 * mp4File.length)
  await setBytes(first, share - mp4File.length - 1_000)
  const third = await copied(one)
  expect([first, second, third, foreign].map(isKept)).toEqual([false, true, true, true])
  expect(await bytesOf(one.user)).toBe(2 * mp4File.length)
  expect(await bytesOf(other.user)).toBe(mp4File.length)
})

test('a result that is larger than the share is not copied, and costs nobody a copy', async () => {
  const one = await account()
  const kept = await copied(one)
  await setOptions(scene.app, { AccountStoragePercent: 0.01, TaskResultGigabytes: 0 })
  const other = await account()
  expect(isKept(await copied(other))).toBe(false)
  await setOptions(scene.app, { AccountStoragePercent: 10, TaskResultGigabytes: 1 })
  expect(isKept(kept)).toBe(true)
})

test('what is deleted, has expired, or was deleted with its task, counts no longer', async () => {
  const one = await account()
  const [first, second] = [await copied(one), await copied(one)]
  expect(await bytesOf(one.user)).toBe(2 * mp4File.length)
  await one.client.videos.delete(first)
  expect(await bytesOf(one.user)).toBe(mp4File.length)
  await work(25 * 3_600_000)
  expect(isKept(second)).toBe(false)
  expect(await bytesOf(one.user)).toBe(0)
})
