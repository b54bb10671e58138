import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { until } from '../../../test/channel-scene.ts'
import { mp4File, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// Limits of a token count for what it reads, as they do for what it orders.

const models = 'sora-2,gpt-4o,claude-opus-4-5'

let scene: TaskScene
let task: string
beforeAll(async () => {
  scene = await taskScene({ models })
  task = (await scene.client.videos.create({ model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' })).id
})
afterAll(() => scene.app.close())

const call = (key: string, method: string, path: string): Promise<Response> =>
  scene.app.request(path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'x-api-key': key, 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: JSON.stringify({ ids: [] }) } : {}),
  })

async function codeOf(response: Response): Promise<string> {
  // Every protocol has its own form.
  return /token_requests_limited|token_busy|RESOURCE_EXHAUSTED/.exec(await response.text())?.[0] ?? ''
}

const reads = [
  ['GET', '/v1/models'],
  ['GET', '/v1/models/gpt-4o'],
  ['GET', '/v1beta/models'],
  ['GET', '/v1beta/models/gpt-4o'],
  ['GET', '/v1/videos'],
  ['GET', '/v1/videos/ID'],
  ['GET', '/v1/videos/ID/content'],
  ['DELETE', '/v1/videos/ID'],
  ['GET', '/v1/videos/characters/char_00000000'],
  ['GET', '/v1/tasks'],
  ['GET', '/v1/tasks/ID'],
  ['GET', '/v1/tasks/ID/content'],
  ['GET', '/v1/tasks/ID/events'],
  ['POST', '/v1/tasks/ID/cancel'],
  ['DELETE', '/v1/tasks/ID'],
  ['GET', '/v1/messages/batches'],
  ['GET', '/v1/messages/batches/ID'],
  ['GET', '/v1/messages/batches/ID/results'],
  ['POST', '/v1/messages/batches/ID/cancel'],
  ['DELETE', '/v1/messages/batches/ID'],
  ['GET', '/suno/fetch/ID'],
  ['POST', '/suno/fetch'],
  ['GET', '/v1/responses/resp_1'],
  ['GET', '/v1/responses/resp_1/input_items'],
  ['POST', '/v1/responses/resp_1/cancel'],
  ['DELETE', '/v1/responses/resp_1'],
  ['GET', '/v1/dashboard/billing/subscription'],
  ['GET', '/dashboard/billing/usage'],
] as const

describe('a read', () => {
  test.each(reads)('%s %s counts in any 60 seconds, and is refused beyond the limit', async (method, path) => {
    const { key } = await scene.app.make.token(scene.user, { isUnlimited: true, limits: { requests_per_minute: 1 } })
    const first = await call(key, method, path.replace('ID', 'video_00000000'))
    expect(first.status).not.toBe(429)
    await first.text()
    const second = await call(key, method, path.replace('ID', 'video_00000000'))
    expect(second.status).toBe(429)
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    scene.clock.advance(61_000)
    expect((await call(key, method, path.replace('ID', 'video_00000000'))).status).toBe(first.status)
  })

  test('has the headers of what remains', async () => {
    const { key } = await scene.app.make.token(scene.user, { isUnlimited: true, limits: { requests_per_minute: 5 } })
    for (const left of ['4', '3']) {
      const { headers } = await call(key, 'GET', `/v1/tasks/${task}`)
      expect([headers.get('x-ratelimit-limit-requests'), headers.get('x-ratelimit-remaining-requests')]).toEqual(['5', left])
    }
    const refused = await scene.app.make.token(scene.user, { isUnlimited: true, limits: { requests_per_minute: 1 } })
    await call(refused.key, 'GET', '/v1/models')
    expect((await call(refused.key, 'GET', '/v1/models')).headers.get('x-ratelimit-remaining-requests')).toBe('0')
  })

  test('with a link that has a signature needs no token and no place', async () => {
    const { id } = await scene.client.videos.create({ model: 'sora-2', prompt: 'A dog', seconds: '4', size: '1280x720' })
    for (const video of scene.vendor.videos.values()) video.status = 'completed'
    await scene.poll()
    const [row] = await scene.app.data(contract.task.self, {}, scene.user)
    const url = row?.results[0]?.url ?? ''
    expect(url).toContain(id)
    for (let count = 0; count < 3; count += 1) {
      const response = await scene.app.request(url)
      expect(Buffer.from(await response.arrayBuffer()).equals(mp4File)).toBe(true)
    }
  })
})

describe('a stream', () => {
  test('of events holds its place until it has ended', async () => {
    const { id } = await scene.client.videos.create({ model: 'sora-2', prompt: 'A fox', seconds: '4', size: '1280x720' })
    const { key } = await scene.app.make.token(scene.user, { isUnlimited: true, limits: { requests_at_once: 1 } })
    const events = await call(key, 'GET', `/v1/tasks/${id}/events`)
    expect(events.status).toBe(200)
    const refused = await call(key, 'GET', '/v1/models')
    expect([refused.status, await codeOf(refused)]).toEqual([429, 'token_busy'])
    for (const video of scene.vendor.videos.values()) video.status = 'completed'
    await scene.poll()
    expect(await events.text()).toContain('event: done')
    expect((await call(key, 'GET', '/v1/models')).status).toBe(200)
  })

  test('that its client leaves gives its place back', async () => {
    const { id } = await scene.client.videos.create({ model: 'sora-2', prompt: 'An owl', seconds: '4', size: '1280x720' })
    const { key } = await scene.app.make.token(scene.user, { isUnlimited: true, limits: { requests_at_once: 1 } })
    const events = await call(key, 'GET', `/v1/tasks/${id}/events`)
    await events.body?.cancel()
    await until(
      async () => (await call(key, 'GET', '/v1/models')).status,
      (status) => status === 200,
    )
    for (const video of scene.vendor.videos.values()) video.status = 'completed'
    await scene.poll()
  })

  test('of a result holds its place while the vendor sends it', async () => {
    const { id } = await scene.client.videos.create({ model: 'sora-2', prompt: 'A hen', seconds: '4', size: '1280x720' })
    for (const video of scene.vendor.videos.values()) video.status = 'completed'
    await scene.poll()
    scene.vendor.response = ({ path }) =>
      path.includes('/content')
        ? [
            { do: 'head', status: 200, headers: { 'content-type': 'video/mp4' } },
            { do: 'send', bytes: mp4File },
            { do: 'wait', name: 'rest' },
            { do: 'send', bytes: mp4File },
          ]
        : null
    const { key } = await scene.app.make.token(scene.user, { isUnlimited: true, limits: { requests_at_once: 1 } })
    const content = await call(key, 'GET', `/v1/videos/${id}/content`)
    expect((await call(key, 'GET', '/v1/models')).status).toBe(429)
    scene.app.upstream.release('rest')
    expect((await content.arrayBuffer()).byteLength).toBe(2 * mp4File.length)
    scene.vendor.response = () => null
    expect((await call(key, 'GET', '/v1/models')).status).toBe(200)
  })
})
