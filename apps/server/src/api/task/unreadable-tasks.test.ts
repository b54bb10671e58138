import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { damagedSeal } from '../../../test/damaged-seal.ts'
import { balanceOf, clientFor, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// Tasks whose sealed columns cannot be read with the present master key.

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
afterAll(() => scene.app.close())

const params = { model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' } as const
type Column = 'order_sealed' | 'upstream_sealed' | 'result_sealed'

/** A new account with one task, which its vendor has finished unless it still runs. */
async function created({ isRunning = false } = {}) {
  const { app, vendor, poll } = scene
  const user = await app.make.user({ quota: 10_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const { id } = await clientFor(app, key).videos.create(params)
  if (!isRunning) {
    for (const video of vendor.videos.values()) video.status = 'completed'
    await poll()
  }
  const request = async (path: string, init: RequestInit = {}) => {
    const response = await app.request(path, { ...init, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } })
    return { status: response.status, text: await response.text() }
  }
  const damage = async (...columns: readonly Column[]) => {
    const damaged = Object.fromEntries(columns.map((column) => [column, damagedSeal]))
    await app.app.store.db.updateTable('tasks').set(damaged).where('public_id', '=', id).execute()
  }
  const row = async () => {
    const [listed] = await app.data(contract.task.self, {}, user)
    if (listed === undefined) throw new Error('there is no task')
    return listed
  }
  return { id, user, request, damage, row }
}

test('a task says which of its parts cannot be read: in lists, alone, for administrators, to clients and in files', async () => {
  const { app } = scene
  const { id, user, request, damage, row } = await created()
  expect(await row()).toMatchObject({ unreadable: [], prompt: params.prompt })
  expect(JSON.parse((await request(`/v1/tasks/${id}`)).text)).toMatchObject({ unreadable: [] })
  for (const [column, part] of [
    ['order_sealed', 'order'],
    ['upstream_sealed', 'upstream'],
    ['result_sealed', 'result'],
  ] as const) {
    const before = await row()
    await damage(column)
    const expected = [...before.unreadable, part]
    const listed = await row()
    expect(listed).toMatchObject({ unreadable: expected, state: 'completed', model: params.model, seconds: 4, charged: 200_000 })
    expect((await app.data(contract.task.get, { id: listed.id }, user)).unreadable).toEqual(expected)
    const all = await app.data(contract.task.list, { username: user.username })
    expect(all.map(({ unreadable }) => unreadable)).toEqual([expected])
    expect(JSON.parse((await request(`/v1/tasks/${id}`)).text)).toMatchObject({ unreadable: expected, status: 'completed' })
  }
  expect(await row()).toMatchObject({ prompt: '', results: [], film_changes: [], cancellable: false, parameters: {} })
  const fileIn = async (format: string) =>
    await (await app.request(`/api/task/self/export?format=${format}`, { headers: user.headers })).text()
  expect(await fileIn('csv')).toContain('cannot be read with this master key')
  expect(JSON.parse(await fileIn('json'))).toMatchObject([{ prompt: '', unreadable: ['order', 'upstream', 'result'] }])
})

test('what needs a part that cannot be read is refused by its name', async () => {
  const { id, request, damage } = await created()
  await damage('result_sealed')
  const refusal = { status: 409, text: expect.stringContaining(en.task_unreadable) }
  expect(await request(`/v1/videos/${id}/content`)).toEqual(refusal)
  await damage('upstream_sealed')
  expect(await request(`/v1/videos/${id}/content`)).toEqual(refusal)
  const body = JSON.stringify({ prompt: 'Again' })
  expect(await request(`/v1/videos/${id}/remix`, { method: 'POST', body })).toEqual(refusal)
  expect((await request(`/v1/videos/${id}`)).status).toBe(200)
  expect((await request(`/v1/videos/${id}`, { method: 'DELETE' })).status).toBe(200)
  expect((await request(`/v1/videos/${id}`)).status).toBe(404)
})

test('a running task is listed as such, cannot be stopped, keeps no other from being followed, and ends for nothing', async () => {
  const { app, poll } = scene
  const { id, user, request, damage, row } = await created({ isRunning: true })
  await damage('order_sealed', 'upstream_sealed')
  expect(await row()).toMatchObject({ state: 'queued', unreadable: ['order', 'upstream'], cancellable: false })
  expect(await request(`/v1/tasks/${id}/cancel`, { method: 'POST' })).toEqual({
    status: 409,
    text: expect.stringContaining(en.task_unreadable),
  })
  const other = await created()
  expect(await other.row()).toMatchObject({ state: 'completed', unreadable: [] })
  for (let hours = 0; hours < 40; hours += 1) await poll(3_600_000)
  expect(await row()).toMatchObject({ state: 'expired', charged: 0, unreadable: ['order', 'upstream'] })
  expect(await balanceOf(app, user)).toBe(10_000_000)
})

test('a kept content that cannot be read is refused by its name', async () => {
  const { app } = scene
  const { id, request, damage } = await created()
  const { db } = app.app.store
  const { result_sealed } = await db.selectFrom('tasks').select('result_sealed').where('public_id', '=', id).executeTakeFirstOrThrow()
  const stored = app.seal.tryOpen(result_sealed, `task:${id}`)
  // Holds: the server wrote it.
  const result = JSON.parse(stored ?? '') as { readonly results: readonly object[] }
  const kept = { ...result, results: result.results.map((one) => ({ ...one, isKept: true })) }
  await db
    .updateTable('tasks')
    .set({ result_sealed: app.seal.seal(JSON.stringify(kept), `task:${id}`) })
    .where('public_id', '=', id)
    .execute()
  await db.insertInto('task_contents').values({ task_id: id, place: 0, content_sealed: damagedSeal }).execute()
  // The vendor has it too.
  expect((await request(`/v1/videos/${id}/content`)).status).toBe(200)
  await damage('upstream_sealed')
  expect(await request(`/v1/videos/${id}/content`)).toEqual({ status: 409, text: expect.stringContaining(en.task_unreadable) })
})
