import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { setOptions } from '../../../test/channel-scene.ts'
import { json, type Received, type Script } from '../../../test/fake-upstream.ts'
import { balanceOf, clientFor, closeConsistent, mp4File, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// Two things at once that each are ordinary: a result is being copied, a question is on its way, an order is being taken.

const params = { model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' } as const
const price = 200_000

let scene: TaskScene
let folder: string
/** Responses to content requests; `null`: the video. */
let contentResponse: (request: Received) => Script | null

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-combined-'))
  scene = await taskScene({ env: { DATA_DIR: folder } })
  await setOptions(scene.app, { TaskResultHours: 24, TaskResultGigabytes: 10 })
})
beforeEach(() => {
  contentResponse = () => null
  scene.vendor.response = (request) => (request.path.includes('/content') ? contentResponse(request) : null)
})
afterAll(async () => {
  await closeConsistent(scene)
  rmSync(folder, { recursive: true, force: true })
})

const files = (id: string): readonly string[] => {
  const results = join(folder, 'results')
  return existsSync(results) ? readdirSync(results).filter((name) => name.startsWith(id)) : []
}

/** A completed video of an account of its own, whose video begins to be copied and then waits. */
async function copying() {
  const { app, clock, run, vendor, poll } = scene
  const user = await app.make.user({ quota: 1_000_000 })
  const { id: tokenId, key } = await app.make.token(user, { isUnlimited: true })
  const { id } = await clientFor(app, key).videos.create(params)
  for (const video of vendor.videos.values()) video.status = 'completed'
  await poll()
  const begun = new Promise<void>((resolve) => {
    contentResponse = ({ path }) => {
      // The video is all that the vendor has.
      if (path.includes('variant=')) return json({}, 404)
      resolve()
      const head = { do: 'head', status: 200, headers: { 'content-type': 'video/mp4', 'content-length': String(mp4File.length) } } as const
      return [
        head,
        { do: 'send', bytes: mp4File.subarray(0, 2_000) },
        { do: 'wait', name: id },
        { do: 'send', bytes: mp4File.subarray(2_000) },
      ]
    }
  })
  clock.advance(6_000)
  // Holds: this job returns what it has started.
  const { done } = (await run('copy-results')) as { readonly done: Promise<unknown> }
  await begun
  return {
    ...{ id, user, tokenId, key },
    /** The vendor sends the rest, and the copy ends. */
    async finish(): Promise<void> {
      app.upstream.release(id)
      await done
      // What was dropped meanwhile is deleted with the next look.
      clock.advance(6_000)
      await ((await run('copy-results')) as { readonly done: Promise<unknown> }).done
      contentResponse = () => json({}, 404)
    },
    fetched: async () => {
      const response = await app.request(`/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${key}` } })
      const bytes = Buffer.from(await response.arrayBuffer())
      return [response.status, bytes.equals(mp4File)]
    },
    spent: async () => 1_000_000 - (await balanceOf(app, user)),
  }
}

test('a channel that is deleted while a result is copied: the copy is finished, kept and served, and paid for once', async () => {
  const { app } = scene
  const { id, finish, fetched, spent } = await copying()
  await app.data(contract.channel.remove, { id: scene.channel })
  await finish()
  expect(files(id)).toEqual([`${id}-0`])
  expect(await fetched()).toEqual([200, true])
  expect(await spent()).toBe(price)
  await app.make.channel({ type: 48, models: 'sora-2' })
})

test('a task that is deleted while its result is copied leaves no file', async () => {
  const { app } = scene
  const { id, user, finish, fetched, spent } = await copying()
  const [row] = await app.data(contract.task.self, {}, user)
  await app.data(contract.task.remove, { id: row?.id ?? 0 }, user)
  await finish()
  expect(files(id)).toEqual([])
  expect((await fetched())[0]).toBe(404)
  expect(await spent()).toBe(price)
})

test('an account that is banned while a result is copied: the copy is kept, and its owner has it once the account is enabled again', async () => {
  const { app } = scene
  const { id, user, finish, fetched, spent } = await copying()
  await app.data(contract.user.manage, { username: user.username, action: 'disable' })
  await finish()
  expect((await fetched())[0]).toBe(403)
  await app.data(contract.user.manage, { username: user.username, action: 'enable' })
  expect(files(id)).toEqual([`${id}-0`])
  expect(await fetched()).toEqual([200, true])
  expect(await spent()).toBe(price)
})

test('copies that are switched off while a result is copied: it is reported as gone after its hours, and leaves no file', async () => {
  const { app, clock, run } = scene
  const { id, finish, fetched } = await copying()
  await setOptions(app, { TaskResultHours: 0 })
  await finish()
  await setOptions(app, { TaskResultHours: 24 })
  clock.advance(60_000)
  await ((await run('copy-results')) as { readonly done: Promise<unknown> }).done
  expect(files(id)).toEqual([])
  expect((await fetched())[0]).toBe(410)
})

test('a message of the vendor that comes while it still takes the order changes nothing, and the task ends as usual', async () => {
  const { app, client, vendor, poll } = scene
  await setOptions(app, { ServerAddress: 'https://gateway.example.com' })
  await app.make.channel({ type: 44, models: 'pika-2.2' })
  vendor.response = ({ method, path }) => {
    if (method === 'POST') return [{ do: 'wait', name: 'taken' }, ...json({ request_id: 'fal-early', status: 'IN_QUEUE' })]
    return path.endsWith('/status')
      ? json({ status: 'COMPLETED' })
      : json({ video: { url: `${app.upstream.url}/film.mp4`, content_type: 'video/mp4' } })
  }
  const before = await balanceOf(app, scene.user)
  const creating = client.videos.create({ model: 'pika-2.2', prompt: 'A cat', seconds: '5', size: '1280x720' } as never)
  const lastSubmission = () => app.upstream.received.findLast(({ path }) => path.includes('fal_webhook'))
  while (lastSubmission() === undefined) await Bun.sleep(1)
  const address = new URL(new URL(lastSubmission()?.path ?? '', 'http://vendor').searchParams.get('fal_webhook') ?? '')
  const report = () => app.request(`${address.pathname}${address.search}`, { method: 'POST', body: '{}' })
  expect((await report()).status).toBe(200)
  await poll(1)
  app.upstream.release('taken')
  const { id, status } = await creating
  expect(status).toBe('queued')
  await Promise.all([report(), report()])
  await poll(1)
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'completed' })
  expect(before - (await balanceOf(app, scene.user))).toBe(100_000)
  await client.videos.delete(id)
  // A deleted task is no longer polled.
  const requestsBefore = app.upstream.received.length
  expect((await report()).status).toBe(200)
  await poll(1)
  expect(app.upstream.received.length).toBe(requestsBefore)
})

test('a balance that is taken away and an account that is banned while the question is on its way: the task is charged what was reserved, once', async () => {
  const { app, vendor, clock, run } = scene
  const user = await app.make.user({ quota: price })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const { id } = await clientFor(app, key).videos.create(params)
  const last = [...vendor.videos.values()].at(-1)
  if (last === undefined) throw new Error('nothing was ordered')
  vendor.response = ({ method, path }) =>
    method === 'GET' && path.endsWith(last.id)
      ? [{ do: 'wait', name: 'late' }, ...json({ id: last.id, object: 'video', status: 'completed', seconds: '4' })]
      : null
  const pollCount = () => app.upstream.received.filter(({ method, path }) => method === 'GET' && path.endsWith(last.id)).length
  clock.advance(40_000)
  const { responded } = (await run('poll-tasks')) as { readonly responded: Promise<unknown> }
  while (pollCount() === 0) await Bun.sleep(1)
  await app.data(contract.user.update, { id: user.id, quota: 0 })
  await app.data(contract.user.manage, { username: user.username, action: 'disable' })
  app.upstream.release('late')
  await responded
  const task = await app.app.store.db.selectFrom('tasks').selectAll().where('public_id', '=', id).executeTakeFirstOrThrow()
  expect([task.state, Number(task.charged)]).toEqual(['completed', price])
  expect(await balanceOf(app, user)).toBe(-price)
})
