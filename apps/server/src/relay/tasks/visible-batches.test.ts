import { afterAll, beforeAll, expect, test } from 'bun:test'
import { anthropicFor, type BatchScene, batchScene, unanswered } from '../../../test/batch-scene.ts'
import { closeConsistent } from '../../../test/task-scene.ts'

// What a token with a list of models may see of the batches of its account.

const [big, small] = ['claude-sonnet-4-5', 'claude-haiku-4-5'] as const

let scene: BatchScene
beforeAll(async () => {
  scene = await batchScene()
})
afterAll(() => closeConsistent(scene))

async function token(options: { readonly models?: string; readonly ownWorkOnly?: boolean } = {}) {
  const { key } = await scene.app.make.token(scene.user, { isUnlimited: true, ...options })
  return anthropicFor(scene, key)
}

type Client = Awaited<ReturnType<typeof token>>

async function created(client: Client, ...models: readonly string[]): Promise<string> {
  const requests = models.map((model) => ({
    custom_id: model,
    params: { model, max_tokens: 10, messages: [{ role: 'user' as const, content: 'Hi' }] },
  }))
  const { id } = await client.messages.batches.create({ requests })
  // Its vendor responds to none of its requests, so that nothing stays reserved.
  scene.batches.end(models.map((model) => unanswered(model, 'canceled')))
  return id
}

const statusOf = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 200,
    (error: unknown) => (error instanceof Error && 'status' in error ? Number(error.status) : 0),
  )

async function listed(client: Client): Promise<readonly string[]> {
  return (await client.messages.batches.list({ limit: 100 })).data.map(({ id }) => id)
}

test('a batch of one model is seen by tokens with this model, and one of several only by whoever created it', async () => {
  const [all, limited, both] = [await token(), await token({ models: small }), await token({ models: `${big},${small}` })]
  const [ofSmall, ofBig, ofBoth] = [await created(all, small), await created(all, big), await created(both, big, small)]
  expect(await listed(limited)).toEqual([ofSmall])
  expect(await listed(both)).toEqual([ofBoth, ofBig, ofSmall])
  expect(await listed(all)).toEqual([ofBoth, ofBig, ofSmall])
  expect(await listed(await token({ models: `${big},${small}` }))).toEqual([ofBig, ofSmall])
  for (const id of [ofBig, ofBoth]) {
    expect(await statusOf(limited.messages.batches.retrieve(id))).toBe(404)
    expect(await statusOf(limited.messages.batches.cancel(id))).toBe(404)
    expect(await statusOf(limited.messages.batches.delete(id))).toBe(404)
    expect(await statusOf(limited.messages.batches.results(id))).toBe(404)
    expect(await statusOf(limited.messages.batches.list({ after_id: id }))).toBe(404)
  }
  expect(await listed(await token({ ownWorkOnly: true }))).toEqual([])
  await scene.poll()
})
