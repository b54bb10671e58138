import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { setOptions } from '../../../test/channel-scene.ts'
import { json } from '../../../test/fake-upstream.ts'
import { balanceOf, clientFor, closeConsistent, mp4File, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// What is lost on the way while a task runs: responses, results, accounts, balances. It ends once, and nobody pays for what they did not get.

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

async function finish(): Promise<void> {
  for (const video of scene.vendor.videos.values()) video.status = 'completed'
  await scene.poll()
}

async function stranger(quota = 1_000_000) {
  const { app } = scene
  const user = await app.make.user({ quota })
  const { key } = await app.make.token(user, { isUnlimited: true })
  return { user, key, client: clientFor(app, key) }
}

test('a task request to which the vendor responds after the time limit has failed for free, whatever the response is', async () => {
  const { app, vendor, clock, poll } = scene
  const { user, client } = await stranger()
  vendor.response = ({ method }) =>
    method === 'POST' ? [{ do: 'wait', name: 'late' }, ...json({ id: 'vid-late', status: 'queued' })] : null
  const created = client.videos
    .create(params)
    .catch((error: { status: number; code: string }) => ({ status: error.status, code: error.code }))
  while (vendor.createRequests().length === 0) await Bun.sleep(1)
  const requestsBefore = vendor.createRequests().length
  // Longer than any order may take.
  clock.advance(11 * 60_000)
  expect(await created).toEqual({ status: 504, code: 'upstream_timeout' })
  app.upstream.release('late')
  expect(await balanceOf(app, user)).toBe(1_000_000)
  expect((await client.videos.list()).data).toMatchObject([{ status: 'failed', error: { code: 'upstream_timeout' } }])
  await poll()
  // It is not created a second time, because the vendor may be making it.
  expect(vendor.createRequests().length).toBe(requestsBefore)
})

test('success without a result is no success, and free', async () => {
  const { app, vendor, poll } = scene
  await app.make.channel({ type: 44, models: 'pika-2.2' })
  vendor.response = ({ method, path }) => {
    if (method === 'POST') return json({ request_id: 'fal-empty', status: 'IN_QUEUE' })
    return path.endsWith('/status') ? json({ status: 'COMPLETED' }) : json({ video: null })
  }
  const { user, client } = await stranger()
  const { id } = await client.videos.create({ ...params, model: 'pika-2.2' as never, seconds: '5' as never })
  await poll()
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'failed', error: { code: 'no_result' } })
  expect(await balanceOf(app, user)).toBe(1_000_000)
})

test('a result whose address is dead, cut or a page is reported as such, and can be fetched once it is back', async () => {
  const { client, vendor, app, key } = scene
  const { id } = await client.videos.create(params)
  await finish()
  const fetched = async () => {
    const response = await app.request(`/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${key}` } })
    const bytes = await response.arrayBuffer().then(
      (body) => Buffer.from(body),
      () => null,
    )
    return [response.status, bytes === null ? 'cut' : bytes.equals(mp4File) ? 'film' : (JSON.parse(bytes.toString()).error.code as string)]
  }
  const type = { 'content-type': 'video/mp4', 'content-length': String(mp4File.length) }
  for (const [script, expected] of [
    [json({}, 404), [410, 'task_result_gone']],
    [json({}, 403), [410, 'task_result_gone']],
    [json({}, 500), [502, 'upstream_failed']],
    [[{ do: 'cut' }], [502, 'upstream_unreachable']],
    [
      [
        { do: 'head', status: 200, headers: { 'content-type': 'text/html' } },
        { do: 'send', bytes: '<script>alert(1)</script>' },
      ],
      [502, 'upstream_invalid_response'],
    ],
    [
      [{ do: 'head', status: 200, headers: type }, { do: 'send', bytes: mp4File.subarray(0, 100) }, { do: 'pause', ms: 20 }, { do: 'cut' }],
      [200, 'cut'],
    ],
    [[{ do: 'head', status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data' } }], [410, 'task_result_gone']],
  ] as const) {
    vendor.response = ({ path }) => (path.includes('/content') ? script : null)
    expect(await fetched()).toEqual([...expected])
  }
  vendor.response = () => null
  expect(await fetched()).toEqual([200, 'film'])
})

test('a result whose time is over was paid for once', async () => {
  const { app, vendor, poll, clock } = scene
  const { user, key, client } = await stranger()
  const { id } = await client.videos.create(params)
  const [vendorId = ''] = [...vendor.videos.keys()].slice(-1)
  vendor.response = ({ method, path }) =>
    method === 'GET' && path.endsWith(vendorId)
      ? json({ id: vendorId, object: 'video', status: 'completed', seconds: '4', expires_at: Math.floor(clock.nowMs() / 1000) + 600 })
      : null
  await poll()
  const status = async () => (await app.request(`/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${key}` } })).status
  expect(await status()).toBe(200)
  await poll(700_000)
  expect(await status()).toBe(410)
  await poll()
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'completed' })
  expect(await balanceOf(app, user)).toBe(1_000_000 - price)
})

test('a task of an account that was deleted ends, and its books are consistent', async () => {
  const { app, vendor } = scene
  const { user, key, client } = await stranger()
  await client.videos.create(params)
  const requestsBefore = vendor.createRequests().length
  await app.data(contract.user.manage, { username: user.username, action: 'delete' }, await app.make.accessToken(app.root))
  await finish()
  const task = await app.app.store.db.selectFrom('tasks').selectAll().where('user_id', '=', user.id).executeTakeFirstOrThrow()
  expect([task.state, task.stage, Number(task.charged)]).toEqual(['completed', 'ended', price])
  expect((await app.request('/v1/videos', { headers: { authorization: `Bearer ${key}` } })).status).toBe(401)
  expect(vendor.createRequests().length).toBe(requestsBefore)
})

test('a balance that was taken away while a task runs still pays what was reserved for it, and no more', async () => {
  const { app, vendor } = scene
  const { user, client } = await stranger(price)
  await client.videos.create(params)
  await app.data(contract.user.update, { id: user.id, quota: 0 })
  const [video] = [...vendor.videos.values()].slice(-1)
  // The vendor counts more than was requested.
  Object.assign(video ?? {}, { seconds: '12' })
  await finish()
  const { charged } = await app.app.store.db.selectFrom('tasks').select('charged').where('user_id', '=', user.id).executeTakeFirstOrThrow()
  expect(Number(charged)).toBeLessThanOrEqual(price)
  expect(await balanceOf(app, user)).toBe(-Number(charged))
})

test('a link to a result is good for that result of that task, and until its end', async () => {
  const { app, client, clock, user } = scene
  const [first, second] = [await client.videos.create(params), await client.videos.create(params)]
  await finish()
  const rows = await app.data(contract.task.self, {}, user)
  const link = rows.find(({ public_id: id }) => id === first.id)?.results[0]?.url ?? ''
  const status = async (path: string): Promise<number> => (await app.request(path)).status
  expect(await status(link)).toBe(200)
  expect(await status(link.replace(first.id, second.id))).toBe(404)
  expect(await status(link.replace('index=0', 'index=1'))).toBe(404)
  expect(await status(link.replace(/expires=\d+/, 'expires=9999999999'))).toBe(404)
  expect(await status(link.replace(/signature=./, 'signature='))).toBe(404)
  clock.advance(2 * 3_600_000)
  expect(await status(link)).toBe(404)
})

test('ranges beyond the end, and invalid ranges, get the responses of RFC 9110, from the vendor and from a copy', async () => {
  const { app, client, clock, key, run, vendor } = scene
  vendor.response = ({ path, headers }) =>
    path.includes('/content') && headers['range'] === 'bytes=9000-'
      ? [{ do: 'head', status: 416, headers: { 'content-range': `bytes */${mp4File.length}` } }]
      : null
  const ranged = async (id: string, range: string) => {
    const response = await app.request(`/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${key}`, range } })
    return [response.status, response.headers.get('content-range'), (await response.arrayBuffer()).byteLength]
  }
  const passed = await client.videos.create(params)
  await finish()
  expect(await ranged(passed.id, 'bytes=9000-')).toEqual([416, `bytes */${mp4File.length}`, 0])
  await setOptions(app, { TaskResultHours: 1 })
  const { id } = await client.videos.create(params)
  await finish()
  clock.advance(6_000)
  // Holds: this job returns what it has started.
  await ((await run('copy-results')) as { readonly done: Promise<unknown> }).done
  await setOptions(app, { TaskResultHours: 0 })
  const whole = [200, null, mp4File.length]
  expect(await ranged(id, 'bytes=9000-')).toEqual([416, `bytes */${mp4File.length}`, 0])
  expect(await ranged(id, 'bytes=4990-9000')).toEqual([206, 'bytes 4990-4999/5000', 10])
  expect(await ranged(id, 'bytes=-10')).toEqual([206, 'bytes 4990-4999/5000', 10])
  for (const range of ['bytes=', 'bytes=a-b', 'items=0-1', 'bytes=0-1,4-5']) expect(await ranged(id, range)).toEqual(whole)
  expect((await ranged(id, 'bytes=5-4'))[0]).toBe(416)
})
