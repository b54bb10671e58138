import { afterAll, beforeAll, expect, test } from 'bun:test'
import { balanceOf, holdsOf, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// Orders that are sent again under the name that their client gave them.

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
})
afterAll(async () => {
  expect(await scene.app.inconsistencies()).toEqual([])
  await scene.app.close()
})

const params = { model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' }

interface AttemptResponse {
  readonly status: number
  readonly id: string
  readonly code: string
}

async function send(
  name: string,
  body: object = params,
  { key, path = '/v1/videos' }: { key?: string; path?: string } = {},
): Promise<AttemptResponse> {
  const headers = { authorization: `Bearer ${key ?? scene.key}`, 'content-type': 'application/json', 'idempotency-key': name }
  const response = await scene.app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const json = (await response.json()) as { readonly id?: string; readonly error?: { readonly code: string } }
  return { status: response.status, id: json.id ?? '', code: json.error?.code ?? '' }
}

const createRequests = (): number => scene.vendor.createRequests().length

test('an order that is sent again is the same task, while it runs and after its end', async () => {
  const before = createRequests()
  const first = await send('order-1')
  const again = await send('order-1')
  expect([first.status, again]).toEqual([200, first])
  for (const video of scene.vendor.videos.values()) video.status = 'completed'
  await scene.poll()
  expect(await send('order-1')).toEqual(first)
  expect(createRequests()).toBe(before + 1)
  const { charged_quota: charged } = (await (
    await scene.app.request(`/v1/tasks/${first.id}`, { headers: { authorization: `Bearer ${scene.key}` } })
  ).json()) as { readonly charged_quota: number }
  expect(charged).toBe(200_000)
})

test('orders that are sent at the same time become one task', async () => {
  const before = createRequests()
  const responses = await Promise.all(Array.from({ length: 8 }, () => send('order-2')))
  expect(createRequests()).toBe(before + 1)
  const taken = responses.filter(({ status }) => status === 200)
  expect(new Set(taken.map(({ id }) => id)).size).toBe(1)
  const rest = responses.filter(({ status }) => status !== 200)
  expect(rest.filter(({ status, code }) => status !== 409 || code !== 'idempotency_key_in_use')).toEqual([])
  expect(await holdsOf(scene.app)).toBe(1)
})

test('another order may not have the same name, unless it is of another account', async () => {
  const { id } = await send('order-3')
  expect(await send('order-3', { ...params, prompt: 'A dog' })).toMatchObject({ status: 409, code: 'idempotency_key_reused' })
  expect(await send('order-3', params, { path: '/v1/tasks?kind=pictures' })).toMatchObject({ status: 409, code: 'idempotency_key_reused' })
  const user = await scene.app.make.user({ quota: 10_000_000 })
  const { key } = await scene.app.make.token(user, { isUnlimited: true })
  const others = await send('order-3', params, { key })
  expect([others.status, others.id === id]).toEqual([200, false])
})

test('an order that was refused may be sent again under its name', async () => {
  const before = await balanceOf(scene.app, scene.user)
  const wrong = { ...params, size: '640x480' }
  expect((await send('order-4', wrong)).status).toBe(400)
  expect((await send('order-4', wrong)).status).toBe(400)
  expect((await send('order-4')).status).toBe(200)
  expect(await balanceOf(scene.app, scene.user)).toBe(before)
})

test('a name that was lost with its process is free after minutes, and every name after a day', async () => {
  const { db } = scene.app.app.store
  const now = Math.floor(scene.clock.nowMs() / 1000)
  // What a process leaves that dies between the name and the row of the task.
  const { id } = await send('order-5')
  const { order_hash } = await db.selectFrom('task_order_keys').selectAll().where('task_id', '=', id).executeTakeFirstOrThrow()
  await db
    .updateTable('task_order_keys')
    .set({ client_key: 'order-6', task_id: 'video_lost', order_hash })
    .where('task_id', '=', id)
    .execute()
  expect(await send('order-6')).toMatchObject({ status: 409, code: 'idempotency_key_in_use' })
  await db
    .updateTable('task_order_keys')
    .set({ created_at: now - 301 })
    .where('client_key', '=', 'order-6')
    .execute()
  expect((await send('order-6')).status).toBe(200)
  scene.clock.advance(25 * 3_600_000)
  await scene.run('clean-tasks')
  expect((await db.selectFrom('task_order_keys').selectAll().execute()).length).toBe(0)
})

test('a name that is none is refused', async () => {
  for (const name of ['x'.repeat(256), 'a b']) expect((await send(name)).status).toBe(400)
})
