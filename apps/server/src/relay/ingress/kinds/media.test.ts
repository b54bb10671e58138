import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../../test/app.ts'
import { until } from '../../../../test/channel-scene.ts'
import { chatChunk, events, json, type Script, type Step } from '../../../../test/fake-upstream.ts'
import { wavFile } from '../../../../test/wav.ts'

const formBytesMax = 4 * 1024 * 1024

let app: TestApp
let user: TestUser
let key: string
beforeAll(async () => {
  app = await testApp({ env: { FORM_BYTES_MAX: String(formBytesMax), HEARTBEAT_MS: '100' } })
  user = await app.make.user({ quota: 10_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
  await app.make.channel({ models: 'dall-e-3,gpt-image-1,tts-1,whisper-1,gpt-4o' })
  await app.make.channel({ type: 29, models: 'playai-tts,whisper-large-v3' })
  await app.make.channel({ type: 14, models: 'claude-sonnet-4-5' })
  await app.make.channel({ models: 'twice', priority: 1, mapping: { twice: 'first' } })
  await app.make.channel({ models: 'twice', mapping: { twice: 'second' } })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

function send(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const isForm = body instanceof FormData
  const headers = { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
  const init = { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) }
  return app.request(path, signal === undefined ? init : { ...init, signal })
}

type Fields = Readonly<Record<string, string | Blob>>

function formOf(fields: Fields): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

const file = new File([new Uint8Array(1_000)], 'a.wav', { type: 'audio/wav' })

/** @param model_name missing = of any model; an earlier test's response may be settled late */
async function lastRow(model_name = '') {
  const [row] = await app.data(contract.log.list, { type: 2, model_name })
  return row
}
const balance = async () => (await app.data(contract.user.get, { id: user.id })).quota
const held = async () => (await app.app.store.db.selectFrom('holds').selectAll().execute()).length

const head = (type: string): Step => ({ do: 'head', status: 200, headers: { 'content-type': type } })
const hello = { model: 'tts-1', input: 'Hello', voice: 'ash' }

/** What can be read of a response so far, and a promise of its end. */
async function readFirst(response: Response) {
  const reader = response.body?.getReader()
  if (reader === undefined) throw new Error('the answer has no body')
  const { value } = await reader.read()
  const rest = async (): Promise<string> => {
    let text = ''
    for (let next = await reader.read(); next.value !== undefined; next = await reader.read()) text += Buffer.from(next.value).toString()
    return text
  }
  return { first: Buffer.from(value ?? []).toString(), rest }
}

/** Waits until a stream without events has had so many heartbeats. */
async function signsOfLife(count: number): Promise<void> {
  const before = app.app.ledger.openHolds()
  app.upstream.script(events([chatChunk({ content: 'Hello' })], [{ do: 'hang' }]))
  const control = new AbortController()
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], stream: true }
  const response = await send('/v1/chat/completions', body, control.signal)
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString()
    if (text.split(': keep-alive').length > count) break
  }
  control.abort()
  await settledDownTo(before)
}

/** Waits until no more than so many requests are open, and the settlements of the others are written. */
async function settledDownTo(count: number): Promise<void> {
  while (app.app.ledger.openHolds() > count) await app.request('/healthz')
  await app.app.ledger.drain()
}

describe('speech on its way', () => {
  test('reaches the client as it arrives, without keep-alive comments, and its last byte after the settlement', async () => {
    app.upstream.script([
      head('audio/mpeg'),
      { do: 'send', bytes: 'first ' },
      { do: 'wait', name: 'the first bytes were heard' },
      { do: 'send', bytes: 'second ' },
      { do: 'wait', name: 'the second bytes were heard' },
    ])
    const response = await send('/v1/audio/speech', hello)
    const { first, rest } = await readFirst(response)
    expect([response.headers.get('content-type'), first]).toEqual(['audio/mpeg', 'first'])
    expect(app.app.ledger.openHolds()).toBe(1)
    await signsOfLife(2)
    app.upstream.release('the first bytes were heard')
    app.upstream.release('the second bytes were heard')
    expect(await rest()).toBe(' second ')
    expect(await held()).toBe(0)
    expect(await lastRow('tts-1')).toMatchObject({ end_reason: 'complete' })
  })

  test('that upstream cuts off ends with a reset, not as if it were complete', async () => {
    app.upstream.script([
      head('audio/mpeg'),
      { do: 'send', bytes: 'first' },
      { do: 'wait', name: 'the beginning was heard' },
      { do: 'cut' },
    ])
    const { rest } = await readFirst(await send('/v1/audio/speech', hello))
    app.upstream.release('the beginning was heard')
    expect(await rest().catch(() => 'reset')).toBe('reset')
    expect(await lastRow()).toMatchObject({ end_reason: 'upstream_cut' })
    expect(await held()).toBe(0)
  })

  test('whose client disconnects is aborted, and what was sent is settled', async () => {
    app.upstream.script([head('audio/mpeg'), { do: 'send', bytes: 'first' }, { do: 'hang' }])
    const control = new AbortController()
    await readFirst(await send('/v1/audio/speech', hello, control.signal))
    control.abort()
    await app.upstream.received.at(-1)?.aborted
    await settledDownTo(0)
    expect(await lastRow()).toMatchObject({ end_reason: 'client_gone' })
  })

  test('is not read from the vendor while its client does not read', async () => {
    const part = new Uint8Array(1024 * 1024)
    let partCount = 0
    const parts: readonly Step[] = Array.from(
      { length: 48 },
      (): Step => ({
        do: 'send',
        get bytes() {
          partCount += 1
          return part
        },
      }),
    )
    app.upstream.script([head('audio/wav'), ...parts])
    const { hostname, port } = new URL(app.url)
    const socket = connect(Number(port), hostname)
    const body = JSON.stringify(hello)
    socket.write(
      `POST /v1/audio/speech HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    )
    await new Promise((resolve) => socket.once('readable', resolve))
    for (let before = -1; before !== partCount; await signsOfLife(1)) before = partCount
    expect(partCount).toBeLessThan(parts.length)
    let length = 0
    for await (const bytes of socket) length += bytes.length
    expect(length).toBeGreaterThan(parts.length * part.length)
    expect(await held()).toBe(0)
  })
})

test('streamed images are added up, and the last one is sent after the settlement', async () => {
  const generated = (b64_json: string) => ({
    type: 'image_generation.completed',
    b64_json,
    usage: { input_tokens: 10, output_tokens: 100 },
  })
  const after = [
    { do: 'wait', name: 'the first picture was seen' },
    { do: 'send', bytes: `data: ${JSON.stringify(generated('BBBB'))}\n\n` },
    { do: 'wait', name: 'the second picture was drawn' },
  ] as const
  const draft = { type: 'image_generation.partial_image', b64_json: 'A' }
  app.upstream.script(events([generated('AAAA'), draft], after))
  const response = await send('/v1/images/generations', { model: 'gpt-image-1', prompt: 'A cat', n: 2, stream: true })
  const { first, rest } = await readFirst(response)
  expect(first).toContain('"AAAA"')
  expect(first).toContain('partial_image')
  app.upstream.release('the first picture was seen')
  await signsOfLife(1)
  expect(app.app.ledger.openHolds()).toBe(1)
  app.upstream.release('the second picture was drawn')
  expect((await rest()).replaceAll(': keep-alive\n\n', '')).toBe(`data: ${JSON.stringify(generated('BBBB'))}\n\n`)
  expect(await held()).toBe(0)
  expect(await lastRow('gpt-image-1')).toMatchObject({
    prompt_tokens: 20,
    completion_tokens: 200,
    end_reason: 'complete',
    estimated: false,
  })
})

describe('billing', () => {
  const draw = { model: 'dall-e-3', prompt: 'A cat' }
  const generated = json({ data: [{ url: 'a' }, { url: 'b' }] })
  const speech: Script = [head('audio/mpeg'), { do: 'send', bytes: 'la la la' }]
  const text: Script = [head('text/plain'), { do: 'send', bytes: 'Hello there' }]
  const written = { model: 'whisper-1', file: wavFile(30) }
  // In quota, 500,000 per dollar.
  const cases: readonly [string, string, object, Script, number][] = [
    ['two pictures', '/v1/images/generations', { ...draw, n: 2 }, generated, 40_000],
    ['two large and fine ones', '/v1/images/generations', { ...draw, n: 2, size: '1024x1792', quality: 'hd' }, generated, 120_000],
    ['what came of three that were asked for', '/v1/images/generations', { ...draw, n: 3 }, generated, 40_000],
    ['characters, not bytes and not halves', '/v1/audio/speech', { ...hello, input: 'Grüße 👋👋' }, speech, 60],
    ['its instructions, too', '/v1/audio/speech', { ...hello, input: 'Hi', instructions: 'Slowly' }, speech, 60],
    ['the length that the vendor tells', '/v1/audio/transcriptions', written, json({ text: 'Hello', usage: { seconds: 9 } }), 450],
    ['the length of a verbose answer', '/v1/audio/translations', written, json({ text: 'Hello', duration: 8.47 }), 424],
    ['the length of the file where nobody tells it', '/v1/audio/transcriptions', written, json({ text: 'Hello' }), 1_500],
    ['the same for a text', '/v1/audio/transcriptions', { ...written, response_format: 'text' }, text, 1_500],
  ]
  test.each(cases)('is of %s', async (_, path, body, script, quota) => {
    const before = await balance()
    app.upstream.script(script)
    const response = await send(path, 'file' in body ? formOf({ ...body, file: written.file }) : body)
    await response.arrayBuffer()
    expect([response.status, before - (await balance())]).toEqual([200, quota])
  })

  test('of images reserves their exact price', async () => {
    const poor = await app.make.user({ quota: 39_999 })
    const { key: poorKey } = await app.make.token(poor, { isUnlimited: true })
    const before = app.upstream.received.length
    const init = { method: 'POST', headers: { authorization: `Bearer ${poorKey}` }, body: JSON.stringify({ ...draw, n: 2 }) }
    expect((await app.request('/v1/images/generations', init)).status).toBe(403)
    expect(app.upstream.received.length).toBe(before)
  })
})

describe('what may have been made is not made again at another channel (F5)', () => {
  test.each([
    ['/v1/images/generations', { model: 'twice', prompt: 'A cat' }],
    ['/v1/images/edits', formOf({ model: 'twice', prompt: 'A hat', image: file })],
    ['/v1/audio/speech', { ...hello, model: 'twice' }],
    ['/v1/audio/transcriptions', formOf({ model: 'twice', file })],
  ])('at %s', async (path, body) => {
    const [before, count] = [await balance(), app.upstream.received.length]
    app.upstream.script([{ do: 'cut' }])
    const response = await send(path, body)
    expect([response.status, response.headers.get('x-attempts')]).toEqual([502, '1'])
    expect([app.upstream.received.length, await balance(), await held()]).toEqual([count + 1, before, 0])
  })
})

describe('an invalid response', () => {
  const responses: readonly [string, Script][] = [
    ['a page', [head('text/html'), { do: 'send', bytes: '<p>busy</p>' }]],
    ['nothing', [head('audio/mpeg')]],
    ['JSON without an error', json({ audio: 'AAAA' })],
    ['an error', json({ error: { message: 'no' } })],
    ['a reset', [head('audio/mpeg'), { do: 'cut' }]],
  ]
  test.each(responses)('to speech, %s, is an error and costs nothing', async (_, script) => {
    const before = await balance()
    app.upstream.script(script)
    const response = await send('/v1/audio/speech', hello)
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ error: { request_id: expect.any(String) } })
    expect([await balance(), await held()]).toEqual([before, 0])
    expect(await lastRow()).toMatchObject({ end_reason: 'failed', quota: 0 })
  })

  test.each([
    ['/v1/images/generations', { model: 'dall-e-3', prompt: 'A cat' }],
    ['/v1/audio/transcriptions', { model: 'whisper-1', file }],
  ])('at %s, audio, is an error and costs nothing', async (path, body) => {
    const before = await balance()
    app.upstream.script([head('audio/mpeg'), { do: 'send', bytes: 'la la la' }])
    const response = await send(path, 'file' in body ? formOf(body) : body)
    expect([response.status, await balance(), await held()]).toEqual([502, before, 0])
  })
})

test('a response without an image is an error and costs nothing', async () => {
  const before = await balance()
  app.upstream.script(json({ created: 1, data: [] }))
  const response = await send('/v1/images/generations', { model: 'dall-e-3', prompt: 'A cat' })
  expect([response.status, await balance(), await held()]).toEqual([502, before, 0])
})

test('an edit may have its images in JSON', async () => {
  app.upstream.script(json({ data: [{ b64_json: 'AAAA' }] }))
  const body = { model: 'gpt-image-1', prompt: 'A hat', images: [{ image_url: 'https://pictures.example/1.png' }], n: 1 }
  expect((await send('/v1/images/edits', body)).status).toBe(200)
  const { path, body: upstreamBody } = app.upstream.received.at(-1) ?? { path: '', body: '{}' }
  expect([path, JSON.parse(upstreamBody)]).toEqual(['/v1/images/edits', body])
})

test('a model that does not stream returns the complete transcript, whatever is requested', async () => {
  app.upstream.script(json({ text: 'Hello' }))
  const response = await send('/v1/audio/transcriptions', formOf({ model: 'whisper-1', stream: 'true', file }))
  expect([response.headers.get('content-type'), await response.text()]).toEqual(['application/json', '{"text":"Hello"}'])
})

test('a form is sent completely to the next channel if the first has failed, with that channel’s model', async () => {
  app.upstream.script(json({ error: { message: 'overloaded' } }, 503), json({ text: 'Hello' }))
  const large = new File([new Uint8Array(1_000_000).map((_, at) => at >> 3)], 'b.wav')
  const response = await send('/v1/audio/transcriptions', formOf({ model: 'twice', file: large }))
  expect([response.status, response.headers.get('x-attempts')]).toEqual([200, '2'])
  const forms = await Promise.all(
    app.upstream.received.slice(-2).map(async ({ headers, bytes }) => {
      const form = await new Response(bytes, { headers: { 'content-type': String(headers['content-type']) } }).formData()
      const file = form.get('file')
      return [
        form.get('model'),
        file instanceof Blob && Buffer.from(await file.arrayBuffer()).equals(Buffer.from(await large.arrayBuffer())),
      ]
    }),
  )
  expect(forms).toEqual([
    ['first', true],
    ['second', true],
  ])
})

test('other vendors of these calls get requests at their own URL', async () => {
  app.upstream.script([head('audio/wav'), { do: 'send', bytes: 'RIFF' }])
  expect((await send('/v1/audio/speech', { ...hello, model: 'playai-tts' })).status).toBe(200)
  expect(app.upstream.received.at(-1)?.path).toBe('/v1/audio/speech')
})

const image = { model: 'dall-e-3', prompt: 'A cat' }
describe('refused before anything is sent', () => {
  const bodies: readonly [string, unknown, number, string][] = [
    ['/v1/images/generations', { ...image, n: 0 }, 400, 'invalid_parameter'],
    ['/v1/images/generations', { ...image, n: -5 }, 400, 'invalid_parameter'],
    ['/v1/images/generations', { ...image, n: 11 }, 400, 'invalid_parameter'],
    ['/v1/images/generations', { ...image, n: 1.5 }, 400, 'invalid_parameter'],
    ['/v1/images/generations', { ...image, n: '2' }, 400, 'invalid_parameter'],
    ['/v1/images/generations', { ...image, size: [1] }, 400, 'invalid_parameter'],
    ['/v1/images/generations', { ...image, quality: 'very good indeed' }, 400, 'invalid_parameter'],
    ['/v1/images/generations', { model: 'dall-e-3' }, 400, 'invalid_parameter'],
    ['/v1/images/edits', formOf({ ...image, n: '-5', image: file }), 400, 'invalid_parameter'],
    ['/v1/images/edits', formOf({ ...image, stream: 'perhaps', image: file }), 400, 'stream_invalid'],
    ['/v1/images/edits', formOf(image), 400, 'invalid_parameter'],
    ['/v1/images/variations', { model: 'dall-e-3' }, 415, 'unsupported_media_type'],
    ['/v1/audio/speech', { ...hello, input: '' }, 400, 'invalid_parameter'],
    ['/v1/audio/speech', { ...hello, input: ['Hello'] }, 400, 'invalid_parameter'],
    ['/v1/audio/speech', { ...hello, stream_format: 'wav' }, 400, 'invalid_parameter'],
    ['/v1/audio/speech', { input: 'Hello' }, 400, 'model_required'],
    ['/v1/audio/speech', { ...hello, model: 'claude-sonnet-4-5' }, 503, 'no_channel'],
    ['/v1/audio/transcriptions', { model: 'whisper-1' }, 415, 'unsupported_media_type'],
    ['/v1/audio/transcriptions', formOf({ model: 'whisper-1', file: 'a text' }), 400, 'invalid_parameter'],
    ['/v1/audio/translations', formOf({ model: 'no-such', file }), 404, 'model_not_found'],
    ['/v1/audio/translations', formOf({ file: new Blob([new Uint8Array(formBytesMax)]) }), 413, 'body_too_large'],
  ]
  test.each(bodies)('is %s of %p with %i', async (path, body, status, code) => {
    // The client of a test above has disconnected; its request may end later.
    await until(held, (open) => open === 0)
    const before = app.upstream.received.length
    const response = await send(path, body)
    expect([response.status, await response.json()]).toEqual([
      status,
      expect.objectContaining({ error: expect.objectContaining({ code }) }),
    ])
    expect([app.upstream.received.length, await held()]).toEqual([before, 0])
  })
})

describe('a form whose files are not all measured is refused', () => {
  const audio = { model: 'whisper-1', response_format: 'text' }
  const drawing = { model: 'gpt-image-1', prompt: 'A hat' }
  const forms: readonly [string, string, Fields, readonly (readonly [string, string | Blob])[]][] = [
    [
      'a second file',
      '/v1/audio/transcriptions',
      audio,
      [
        ['file', wavFile(0.01)],
        ['file', wavFile(9)],
      ],
    ],
    [
      'a text beside the file',
      '/v1/audio/transcriptions',
      audio,
      [
        ['file', file],
        ['file', 'a'],
      ],
    ],
    [
      'a list of files',
      '/v1/audio/transcriptions',
      audio,
      [
        ['file', file],
        ['file[]', file],
      ],
    ],
    [
      'a file of another name',
      '/v1/audio/translations',
      audio,
      [
        ['file', file],
        ['audio', file],
      ],
    ],
    [
      'a second mask',
      '/v1/images/edits',
      drawing,
      [
        ['image', file],
        ['mask', file],
        ['mask', file],
      ],
    ],
    [
      'a picture of another name',
      '/v1/images/edits',
      drawing,
      [
        ['image', file],
        ['images', file],
      ],
    ],
    [
      'a second picture',
      '/v1/images/variations',
      { model: 'gpt-image-1' },
      [
        ['image', file],
        ['image[]', file],
      ],
    ],
  ]
  test.each(forms)('%s at %s', async (_, path, fields, files) => {
    const before = app.upstream.received.length
    const form = formOf(fields)
    for (const [name, value] of files) form.append(name, value)
    const response = await send(path, form)
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'invalid_parameter' } }])
    expect(app.upstream.received.length).toBe(before)
  })

  test('but an edit may have several images, as a list or by one name', async () => {
    for (const name of ['image', 'image[]']) {
      app.upstream.script(json({ data: [{ b64_json: 'AAAA' }] }))
      const form = formOf({ ...drawing, mask: file })
      for (let count = 0; count < 3; count += 1) form.append(name, file)
      expect((await send('/v1/images/edits', form)).status).toBe(200)
    }
  })

  test('and so is one with two prompts', async () => {
    const form = formOf({ ...audio, file, prompt: 'a' })
    form.append('prompt', 'b'.repeat(10_000))
    expect((await send('/v1/audio/transcriptions', form)).status).toBe(400)
  })
})
