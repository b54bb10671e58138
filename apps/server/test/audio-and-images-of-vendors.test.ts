import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from './app.ts'
import { until } from './channel-scene.ts'
import { json } from './fake-upstream.ts'

// Kinds beside chats that some vendors have in OpenAI's form at other places, through HTTP.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

async function scene(type: number, models: string, baseUrl = app.upstream.url) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, quota: 10_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  await app.make.channel({ groups: group, type, models, key: 'vendor-key', baseUrl })
  const rows = () => app.data(contract.log.list, { username: user.username })
  return { key, rows }
}

/** A form with these files, and a text in each other field. */
function formOf(model: string, names: readonly string[]): FormData {
  const form = new FormData()
  form.append('model', model)
  form.append('prompt', 'a hat')
  for (const name of names) form.append(name, new File([Uint8Array.of(1, 2, 3)], `${name}.png`, { type: 'image/png' }))
  return form
}

test('an edit at StepFun reaches the vendor as the client’s form, for its price', async () => {
  const { key, rows } = await scene(32, 'step-image-edit-2')
  app.upstream.script(json({ created: 1, data: [{ b64_json: 'iVBORw0KGgo=', finish_reason: 'success' }] }))
  const headers = { authorization: `Bearer ${key}` }
  const ask = (names: readonly string[]) =>
    app.request('/v1/images/edits', { method: 'POST', headers, body: formOf('step-image-edit-2', names) })
  const response = await ask(['image'])
  expect([response.status, await response.json()]).toMatchObject([200, { data: [{ b64_json: 'iVBORw0KGgo=' }] }])
  const { path, headers: requestHeaders, bytes } = app.upstream.received.at(-1) ?? {}
  expect([path, requestHeaders?.['authorization']]).toEqual(['/v1/images/edits', 'Bearer vendor-key'])
  const form = await new Response(bytes, { headers: { 'content-type': String(requestHeaders?.['content-type']) } }).formData()
  expect([form.get('model'), form.get('prompt'), form.get('image')]).toMatchObject(['step-image-edit-2', 'a hat', { size: 3 }])
  await app.app.ledger.drain()
  // 0.02 yuan at seven yuan a dollar.
  expect((await rows())[0]?.quota).toBe(Math.ceil((0.02 / 7) * 500_000))
  const refused = await ask(['image', 'mask'])
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'mask' } }])
})

/** A form with audio, which stands before the fields, as OpenAI's client writes it. */
function audioForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  form.append('file', new File([Uint8Array.of(1, 2, 3)], 'a.wav', { type: 'audio/wav' }))
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

async function transcribed(type: number, model: string, fields: Readonly<Record<string, string>> = {}) {
  const { key } = await scene(type, model)
  const headers = { authorization: `Bearer ${key}` }
  return await app.request('/v1/audio/transcriptions', { method: 'POST', headers, body: audioForm({ model, ...fields }) })
}

test('a transcription by Cohere is requested at its own path, with the fields before the file', async () => {
  app.upstream.script(json({ text: 'Hello' }))
  const response = await transcribed(35, 'cohere-transcribe-03-2026', { language: 'en' })
  expect([response.status, await response.json()]).toEqual([200, { text: 'Hello' }])
  const { path, body = '' } = app.upstream.received.at(-1) ?? {}
  expect(path).toBe('/v2/audio/transcriptions')
  const names = [...body.matchAll(/form-data; name="(\w+)"/g)].map(([, name]) => name)
  expect(names).toEqual(['model', 'language', 'file'])
  const refused = await transcribed(35, 'cohere-transcribe-03-2026', { response_format: 'srt' })
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'response_format' } }])
})

test.each([
  [35, 'cohere-transcribe-03-2026'],
  [17, 'qwen3-asr-flash'],
] as const)('a transcript of type %d with marks of time, as OpenAI’s clients write them, is refused by name', async (type, model) => {
  const before = app.upstream.received.length
  const refused = await transcribed(type, model, { 'timestamp_granularities[]': 'word' })
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'timestamp_granularities' } }])
  expect(app.upstream.received.length).toBe(before)
})

test('a transcript of Coze is the text in its envelope, and an error in it fails over', async () => {
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  app.upstream.script(json({ code: 0, msg: '', data: { text: '你好' } }))
  const response = await transcribed(34, 'coze-asr')
  expect([response.status, await response.json()]).toEqual([200, { text: '你好' }])
  app.upstream.script(json({ code: 4100, msg: 'authentication is invalid' }))
  const failed = await transcribed(34, 'coze-asr')
  expect([failed.status, await failed.json()]).toMatchObject([502, { error: { code: 'channel_auth_failed' } }])
})

test('a speech of Coze has the vendor’s names, and an error in place of the audio is one', async () => {
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  const { key } = await scene(34, 'coze-tts')
  const ask = (more: object) =>
    app.request('/v1/audio/speech', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'coze-tts', input: 'Hi', voice: '7426720361753903141', ...more }),
    })
  app.upstream.script([
    { do: 'head', status: 200, headers: { 'content-type': 'audio/ogg' } },
    { do: 'send', bytes: 'a sound' },
  ])
  const response = await ask({ response_format: 'opus', speed: 1.5 })
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([200, 'audio/ogg', 'a sound'])
  const { path, body } = app.upstream.received.at(-1) ?? {}
  expect([path, JSON.parse(body ?? '')]).toEqual([
    '/v1/audio/speech',
    { input: 'Hi', voice_id: '7426720361753903141', response_format: 'ogg_opus', speed: 1.5 },
  ])
  app.upstream.script(json({ code: 4000, msg: 'the voice does not exist' }))
  const failed = await ask({})
  expect([failed.status, await failed.json()]).toMatchObject([
    400,
    { error: { message: expect.stringContaining('the voice does not exist') } },
  ])
  for (const [name, more] of [
    ['instructions', { instructions: 'softly' }],
    ['response_format', { response_format: 'flac' }],
  ] as const) {
    const refused = await ask(more)
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: name } }])
  }
})

test('a moderation of Zhipu is one of OpenAI’s form, for its price', async () => {
  const { key, rows } = await scene(16, 'moderation')
  const ask = (input: unknown) =>
    app.request('/v1/moderations', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'moderation', input }),
    })
  const list = [
    { content_type: 'text', risk_level: 'PASS', risk_type: [] },
    { content_type: 'text', risk_level: 'REJECT', risk_type: ['violence'] },
  ]
  app.upstream.script(json({ id: 'm-1', created: 1, result_list: list, usage: { moderation_text: { call_count: 1 } } }))
  const response = await ask([{ type: 'text', text: 'Hi' }])
  const results = [{ flagged: true, categories: { violence: true }, category_scores: {} }]
  expect([response.status, await response.json()]).toEqual([200, { id: 'm-1', model: 'moderation', results }])
  expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '')).toEqual({ model: 'moderation', input: 'Hi' })
  await app.app.ledger.drain()
  expect((await rows())[0]?.quota).toBe(Math.ceil((0.00012 / 7) * 500_000))
  const refused = await ask(['one', 'two'])
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'input' } }])
})

/** A vendor of sessions: the requests it received, and one response to the first message of each. */
function startSessions() {
  const sessionRequests: { url: string; authorization: string | null }[] = []
  const usage = { input_tokens: 100, output_tokens: 50, total_tokens: 150 }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, bun) {
      sessionRequests.push({ url: request.url.replace(/^.*?\/\/[^/]+/, ''), authorization: request.headers.get('authorization') })
      return bun.upgrade(request) ? undefined : new Response('no', { status: 400 })
    },
    websocket: { message: (socket) => void socket.send(JSON.stringify({ type: 'response.done', response: { id: 'r', usage } })) },
  })
  return { url: `http://127.0.0.1:${server.port}`, asked: sessionRequests, stop: () => server.stop(true) }
}

test.each([
  [32, 'stepaudio-2.5-realtime', '', '/v1/realtime?model=stepaudio-2.5-realtime', (100 * 10 + 50 * 70) / 7],
  [
    17,
    'qwen3.5-omni-plus-realtime',
    '/compatible-mode/v1',
    '/api-ws/v1/realtime?model=qwen3.5-omni-plus-realtime',
    (100 * 10 + 50 * 60) / 7,
  ],
] as const)('a session of type %d, %s, is at the vendor’s own path, and charged', async (type, model, base, path, yuanPerMillion) => {
  const vendor = startSessions()
  const { key, rows } = await scene(type, model, vendor.url + base)
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/v1/realtime?model=${model}`, [
    'realtime',
    `openai-insecure-api-key.${key}`,
  ])
  const responded = Promise.withResolvers<string>()
  socket.onmessage = ({ data }) => responded.resolve(String(data))
  socket.onerror = () => responded.reject(new Error('refused'))
  await new Promise<void>((resolve) => {
    socket.onopen = () => resolve()
  })
  socket.send('{"type":"response.create"}')
  expect(JSON.parse(await responded.promise)).toMatchObject({ type: 'response.done' })
  socket.close()
  const [row] = await until(rows, (list) => list.length > 0)
  expect(vendor.asked).toEqual([{ url: path, authorization: 'Bearer vendor-key' }])
  expect(row).toMatchObject({ prompt_tokens: 100, completion_tokens: 50, estimated: false })
  expect(row?.quota).toBe(Math.ceil((yuanPerMillion / 1_000_000) * 500_000))
  await vendor.stop()
})
