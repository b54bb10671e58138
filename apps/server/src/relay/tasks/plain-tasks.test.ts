import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeConsistent, mp4File, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// The plain calls for tasks of every kind.

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
afterAll(() => closeConsistent(scene))

const ask = (path: string, init: RequestInit = {}) =>
  scene.app.request(path, { ...init, headers: { authorization: `Bearer ${scene.key}`, 'content-type': 'application/json' } })

interface Task {
  readonly id: string
  readonly status: string
  readonly [name: string]: unknown
}

// Holds: the calls return a task.
const taskOf = async (response: Promise<Response>): Promise<Task> => (await (await response).json()) as Task

const params = JSON.stringify({ model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' })

function lastVideo() {
  const video = [...scene.vendor.videos.values()].at(-1)
  if (video === undefined) throw new Error('nothing was ordered')
  return video
}

test('a task shows what it is expected to cost, its progress as events, its results, and what it has cost', async () => {
  const task = await taskOf(ask('/v1/tasks?kind=videos', { method: 'POST', body: params }))
  expect(task).toMatchObject({
    object: 'task',
    kind: 'videos',
    action: 'create',
    status: 'queued',
    estimated_quota: 200_000,
    charged_quota: null,
    results: [],
  })
  const events = await ask(`/v1/tasks/${task.id}/events`)
  expect(events.headers.get('content-type')).toContain('text/event-stream')
  const whole = events.text()
  Object.assign(lastVideo(), { status: 'in_progress', progress: 30 })
  await scene.poll()
  lastVideo().status = 'completed'
  await scene.poll()
  const frames = (await whole).split('\n\n').filter((event) => event !== '')
  expect(frames[0]).toStartWith('event: progress\ndata: {')
  expect(frames.at(-1)).toStartWith('event: done\ndata: {')
  const done = await taskOf(ask(`/v1/tasks/${task.id}`))
  expect(done).toMatchObject({ status: 'completed', progress: 100, charged_quota: 200_000, error: null })
  expect(done['results']).toEqual([
    { variant: 'video', url: `/v1/tasks/${task.id}/content?index=0` },
    { variant: 'thumbnail', url: `/v1/tasks/${task.id}/content?index=1` },
    { variant: 'spritesheet', url: `/v1/tasks/${task.id}/content?index=2` },
  ])
  const content = await ask(`/v1/tasks/${task.id}/content?index=0`)
  expect(Buffer.from(await content.arrayBuffer()).equals(mp4File)).toBe(true)
  expect((await ask(`/v1/tasks/${task.id}/content?index=9`)).status).toBe(404)
  expect((await ask(`/v1/tasks/${task.id}/content?index=0&expires=9999999999&signature=${'0'.repeat(64)}`)).status).toBe(404)
})

test('the events of a task that does not change have comments, so that no proxy takes them for dead', async () => {
  const { id } = await taskOf(ask('/v1/tasks?kind=videos', { method: 'POST', body: params }))
  const { body } = await ask(`/v1/tasks/${id}/events`)
  if (body === null) throw new Error('the answer has no body')
  const chunks = body.values()
  expect(Buffer.from((await chunks.next()).value ?? []).toString()).toStartWith('event: progress')
  for (let beat = 0; beat < 2; beat += 1) {
    scene.clock.advance(15_000)
    expect(Buffer.from((await chunks.next()).value ?? []).toString()).toBe(': keep-alive\n\n')
  }
  await chunks.return?.()
  lastVideo().status = 'completed'
  await scene.poll()
})

test('a vendor that cannot stop a task says so, and a running task is not deleted', async () => {
  const { id } = await taskOf(ask('/v1/tasks', { method: 'POST', body: params }))
  expect((await ask(`/v1/tasks/${id}/cancel`, { method: 'POST' })).status).toBe(409)
  expect((await ask(`/v1/tasks/${id}`, { method: 'DELETE' })).status).toBe(409)
  lastVideo().status = 'completed'
  await scene.poll()
  expect((await ask(`/v1/tasks/${id}`, { method: 'DELETE' })).status).toBe(200)
  expect((await ask(`/v1/tasks/${id}`)).status).toBe(404)
})

test('two rounds of questions at once ask about each task once', async () => {
  const { app, clock, run } = scene
  for (let count = 0; count < 20; count += 1) await ask('/v1/tasks', { method: 'POST', body: params })
  const before = app.upstream.received.length
  clock.advance(40_000)
  // Holds: this job returns what it has started.
  const rounds = (await Promise.all([run('poll-tasks'), run('poll-tasks'), run('poll-tasks')])) as {
    readonly responded: Promise<unknown>
  }[]
  await Promise.all(rounds.map(({ responded }) => responded))
  const paths = app.upstream.received.slice(before).map(({ path }) => path)
  expect(paths.length).toBe(20)
  expect(new Set(paths).size).toBe(20)
  for (const video of scene.vendor.videos.values()) video.status = 'failed'
  await scene.poll()
})

test('kinds that are not there, and songs, which have calls of their own, are refused', async () => {
  expect((await ask('/v1/tasks?kind=dances', { method: 'POST', body: params })).status).toBe(400)
  expect((await ask('/v1/tasks?kind=songs', { method: 'POST', body: params })).status).toBe(400)
  expect((await ask('/v1/tasks?kind=dances')).status).toBe(400)
  const listed = (await (await ask('/v1/tasks?kind=pictures')).json()) as { readonly data: unknown }
  expect(listed.data).toEqual([])
})
