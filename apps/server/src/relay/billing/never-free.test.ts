import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { defaultPrice, type Price, pricedModels } from '@sluice/vendors/registry/models/prices'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { events, json, type Script } from '../../../test/fake-upstream.ts'
import { wavFile } from '../../../test/wav.ts'

// What a vendor has done is paid, or the call is refused because the model has no price for it: of every model of the table, by every call.

const bases = ['ratio', 'second', 'character', 'picture', 'call', 'video', 'credit'] as const
const priceOf = (model: string): Price => defaultPrice(model, { yuanPerDollar: 7, nowMs: Date.parse('2026-11-29') }) ?? {}
const isFree = (price: Price): boolean => bases.every((base) => (price[base] ?? 0) === 0)

/** Whether a channel can have a model of this name. */
const isSellable = (model: string): boolean => /^[\w.:/@+-]+$/.test(model)

/** One model for each set of units that a price of the table has. */
const shapes: ReadonlyMap<string, string> = new Map(
  pricedModels.filter(isSellable).map((model) => {
    const price = priceOf(model)
    const units = [...bases, 'audioSecond' as const].filter((base) => (price[base] ?? 0) > 0)
    return [units.join(' + ') || 'free', model]
  }),
)

let app: TestApp
let user: TestUser
let key: string
/** Of an account without quota. */
let poorKey: string
beforeAll(async () => {
  app = await testApp()
  await app.make.channel({ type: 8, models: [...shapes.values()].join(',') })
  user = await app.make.user({ quota: 1_000_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
  poorKey = (await app.make.token(await app.make.user({ quota: 0 }), { isUnlimited: true })).key
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

const tokens = { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000 }
const words = 'word '.repeat(1_000)
const choices = [{ index: 0, text: words, message: { role: 'assistant', content: words }, finish_reason: 'stop' }]
const usageOf = { input_tokens: 1_000, output_tokens: 1_000, total_tokens: 2_000 }
const messages = [{ role: 'user', content: words }]
const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
const delta = { index: 0, delta: { role: 'assistant', content: words }, finish_reason: 'stop' }

function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

type Body = (model: string) => object | FormData
const image = new File([Uint8Array.of(1, 2, 3)], 'a.png', { type: 'image/png' })
const chatResponse = json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage: tokens })

const calls: ReadonlyArray<readonly [name: string, path: string, body: Body, script: Script]> = [
  ['a chat', '/v1/chat/completions', (model) => ({ model, messages }), chatResponse],
  [
    'a chat without usage',
    '/v1/chat/completions',
    (model) => ({ model, messages }),
    json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }),
  ],
  [
    'a stream',
    '/v1/chat/completions',
    (model) => ({ model, messages, stream: true }),
    events([{ ...chunk, choices: [delta] }, { ...chunk, choices: [], usage: tokens }, '[DONE]']),
  ],
  ['a message', '/v1/messages', (model) => ({ model, max_tokens: 1_000, messages }), chatResponse],
  ['content', '/v1beta/models/MODEL:generateContent', () => ({ contents: [{ role: 'user', parts: [{ text: words }] }] }), chatResponse],
  [
    'a completion',
    '/v1/completions',
    (model) => ({ model, prompt: words }),
    json({ id: 'c', object: 'text_completion', created: 1, model: 'm', choices, usage: tokens }),
  ],
  [
    'an embedding',
    '/v1/embeddings',
    (model) => ({ model, input: words }),
    json({
      object: 'list',
      model: 'm',
      data: [{ object: 'embedding', index: 0, embedding: [1] }],
      usage: { prompt_tokens: 1_000, total_tokens: 1_000 },
    }),
  ],
  [
    'a rerank',
    '/v1/rerank',
    (model) => ({ model, query: 'a', documents: [words] }),
    json({ model: 'm', results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 1_000 } }),
  ],
  ['a picture', '/v1/images/generations', (model) => ({ model, prompt: words }), json({ created: 1, data: [{ b64_json: 'AAAA' }] })],
  [
    'a picture with tokens',
    '/v1/images/generations',
    (model) => ({ model, prompt: words }),
    json({ created: 1, data: [{ b64_json: 'AAAA' }], usage: usageOf }),
  ],
  [
    'an edit',
    '/v1/images/edits',
    (model) => formOf({ model, prompt: words, image: image }),
    json({ created: 1, data: [{ b64_json: 'AAAA' }], usage: usageOf }),
  ],
  [
    'speech',
    '/v1/audio/speech',
    (model) => ({ model, input: words, voice: 'ash' }),
    [
      { do: 'head', status: 200, headers: { 'content-type': 'audio/pcm' } },
      { do: 'send', bytes: Buffer.alloc(480_000) },
    ],
  ],
  [
    'speech of an unknown form',
    '/v1/audio/speech',
    (model) => ({ model, input: words, voice: 'ash' }),
    [
      { do: 'head', status: 200, headers: { 'content-type': 'audio/mpeg' } },
      { do: 'send', bytes: 'la la' },
    ],
  ],
  ['a transcript', '/v1/audio/transcriptions', (model) => formOf({ model, file: wavFile(60) }), json({ text: words })],
  [
    'a transcript with seconds',
    '/v1/audio/transcriptions',
    (model) => formOf({ model, file: wavFile(60) }),
    json({ text: words, usage: { type: 'duration', seconds: 60 } }),
  ],
  [
    'a transcript with tokens',
    '/v1/audio/transcriptions',
    (model) => formOf({ model, file: wavFile(60) }),
    json({ text: words, usage: { ...usageOf, input_token_details: { audio_tokens: 900 } } }),
  ],
  [
    'a transcript of Mistral',
    '/v1/audio/transcriptions',
    (model) => formOf({ model, file: wavFile(60) }),
    json({ text: words, usage: { ...tokens, prompt_audio_seconds: 60 } }),
  ],
]

test('the table has every unit', () => {
  for (const base of bases) expect([...shapes.keys()].join(' ')).toContain(base)
  expect(shapes.size).toBeGreaterThan(10)
})

describe.each(calls)('%s', (_, path, bodyOf, script) => {
  const send = (model: string, token: string): Promise<Response> => {
    app.upstream.fallback(() => script)
    const body = bodyOf(model)
    const isForm = body instanceof FormData
    const headers = { authorization: `Bearer ${token}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
    return app.request(path.replace('MODEL', model), { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) })
  }

  test.each([...shapes])('of a model with a price by %s is paid or refused: %s', async (units, model) => {
    const before = app.upstream.received.length
    const response = await send(model, key)
    const text = await response.text()
    await app.app.ledger.drain()
    if (response.status !== 200) {
      expect([units, response.status, text, app.upstream.received.length]).toEqual([units, 503, expect.stringContaining('price'), before])
      return
    }
    const [row] = await app.data(contract.log.list, { username: user.username })
    expect(row?.model_name).toBe(model)
    expect([units, (row?.quota ?? 0) > 0]).toEqual([units, !isFree(priceOf(model))])
  })

  test.each([...shapes].filter(([units]) => units !== 'free'))(
    'of a model with a price by %s is not made without quota: %s',
    async (_units, model) => {
      const before = app.upstream.received.length
      const response = await send(model, poorKey)
      await response.text()
      expect([response.status === 200, app.upstream.received.length - before]).toEqual([false, 0])
    },
  )
})
