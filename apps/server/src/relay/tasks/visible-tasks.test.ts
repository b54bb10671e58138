import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { apiErrorOf, clientFor, closeConsistent, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// What a token may see of the tasks of its account: of its models, and if its owner wants that, only what it created itself.

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
afterAll(() => closeConsistent(scene))

interface TokenOptions {
  readonly models?: string
  readonly ownWorkOnly?: boolean
}

async function token(options: TokenOptions = {}) {
  const { id, key } = await scene.app.make.token(scene.user, { isUnlimited: true, ...options })
  return { id, key, client: clientFor(scene.app, key) }
}

const call = (key: string, path: string, init: RequestInit = {}): Promise<Response> =>
  scene.app.request(path, { ...init, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers } })

async function created(client: TaskScene['client'], model = 'sora-2'): Promise<string> {
  return (await client.videos.create({ model, prompt: `A cat ${crypto.randomUUID()}`, seconds: '4', size: '1280x720' })).id
}

async function completed(client: TaskScene['client'], model?: string): Promise<string> {
  const id = await created(client, model)
  for (const video of scene.vendor.videos.values()) video.status = 'completed'
  await scene.poll()
  return id
}

interface Listed {
  readonly data: ReadonlyArray<{ readonly id: string }>
  readonly has_more: boolean
}

async function listed(key: string, path = '/v1/tasks?limit=100'): Promise<readonly string[]> {
  // Holds: the calls return a list.
  const { data } = (await (await call(key, path)).json()) as Listed
  return data.map(({ id }) => id)
}

/** An error without the id of its request. */
const withoutId = (text: string): string => text.replace(/[\da-f]{8}-[\da-f-]{27}/, 'ID')

/** Everything that a token can do with a task of another one, and the response. */
async function refusalsOf(key: string, id: string): Promise<readonly string[]> {
  const calls = [
    call(key, `/v1/videos/${id}`),
    call(key, `/v1/videos/${id}/content`),
    call(key, `/v1/videos/${id}`, { method: 'DELETE' }),
    call(key, `/v1/videos/${id}/remix`, { method: 'POST', body: JSON.stringify({ prompt: 'Blue' }) }),
    call(key, `/v1/tasks/${id}`),
    call(key, `/v1/tasks/${id}/content`),
    call(key, `/v1/tasks/${id}/events`),
    call(key, `/v1/tasks/${id}/cancel`, { method: 'POST' }),
    call(key, `/v1/tasks/${id}`, { method: 'DELETE' }),
    call(key, `/v1/videos?after=${id}`),
  ]
  return await Promise.all((await Promise.all(calls)).map(async (response) => `${response.status} ${withoutId(await response.text())}`))
}

const missing = 'video_0123456789abcdef'

describe('a token with a list of models', () => {
  test('sees tasks of these models and those that it created itself, and others are like missing ones', async () => {
    const limited = await token({ models: 'sora-2' })
    const [own, foreign, other] = [
      await created(limited.client),
      await created(scene.client, 'sora-2'),
      await completed(scene.client, 'sora-2-pro'),
    ]
    expect((await limited.client.videos.retrieve(foreign)).id).toBe(foreign)
    const seen = await listed(limited.key)
    expect([own, foreign, other].map((id) => seen.includes(id))).toEqual([true, true, false])
    expect(await refusalsOf(limited.key, other)).toEqual(await refusalsOf(limited.key, missing))
    expect((await listed(scene.key)).includes(other)).toBe(true)
  })

  test('still sees what it created before its list changed', async () => {
    const changed = await token()
    const id = await completed(changed.client, 'sora-2-pro')
    await scene.app.data(contract.token.update, { id: changed.id, models: 'sora-2' }, scene.user)
    expect((await changed.client.videos.retrieve(id)).id).toBe(id)
    expect(await listed(changed.key, '/v1/videos?limit=100')).toContain(id)
  })

  test('gets whole pages in both directions, however many others are between', async () => {
    const limited = await token({ models: 'sora-2' })
    const mine: string[] = []
    for (let count = 0; count < 3; count += 1) {
      mine.push(await created(limited.client))
      await created(scene.client, 'sora-2-pro')
      await created(scene.client, 'sora-2-pro')
    }
    const path = (query: string) => `/v1/videos?${query}`
    const [newest = ''] = await listed(limited.key, path('limit=1'))
    expect(newest).toBe(mine[2] ?? '')
    expect(await listed(limited.key, path(`limit=2&after=${newest}`))).toEqual([mine[1] ?? '', mine[0] ?? ''])
    expect((await listed(limited.key, path(`limit=2&order=asc&after=${mine[0]}`))).slice(0, 2)).toEqual([mine[1] ?? '', mine[2] ?? ''])
    for (const video of scene.vendor.videos.values()) video.status = 'completed'
    await scene.poll()
  })
})

describe('a token that is limited to its own work', () => {
  test('sees nothing that another token of the account created', async () => {
    const limited = await token({ ownWorkOnly: true })
    const [own, foreign] = [await completed(limited.client), await completed(scene.client)]
    expect(await listed(limited.key)).toEqual([own])
    expect(await listed(limited.key, '/v1/videos')).toEqual([own])
    expect(await refusalsOf(limited.key, foreign)).toEqual(await refusalsOf(limited.key, missing))
    expect((await scene.client.videos.retrieve(own)).id).toBe(own)
    expect((await limited.client.videos.delete(own)).deleted).toBe(true)
  })

  test('does not get the task of another one for the same order under the same name', async () => {
    const limited = await token({ ownWorkOnly: true })
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = JSON.stringify({ model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' })
    const create = (key: string) => call(key, '/v1/videos', { method: 'POST', body, headers })
    expect((await create(scene.key)).status).toBe(200)
    const refused = await create(limited.key)
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('idempotency_key_reused')])
    expect((await create(scene.key)).status).toBe(200)
    for (const video of scene.vendor.videos.values()) video.status = 'completed'
    await scene.poll()
  })

  test('uses only characters that it made', async () => {
    const { db } = scene.app.app.store
    const limited = await token({ ownWorkOnly: true })
    const foreign = {
      public_id: 'char_0123456789',
      user_id: scene.user.id,
      channel_id: scene.channel,
      vendor_id: 'c1',
      name: 'Cat',
      created_at: 1,
    }
    await db.insertInto('task_characters').values(foreign).execute()
    expect((await call(scene.key, `/v1/videos/characters/${foreign.public_id}`)).status).toBe(200)
    expect((await call(limited.key, `/v1/videos/characters/${foreign.public_id}`)).status).toBe(404)
    const create = { model: 'sora-2', prompt: 'A cat', seconds: '4', characters: [{ id: foreign.public_id }] }
    // The client's types do not know the field.
    const refused = await apiErrorOf(limited.client.post('/videos', { body: create }) as Promise<unknown>)
    expect(refused).toMatchObject({ status: 400, param: 'characters' })
  })

  test('is limited from the next request on, and not any more when its owner says so', async () => {
    const changed = await token()
    const foreign = await completed(scene.client)
    const see = async (): Promise<number> => (await call(changed.key, `/v1/tasks/${foreign}`)).status
    expect(await see()).toBe(200)
    const form = await scene.app.data(contract.token.update, { id: changed.id, own_work_only: true }, scene.user)
    expect(form.own_work_only).toBe(true)
    expect(await see()).toBe(404)
    expect((await scene.app.data(contract.token.get, { id: changed.id }, scene.user)).own_work_only).toBe(true)
    await scene.app.data(contract.token.update, { id: changed.id, own_work_only: false }, scene.user)
    expect(await see()).toBe(200)
  })
})
