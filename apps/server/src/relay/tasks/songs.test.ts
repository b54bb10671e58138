import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { json } from '../../../test/fake-upstream.ts'
import { balanceOf, closeConsistent, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// Clients of Suno-API order songs from a relay of that form behind the server.

let scene: TaskScene
/** The vendor's tasks by its ids. */
const songs = new Map<string, Record<string, unknown>>()
beforeAll(async () => {
  scene = await taskScene()
  await scene.app.make.channel({ type: 45, models: 'suno_music,suno_lyrics' })
  scene.vendor.response = ({ method, path, body }) => {
    if (path.startsWith('/suno/submit/')) {
      const id = `suno-${songs.size + 1}`
      songs.set(id, { task_id: id, action: path.split('/')[3], status: 'QUEUED', progress: '0%', fail_reason: '', data: null })
      return json({ code: 'success', message: '', data: id })
    }
    if (method === 'POST') {
      const { ids } = JSON.parse(body) as { readonly ids: readonly string[] }
      return json({ code: 'success', message: '', data: ids.flatMap((id) => songs.get(id) ?? []) })
    }
    return json({ code: 'success', message: '', data: songs.get(path.split('/')[3] ?? '') ?? null })
  }
})
afterAll(() => closeConsistent(scene))

interface SongResponse {
  readonly code: string
  readonly message: string
  readonly data: unknown
}

async function ask(path: string, body?: object, key = scene.key): Promise<SongResponse & { readonly status: number }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await scene.app.request(path, body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) })
  // Holds: every response below /suno has this form.
  return { status: response.status, ...((await response.json()) as SongResponse) }
}

const clips = [
  { id: 'clip-1', title: 'Rain', audio_url: 'https://cdn.example.com/1.mp3', image_url: 'https://cdn.example.com/1.png' },
  { id: 'clip-2', title: 'Rain', audio_url: 'https://cdn.example.com/2.mp3', image_url: 'https://cdn.example.com/2.png' },
]

test('a song is created, fetched alone and among others, continued at its channel, and charged by the call', async () => {
  const { app, user, poll } = scene
  const before = await balanceOf(app, user)
  const submitted = await ask('/suno/submit/MUSIC', {
    gpt_description_prompt: 'A song about rain',
    make_instrumental: false,
    mv: 'chirp-v4',
  })
  expect(submitted).toMatchObject({ status: 200, code: 'success', message: '' })
  const id = String(submitted.data)
  expect(id).toMatch(/^task_[0-9a-f]{32}$/)
  const upstreamRequest = app.upstream.received.find(({ path }) => path === '/suno/submit/MUSIC')
  expect(JSON.parse(upstreamRequest?.body ?? '{}')).toEqual({
    gpt_description_prompt: 'A song about rain',
    make_instrumental: false,
    mv: 'chirp-v4',
  })
  expect(await ask(`/suno/fetch/${id}`)).toMatchObject({
    data: { task_id: id, action: 'MUSIC', status: 'QUEUED', progress: '0%', data: null },
  })
  Object.assign(songs.get('suno-1') ?? {}, { status: 'SUCCESS', progress: '100%', data: clips })
  await poll()
  const done = await ask('/suno/fetch', { ids: [id, 'task_ffffffffffffffffffffffffffffffff'] })
  expect(done.data).toEqual([expect.objectContaining({ task_id: id, status: 'SUCCESS', progress: '100%', fail_reason: '', data: clips })])
  expect(JSON.stringify(done)).not.toContain('suno-1')
  // A song costs $0.10.
  expect(await balanceOf(app, user)).toBe(before - 50_000)
  const next = await ask('/suno/submit/music', { prompt: 'More rain', continue_clip_id: 'clip-2', continue_at: 60, task_id: id })
  expect(next.code).toBe('success')
  expect(JSON.parse(app.upstream.received.findLast(({ path }) => path === '/suno/submit/MUSIC')?.body ?? '{}')).toMatchObject({
    task_id: 'suno-1',
    continue_clip_id: 'clip-2',
  })
  expect(await ask('/suno/submit/music', { prompt: 'x', continue_clip_id: 'nobody-made-it' })).toMatchObject({ status: 400, data: null })
  Object.assign(songs.get('suno-2') ?? {}, { status: 'FAILURE', fail_reason: 'out of ideas' })
  await poll()
  expect(await ask(`/suno/fetch/${next.data}`)).toMatchObject({ data: { status: 'FAILURE', fail_reason: 'out of ideas' } })
  expect(await balanceOf(app, user)).toBe(before - 50_000)
})

test('words are a task of their own with a price of their own', async () => {
  const { app, user, poll } = scene
  const before = await balanceOf(app, user)
  const { data: id } = await ask('/suno/submit/lyrics', { prompt: 'Words about rain' })
  Object.assign([...songs.values()].at(-1) ?? {}, {
    status: 'SUCCESS',
    data: { id: 'l', status: 'complete', title: 'Rain', text: 'It rains.' },
  })
  await poll()
  expect(await ask(`/suno/fetch/${id}`)).toMatchObject({ data: { action: 'LYRICS', status: 'SUCCESS', data: { text: 'It rains.' } } })
  expect(await balanceOf(app, user)).toBe(before - 5_000)
})

test('many songs of a channel are polled together', async () => {
  const { app, poll } = scene
  const ids: string[] = []
  for (let count = 0; count < 12; count += 1) ids.push(String((await ask('/suno/submit/music', { prompt: `Song ${count}` })).data))
  for (const song of songs.values()) Object.assign(song, { status: 'SUCCESS', data: clips })
  const before = app.upstream.received.length
  await poll()
  const polls = app.upstream.received.slice(before)
  expect(polls.map(({ method, path }) => [method, path])).toEqual([['POST', '/suno/fetch']])
  const { data } = await ask('/suno/fetch', { ids })
  expect((data as { readonly status: string }[]).map(({ status }) => status)).toEqual(ids.map(() => 'SUCCESS'))
})

test('a result that is too large to be kept fails its own task, for free, and the others of its response are completed', async () => {
  const { app, user, poll } = scene
  const ids: string[] = []
  for (const name of ['large', 'small']) ids.push(String((await ask('/suno/submit/music', { prompt: name })).data))
  const [large = {}, small = {}] = [...songs.values()].slice(-2)
  const before = await balanceOf(app, user)
  // Sealed it has 64 Mi characters and some more.
  Object.assign(large, { status: 'SUCCESS', data: Array.from({ length: 52 }, () => ({ text: 'x'.repeat(1_000_000) })) })
  Object.assign(small, { status: 'SUCCESS', data: clips })
  await poll()
  const states = async () =>
    await app.app.store.db
      .selectFrom('tasks')
      .select(['state', 'error_code', 'charged'])
      .where('public_id', 'in', ids)
      .orderBy('id')
      .execute()
  expect(await states()).toEqual([
    { state: 'failed', error_code: 'task_result_too_large', charged: 0 },
    { state: 'completed', error_code: '', charged: 50_000 },
  ])
  expect(await balanceOf(app, user)).toBe(before - 50_000)
  expect(await app.app.store.db.selectFrom('ledger_set_aside').selectAll().execute()).toEqual([])
})

/** The most processor time, in milliseconds, that passes between two turns of the event loop while the work lasts. */
async function longestStep(work: () => Promise<unknown>): Promise<number> {
  let isOver = false
  let longest = 0
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const before = process.cpuUsage()
      await new Promise((resolve) => setImmediate(resolve))
      const { user, system } = process.cpuUsage(before)
      longest = Math.max(longest, (user + system) / 1000)
    }
  }
  const watching = watch()
  await work().finally(() => {
    isOver = true
  })
  await watching
  return longest
}

/** All of them in one step take 600 ms and more. What is sent and received of a long response is part of a step here. */
const stepMsMax = 400

describe('lists of tasks whose vendor sent much about each', () => {
  const ids: string[] = []
  beforeAll(async () => {
    const data = Array.from({ length: 8_000 }, (_, index) => ({ id: `clip-${index}`, audio_url: `https://cdn.example.com/${index}.mp3` }))
    // As many at a time as one response of the vendor may have.
    for (let round = 0; round < 8; round += 1) {
      for (let count = 0; count < 8; count += 1) ids.push(String((await ask('/suno/submit/music', { prompt: `Song ${count}` })).data))
      for (const song of [...songs.values()].slice(-8)) Object.assign(song, { status: 'SUCCESS', data })
      await scene.poll()
    }
  })

  /** The response, which is not parsed: that would be work of this process, too. */
  async function receive(path: string, init: RequestInit = {}): Promise<ArrayBuffer> {
    const headers = { authorization: `Bearer ${scene.key}`, 'content-type': 'application/json' }
    return await (await scene.app.request(path, { headers, ...init })).arrayBuffer()
  }

  test.each([
    ['for clients', () => receive('/v1/tasks?limit=100')],
    ['of songs', () => receive('/suno/fetch', { method: 'POST', body: JSON.stringify({ ids }) })],
    ['of the console', () => receive(`${contract.task.list.path}?size=100`, { headers: scene.app.root.headers })],
    ['in files', () => receive(contract.task.export.path, { headers: scene.app.root.headers })],
  ] as const)('%s let other work be done meanwhile', async (_, list) => {
    expect((await list()).byteLength).toBeGreaterThan(1_000)
    expect(await longestStep(list)).toBeLessThan(stepMsMax)
  })
})

test('errors have the form of Suno-API, and nobody fetches the songs of others', async () => {
  const { app } = scene
  expect(await ask('/suno/submit/dance', { prompt: 'x' })).toMatchObject({ status: 400, code: 'invalid_parameter', data: null })
  expect(await ask('/suno/submit/lyrics', { prompt: '' })).toMatchObject({ status: 400, data: null })
  expect(await ask('/suno/fetch', { ids: 'all' })).toMatchObject({ status: 400, code: 'invalid_parameter', data: null })
  expect(await ask('/suno/fetch/task_ffffffffffffffffffffffffffffffff')).toMatchObject({ status: 404, code: 'task_not_found', data: null })
  expect(await ask('/suno/fetch/x', undefined, 'sk-wrong')).toMatchObject({ status: 401, data: null })
  const { data: id } = await ask('/suno/submit/music', { prompt: 'Mine' })
  const stranger = await app.make.user({ quota: 1_000_000 })
  const { key } = await app.make.token(stranger, { isUnlimited: true })
  expect(await ask(`/suno/fetch/${id}`, undefined, key)).toMatchObject({ status: 404, code: 'task_not_found' })
  expect(await ask('/suno/fetch', { ids: [id] }, key)).toMatchObject({ data: [] })
  for (const song of songs.values()) Object.assign(song, { status: 'FAILURE' })
  await scene.poll()
  const [row] = await app.data(contract.log.list, { username: scene.user.username })
  expect(row).toMatchObject({ model_name: 'suno_music', quota: 0 })
})
