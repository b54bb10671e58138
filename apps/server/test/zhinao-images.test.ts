import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from './app.ts'
import { setOptions } from './channel-scene.ts'
import { json, type Script } from './fake-upstream.ts'

// Images of 360 (type 19), through HTTP: its own models, and those of others in OpenAI's form.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await setOptions(app, { PriceRules: JSON.stringify({ 'google/gemini-3-pro-image-preview': { picture: 0.1 } }) })
})
afterAll(() => app.close())

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

const url = 'https://pictures.example/1.png'
const own = '360CV_S0_V5'
const ofOthers = 'google/gemini-3-pro-image-preview'
const generated = (...output: readonly string[]): Script => json({ status: 'success', generationTime: 3, output, meta: { H: 512, W: 512 } })

async function draw(model: string, body: object, script: Script | null) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups })
  const { key } = await app.make.token(user)
  await app.make.channel({ groups, type: 19, models: model, key: 'fk1.abc' })
  if (script !== null) app.upstream.script(script)
  const response = await app.request('/v1/images/generations', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, prompt: 'a cat', ...body }),
  })
  const responseBody = (await response.json()) as Readonly<Record<string, unknown>>
  await app.app.ledger.drain()
  const [row] = await app.data(contract.log.list, { username: user.username })
  return { status: response.status, told: responseBody, quota: row?.quota }
}

const lastRequest = () => app.upstream.received.at(-1)
const lastBody = (): unknown => JSON.parse(lastRequest()?.body ?? '')
const yuan = (price: number): number => Math.ceil((price / 7) * 500_000)

describe('images of 360', () => {
  test('have the size as two numbers, a style, and the number of samples', async () => {
    const options = { n: 2, size: '1024x768', seed: 7, style: 'cartoon', negative_prompt: 'dogs' }
    expect(await draw(own, options, generated(url, url))).toMatchObject({
      status: 200,
      told: { data: [{ url }, { url }] },
      quota: yuan(0.2),
    })
    expect(lastRequest()).toMatchObject({ path: '/v1/images/text2img', headers: { authorization: 'Bearer fk1.abc' } })
    expect(lastBody()).toEqual({
      ...{ model: own, prompt: 'a cat', style: 'cartoon', width: 1024, height: 768 },
      ...{ samples: 2, seed: 7, negative_prompt: 'dogs' },
    })
  })

  test('are realistic and of the usual size unless the client says otherwise, and those that are missing cost nothing', async () => {
    expect(await draw(own, { n: 4, size: 'auto', style: 'natural' }, generated(url))).toMatchObject({ status: 200, quota: yuan(0.1) })
    expect(lastBody()).toEqual({ model: own, prompt: 'a cat', style: 'realistic', width: 512, height: 512, samples: 4 })
  })

  test.each([
    ['n', { n: 5 }],
    ['size', { size: '4096x512' }],
    ['size', { size: 'large' }],
    ['size', { size: '0x0' }],
    ['style', { style: 'vivid' }],
    ['background', { background: 'transparent' }],
    ['prompt', { prompt: 'x'.repeat(501) }],
  ])('refuse by name what the vendor does not have: %s', async (param, body) => {
    expect(await draw(own, body, null)).toMatchObject({ status: 400, told: { error: { param } } })
  })

  test.each([
    ['that the filter judges', generated(), 400, 'content_policy_violation'],
    ['that failed', json({ status: 'error', output: [] }), 502, null],
    ['that are an error with status 200', json({ error: { code: '1001', message: 'no such style' } }), 502, null],
  ])('%s cost nothing', async (_which, script, status, code) => {
    const response = await draw(own, {}, script)
    expect(response.status).toBe(status)
    if (code !== null) expect(response.told).toMatchObject({ error: { code } })
    expect(response.quota ?? 0).toBe(0)
  })

  test('by models of others are requested in OpenAI’s format', async () => {
    const response = await draw(ofOthers, { n: 1, size: '1024x576' }, json({ created: 7, data: [{ url }] }))
    expect(response).toMatchObject({ status: 200, told: { data: [{ url }] }, quota: 50_000 })
    expect(lastRequest()).toMatchObject({ path: '/v1/images/generations' })
    expect(lastBody()).toEqual({ model: ofOthers, prompt: 'a cat', n: 1, size: '1024x576' })
  })
})
