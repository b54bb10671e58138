import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI, { APIError, toFile } from 'openai'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { json, type Received, type Script } from '../../../test/fake-upstream.ts'
import { balanceOf, holdsOf } from '../../../test/task-scene.ts'

// OpenAI's own client waits for images that their vendor makes as tasks.

let app: TestApp
let user: TestUser
let client: OpenAI
/** Answers of the vendor after its usual ones. */
let polls = 0
let end: (id: string) => object = () => ({})
const pngBytes = Buffer.from('a picture')
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 10_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
  await app.make.channel({ type: 47, models: 'flux-2-pro,flux-kontext-pro,flux-pro-1.1' })
  app.upstream.fallback(response)
})
afterAll(async () => {
  expect(await holdsOf(app)).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

let createRequests = 0

function response({ method, path }: Received): Script {
  if (path.startsWith('/out/'))
    return [
      { do: 'head', status: 200, headers: { 'content-type': 'image/jpeg' } },
      { do: 'send', bytes: pngBytes },
    ]
  if (method === 'POST')
    return json({ id: `flux-${++createRequests}`, polling_url: `${app.upstream.url}/v1/get_result?id=flux-${createRequests}` })
  const id = new URL(path, app.upstream.url).searchParams.get('id') ?? ''
  polls += 1
  return json(polls === 1 ? { id, status: 'Pending', progress: 0.5 } : { id, ...end(id) })
}

const ready = (id: string): object => ({ status: 'Ready', result: { sample: `${app.upstream.url}/out/${id}.jpg`, seed: 7 } })

test('an image is drawn, waited for, and sent as bytes or as the vendor’s address; each is charged by its credits', async () => {
  end = ready
  const before = await balanceOf(app, user)
  const bytes = await client.images.generate({ model: 'flux-2-pro', prompt: 'A cat', size: '1024x1024' })
  expect(bytes.data).toEqual([{ b64_json: pngBytes.toString('base64') }])
  const upstreamBody = JSON.parse(app.upstream.received.find(({ method }) => method === 'POST')?.body ?? '{}')
  expect(upstreamBody).toMatchObject({ prompt: 'A cat', width: 1024, height: 1024 })
  // Three credits for the first megapixel.
  expect(await balanceOf(app, user)).toBe(before - 15_000)
  const address = await client.images.generate({ model: 'flux-2-pro', prompt: 'A cat', size: '1024x1024', response_format: 'url' })
  expect(address.data?.[0]?.url).toMatch(/\/out\/flux-2\.jpg$/)
  const [row] = await app.data(contract.log.list, { username: user.username })
  expect(row).toMatchObject({ model_name: 'flux-2-pro', quota: 15_000, charges: [{ unit: 'credits', count: 3_000, price: 5 }] })
})

test('several images are several tasks, and the vendor’s own cost is charged', async () => {
  end = (id) => ({ ...ready(id), cost: 4.5 })
  const before = await balanceOf(app, user)
  const { data } = await client.images.generate({ model: 'flux-2-pro', prompt: 'Cats', n: 2 })
  expect(data?.length).toBe(2)
  expect(before - (await balanceOf(app, user))).toBe(2 * 22_500)
})

test('an edit carries its images', async () => {
  end = ready
  const file = await toFile(Buffer.from('my picture'), 'in.png', { type: 'image/png' })
  const { data } = await client.images.edit({ model: 'flux-kontext-pro', prompt: 'Make it night', image: file })
  expect(data?.[0]?.b64_json).toBe(pngBytes.toString('base64'))
  const body = app.upstream.received.findLast(({ method }) => method === 'POST')?.body ?? '{}'
  expect(JSON.parse(body)).toMatchObject({ prompt: 'Make it night', input_image: Buffer.from('my picture').toString('base64') })
})

test('a variation of an image is drawn by a model that needs no words, and refused by name at others', async () => {
  end = ready
  const image = await toFile(Buffer.from('my picture'), 'in.png', { type: 'image/png' })
  const { data } = await client.images.createVariation({ model: 'flux-pro-1.1', image, size: '1024x1024', n: 1 })
  expect(data?.[0]?.b64_json).toBe(pngBytes.toString('base64'))
  const body = app.upstream.received.findLast(({ method }) => method === 'POST')?.body ?? '{}'
  expect(JSON.parse(body)).toEqual({
    prompt: '',
    width: 1024,
    height: 1024,
    image_prompt: Buffer.from('my picture').toString('base64'),
  })
  for (const model of ['flux-2-pro', 'flux-kontext-pro'])
    expect(await errorOf(client.images.createVariation({ model, image }))).toMatchObject({ status: 400, param: 'model' })
})

async function errorOf(work: Promise<unknown>) {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof APIError ? { status: error.status, code: error.code, param: error.param } : error
}

test('an image that is refused for what it shows is free, and so is what cannot be drawn', async () => {
  const before = await balanceOf(app, user)
  end = () => ({ status: 'Content Moderated' })
  expect(await errorOf(client.images.generate({ model: 'flux-2-pro', prompt: 'x' }))).toMatchObject({
    status: 400,
    code: 'content_policy_violation',
  })
  end = () => ({ status: 'Error' })
  expect(await errorOf(client.images.generate({ model: 'flux-2-pro', prompt: 'x' }))).toMatchObject({ status: 502 })
  expect(await errorOf(client.images.generate({ model: 'flux-2-pro', prompt: 'x', size: '33x17' as never }))).toMatchObject({
    status: 400,
    param: 'size',
  })
  expect(await errorOf(client.images.generate({ model: 'flux-2-pro', prompt: 'x', stream: true }))).toMatchObject({
    status: 400,
    param: 'stream',
  })
  expect(await errorOf(client.images.generate({ model: 'flux-2-pro', prompt: 'x', background: 'transparent' }))).toMatchObject({
    status: 400,
    param: 'background',
  })
  expect(await balanceOf(app, user)).toBe(before)
})

test.each(['__proto__', 'constructor'])('a parameter called %s is refused by its name', async (name) => {
  const body = JSON.stringify({ model: 'flux-2-pro', prompt: 'A cat' }).replace('{', `{"${name}": {"model": "x"}, `)
  const headers = { authorization: `Bearer ${client.apiKey}`, 'content-type': 'application/json' }
  const response = await app.request('/v1/images/generations', { method: 'POST', headers, body })
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'parameter_not_offered', param: name } }])
})

test('an edit with two masks is refused', async () => {
  const file = () => toFile(Buffer.from('my picture'), 'in.png', { type: 'image/png' })
  const form = new FormData()
  for (const [field, text] of Object.entries({ model: 'flux-kontext-pro', prompt: 'Make it night' })) form.set(field, text)
  for (const field of ['image', 'mask', 'mask']) form.append(field, await file())
  const headers = { authorization: `Bearer ${client.apiKey}` }
  const response = await app.request('/v1/images/edits', { method: 'POST', headers, body: form })
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'invalid_parameter', param: 'mask' } }])
})
