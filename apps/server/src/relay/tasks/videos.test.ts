import { afterAll, beforeAll, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { contract } from '@sluice/contract'
import { json } from '../../../test/fake-upstream.ts'
import { apiErrorOf, balanceOf, clientFor, closeConsistent, holdsOf, mp4File, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// OpenAI's own client orders videos from the running server.

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
afterAll(() => closeConsistent(scene))

const params = { model: 'sora-2', prompt: 'A cat on a keyboard', seconds: '8', size: '1280x720' } as const

/** The double's video of the last order. */
function lastVideo() {
  const video = [...scene.vendor.videos.values()].at(-1)
  if (video === undefined) throw new Error('nothing was ordered')
  return video
}

test('a video is created, polled, fetched, and charged once by its seconds', async () => {
  const { client, app, user, poll } = scene
  const before = await balanceOf(app, user)
  const created = await client.videos.create(params)
  expect(created).toMatchObject({
    object: 'video',
    status: 'queued',
    progress: 0,
    model: 'sora-2',
    prompt: params.prompt,
    seconds: '8',
    size: '1280x720',
    error: null,
  })
  expect(created.id).toMatch(/^video_[0-9a-f]{32}$/)
  // 8 seconds at $0.10 are reserved, and nothing is charged yet.
  expect(await balanceOf(app, user)).toBe(before)
  const hold = await app.app.store.db.selectFrom('holds').selectAll().executeTakeFirstOrThrow()
  expect([Number(hold.amount), hold.task_id]).toEqual([400_000, created.id])
  const upstreamRequest = scene.vendor.createRequests().at(-1)
  expect(JSON.parse(upstreamRequest?.body ?? '{}')).toEqual(params)
  expect(upstreamRequest?.headers['authorization']).toBe('Bearer upstream-key')

  const video = lastVideo()
  video.status = 'in_progress'
  video.progress = 40
  await poll()
  expect(await client.videos.retrieve(created.id)).toMatchObject({ status: 'in_progress', progress: 40 })
  expect(await apiErrorOf(client.videos.downloadContent(created.id))).toMatchObject({ status: 409, code: 'task_not_completed' })

  video.status = 'completed'
  await poll()
  const done = await client.videos.retrieve(created.id)
  expect(done).toMatchObject({ status: 'completed', progress: 100, error: null })
  expect(done.completed_at).toBeGreaterThan(0)
  expect(await balanceOf(app, user)).toBe(before - 400_000)
  const [row] = await app.data(contract.log.list, { username: user.username })
  expect(row).toMatchObject({
    model_name: 'sora-2',
    quota: 400_000,
    channel: scene.channel,
    content: 'sora-2; 8000 milliseconds of video × 50',
    protocol: 'openai',
    kind: 'videos',
  })
  expect(row?.charges).toEqual([{ unit: 'videoMs', count: 8_000, price: 50 }])

  const content = await client.videos.downloadContent(created.id)
  expect([content.status, content.headers.get('content-type')]).toEqual([200, 'video/mp4'])
  expect(Buffer.from(await content.arrayBuffer()).equals(mp4File)).toBe(true)
  const contentRequest = scene.app.upstream.received.at(-1)
  expect([contentRequest?.path, contentRequest?.headers['authorization']]).toEqual([
    `/v1/videos/${video.id}/content`,
    'Bearer upstream-key',
  ])

  // Later questions and polls change nothing.
  await poll()
  expect(await balanceOf(app, user)).toBe(before - 400_000)
})

test('a range of the content is passed through in both directions', async () => {
  const { client, app, key, poll } = scene
  const { id } = await client.videos.create(params)
  lastVideo().status = 'completed'
  await poll()
  const response = await app.request(`/v1/videos/${id}/content`, { headers: { authorization: `Bearer ${key}`, range: 'bytes=100-199' } })
  expect([response.status, response.headers.get('content-range')]).toEqual([206, `bytes 100-199/${mp4File.length}`])
  expect(Buffer.from(await response.arrayBuffer()).equals(mp4File.subarray(100, 200))).toBe(true)
})

test('the content has the length that its vendor names, also for HEAD, which fetches none of it', async () => {
  const { client, app, key, vendor, poll } = scene
  const { id } = await client.videos.create(params)
  lastVideo().status = 'completed'
  await poll()
  const { length } = mp4File
  vendor.response = ({ path }) => {
    if (!path.endsWith('/content')) return null
    return [
      { do: 'head', status: 200, headers: { 'content-type': 'video/mp4', 'content-length': String(length) } },
      { do: 'send', bytes: mp4File },
    ]
  }
  const headers = { authorization: `Bearer ${key}` }
  const whole = await app.request(`/v1/videos/${id}/content`, { headers })
  expect([whole.headers.get('content-length'), (await whole.arrayBuffer()).byteLength]).toEqual([String(length), length])
  const head = await app.request(`/v1/videos/${id}/content`, { method: 'HEAD', headers })
  expect([head.status, head.headers.get('content-length'), (await head.arrayBuffer()).byteLength]).toEqual([200, String(length), 0])
  // A compressed video has another length than the one that is named.
  vendor.response = ({ path }) => {
    if (!path.endsWith('/content')) return null
    const bytes = gzipSync(mp4File)
    const contentHeaders = { 'content-type': 'video/mp4', 'content-encoding': 'gzip', 'content-length': String(bytes.length) }
    return [
      { do: 'head', status: 200, headers: contentHeaders },
      { do: 'send', bytes },
    ]
  }
  const unpacked = await app.request(`/v1/videos/${id}/content`, { headers })
  expect(Buffer.from(await unpacked.arrayBuffer()).equals(mp4File)).toBe(true)
  vendor.response = () => null
})

test('a video that its vendor fails is free, and its client reads why', async () => {
  const { client, app, user, poll } = scene
  const before = await balanceOf(app, user)
  const { id } = await client.videos.create(params)
  const video = lastVideo()
  video.status = 'failed'
  video.error = { code: 'moderation_blocked', message: 'The prompt was refused.' }
  await poll()
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'failed', error: video.error })
  expect(await balanceOf(app, user)).toBe(before)
  const [row] = await app.data(contract.log.list, { username: user.username })
  expect(row).toMatchObject({ quota: 0, end_reason: 'failed', protocol: 'openai', kind: 'videos' })
})

test('the vendor’s own count of seconds is charged', async () => {
  const { client, app, user, poll } = scene
  const before = await balanceOf(app, user)
  await client.videos.create(params)
  const video = lastVideo()
  Object.assign(video, { status: 'completed', seconds: '4' })
  await poll()
  expect(await balanceOf(app, user)).toBe(before - 200_000)
})

test('orders that cannot be taken are refused by name, and nothing is reserved or sent', async () => {
  const { client, vendor, app, key } = scene
  const requestsBefore = vendor.createRequests().length
  expect(await apiErrorOf(client.videos.create({ ...params, size: '333x444' as never }))).toMatchObject({ status: 400, param: 'size' })
  expect(await apiErrorOf(client.videos.create({ ...params, seconds: '99' as never }))).toMatchObject({ status: 400, param: 'seconds' })
  // OpenAI makes some lengths only, and the refusal names them.
  for (const seconds of ['5', '10', '21'])
    expect([seconds, await messageOf(client.videos.create({ ...params, seconds: seconds as never }))]).toEqual([
      seconds,
      '400 Unsupported value for seconds. Supported values: 4, 8, 12, 16, 20',
    ])
  expect(await apiErrorOf(client.videos.create({ ...params, seconds: 'four' as never }))).toMatchObject({ status: 400, param: 'seconds' })
  expect(await apiErrorOf(client.videos.create({ ...params, prompt: '' }))).toMatchObject({ status: 400, param: 'prompt' })
  expect(await apiErrorOf(client.videos.create({ ...params, model: 'no-such' as never }))).toMatchObject({
    status: 404,
    code: 'model_not_found',
  })
  expect(await apiErrorOf(client.videos.create({ ...params, ...{ camera: 'fixed' } }))).toMatchObject({ status: 400, param: 'camera' })
  const images = [
    'http://127.0.0.1/x.png',
    'http://[::1]/x.png',
    'http://169.254.169.254/x',
    'http://intranet/x.png',
    'file:///etc/passwd',
    'nonsense',
  ]
  for (const url of images)
    expect([url, await apiErrorOf(client.videos.create({ ...params, input_reference: { image_url: url } as never }))]).toMatchObject([
      url,
      { status: 400, param: 'input_reference' },
    ])
  const body = JSON.stringify({ ...params, prompt: 'x', input_reference: `data:image/png;base64,${'A'.repeat(30_000_000)}` })
  const large = await app.request('/v1/videos', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  })
  expect([400, 413]).toContain(large.status)
  expect(vendor.createRequests().length).toBe(requestsBefore)
  expect(await holdsOf(app)).toBe(0)
})

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: Error) => error.message,
  )

test('an account without the quota is refused before anything is sent', async () => {
  const { app, vendor } = scene
  const poor = await app.make.user({ quota: 399_999 })
  const { key } = await app.make.token(poor, { isUnlimited: true })
  const requestsBefore = vendor.createRequests().length
  expect(await apiErrorOf(clientFor(app, key).videos.create(params))).toMatchObject({ status: 403, code: 'insufficient_user_quota' })
  expect(vendor.createRequests().length).toBe(requestsBefore)
})

test('nobody else sees, fetches, stops, changes or deletes a task', async () => {
  const { app, client, poll } = scene
  const { id } = await client.videos.create(params)
  lastVideo().status = 'completed'
  await poll()
  const stranger = await app.make.user({ quota: 10_000_000 })
  const { key } = await app.make.token(stranger, { isUnlimited: true })
  const other = clientFor(app, key)
  const missing = { status: 404, code: 'task_not_found' }
  expect(await apiErrorOf(other.videos.retrieve(id))).toMatchObject(missing)
  expect(await apiErrorOf(other.videos.downloadContent(id))).toMatchObject(missing)
  expect(await apiErrorOf(other.videos.delete(id))).toMatchObject(missing)
  expect(await apiErrorOf(other.videos.remix(id, { prompt: 'mine' }))).toMatchObject(missing)
  expect((await other.videos.list()).data).toEqual([])
  for (const list of ['/videos', '/tasks']) expect(await apiErrorOf(other.get(list, { query: { after: id } }))).toMatchObject(missing)
  const headers = { authorization: `Bearer ${key}` }
  for (const [method, below] of [
    ['POST', 'cancel'],
    ['GET', 'events'],
    ['GET', 'content'],
  ] as const)
    expect([below, (await app.request(`/v1/tasks/${id}/${below}`, { method, headers })).status]).toEqual([below, 404])
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'completed' })
})

test('videos are listed newest first, by pages', async () => {
  const { client } = scene
  const all: string[] = []
  for await (const { id } of client.videos.list({ limit: 2 })) all.push(id)
  expect(all.length).toBeGreaterThan(4)
  expect(new Set(all).size).toBe(all.length)
  const ascending: string[] = []
  for await (const { id } of client.videos.list({ limit: 3, order: 'asc' })) ascending.push(id)
  expect(ascending).toEqual(all.toReversed())
  for (const [name, value] of Object.entries({ limit: '101', order: 'sideways' }))
    expect(await apiErrorOf(client.get('/videos', { query: { [name]: value } }))).toMatchObject({ status: 400, param: name })
})

test('an ended video can be remixed at its channel, and deleted here and there', async () => {
  const { client, vendor, poll } = scene
  const { id } = await client.videos.create(params)
  const first = lastVideo()
  expect(await apiErrorOf(client.videos.delete(id))).toMatchObject({ status: 409, code: 'task_running' })
  expect(await apiErrorOf(client.videos.remix(id, { prompt: 'At night' }))).toMatchObject({ status: 409, code: 'task_not_completed' })
  first.status = 'completed'
  await poll()
  const remixed = await client.videos.remix(id, { prompt: 'At night' })
  expect(remixed).toMatchObject({ prompt: 'At night', remixed_from_video_id: id, seconds: '8', size: '1280x720' })
  expect(vendor.createRequests().at(-1)).toMatchObject({ path: `/v1/videos/${first.id}/remix`, body: '{"prompt":"At night"}' })
  lastVideo().status = 'completed'
  await poll()
  expect(await client.videos.delete(id)).toMatchObject({ id, deleted: true })
  expect(vendor.videos.has(first.id)).toBe(false)
  expect(await apiErrorOf(client.videos.retrieve(id))).toMatchObject({ status: 404 })
})

test('an image goes to the vendor, as a file of a form or as an address', async () => {
  const { client, vendor, poll } = scene
  const file = new File([Buffer.from('a picture')], 'cat.png', { type: 'image/png' })
  await client.videos.create({ ...params, input_reference: file })
  expect(JSON.parse(vendor.createRequests().at(-1)?.body ?? '{}')).toEqual({
    ...params,
    input_reference: { image_url: `data:image/png;base64,${Buffer.from('a picture').toString('base64')}` },
  })
  await client.videos.create({ ...params, input_reference: { image_url: 'https://pictures.example.com/cat.png' } as never })
  expect(JSON.parse(vendor.createRequests().at(-1)?.body ?? '{}')).toMatchObject({
    input_reference: { image_url: 'https://pictures.example.com/cat.png' },
  })
  for (const video of vendor.videos.values()) video.status = 'completed'
  await poll()
})

test('a refusal of the vendor reaches the client, and the task has failed for free', async () => {
  const { client, app, user, vendor } = scene
  const before = await balanceOf(app, user)
  vendor.response = ({ method }) =>
    method === 'POST'
      ? json({ error: { message: 'No such pose.', type: 'invalid_request_error', param: 'prompt', code: 'invalid_value' } }, 400)
      : null
  expect(await apiErrorOf(client.videos.create(params))).toMatchObject({ status: 400, code: 'invalid_value', param: 'prompt' })
  vendor.response = () => null
  const [failed] = (await client.videos.list({ limit: 1 })).data
  expect(failed).toMatchObject({ status: 'failed', error: { message: 'No such pose.' } })
  expect(await balanceOf(app, user)).toBe(before)
})
