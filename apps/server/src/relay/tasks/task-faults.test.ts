import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { setOptions } from '../../../test/channel-scene.ts'
import { json } from '../../../test/fake-upstream.ts'
import { balanceOf, clientFor, closeConsistent, holdsOf, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// What goes wrong while a task runs. Whatever happens, it ends once, and its reservation with it.

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
beforeEach(() => {
  scene.vendor.response = () => null
})
afterAll(() => closeConsistent(scene))

const params = { model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' } as const
const price = 200_000

/** Orders a video and finishes it at its vendor when the test says so. */
async function created() {
  const { client, app, user, vendor } = scene
  const before = await balanceOf(app, user)
  const { id } = await client.videos.create(params)
  const video = [...vendor.videos.values()].at(-1)
  if (video === undefined) throw new Error('nothing was ordered')
  return { id, video, state: () => client.videos.retrieve(id), spent: async () => before - (await balanceOf(app, user)) }
}

test('a vendor that responds with 429, 5xx, or not at all for an hour loses no task', async () => {
  const { vendor, poll, app } = scene
  const { video, state, spent } = await created()
  const responses = [
    json({ error: 'slow down' }, 429, { 'retry-after': '5' }),
    json({}, 500),
    json({}, 503),
    [{ do: 'cut' }] as const,
    json({ error: 'key' }, 401),
  ]
  let pollCount = 0
  vendor.response = () => responses[pollCount++ % responses.length] ?? null
  for (let minute = 0; minute < 60; minute += 1) await poll(60_000)
  expect(pollCount).toBeGreaterThan(20)
  expect(await state()).toMatchObject({ status: 'queued' })
  vendor.response = () => null
  video.status = 'completed'
  await poll(200_000)
  expect(await state()).toMatchObject({ status: 'completed' })
  expect(await spent()).toBe(price)
  expect(await app.data(contract.channel.get, { id: scene.channel })).toMatchObject({ status: 1 })
})

test('a task that its vendor does not know yet is polled again, and one that it never knows is lost for free', async () => {
  const { vendor, poll } = scene
  const late = await created()
  let misses = 3
  vendor.response = ({ method }) => (method === 'GET' && misses-- > 0 ? json({ error: { message: 'unknown' } }, 404) : null)
  for (let count = 0; count < 3; count += 1) await poll()
  expect(await late.state()).toMatchObject({ status: 'queued' })
  late.video.status = 'completed'
  await poll()
  expect(await late.state()).toMatchObject({ status: 'completed' })
  const never = await created()
  vendor.response = ({ method }) => (method === 'GET' ? json({ error: { message: 'unknown' } }, 404) : null)
  for (let count = 0; count < 14; count += 1) await poll(200_000)
  expect(await never.state()).toMatchObject({ status: 'failed', error: { code: 'task_unknown' } })
  expect(await never.spent()).toBe(0)
})

test('an unknown state is work in progress, and an unreadable body is no response', async () => {
  const { vendor, poll } = scene
  const { video, state, spent } = await created()
  video.status = 'dreaming'
  await poll()
  expect(await state()).toMatchObject({ status: 'in_progress' })
  vendor.response = () => [
    { do: 'head', status: 200, headers: { 'content-type': 'text/html' } },
    { do: 'send', bytes: '<html>' },
  ]
  await poll()
  expect(await state()).toMatchObject({ status: 'in_progress' })
  vendor.response = () => null
  video.status = 'completed'
  await poll(300_000)
  expect(await state()).toMatchObject({ status: 'completed' })
  expect(await spent()).toBe(price)
})

test('a response with more values than a large body may have is no response', async () => {
  const { vendor, poll } = scene
  const { video, state, spent } = await created()
  video.status = 'in_progress'
  await poll()
  vendor.response = ({ method }) =>
    method === 'GET' ? json({ id: video.id, object: 'video', status: 'failed', values: Array.from({ length: 600_000 }, () => 0) }) : null
  await poll(60_000)
  expect(await state()).toMatchObject({ status: 'in_progress' })
  vendor.response = () => null
  video.status = 'completed'
  await poll(300_000)
  expect(await state()).toMatchObject({ status: 'completed' })
  expect(await spent()).toBe(price)
})

test('a task goes on with the key and the address of its order when its channel is changed, disabled or deleted, while its vendor wants a pause', async () => {
  const { app, poll, client, channel, vendor } = scene
  const { video, id, state, spent } = await created()
  const extra = await app.make.channel({ type: 48, models: 'sora-2', priority: -5 })
  vendor.response = () => json({ error: 'slow down' }, 429, { 'retry-after': '60' })
  await app.data(contract.channel.update, { id: channel, key: 'another-key', status: 2 })
  await poll()
  expect(app.upstream.received.at(-1)?.headers['authorization']).toBe('Bearer upstream-key')
  await app.data(contract.channel.remove, { id: channel })
  const requestsBefore = app.upstream.received.length
  await poll(10_000)
  expect(app.upstream.received.length).toBe(requestsBefore)
  await poll(60_000)
  expect(app.upstream.received.length).toBe(requestsBefore + 1)
  expect(app.upstream.received.at(-1)?.headers['authorization']).toBe('Bearer upstream-key')
  vendor.response = () => null
  video.status = 'completed'
  await poll(120_000)
  expect(await state()).toMatchObject({ status: 'completed' })
  expect(await spent()).toBe(price)
  expect((await client.videos.downloadContent(id)).status).toBe(200)
  // Only the channel that made it can remix it.
  const refused = await client.videos.remix(id, { prompt: 'x' }).catch((error: { code: string }) => error)
  expect(refused).toMatchObject({ code: 'task_unreachable' })
  expect(extra).toBeGreaterThan(channel)
})

test('a task of an account that was banned, and of a token that was deleted, is paid for when it is done', async () => {
  const { app, poll, vendor } = scene
  const user = await app.make.user({ quota: 1_000_000 })
  const { key, id: tokenId } = await app.make.token(user, { isUnlimited: true })
  const { id } = await clientFor(app, key).videos.create(params)
  await app.data(contract.token.remove, { id: tokenId }, user)
  await app.data(contract.user.manage, { username: user.username, action: 'disable' })
  const video = [...vendor.videos.values()].at(-1)
  if (video !== undefined) video.status = 'completed'
  await poll()
  expect(await balanceOf(app, user)).toBe(1_000_000 - price)
  expect(
    await clientFor(app, key)
      .videos.retrieve(id)
      .catch((error: { status: number }) => error.status),
  ).toBe(401)
})

test('a reservation keeps its quota from other requests, and its charge never exceeds what was there', async () => {
  const { app, poll, vendor } = scene
  const user = await app.make.user({ quota: 250_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const client = clientFor(app, key)
  await client.videos.create(params)
  const video = [...vendor.videos.values()].at(-1)
  expect(await client.videos.create(params).catch((error: { code: string }) => error.code)).toBe('insufficient_user_quota')
  // The vendor counts twenty seconds: the balance pays what it has.
  Object.assign(video ?? {}, { status: 'completed', seconds: '20' })
  await poll()
  expect(await balanceOf(app, user)).toBe(0)
  const [row] = await app.data(contract.log.list, { username: user.username })
  expect(row?.content).toContain('750000 of the cost was not charged')
})

test('a clock that jumps a month ahead or back ends no task and stops no questions', async () => {
  const { poll } = scene
  const month = 30 * 86_400_000
  const { video, state, spent } = await created()
  await poll(month)
  expect(await state()).toMatchObject({ status: 'queued' })
  await poll(-month)
  video.progress = 55
  await poll(40_000)
  video.status = 'completed'
  await poll(40_000)
  expect(await state()).toMatchObject({ status: 'completed' })
  expect(await spent()).toBe(price)
})

test('a task that never ends is given up after its time, for free', async () => {
  const { poll } = scene
  const { state, spent } = await created()
  for (let count = 0; count < 32; count += 1) await poll(20 * 60_000)
  expect(await state()).toMatchObject({ status: 'failed', error: { code: 'task_expired' } })
  expect(await spent()).toBe(0)
})

test('a task request that gets a nonsensical response, is cut off, or is refused for its key fails for free', async () => {
  const { client, app, user, vendor } = scene
  const before = await balanceOf(app, user)
  const codes: unknown[] = []
  for (const script of [
    json({ id: 7 }),
    json([]),
    [{ do: 'cut' }] as const,
    json({ error: { message: 'no', code: 'invalid_api_key' } }, 401),
  ]) {
    vendor.response = () => script
    await setOptions(app, { AutomaticDisableChannelEnabled: false })
    codes.push(await client.videos.create(params).catch((error: { code: string }) => error.code))
  }
  expect(codes).toEqual(['upstream_failed', 'upstream_failed', 'upstream_reset', 'channel_auth_failed'])
  expect(await balanceOf(app, user)).toBe(before)
  expect(await holdsOf(app)).toBe(0)
  const states: unknown[] = (await client.videos.list({ limit: 4 })).data.map(({ status, error }) => [status, error?.code])
  expect(states).toEqual(codes.toReversed().map((code) => ['failed', code]))
})

test('old tasks are deleted after the days of the option, and running ones are not', async () => {
  const { client, run, clock, app } = scene
  const { id, video } = await created()
  await setOptions(app, { TaskRetentionDays: 30 })
  clock.advance(31 * 86_400_000)
  await run('clean-tasks')
  const left = await client.videos.list({ limit: 100 })
  expect(left.data.map((entry) => entry.id)).toEqual([id])
  video.status = 'completed'
  await scene.poll()
})
