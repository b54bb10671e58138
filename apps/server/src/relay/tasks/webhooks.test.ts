import { afterAll, beforeAll, expect, test } from 'bun:test'
import { setOptions } from '../../../test/channel-scene.ts'
import { json } from '../../../test/fake-upstream.ts'
import { balanceOf, closeConsistent, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// Vendors report completed tasks. Their messages are not trusted: they only make the server poll at once.

let scene: TaskScene
let isDone = false
beforeAll(async () => {
  scene = await taskScene({ lookUp: async (host) => (host === 'api.sunoapi.org' ? ['127.0.0.1'] : []) })
  await scene.app.make.channel({ type: 44, models: 'pika-2.2' })
  scene.vendor.response = ({ method, path }) => {
    const { pathname } = new URL(path, 'http://vendor')
    if (method === 'POST') return json({ request_id: `fal-${scene.vendor.createRequests().length}-${Math.random()}`, status: 'IN_QUEUE' })
    if (pathname.endsWith('/status')) return json({ status: isDone ? 'COMPLETED' : 'IN_PROGRESS' })
    return json({ video: { url: `${scene.app.upstream.url}/film.mp4`, content_type: 'video/mp4' } })
  }
})
afterAll(() => closeConsistent(scene))

const create = { model: 'pika-2.2', prompt: 'A cat', seconds: '5', size: '1280x720' } as never

/** The address that the vendor of the last order was given; `null`: none. */
function webhookAddress(): URL | null {
  const { path = '' } = scene.app.upstream.received.findLast(({ method }) => method === 'POST') ?? {}
  const address = new URL(path, 'http://vendor').searchParams.get('fal_webhook')
  return address === null ? null : new URL(address)
}

const report = (path: string) => scene.app.request(path, { method: 'POST', body: JSON.stringify({ status: 'OK', payload: {} }) })

test('Flux and sunoapi.org are given the address where they take one, and are polled at once when they report', async () => {
  const { app, key, vendor, poll } = scene
  const usual = vendor.response
  await setOptions(app, { ServerAddress: 'https://gateway.example.com' })
  await app.make.channel({ type: 47, models: 'flux-2-pro' })
  const baseUrl = app.upstream.url.replace('127.0.0.1', 'api.sunoapi.org')
  await app.make.channel({ type: 45, models: 'suno_music', baseUrl })
  vendor.response = ({ method, path }) => {
    if (path.startsWith('/api/v1/generate'))
      return json({ code: 200, msg: 'success', data: method === 'POST' ? { taskId: 'song-1' } : { taskId: 'song-1', status: 'PENDING' } })
    return json(method === 'POST' ? { id: 'picture-1', polling_url: '' } : { id: 'picture-1', status: 'Pending' })
  }
  const create = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    // Holds: both calls return an object.
    return (await (await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as Record<string, string>
  }
  const createRequests = [
    [async () => (await create('/v1/tasks?kind=pictures', { model: 'flux-2-pro', prompt: 'A cat' }))['id'], 'webhook_url'],
    [async () => (await create('/suno/submit/music', { gpt_description_prompt: 'Rain' }))['data'], 'callBackUrl'],
  ] as const
  for (const [make, member] of createRequests) {
    const id = await make()
    // Holds: both vendors are sent JSON.
    const upstreamBody = JSON.parse(app.upstream.received.at(-1)?.body ?? '{}') as Record<string, string>
    const address = new URL(upstreamBody[member] ?? '')
    expect(address.href).toStartWith(`https://gateway.example.com/v1/tasks/${id}/webhook?signature=`)
    await poll(3_000)
    const requestsBefore = app.upstream.received.length
    await poll(1)
    expect(app.upstream.received.length).toBe(requestsBefore)
    expect((await report(`${address.pathname}${address.search}`)).status).toBe(200)
    await poll(1)
    expect(app.upstream.received.length).toBe(requestsBefore + 1)
  }
  await setOptions(app, { ServerAddress: '' })
  vendor.response = ({ path }) =>
    path.startsWith('/api/v1/generate')
      ? json({ code: 200, msg: 'success', data: { taskId: 'song-1', status: 'GENERATE_AUDIO_FAILED' } })
      : json({ id: 'picture-1', status: 'Error' })
  await poll()
  vendor.response = usual
})

test('a vendor gets no address while this server has none that others can reach', async () => {
  const { id } = await scene.client.videos.create(create)
  expect(webhookAddress()).toBeNull()
  isDone = true
  await scene.poll()
  expect(await scene.client.videos.retrieve(id)).toMatchObject({ status: 'completed' })
})

test('a message makes the server ask at once; early, twice, forged or for another task it changes nothing', async () => {
  const { app, client, user, poll } = scene
  await setOptions(app, { ServerAddress: 'https://gateway.example.com' })
  isDone = false
  const before = await balanceOf(app, user)
  const { id } = await client.videos.create(create)
  const address = webhookAddress()
  expect(address?.origin).toBe('https://gateway.example.com')
  const path = `${address?.pathname}${address?.search}`
  expect(path).toStartWith(`/v1/tasks/${id}/webhook?signature=`)
  const other = await client.videos.create(create)
  await poll(3_000)
  // Neither is due again yet.
  const requestsBefore = app.upstream.received.length
  await poll(1)
  expect(app.upstream.received.length).toBe(requestsBefore)

  expect((await report(path)).status).toBe(200)
  await poll(1)
  expect(app.upstream.received.length).toBe(requestsBefore + 1)
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'in_progress' })

  isDone = true
  const forged = [
    `/v1/tasks/${id}/webhook`,
    `/v1/tasks/${id}/webhook?signature=${'0'.repeat(64)}`,
    `/v1/tasks/${other.id}/webhook${address?.search}`,
  ]
  for (const wrong of forged) expect((await report(wrong)).status).toBe(404)
  await poll(1)
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'in_progress' })

  expect((await report(path)).status).toBe(200)
  expect((await report(path)).status).toBe(200)
  await poll(1)
  expect(await client.videos.retrieve(id)).toMatchObject({ status: 'completed' })
  expect((await report(path)).status).toBe(200)
  await poll()
  // Two videos of five seconds at $0.04.
  expect(before - (await balanceOf(app, user))).toBe(2 * 100_000)
})
