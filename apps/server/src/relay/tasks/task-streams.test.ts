import { afterAll, beforeAll, expect, test } from 'bun:test'
import { setOptions, until } from '../../../test/channel-scene.ts'
import { closeConsistent, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// How many streams of events a token may have open, and what they cost.

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
afterAll(() => closeConsistent(scene))

const follow = (key: string, id: string): Promise<Response> =>
  scene.app.request(`/v1/tasks/${id}/events`, { headers: { authorization: `Bearer ${key}` } })

const created = async (): Promise<string> =>
  (await scene.client.videos.create({ model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' })).id

async function end(): Promise<void> {
  for (const video of scene.vendor.videos.values()) video.status = 'completed'
  await scene.poll()
}

test('a token has at most so many streams of events, in both languages, and another token has its own', async () => {
  await setOptions(scene.app, { TaskStreamsMax: 2 })
  const id = await created()
  const streams = [await follow(scene.key, id), await follow(scene.key, id)]
  const refused = await follow(scene.key, id)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect(await refused.json()).toMatchObject({
    error: { code: 'task_streams_limited', message: expect.stringContaining('limit of 2 event streams') },
  })
  const chinese = { authorization: `Bearer ${scene.key}`, 'accept-language': 'zh' }
  expect(await (await scene.app.request(`/v1/tasks/${id}/events`, { headers: chinese })).text()).toContain('任务事件流')
  // What is not followed can be read.
  expect((await scene.client.videos.retrieve(id)).id).toBe(id)
  const other = await scene.app.make.token(scene.user, { isUnlimited: true })
  const ofOther = await follow(other.key, id)
  expect(ofOther.status).toBe(200)
  await streams[0]?.body?.cancel()
  const again = await until(
    () => follow(scene.key, id),
    ({ status }) => status === 200,
  )
  await end()
  for (const stream of [streams[1], ofOther, again]) expect(await stream?.text()).toContain('event: done')
})

test('a stream of a task that has ended takes no place for longer than it lasts, and 0 allows none', async () => {
  await setOptions(scene.app, { TaskStreamsMax: 1 })
  const id = await created()
  await end()
  for (let count = 0; count < 3; count += 1) expect(await (await follow(scene.key, id)).text()).toStartWith('event: done')
  await setOptions(scene.app, { TaskStreamsMax: 0 })
  expect((await follow(scene.key, id)).status).toBe(429)
  await setOptions(scene.app, { TaskStreamsMax: 64 })
})

test('all streams of one task end when it is deleted elsewhere', async () => {
  const id = await created()
  const streams = await Promise.all(Array.from({ length: 20 }, () => follow(scene.key, id)))
  await end()
  const texts = await Promise.all(streams.map((stream) => stream.text()))
  expect(new Set(texts).size).toBe(1)
  expect(texts[0]).toContain('event: done')
})
