import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type LogRow } from '@sluice/contract'
import { type TestApp, testApp } from './app.ts'
import { mp3File } from './audio-files.ts'
import { setOptions } from './channel-scene.ts'
import { json, type Script } from './fake-upstream.ts'

// Vendors' responses in another format than the client wants: ranks as a bare list, transcripts as JSON.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await setOptions(app, { UnpricedModelRatio: 1, RetryTimes: 0 })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

async function at(type: number, model: string, vendorKey = 'sk-1') {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups, quota: 100_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const id = await app.make.channel({ groups, type, models: model, key: vendorKey })
  const send = async (path: string, body: string | FormData, script: Script) => {
    app.upstream.always(() => script)
    const response = await app.request(path, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
    return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() }
  }
  const row = async (): Promise<LogRow | undefined> => {
    await app.app.ledger.drain()
    return (await app.data(contract.log.list, { username: user.username }))[0]
  }
  return { id, send, row }
}

describe('ranks', () => {
  const documents = ['a', 'b', 'c']
  const rank = async (upstreamResponse: unknown, more: object = {}) => {
    const { send, row } = await at(8, 'reranker')
    const body = JSON.stringify({ model: 'reranker', query: 'q', documents, ...more })
    const { status, text } = await send('/v1/rerank', body, json(upstreamResponse))
    return { status, response: JSON.parse(text) as { readonly results: readonly object[]; readonly usage?: object }, row: await row() }
  }

  test('that come as a bare list are sorted, cut and named as usual', async () => {
    const list = [
      { score: 0.1, document: 'a', index: 0, meta_info: {} },
      { score: 0.9, document: 'b', index: 1 },
      { score: 0.5, document: 'c', index: 2 },
    ]
    const { status, response, row } = await rank(list, { top_n: 2 })
    expect([status, response]).toEqual([
      200,
      {
        model: 'reranker',
        results: [
          { index: 1, relevance_score: 0.9, document: { text: 'b' } },
          { index: 2, relevance_score: 0.5, document: { text: 'c' } },
        ],
      } as never,
    ])
    expect(row?.prompt_tokens).toBeGreaterThan(0)
    expect((await rank(list)).response.results.length).toBe(3)
    expect((await rank([{ index: 0, score: 0.2, text: 'a' }])).response.results).toEqual([
      { index: 0, relevance_score: 0.2, document: { text: 'a' } },
    ])
  })

  test('get their scores under the usual name', async () => {
    const { response, row } = await rank({ results: [{ index: 1, score: 0.7 }], usage: { total_tokens: 9 } })
    expect([response, row?.prompt_tokens]).toEqual([{ results: [{ index: 1, relevance_score: 0.7 }], usage: { total_tokens: 9 } }, 9])
  })

  test('in the usual form are passed on as they came', async () => {
    const upstreamResponse = { id: 'r', results: [{ index: 1, relevance_score: 0.7, document: { text: 'b' } }], usage: { total_tokens: 9 } }
    expect((await rank(upstreamResponse)).response).toEqual(upstreamResponse)
  })

  test('are an error where the list is something else', async () => {
    for (const list of [[], ['a'], [{ score: 0.1 }], [{ index: 0, score: 'high' }]]) expect((await rank(list)).status).toBe(502)
  })
})

describe('transcripts', () => {
  const text = 'Hello there. Good day.'
  const segments = [
    { id: 0, start: 0, end: 1.5, text: ' Hello there.' },
    { id: 1, start: 1.5, end: 3661.0625, text: ' Good day.' },
  ]
  const srt = '1\n00:00:00,000 --> 00:00:01,500\nHello there.\n\n2\n00:00:01,500 --> 01:01:01,063\nGood day.\n\n'
  const vtt = 'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello there.\n\n00:00:01.500 --> 01:01:01.063\nGood day.\n\n'

  async function transcribe(type: number, model: string, format: string, upstreamResponse: Script | object, call = 'transcriptions') {
    const { id, send, row } = await at(type, model, type === 16 ? 'id.secret' : 'sk-1')
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(mp3File(100, 100))]), 'a.mp3')
    form.append('model', model)
    form.append('response_format', format)
    const before = app.upstream.received.length
    const script = Array.isArray(upstreamResponse) ? (upstreamResponse as Script) : json(upstreamResponse)
    const response = await send(`/v1/audio/${call}`, form, script)
    const formats = app.upstream.received.slice(before).map(({ body }) => /name="response_format"\r\n\r\n([^\r]*)/.exec(body)?.[1])
    return { ...response, id, sent: formats, row: await row() }
  }

  test.each([
    [1, 'gpt-4o-transcribe', 'json'],
    [3, 'gpt-4o-mini-transcribe', 'json'],
    [8, 'whisper', 'text'],
    [16, 'glm-asr', 'json'],
    [20, 'openai/whisper-large-v3', 'json'],
    [28, 'voxtral-mini-transcribe-2602', 'json'],
    [29, 'whisper-large-v3', 'text'],
    [39, 'openai/whisper-large-v3', 'json'],
  ])('come as words alone at type %d, whatever format %s responds with', async (type, model, form) => {
    const upstreamResponse = await transcribe(type, model, 'text', { text, usage: { type: 'duration', seconds: 3 } })
    expect([upstreamResponse.status, upstreamResponse.type, upstreamResponse.text]).toEqual([200, 'text/plain; charset=utf-8', text])
    expect(upstreamResponse.sent).toEqual([form])
    expect(upstreamResponse.row?.rewrites).toEqual(
      form === 'text' ? [] : [{ kind: 'parameters', what: `response_format: text -> ${form}` }],
    )
  })

  test.each([
    [8, 'whisper', 'srt', 'transcriptions'],
    [20, 'openai/whisper-large-v3', 'verbose_json', 'transcriptions'],
    [29, 'whisper-large-v3', 'verbose_json', 'transcriptions'],
    [29, 'whisper-large-v3', 'verbose_json', 'translations'],
    [39, 'openai/whisper-large-v3', 'verbose_json', 'transcriptions'],
  ])('become subtitles at type %d from the times of %s', async (type, model, form, call) => {
    const result = await transcribe(type, model, 'srt', { task: 'transcribe', duration: 3, text, segments }, call)
    expect([result.status, result.type, result.text, result.sent]).toEqual([200, 'text/plain; charset=utf-8', srt, [form]])
    const other = await transcribe(type, model, 'vtt', { task: 'transcribe', duration: 3, text, segments }, call)
    expect([other.status, other.type, other.text]).toEqual([200, 'text/vtt; charset=utf-8', vtt])
  })

  test.each([
    [1, 'gpt-4o-transcribe'],
    [16, 'glm-asr'],
    [28, 'voxtral-mini-transcribe-2602'],
  ])('are refused as subtitles at type %d before %s is called', async (type, model) => {
    for (const format of ['srt', 'vtt']) {
      const { status, text: body, sent: formats, row } = await transcribe(type, model, format, { text })
      expect([status, JSON.parse(body)]).toEqual([400, { error: expect.objectContaining({ param: 'response_format' }) }])
      expect([formats, row?.quota]).toEqual([[], 0])
    }
  })

  test('without times are an error that names the form, and cost what the vendor bills', async () => {
    const upstreamResponse = await transcribe(8, 'whisper', 'srt', {
      text,
      usage: { type: 'tokens', input_tokens: 70, output_tokens: 6, total_tokens: 76 },
    })
    expect([upstreamResponse.status, JSON.parse(upstreamResponse.text)]).toEqual([
      400,
      { error: expect.objectContaining({ param: 'response_format' }) },
    ])
    expect(upstreamResponse.row).toMatchObject({ prompt_tokens: 70, completion_tokens: 6, end_reason: 'failed' })
  })

  test('that come as they were wanted are passed on as they are', async () => {
    const plain: Script = [
      { do: 'head', status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' } },
      { do: 'send', bytes: srt },
    ]
    expect((await transcribe(8, 'whisper', 'srt', plain)).text).toBe(srt)
    expect((await transcribe(1, 'whisper-1', 'srt', plain)).sent).toEqual(['srt'])
    expect(JSON.parse((await transcribe(8, 'whisper', 'verbose_json', { text, segments })).text)).toEqual({ text, segments })
    expect(JSON.parse((await transcribe(29, 'whisper-large-v3', 'json', { text })).text)).toEqual({ text })
  })
})
