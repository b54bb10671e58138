import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { setOptions } from '../../../test/channel-scene.ts'
import { json } from '../../../test/fake-upstream.ts'
import { balanceOf, closeConsistent, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// PixVerse has one address for all tasks of an account, and an order names it by the id that it has there.

let scene: TaskScene
let channel: number
let isDone = false
beforeAll(async () => {
  scene = await taskScene()
  channel = await scene.app.make.channel({ type: 46, models: 'pixverse-v6', other: '5501' })
  let count = 345_678_901_234_000
  scene.vendor.response = ({ method, path }) => {
    if (method === 'POST') return json({ ErrCode: 0, ErrMsg: 'success', Resp: { video_id: ++count } })
    const id = Number(path.split('/').at(-1))
    const url = isDone ? `${scene.app.upstream.url}/film.mp4` : ''
    return json({ ErrCode: 0, ErrMsg: 'success', Resp: { id, status: isDone ? 1 : 5, url } })
  }
})
afterAll(() => closeConsistent(scene))

const params = { model: 'pixverse-v6', prompt: 'A cat', seconds: '5', size: '1280x720' } as never

const addressOf = async (id: number): Promise<string> => (await scene.app.data(contract.channel.webhook, { id })).address

async function report(path: string, message: object): Promise<string> {
  const response = await scene.app.request(path, { method: 'POST', body: JSON.stringify(message) })
  return `${response.status} ${response.status === 200 ? await response.text() : ''}`
}

/** The paths that are polled at once, if any. */
async function polledPaths(): Promise<readonly string[]> {
  const before = scene.app.upstream.received.length
  await scene.poll(1)
  return scene.app.upstream.received.slice(before).map(({ path }) => path)
}

test('the address of a channel is shown to administrators once this server has one that others can reach', async () => {
  const { app, channel: sora } = scene
  expect(await addressOf(channel)).toBe('')
  await setOptions(app, { ServerAddress: 'https://gateway.example.com/' })
  expect(await addressOf(channel)).toStartWith(`https://gateway.example.com/v1/channels/${channel}/webhook?signature=`)
  expect(await addressOf(channel)).not.toBe(await addressOf(sora))
  const flux = await app.make.channel({ type: 47, models: 'flux-2-pro' })
  expect(await addressOf(flux)).toBe('')
  expect((await app.call(contract.channel.webhook, { id: 9_999 })).success).toBe(false)
})

test('an order names the webhook, and a message about its task makes the server ask at once, whatever it says', async () => {
  const { app, client, user, poll } = scene
  const before = await balanceOf(app, user)
  const { id } = await client.videos.create(params)
  // Holds: PixVerse is sent JSON.
  const upstreamBody = JSON.parse(app.upstream.received.at(-1)?.body ?? '{}') as { readonly webhook_id?: number }
  expect(upstreamBody.webhook_id).toBe(5501)
  const { id: other } = await client.videos.create(params)
  await poll(3_000)
  expect(await polledPaths()).toEqual([])

  const { pathname, search } = new URL(await addressOf(channel))
  const own = pathname + search
  const vendorId = 345_678_901_234_001
  expect(await report(own, { id: vendorId, status: 1, url: 'https://elsewhere.example.com/film.mp4' })).toBe('200 ok')
  expect(await polledPaths()).toEqual([`/openapi/v2/video/result/${vendorId}`])
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'in_progress' })

  isDone = true
  expect(await report(own, { id: String(vendorId), status: 1 })).toBe('200 ok')
  expect(await report(own, { id: String(vendorId), status: 1 })).toBe('200 ok')
  expect(await polledPaths()).toEqual([`/openapi/v2/video/result/${vendorId}`])
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'completed' })
  expect(await report(own, { id: String(vendorId), status: 8 })).toBe('200 ok')
  expect(await polledPaths()).toEqual([])
  expect(await client.videos.retrieve(other)).toMatchObject({ status: 'in_progress' })
  await poll()
  // Two videos of five seconds at 9 credits of $0.01.
  expect(before - (await balanceOf(app, user))).toBe(2 * 225_000)
})

test('a message that is forged, early, for a task of another channel, none, or too long changes nothing', async () => {
  const { app, client, channel: sora } = scene
  isDone = false
  const { id } = await client.videos.create(params)
  await scene.poll(3_000)
  const { pathname, search } = new URL(await addressOf(channel))
  const own = pathname + search
  const message = { id: 345_678_901_234_003, status: 1 }
  const flux = await app.make.channel({ type: 47, models: 'flux-2-pro' })
  const forged = [
    pathname,
    `${pathname}?signature=${'0'.repeat(64)}`,
    `/v1/channels/${sora}/webhook${search}`,
    `/v1/channels/${flux}/webhook${search}`,
    `/v1/channels/0${channel}/webhook${search}`,
    `/v1/channels/x/webhook${search}`,
  ]
  for (const wrong of forged) expect(await report(wrong, message)).toBe('404 ')
  for (const odd of [{}, { id: 'unknown' }, { id: null }, [1]]) expect(await report(own, odd)).toBe('200 ok')
  expect(await report(own, { ...message, filler: 'x'.repeat(10 * 1024 * 1024) })).toBe('413 ')
  const { pathname: ofSora, search: signed } = new URL(await addressOf(sora))
  expect(await report(ofSora + signed, { type: 'video.completed', data: { id: String(message.id) } })).toBe('200 ok')
  expect(await polledPaths()).toEqual([])
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'in_progress' })
  isDone = true
  await scene.poll()
})

test('after a channel is deleted, messages to its address are refused, and its tasks end by polling', async () => {
  const { app, client, poll } = scene
  isDone = false
  const { id } = await client.videos.create(params)
  const { pathname, search } = new URL(await addressOf(channel))
  await app.data(contract.channel.remove, { id: channel })
  isDone = true
  expect(await report(pathname + search, { id: 345_678_901_234_004, status: 1 })).toBe('404 ')
  await poll()
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'completed' })
})
