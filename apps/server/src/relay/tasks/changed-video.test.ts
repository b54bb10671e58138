import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type CreateAction, contract, type TaskRow, type VideoChange, videoChanges } from '@sluice/contract'
import { json } from '../../../test/fake-upstream.ts'
import { mp4Of } from '../../../test/mp4.ts'
import { balanceOf, closeConsistent, holdsOf, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// What the console says before a video is changed: which changes there are, and what each one reserves.

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
afterAll(() => closeConsistent(scene))

/** The double finishes its last video, and the server asks about it. */
async function finish(): Promise<void> {
  const video = [...scene.vendor.videos.values()].at(-1)
  if (video !== undefined) video.status = 'completed'
  await scene.poll()
}

async function newest(): Promise<TaskRow> {
  const [row] = await scene.app.data(contract.task.self, {}, scene.user)
  if (row === undefined) throw new Error('there is no task')
  return row
}

async function createVideo(): Promise<TaskRow> {
  await scene.client.videos.create({ model: 'sora-2', prompt: 'A cat', seconds: '8', size: '1280x720' })
  await finish()
  return await newest()
}

type CreateFields = Readonly<Record<string, string>>
type About = { readonly source?: string; readonly film?: { readonly seconds: number; readonly width: number; readonly height: number } }

/** The quota that would be reserved; a text: why there is none. */
async function estimated(
  action: CreateAction,
  params: CreateFields,
  { source = '', film: mp4File }: About = {},
  kind: 'videos' | 'songs' = 'videos',
) {
  const result = await scene.app.call(
    contract.task.estimate,
    { kind, action, order: params, source, ...(mp4File && { film: mp4File }) },
    scene.user,
  )
  return result.success ? result.data : result.message
}

const calls = {
  remix: ({ public_id: id }, params) => [`/v1/videos/${id}/remix`, params],
  edit: ({ public_id: id }, params) => ['/v1/videos/edits', { ...params, video: { id } }],
  extend: ({ public_id: id }, params) => ['/v1/videos/extensions', { ...params, video: { id } }],
} as const satisfies Record<VideoChange, (row: TaskRow, params: CreateFields) => readonly [path: string, body: object]>

async function post(path: string, body: object | FormData): Promise<number> {
  const { app, key } = scene
  const isForm = body instanceof FormData
  const headers = { authorization: `Bearer ${key}`, ...(!isForm && { 'content-type': 'application/json' }) }
  return (await app.request(path, { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) })).status
}

test.each(videoChanges)('before a video is changed (%s), its price is quoted, which is what is reserved', async (change) => {
  const { app, user } = scene
  const row = await createVideo()
  expect(row.film_changes).toEqual([...videoChanges])
  const params = { prompt: 'At night', ...(change === 'extend' && { seconds: '12' }) }
  const [balance, requestsBefore] = [await balanceOf(app, user), app.upstream.received.length]
  const estimate = await estimated(change, params, { source: row.public_id })
  expect([await balanceOf(app, user), await holdsOf(app), app.upstream.received.length]).toEqual([balance, 0, requestsBefore])
  const [path, body] = calls[change](row, params)
  expect(await post(path, body)).toBe(200)
  const { estimated: held, seconds, size } = await newest()
  expect(estimate).toEqual({ quota: held, seconds, size })
  expect(held).toBe(change === 'extend' ? 600_000 : 400_000)
  await finish()
})

test('before a video is sent along, its price is quoted by what its header says', async () => {
  const facts = { seconds: 7.2, width: 1280, height: 720 }
  const estimate = await estimated('edit', { model: 'sora-2', prompt: 'At night' }, { film: facts })
  const form = new FormData()
  for (const [name, value] of Object.entries({ model: 'sora-2', prompt: 'At night' })) form.set(name, value)
  // Its first header says less than its frames.
  form.set('video', new File([mp4Of({ ...facts, seconds: 1, parts: { stts: 7.2 } })], 'cat.mp4', { type: 'video/mp4' }))
  expect(await post('/v1/videos/edits', form)).toBe(200)
  expect(estimate).toEqual({ quota: (await newest()).estimated, seconds: 8, size: '1280x720' })
  await finish()
  expect(await estimated('edit', { model: 'sora-2', prompt: 'At night' }, { film: { ...facts, width: 640 } })).toContain('video')
})

test('a form with two videos is refused, because only one of them has a price', async () => {
  const mp4File = new File([mp4Of({ seconds: 4, width: 1280, height: 720 })], 'cat.mp4', { type: 'video/mp4' })
  for (const second of ['video', 'video[]', 'Video']) {
    const form = new FormData()
    for (const [name, value] of Object.entries({ model: 'sora-2', prompt: 'At night' })) form.set(name, value)
    form.append('video', mp4File)
    form.append(second, mp4File)
    const requestsBefore = scene.app.upstream.received.length
    expect([await post('/v1/videos/edits', form), scene.app.upstream.received.length]).toEqual([400, requestsBefore])
  }
})

test('a change that would be refused has a reason instead of a price, and the videos of others have no quote', async () => {
  const { app, channel } = scene
  const row = await createVideo()
  const params = { prompt: 'At night' }
  expect(await estimated('extend', { ...params, seconds: '30' }, { source: row.public_id })).toContain('seconds')
  expect(await estimated('edit', params)).toContain('video')
  expect(await estimated('lyrics', params)).toContain('action')
  const stranger = await app.make.user({ quota: 1_000_000 })
  const request = { kind: 'videos', action: 'remix', order: params, source: row.public_id } as const
  expect((await app.call(contract.task.estimate, request, stranger)).success).toBe(false)
  await app.data(contract.channel.update, { id: channel, status: 2 })
  expect(await estimated('remix', params, { source: row.public_id })).toBeString()
  await app.data(contract.channel.update, { id: channel, status: 1 })
})

test('a video offers what its vendor can do, to its own account, once it is completed', async () => {
  const { app, client, user } = scene
  await client.videos.create({ model: 'sora-2', prompt: 'A cat' })
  expect((await newest()).film_changes).toEqual([])
  await finish()
  const { id } = await newest()
  expect((await app.data(contract.task.get, { id })).film_changes).toEqual([])
  expect((await app.data(contract.task.get, { id }, user)).film_changes).toEqual([...videoChanges])
})

test('the words of a song have a price of their own, and the form knows that they have a call of their own', async () => {
  const { app, user } = scene
  await app.make.channel({ type: 45, models: 'suno_music,suno_lyrics' })
  scene.vendor.response = ({ path }) => (path.startsWith('/suno/') ? json({ code: 'success', message: '', data: 'words-1' }) : null)
  const fields = async (model: string) => await app.data(contract.task.fields, { kind: 'songs', model }, user)
  expect([(await fields('suno_lyrics'))?.makes_words, (await fields('suno_music'))?.makes_words]).toEqual([true, false])
  const estimate = await estimated('lyrics', { model: 'suno_lyrics', prompt: 'Rain' }, {}, 'songs')
  expect(await post('/suno/submit/lyrics', { model: 'suno_lyrics', prompt: 'Rain' })).toBe(200)
  expect(estimate).toMatchObject({ quota: (await newest()).estimated })
  scene.vendor.response = ({ path }) =>
    path.startsWith('/suno/') ? json({ code: 'success', data: { task_id: 'words-1', status: 'FAILURE', fail_reason: 'x' } }) : null
  await scene.poll()
  scene.vendor.response = () => null
})
