import { afterAll, beforeAll, expect, test } from 'bun:test'
import { json } from '../../../test/fake-upstream.ts'
import { apiErrorOf, closeConsistent, mp4File, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// A vendor may name any address for a task and its result. A name of the internet may lead to a local network.

const name = 'films.example.com'
let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene({ lookUp: async (host) => (host === name ? ['127.0.0.1'] : []) })
  await scene.app.make.channel({ type: 44, models: 'pika-2.2' })
})
afterAll(() => closeConsistent(scene))

const params = { model: 'pika-2.2', prompt: 'A cat', seconds: '5', size: '1280x720' } as never
const elsewhere = (path: string): string => `${scene.app.upstream.url.replace('127.0.0.1', name)}${path}`
const requestsAt = (path: string): number => scene.app.upstream.received.filter((request) => request.path === path).length

test('a result at a name that leads to a local network is not fetched', async () => {
  const { app, client, vendor, poll } = scene
  vendor.response = ({ method, path }) => {
    if (method === 'POST') return json({ request_id: 'fal-1', status: 'IN_QUEUE' })
    if (path.endsWith('/status')) return json({ status: 'COMPLETED' })
    if (path === '/film.mp4')
      return [
        { do: 'head', status: 200, headers: { 'content-type': 'video/mp4' } },
        { do: 'send', bytes: mp4File },
      ]
    return json({ video: { url: elsewhere('/film.mp4'), content_type: 'video/mp4' } })
  }
  const { id } = await client.videos.create(params)
  await poll()
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'completed' })
  expect(await apiErrorOf(client.videos.downloadContent(id))).toMatchObject({ status: 502, code: 'upstream_unreachable' })
  expect(requestsAt('/film.mp4')).toBe(0)
  expect(app.upstream.received.length).toBeGreaterThan(0)
})

test('a task at a name that leads to a local network is not polled there, and is given up for free', async () => {
  const { client, vendor, poll } = scene
  const place = (path: string): string => elsewhere(`/inside${path}`)
  vendor.response = ({ method }) =>
    method === 'POST'
      ? json({
          request_id: 'fal-2',
          status: 'IN_QUEUE',
          status_url: place('/status'),
          response_url: place(''),
          cancel_url: place('/cancel'),
        })
      : json({ status: 'COMPLETED' })
  const { id } = await client.videos.create(params)
  for (let round = 0; round < 40; round += 1) await poll(60 * 60_000)
  expect(requestsAt('/inside/status')).toBe(0)
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'failed', error: { code: 'task_expired' } })
})
