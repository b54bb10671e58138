import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { setOptions } from '../../../test/channel-scene.ts'
import { json, type Received, type Script } from '../../../test/fake-upstream.ts'
import { balanceOf, closeConsistent, holdsOf, type TaskScene, taskScene } from '../../../test/task-scene.ts'
import type { StartedPolls } from './poller.ts'

// A task that ends twice: its vendor says first that it is done, then that it has failed, or its client stops it meanwhile. The first end counts.

let scene: TaskScene
/** What the vendor says of its one job, after the responses to orders. */
let responseJob: (request: Received) => Script
let before: number

const jobs = '/api/v1/tasks/'
const image = 'https://pictures.example/1.png'
const report = (status: string) => json({ output: { task_id: 'job', task_status: status, results: [{ url: image }] } })

beforeAll(async () => {
  scene = await taskScene()
  const { app, vendor } = scene
  await setOptions(app, { PriceRules: JSON.stringify({ 'wan2.2-t2i-flash': { image: 0.2 } }) })
  await app.make.channel({ type: 17, models: 'wan2.2-t2i-flash' })
  await app.make.channel({ type: 45, models: 'suno_music' })
  vendor.response = (request) => {
    if (request.path.endsWith('/image-synthesis')) return json({ output: { task_id: 'job', task_status: 'PENDING' } })
    if (request.path.startsWith('/suno/submit/')) return json({ code: 'success', message: '', data: `song-${++songs}` })
    return responseJob(request)
  }
})
let songs = 0
beforeEach(async () => {
  before = await balanceOf(scene.app, scene.user)
})
afterEach(async () => {
  expect(await holdsOf(scene.app)).toBe(0)
  expect(await scene.app.inconsistencies()).toEqual([])
})
afterAll(() => closeConsistent(scene))

async function ask(path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${scene.key}`, 'content-type': 'application/json' }
  const response = await scene.app.request(path, { method: body === undefined ? 'GET' : 'POST', headers, body: JSON.stringify(body) })
  // Holds: these calls return objects.
  return (await response.json()) as Record<string, unknown>
}

async function created(): Promise<string> {
  const { id } = await ask('/v1/tasks?kind=pictures', { model: 'wan2.2-t2i-flash', prompt: 'A cat' })
  return String(id)
}

async function spent(): Promise<number> {
  return before - (await balanceOf(scene.app, scene.user))
}

/** Begins the questions that are due, without waiting for their responses. */
async function inFlight(): Promise<{ readonly all: Promise<unknown> }> {
  scene.clock.advance(40_000)
  // Holds: this job returns what it has started.
  const { responded } = (await scene.run('poll-tasks')) as StartedPolls
  return { all: responded }
}

const received = (method: string): number =>
  scene.app.upstream.received.filter((request) => request.method === method && request.path.startsWith(jobs)).length

async function until(method: string, count: number): Promise<void> {
  while (received(method) < count) await Bun.sleep(1)
}

const late = (name: string, script: Script): Script => [{ do: 'wait', name }, ...script]

test('a task that is done, and of which its vendor says later that it has failed, stays done', async () => {
  responseJob = () => report('SUCCEEDED')
  const id = await created()
  await scene.poll()
  const price = await spent()
  expect([(await ask(`/v1/tasks/${id}`))['status'], price > 0]).toEqual(['completed', true])
  responseJob = () => report('FAILED')
  const pollsBefore = received('GET')
  await scene.poll()
  await scene.poll(3_600_000)
  expect([(await ask(`/v1/tasks/${id}`))['status'], await spent(), received('GET')]).toEqual(['completed', price, pollsBefore])
})

test('a task that is stopped while the response is on its way that it is done is free', async () => {
  responseJob = ({ method }) => (method === 'POST' ? json({ request_id: 'r' }) : late('done', report('SUCCEEDED')))
  const [id, pollsBefore] = [await created(), received('GET')]
  const responded = await inFlight()
  await until('GET', pollsBefore + 1)
  expect((await ask(`/v1/tasks/${id}/cancel`, {}))['status']).toBe('cancelled')
  scene.app.upstream.release('done')
  await responded.all
  expect([(await ask(`/v1/tasks/${id}`))['status'], await spent()]).toEqual(['cancelled', 0])
})

test('a task that is done while the response is on its way that it was stopped is paid for once', async () => {
  responseJob = ({ method }) => (method === 'POST' ? late('stopped', json({ request_id: 'r' })) : report('SUCCEEDED'))
  const [id, stops] = [await created(), received('POST')]
  const stopping = ask(`/v1/tasks/${id}/cancel`, {})
  await until('POST', stops + 1)
  await scene.poll()
  const price = await spent()
  expect(price).toBeGreaterThan(0)
  scene.app.upstream.release('stopped')
  await stopping
  const row = (await scene.app.data(contract.task.self, {}, scene.user)).find(({ public_id: one }) => one === id)
  expect([row?.state, row?.charged, await spent()]).toEqual(['completed', price, price])
})

test('a vendor that names a song twice in one response, done and failed, ends it once', async () => {
  const clips = [{ id: 'clip', audio_url: 'https://cdn.example.com/1.mp3' }]
  const song = (id: string, status: string) => ({ task_id: id, action: 'MUSIC', status, fail_reason: 'out of ideas', data: clips })
  responseJob = ({ body }) => {
    const { ids } = JSON.parse(body) as { readonly ids: readonly string[] }
    return json({ code: 'success', message: '', data: ids.flatMap((id) => [song(id, 'SUCCESS'), song(id, 'FAILURE')]) })
  }
  const ids = [await ask('/suno/submit/music', { prompt: 'Rain' }), await ask('/suno/submit/music', { prompt: 'Snow' })].map(
    ({ data }) => data,
  )
  await scene.poll()
  const rows = (await scene.app.data(contract.task.self, {}, scene.user)).filter(({ public_id: id }) => ids.includes(id))
  expect(rows.length).toBe(2)
  for (const { state, charged } of rows)
    expect(['completed', 'failed'].includes(state) && charged > 0 === (state === 'completed')).toBe(true)
  expect(await spent()).toBe(rows.reduce((sum, { charged }) => sum + charged, 0))
  await scene.poll()
  expect(await spent()).toBe(rows.reduce((sum, { charged }) => sum + charged, 0))
})
