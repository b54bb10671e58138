import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { anthropicFor, type BatchScene, batchScene, succeeded } from '../../../test/batch-scene.ts'
import { closeConsistent, mp4File } from '../../../test/task-scene.ts'

// Addresses of results at a server that a proxy publishes below a path.

let scene: BatchScene
beforeAll(async () => {
  scene = await batchScene({ env: { BASE_PATH: '/sluice' } })
})
afterAll(() => closeConsistent(scene))

test('results of tasks are below the path, for clients and in the console', async () => {
  const { app, key, vendor, poll } = scene
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sora-2', prompt: 'A cat', seconds: '4', size: '1280x720' })
  // Holds: the call returns a task.
  const { id } = (await (await app.request('/sluice/v1/tasks?kind=videos', { method: 'POST', headers, body })).json()) as { id: string }
  Object.assign([...vendor.videos.values()].at(-1) ?? {}, { status: 'completed' })
  await poll()
  const task = await (await app.request(`/sluice/v1/tasks/${id}`, { headers })).json()
  const path = `/sluice/v1/tasks/${id}/content?index=0`
  expect(task).toMatchObject({ status: 'completed', results: [{ url: path }, {}, {}] })
  expect(Buffer.from(await (await app.request(path, { headers })).arrayBuffer()).equals(mp4File)).toBe(true)
  const [row] = await app.data(contract.task.self, {}, scene.user)
  const url = (await app.data(contract.task.get, { id: row?.id ?? 0 }, scene.user)).results[0]?.url ?? ''
  expect(url).toStartWith(`/sluice/v1/tasks/${id}/content?`)
  expect((await app.request(url)).status).toBe(200)
})

test('the address of the results of a batch has the path, also if it begins with ServerAddress', async () => {
  const { app, key, batches, poll, mapped } = scene
  const client = anthropicFor({ app: { ...app, url: `${app.url}/sluice` } }, key)
  const params = { model: mapped, max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hi' }] }
  const { id } = await client.messages.batches.create({ requests: [{ custom_id: 'a', params }] })
  batches.end([succeeded('a')])
  await poll()
  const address = `${app.url}/sluice/v1/messages/batches/${id}/results`
  expect((await client.messages.batches.retrieve(id)).results_url).toBe(address)
  await app.data(contract.option.update, { key: 'ServerAddress', value: app.url })
  expect((await client.messages.batches.retrieve(id)).results_url).toBe(address)
  await app.data(contract.option.update, { key: 'ServerAddress', value: `${app.url}/outer/sluice` })
  expect((await client.messages.batches.retrieve(id)).results_url).toBe(`${app.url}/outer/sluice/v1/messages/batches/${id}/results`)
})
