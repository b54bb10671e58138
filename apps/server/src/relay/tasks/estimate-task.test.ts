import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type CreatableTaskKind, contract, creatableTaskKinds } from '@sluice/contract'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { Lengths, TaskFields } from '@sluice/vendors/core/task'
import type { Parameter } from '@sluice/vendors/core/task-parameter'
import { vendors } from '@sluice/vendors/registry/list'
import { makesTasks, taskDialectOf } from '@sluice/vendors/registry/task-dialect-of'
import { json } from '../../../test/fake-upstream.ts'
import { balanceOf, closeConsistent, holdsOf, type TaskScene, taskScene } from '../../../test/task-scene.ts'

// The price that the console's form shows for a task is what is reserved for it: for every model that makes tasks, with all of its parameters.

let scene: TaskScene
beforeAll(async () => {
  scene = await taskScene()
  const { app, user } = scene
  await app.data(contract.user.update, { id: user.id, quota: 1_000_000_000 })
  app.upstream.fallback(() => json({ error: { message: 'not today', type: 'invalid_request_error' } }, 400))
  for (const { type, key, models } of servers) await app.make.channel({ type, key, models: models.map(({ model }) => model).join() })
})
afterAll(() => closeConsistent(scene))

interface Model {
  readonly kind: CreatableTaskKind
  readonly model: string
  readonly fields: TaskFields
}

const servers = vendors.flatMap((vendor) => {
  const models = creatableTaskKinds.flatMap((kind) =>
    vendor.models.names.flatMap((model): readonly Model[] => {
      const fields = makesTasks(vendor, kind, model) ? taskDialectOf(vendor, kind, model)?.fields(model) : null
      return fields ? [{ kind, model, fields }] : []
    }),
  )
  // A key that has the place of an account within it.
  const key = vendor.key.fields === undefined ? 'upstream-key' : 'us-central1|project-1|AIza-a-key-of-a-test-0001'
  return models.length === 0 ? [] : [{ type: vendor.type, key, models }]
})

const image = 'data:image/png;base64,aGk='

const lengthsIn = (lengths: Lengths): readonly number[] => ('least' in lengths ? [lengths.least, lengths.most] : lengths)

function valuesOf(parameter: Parameter): readonly Json[] {
  switch (parameter.type) {
    case 'flag':
      return [true, false]
    case 'choice':
      return parameter.values
    case 'number':
      return [parameter.least]
    default:
      return []
  }
}

/** The order with nothing but words, and one for each value that a form offers. */
function paramSetsOf({ model, fields }: Model): readonly JsonObject[] {
  const images = Array.from({ length: fields.images.least }, () => image)
  const plain = { model, prompt: 'A cat', ...(images.length > 0 && { input_reference: images }) }
  const more: readonly JsonObject[] = [
    ...lengthsIn(fields.seconds ?? []).map((seconds) => ({ seconds: String(seconds) })),
    ...fields.sizes.map((size) => ({ size })),
    ...(fields.images.most > 0 ? [{ input_reference: image }] : []),
    ...Object.entries(fields.parameters).flatMap(([name, parameter]) => valuesOf(parameter).map((value) => ({ [name]: value }))),
  ]
  return [plain, ...more.map((one) => ({ ...plain, ...one }))]
}

const paths: Readonly<Record<CreatableTaskKind, string>> = {
  videos: '/v1/videos',
  pictures: '/v1/tasks?kind=pictures',
  songs: '/suno/submit/music',
}

/** What is reserved for an order; a text: why nothing is. */
async function heldFor(kind: CreatableTaskKind, body: JsonObject): Promise<number | string> {
  const { app, key } = scene
  const newest = () => app.app.store.db.selectFrom('tasks').select(['id', 'held']).orderBy('id', 'desc').limit(1).executeTakeFirst()
  const before = await newest()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await app.request(paths[kind], { method: 'POST', headers, body: JSON.stringify(body) })
  const payload = (await response.json()) as { readonly message?: string; readonly error?: { readonly message: string } }
  const after = await newest()
  if (after !== undefined && after.id !== before?.id) return Number(after.held)
  return payload.error?.message ?? payload.message ?? ''
}

/** @returns a text: why there is none */
async function estimated(kind: CreatableTaskKind, body: JsonObject, files = 0): Promise<number | string> {
  // Holds: no member of these orders is missing.
  const result = await scene.app.call(contract.task.estimate, { kind, order: body as Record<string, never>, files }, scene.user)
  return result.success ? result.data.quota : result.message
}

/** It needs a video; or it makes words, which have a call of their own. */
const needsOtherInput = ({ model, fields }: Model): boolean => fields.needsVideo === true || model === 'suno_lyrics'

const models = servers.flatMap(({ type, models: all }) => all.map((model) => [`type ${type} ${model.model}`, model] as const))

test.each(models)('%s: the estimate is what is reserved', async (_, model) => {
  const [first, ...others] = paramSetsOf(model)
  for (const params of [first, ...others]) {
    if (params === undefined) throw new Error('there is no order')
    const estimate = await estimated(model.kind, params)
    expect([params, estimate]).toEqual([params, await heldFor(model.kind, params)])
    if (params === first && !needsOtherInput(model)) expect([model.model, typeof estimate]).toEqual([model.model, 'number'])
  }
})

test('an estimate reserves nothing and sends nothing, and images count that are files', async () => {
  const { app, user } = scene
  const [balance, requestsBefore] = [await balanceOf(app, user), app.upstream.received.length]
  const params = { model: 'flux-2-pro', prompt: 'A cat' }
  const [without, withOne] = [await estimated('pictures', params), await estimated('pictures', params, 1)]
  expect(Number(withOne)).toBeGreaterThan(Number(without))
  expect(await app.data(contract.task.estimate, { kind: 'videos', order: { model: 'sora-2', prompt: 'A cat' } }, user)).toEqual({
    quota: 200_000,
    seconds: 4,
    size: '720x1280',
  })
  expect([await balanceOf(app, user), await holdsOf(app), app.upstream.received.length]).toEqual([balance, 0, requestsBefore])
})

test('an order that would be refused has no estimate but the reason', async () => {
  expect(await estimated('videos', { model: 'sora-2', prompt: 'A cat', size: '1x1' })).toContain('size')
  expect(await estimated('videos', { model: 'no-such', prompt: 'A cat' })).toContain('no-such')
  expect(await estimated('videos', { model: 'sora-2', prompt: 'A cat', camera: 'low' })).toContain('camera')
})
