import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { json } from '../../../test/fake-upstream.ts'
import { clientFor, mp4File, type TaskScene, taskScene } from '../../../test/task-scene.ts'

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
afterAll(() => scene.app.close())

/** Another account with a client of its own. */
async function another() {
  const user = await scene.app.make.user({ quota: 10_000_000 })
  const { key } = await scene.app.make.token(user, { isUnlimited: true })
  return { user, client: clientFor(scene.app, key) }
}

const params = { model: 'sora-2', prompt: 'A cat on a keyboard', seconds: '8', size: '1280x720' } as const
const lastVideo = () => {
  const video = [...scene.vendor.videos.values()].at(-1)
  if (video === undefined) throw new Error('nothing was ordered')
  return video
}
const newestOf = async (user: TaskScene['user']) => {
  const [row] = await scene.app.data(contract.task.self, {}, user)
  if (row === undefined) throw new Error('there is no task')
  return row
}

test('a task is listed with its progress and costs, and with links that play its results without a token', async () => {
  const { app, poll } = scene
  const { user, client } = await another()
  const video = await client.videos.create(params)
  expect(await newestOf(user)).toMatchObject({
    public_id: video.id,
    kind: 'videos',
    action: 'create',
    model: 'sora-2',
    state: 'queued',
    progress: 0,
    prompt: params.prompt,
    seconds: 8,
    size: '1280x720',
    ended_at: 0,
    estimated: 400_000,
    charged: 0,
    error: null,
    results: [],
    cancellable: false,
  })
  lastVideo().status = 'in_progress'
  lastVideo().progress = 40
  await poll()
  expect(await newestOf(user)).toMatchObject({ state: 'in_progress', progress: 40 })
  lastVideo().status = 'completed'
  await poll()
  const row = await newestOf(user)
  expect(row).toMatchObject({ state: 'completed', progress: 100, charged: 400_000 })
  expect(row.results[0]).toMatchObject({ variant: 'video', text: null })
  const played = await app.request(row.results[0]?.url ?? '')
  expect(Buffer.from(await played.arrayBuffer()).equals(mp4File)).toBe(true)
})

test('the row of the log that a task has at its end names it, however it ends, and other rows name none', async () => {
  const { app, poll, client, user: somebody } = scene
  const { user, client: own } = await another()
  for (const status of ['completed', 'failed']) {
    const { id } = await own.videos.create(params)
    lastVideo().status = status
    await poll()
    const [row] = await app.data(contract.log.listSelf, {}, user)
    expect(row).toMatchObject({ task_id: id, request_id: (await newestOf(user)).request_id, quota: status === 'failed' ? 0 : 400_000 })
    expect(await app.data(contract.log.list, { username: user.username, request_id: row?.request_id ?? '' })).toMatchObject([
      { task_id: id },
    ])
  }
  // What the vendor refuses is a task, too.
  scene.vendor.response = ({ method }) => (method === 'POST' ? json({ error: { message: 'no', code: 'moderation_blocked' } }, 400) : null)
  await own.videos.create(params).catch(() => null)
  scene.vendor.response = () => null
  expect(await app.data(contract.log.listSelf, {}, user)).toMatchObject([{ task_id: (await newestOf(user)).public_id, quota: 0 }, {}, {}])
  await client.chat.completions.create({ model: 'sora-2', messages: [{ role: 'user', content: 'Hi' }] }).catch(() => null)
  for (const { task_id: id } of await app.data(contract.log.listSelf, {}, somebody)) expect(id).toBe('')
})

test('users see neither the channel nor its name of the model; administrators see both and whose task it is', async () => {
  const { app, channel } = scene
  const { user, client } = await another()
  await client.videos.create(params)
  const row = await newestOf(user)
  for (const name of ['channel', 'channel_name', 'upstream_model', 'username', 'user_id']) expect(row).not.toHaveProperty(name)
  expect(await app.data(contract.task.get, { id: row.id }, user)).not.toHaveProperty('channel')
  const [seen] = await app.data(contract.task.list, { username: user.username })
  expect(seen).toMatchObject({ id: row.id, username: user.username, user_id: user.id, channel, upstream_model: 'sora-2' })
})

test('users reach their own tasks only, and administrators those of everybody', async () => {
  const { app, poll } = scene
  const [ann, bob] = [await another(), await another()]
  await ann.client.videos.create(params)
  const { id } = await newestOf(ann.user)
  expect(await app.data(contract.task.self, {}, bob.user)).toEqual([])
  for (const endpoint of [contract.task.get, contract.task.cancel, contract.task.remove])
    expect((await app.call(endpoint, { id }, bob.user)).message).toBe(en.task_not_found)
  expect((await app.call(contract.task.list, {}, bob.user)).message).toBe(en.permission_denied)
  const admin = await app.make.user({ role: 10 })
  expect(await app.data(contract.task.get, { id }, admin)).toMatchObject({ prompt: params.prompt })
  expect((await app.call(contract.task.remove, { id }, admin)).message).toBe(en.task_running)
  lastVideo().status = 'completed'
  await poll()
  await app.data(contract.task.remove, { id }, admin)
  expect(await app.data(contract.task.self, {}, ann.user)).toEqual([])
  const [logRow] = await app.data(contract.log.listSelf, { type: 3 }, ann.user)
  expect(logRow?.content).toStartWith(`${admin.username} deleted the task video_`)
})

test('lists cut long prompts and leave out what one task alone shows', async () => {
  const { app } = scene
  const { user, client } = await another()
  await client.videos.create({ ...params, prompt: '猫'.repeat(600) })
  const row = await newestOf(user)
  expect(row.prompt).toBe('猫'.repeat(500))
  expect((await app.data(contract.task.get, { id: row.id }, user)).prompt).toBe('猫'.repeat(600))
})

test('each filter finds its tasks, and pages go on behind the last row', async () => {
  const { app, poll, clock, channel } = scene
  const { user, client } = await another()
  const start = Math.floor(clock.nowMs() / 1000)
  await client.videos.create(params)
  lastVideo().status = 'failed'
  lastVideo().error = { code: 'moderation_blocked', message: 'The prompt was refused.' }
  await poll()
  await client.videos.create({ ...params, model: 'sora-2-pro' })
  const [late, early] = await app.data(contract.task.self, {}, user)
  const findIds = async (filters: object) => (await app.data(contract.task.self, filters, user)).map(({ id }) => id)
  const ids = [late?.id ?? 0, early?.id ?? 0]
  expect(await findIds({ state: 'failed' })).toEqual([ids[1] ?? 0])
  expect(early?.error).toEqual({ code: 'moderation_blocked', message: 'The prompt was refused.' })
  expect(await findIds({ state: 'nonsense' })).toEqual(ids)
  expect(await findIds({ model: 'sora-2-pro' })).toEqual([ids[0] ?? 0])
  expect(await findIds({ kind: 'songs' })).toEqual([])
  expect(await findIds({ kind: 'videos', end_timestamp: start })).toEqual([ids[1] ?? 0])
  expect(await findIds({ start_timestamp: start + 1 })).toEqual([ids[0] ?? 0])
  expect(await findIds({ ids: `${ids[1]},999999` })).toEqual([ids[1] ?? 0])
  expect(await findIds({ public_id: early?.public_id })).toEqual([ids[1] ?? 0])
  const other = await newestOf(scene.user).catch(() => null)
  expect(await findIds({ public_id: other?.public_id ?? 'video_0' })).toEqual([])
  expect(await findIds({ size: 1 })).toEqual([ids[0] ?? 0])
  expect(await findIds({ size: 1, after: ids[0] ?? 0 })).toEqual([ids[1] ?? 0])
  const { username } = user
  expect((await app.data(contract.task.list, { username, channel })).map(({ id }) => id)).toEqual(ids)
  expect(await app.data(contract.task.list, { username, channel: channel + 999 })).toEqual([])
  expect(await app.data(contract.task.list, { username: 'no such account' })).toEqual([])
})

test('a song is shown with the words that describe it', async () => {
  const { app } = scene
  const { user, client } = await another()
  await app.make.channel({ type: 45, models: 'suno_music' })
  scene.vendor.response = ({ path }) => (path.startsWith('/suno/submit/') ? json({ code: 'success', message: '', data: 'song-1' }) : null)
  await client.post('/../suno/submit/music', { body: { gpt_description_prompt: 'A song about rain' } })
  scene.vendor.response = () => null
  expect(await newestOf(user)).toMatchObject({ kind: 'songs', model: 'suno_music', prompt: 'A song about rain', estimated: 50_000 })
})

test('a task is stopped at its vendor by its owner or an administrator, and is free then', async () => {
  const { app, poll } = scene
  const { user, client } = await another()
  await app.make.channel({ type: 44, models: 'pika-2.2', key: 'id-0001:secret-0001' })
  let state = 'IN_PROGRESS'
  scene.vendor.response = ({ method, path }) => {
    if (!path.startsWith('/fal-ai/')) return null
    if (method === 'PUT') state = 'CANCELLED'
    return json({ request_id: 'fal-1', status: state }, method === 'PUT' ? 202 : 200)
  }
  // Holds: the types of OpenAI's client name its own models and lengths; the calls take any.
  await client.videos.create({ ...params, model: 'pika-2.2' as 'sora-2', seconds: '5' as '8' })
  await poll()
  const { id, cancellable } = await newestOf(user)
  expect(cancellable).toBe(true)
  const admin = await app.make.user({ role: 10 })
  await app.data(contract.task.cancel, { id }, admin)
  await poll()
  scene.vendor.response = () => null
  expect(await newestOf(user)).toMatchObject({ state: 'cancelled', charged: 0, cancellable: false })
  expect((await app.data(contract.account.self, {}, user)).quota).toBe(10_000_000)
  const [logRow] = await app.data(contract.log.listSelf, { type: 3 }, user)
  expect(logRow?.content).toStartWith(`${admin.username} canceled the task video_`)
})

test('a task whose vendor cannot stop it says so and goes on', async () => {
  const { app } = scene
  const { user, client } = await another()
  await client.videos.create(params)
  const { id } = await newestOf(user)
  expect((await app.call(contract.task.cancel, { id }, user)).message).toBe(en.task_not_cancellable)
  expect((await newestOf(user)).state).toBe('queued')
})

test('a task of an unknown id is not found, and a response of the vendor that removes nothing still removes the copy', async () => {
  const { app, poll, vendor } = scene
  const { user, client } = await another()
  expect((await app.call(contract.task.get, { id: 999_999 }, user)).message).toBe(en.task_not_found)
  await client.videos.create(params)
  lastVideo().status = 'completed'
  await poll()
  const { id } = await newestOf(user)
  vendor.response = ({ method }) => (method === 'DELETE' ? json({ error: { message: 'no', type: 'server_error' } }, 500) : null)
  await app.data(contract.task.remove, { id }, user)
  vendor.response = () => null
  expect(await app.data(contract.task.self, {}, user)).toEqual([])
})

test('the supported task parameters are those of the channel that would get the request', async () => {
  const { app } = scene
  const { user } = await another()
  await app.make.channel({ type: 49, models: 'veo-mine', mapping: { 'veo-mine': 'veo-3.1-lite-generate-001' } })
  await app.make.channel({ type: 47, models: 'flux-video-edit' })
  const fieldsOf = (model: string, kind: 'videos' | 'songs' = 'videos') => app.data(contract.task.fields, { kind, model }, user)
  expect(await fieldsOf('sora-2')).toMatchObject({
    seconds: [4, 8, 12, 16, 20],
    seconds_range: null,
    sizes: ['720x1280', '1280x720'],
    pictures: { least: 0, most: 1 },
    film_actions: ['edit', 'extend'],
    needs_film: false,
    parameters: [{ name: 'characters', type: 'characters' }],
  })
  const veo = await fieldsOf('veo-mine')
  expect([veo?.seconds, veo?.sizes.includes('3840x2160')]).toEqual([[4, 6, 8], false])
  expect(veo?.parameters).toContainEqual({ name: 'reference_images', type: 'pictures', values: [], least: 1, most: 3, usual: null })
  expect(veo?.parameters.find(({ name }) => name === 'person_generation')?.values).toEqual(['allow_all', 'allow_adult', 'dont_allow'])
  expect(await fieldsOf('flux-video-edit')).toMatchObject({ film_actions: ['edit'], needs_film: true, seconds_range: null })
  for (const unknown of [await fieldsOf('no-such'), await fieldsOf('sora-2', 'songs')]) expect(unknown).toBeNull()
})

test('dashboards count a task once it has ended', async () => {
  const { app, poll } = scene
  const { user, client } = await another()
  await client.videos.create(params)
  const today = async () => (await app.data(contract.account.dashboard, {}, user)).at(-1)
  expect(await today()).toBeUndefined()
  lastVideo().status = 'completed'
  await poll()
  expect(await today()).toMatchObject({ ModelName: 'sora-2', RequestCount: 1, Quota: 400_000 })
})
