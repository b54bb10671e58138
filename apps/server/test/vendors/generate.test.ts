import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import {
  ApiError,
  type Content,
  FinishReason,
  type FunctionDeclaration,
  type GenerateContentResponse,
  GoogleGenAI,
  Type,
} from '@google/genai'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, type TestUser, testApp } from '../app.ts'
import type { Received, Script } from '../fake-upstream.ts'
import { doubles } from './doubles/all.ts'
import { type Feature, pieces, type ScriptedResponse, type VendorDouble } from './vendor-double.ts'

// Google's own client asks every vendor to generate content; a double responds in the vendor's form.

let app: TestApp

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

const usage = { prompt: 100, completion: 20 }
const weather: FunctionDeclaration = {
  name: 'weather',
  description: 'Tells the weather',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } },
}
const tools = [{ functionDeclarations: [weather] }]
const called = { name: 'weather', input: { city: 'Lisboa "ü" \\ 北京' } }
/** An image of one dot. */
const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function scene(double: VendorDouble, ...scripts: Script[]) {
  const { type, model, config, other } = double
  const key = double.key.replaceAll('{upstream}', app.upstream.url)
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group })
  const { key: token } = await app.make.token(user)
  await app.make.channel({
    ...{ groups: group, type, key, models: model },
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  app.upstream.always((request) => double.grant?.(request) ?? null)
  app.upstream.script(...scripts)
  const client = new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: app.url, retryOptions: { attempts: 1 } } })
  return { user, token, client, ask: { model, contents: 'Hi' } }
}

const streamed = (double: VendorDouble, response: ScriptedResponse): Script => {
  const { contentType, frames } = double.stream(response)
  return pieces(contentType, frames)
}

function lastRequest(): Received {
  const request = app.upstream.received.at(-1)
  if (request === undefined) throw new Error('nothing was sent')
  return request
}

async function lastLog(user: TestUser) {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username: user.username }))[0]
}

/** A stream without server-sent events, as clients read it that know no other. */
async function wholeArray(token: string, model: string): Promise<readonly GenerateContentResponse[]> {
  const response = await app.request(`/v1beta/models/${model}:streamGenerateContent?key=${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }),
  })
  expect(response.headers.get('content-type')).toContain('application/json')
  // Holds: the client's own library has this type for the items.
  return (await response.json()) as readonly GenerateContentResponse[]
}

const textOf = (responses: readonly GenerateContentResponse[]): string =>
  responses
    .flatMap(({ candidates }) => candidates ?? [])
    .flatMap(({ content }) => content?.parts ?? [])
    .map(({ text, thought: reasoning }) => (reasoning === true ? '' : (text ?? '')))
    .join('')

async function all(stream: AsyncIterable<GenerateContentResponse>): Promise<readonly GenerateContentResponse[]> {
  return await Array.fromAsync(stream)
}

describe.each(doubles.map((double) => [double.name, double] as const))('%s', (_, double) => {
  beforeAll(async () => {
    app = await testApp()
  })
  afterAll(() => app.close())

  const has = (...features: Feature[]): boolean => !features.some((feature) => double.lacks?.includes(feature))
  const onlyWith = (...features: Feature[]) => (has(...features) ? test : test.skip)

  test('returns a whole response', async () => {
    const { client, ask } = await scene(double, double.whole({ text: 'Grüße, 世界 🙂', usage }))
    const response = await client.models.generateContent(ask)
    expect(response.text).toBe('Grüße, 世界 🙂')
    expect(response.candidates?.[0]).toMatchObject({ finishReason: 'STOP', content: { role: 'model' } })
    expect(double.isAuthorized(lastRequest())).toBe(true)
    expect(double.read(lastRequest())).toMatchObject({ text: 'Hi' })
  })

  onlyWith('usage')('charges the same as for a chat', async () => {
    const response = { text: 'Hello', usage: has('cached') ? { ...usage, cached: 64 } : usage }
    const { client, ask, user, token } = await scene(double, double.whole(response), double.whole(response))
    const { usageMetadata } = await client.models.generateContent(ask)
    const ours = await lastLog(user)
    expect(ours).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, estimated: false, end_reason: 'complete' })
    expect(usageMetadata).toMatchObject({ promptTokenCount: 100, totalTokenCount: 120 })
    if (has('cached')) expect(usageMetadata?.cachedContentTokenCount).toBe(64)
    await new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 }).chat.completions.create({
      model: ask.model,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    expect((await lastLog(user))?.quota).toBe(ours?.quota ?? -1)
  })

  onlyWith(
    'stream',
    'events',
    'content_filter',
  )('streams that nothing was written', async () => {
    const { client, ask, user } = await scene(double, streamed(double, { text: '', finish: 'content_filter', usage }))
    const responses = await all(await client.models.generateContentStream(ask))
    expect([textOf(responses), responses.at(-1)?.candidates?.[0]?.finishReason]).toEqual(['', FinishReason.SAFETY])
    expect(await lastLog(user)).toMatchObject({ end_reason: 'complete' })
  })

  onlyWith('stream')('streams as events and as one array', async () => {
    const response = { text: 'Grüße, 世界 🙂', usage }
    const script = has('events') ? streamed(double, response) : double.whole(response)
    const { client, ask, token, user } = await scene(double, script, script)
    const responses = await all(await client.models.generateContentStream(ask))
    expect(textOf(responses)).toBe('Grüße, 世界 🙂')
    expect(responses.at(-1)?.candidates?.[0]?.finishReason).toBe(FinishReason.STOP)
    if (has('usage')) expect(responses.at(-1)?.usageMetadata?.totalTokenCount).toBe(120)
    expect(await lastLog(user)).toMatchObject({ end_reason: 'complete' })
    if (has('usage')) expect(await lastLog(user)).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, estimated: false })
    expect(textOf(await wholeArray(token, ask.model))).toBe('Grüße, 世界 🙂')
  })

  onlyWith('tools', 'stream')('calls functions, and takes their results in the next turn', async () => {
    const inputs = has('several calls') ? [called, { name: 'weather', input: { city: 'Rio' } }] : [called]
    const response = { tools: inputs, finish: 'tool_calls' as const, usage }
    const { client, ask } = await scene(double, streamed(double, response), double.whole({ text: 'Sun' }))
    const responses = await all(await client.models.generateContentStream({ ...ask, config: { tools } }))
    const calls = responses.flatMap((one) => one.functionCalls ?? [])
    expect(calls.map(({ name, args }) => ({ name, input: args }))).toEqual(inputs)
    expect(double.read(lastRequest()).tools).toEqual(['weather'])
    const turns: Content[] = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: responses.flatMap((one) => one.candidates?.[0]?.content?.parts ?? []) },
      {
        role: 'user',
        parts: calls.map(({ id, name }, index) => ({
          functionResponse: { ...(id === undefined ? {} : { id }), name: name ?? '', response: { result: `Rain ${index}` } },
        })),
      },
    ]
    const next = await client.models.generateContent({ ...ask, contents: turns, config: { tools } })
    expect(next.text).toBe('Sun')
    const read = double.read(lastRequest()).results
    expect(read.length).toBe(calls.length)
    for (const [index, text] of read.entries()) expect(text).toContain(`Rain ${index}`)
  })

  onlyWith('reasoning', 'stream')('shows reasoning where it is requested, and takes it back', async () => {
    const response = { reasoning: 'Let me think.', text: 'Done', usage }
    const { client, ask } = await scene(double, streamed(double, response), double.whole({ text: 'Sun' }))
    const config = { thinkingConfig: { includeThoughts: true, thinkingBudget: 2_048 }, maxOutputTokens: 4_000 }
    const responses = await all(await client.models.generateContentStream({ ...ask, config }))
    const parts = responses.flatMap((one) => one.candidates?.[0]?.content?.parts ?? [])
    expect(
      parts
        .filter(({ thought: reasoning }) => reasoning === true)
        .map(({ text }) => text)
        .join(''),
    ).toBe('Let me think.')
    expect(textOf(responses)).toBe('Done')
    const turns = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts },
      { role: 'user', parts: [{ text: 'And now?' }] },
    ]
    await client.models.generateContent({ ...ask, contents: turns })
    expect(double.read(lastRequest()).text).toBe('And now?')
  })

  onlyWith('images')('sees images', async () => {
    const { client, ask } = await scene(double, double.whole({ text: 'A dot', usage }))
    const parts = [{ inlineData: { mimeType: 'image/png', data: image } }, { text: 'What?' }]
    await client.models.generateContent({ ...ask, contents: [{ role: 'user', parts }] })
    expect(double.read(lastRequest())).toMatchObject({ text: 'What?', images: [image] })
  })

  test('fails with the error class of the client', async () => {
    const script = double.error('rate_limited') ?? double.error('bad_request')
    if (script === null) return
    const { client, ask } = await scene(double, script)
    const error = await client.models.generateContent(ask).catch((caught: unknown) => caught)
    if (!(error instanceof ApiError)) throw new Error('no error of the client came')
    expect(JSON.parse(error.message)).toMatchObject({ error: { code: error.status, status: expect.stringMatching(/^[A-Z_]+$/) } })
  })
})
