import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await testApp()
  key = (await app.make.token(await app.make.user({ quota: 1_000_000_000_000 }))).key
  await app.make.channel({ models: 'gpt-4o-mini,text-embedding-3-small' })
})
afterAll(() => app.close())

async function post(path: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const response = await app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text() }
}

const chat = () => post('/v1/chat/completions', { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] })

async function lastLog() {
  await app.app.ledger.drain()
  return await app.app.store.db
    .selectFrom('logs')
    .select(['prompt_tokens', 'completion_tokens'])
    .where('type', '=', 2)
    .orderBy('id', 'desc')
    .executeTakeFirst()
}

const long = 'word '.repeat(500_000)

describe('a long whole response', () => {
  test('of one text is passed on unchanged and charged by its usage', async () => {
    const upstreamResponse = chatResponse(long)
    app.upstream.script(json(upstreamResponse))
    expect(await chat()).toEqual({ status: 200, text: JSON.stringify(upstreamResponse) })
    expect(await lastLog()).toMatchObject({ prompt_tokens: 10, completion_tokens: 5 })
  })

  test('without usage is counted as a whole', async () => {
    app.upstream.script(json(chatResponse(long, null)))
    expect((await chat()).status).toBe(200)
    // About a token a word.
    expect((await lastLog())?.completion_tokens).toBeGreaterThan(450_000)
  })

  test('of hundreds of thousands of numbers is passed on unchanged and charged by its usage', async () => {
    const embedding = Array.from({ length: 300_000 }, (_, at) => at / 7)
    const data = [0, 1].map((index) => ({ object: 'embedding', index, embedding }))
    const upstreamResponse = { object: 'list', model: 'text-embedding-3-small', data, usage: { prompt_tokens: 7, total_tokens: 7 } }
    app.upstream.script(json(upstreamResponse))
    const response = await post('/v1/embeddings', { model: 'text-embedding-3-small', input: ['a', 'b'] })
    expect([response.status, response.text === JSON.stringify(upstreamResponse)]).toEqual([200, true])
    expect(await lastLog()).toMatchObject({ prompt_tokens: 7 })
  })

  test('that lacks fields gets them', async () => {
    const { object: _, ...upstreamResponse } = chatResponse(long)
    app.upstream.script(json(upstreamResponse))
    const response = await chat()
    expect(response.status).toBe(200)
    expect(JSON.parse(response.text)).toMatchObject({ choices: [{ message: { content: long } }] })
  })

  test('is refused if it has too many values to be parsed, or is none', async () => {
    const many = `{"choices":[${'{},'.repeat(600_000)}{}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`
    for (const text of [many, `{"choices":"${long}`, `${'['.repeat(2_000_000)}`]) {
      app.upstream.script([
        { do: 'head', status: 200, headers: { 'content-type': 'application/json' } },
        { do: 'send', bytes: text },
      ])
      expect((await chat()).status).toBe(502)
    }
  })
})

describe('a whole response that is nested too deeply', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
  const responded = (text: string) =>
    app.upstream.script([
      { do: 'head', status: 200, headers: { 'content-type': 'application/json' } },
      { do: 'send', bytes: text },
    ])
  const upstreamResponse = (extra: string): string => `{"more":${extra},${JSON.stringify(chatResponse()).slice(1)}`

  test.each([65, 1_000, 100_000, 2_000_000])('%d levels deep is an invalid response of the vendor', async (depth) => {
    responded(upstreamResponse(nested(depth)))
    const response = await chat()
    expect([response.status, JSON.parse(response.text)]).toMatchObject([502, { error: { code: 'upstream_invalid_response' } }])
  })

  test('is passed on if the nesting is usual', async () => {
    responded(upstreamResponse(nested(20)))
    expect(await chat()).toEqual({ status: 200, text: upstreamResponse(nested(20)) })
  })
})
