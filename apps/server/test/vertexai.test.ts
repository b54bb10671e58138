import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createVerify, generateKeyPairSync } from 'node:crypto'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, testApp } from './app.ts'
import { events, json, type Received, type Script } from './fake-upstream.ts'

// Models at Google Cloud, with a service account: the double issues tokens and responds to calls.

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

const counted = { promptTokenCount: 100, candidatesTokenCount: 10 }
const geminiResponse = (text: string) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
  usageMetadata: counted,
})
const refused = { error: { code: 401, status: 'UNAUTHENTICATED', message: 'Request had invalid authentication credentials.' } }

/** A new account with one channel, whose tokens are numbered; `responses` decides by the request. */
async function cloud(models: string, responses: (request: Received) => Script) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, quota: 10_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const account = {
    type: 'service_account',
    client_email: `${group}@p.example`,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${app.upstream.url}/token`,
  }
  await app.make.channel({ groups: group, type: 42, models, key: `europe-west1|project-1|${JSON.stringify(account)}` })
  const assertions: string[] = []
  app.upstream.fallback((request) => {
    if (request.path !== '/token') return responses(request)
    assertions.push(new URLSearchParams(request.body).get('assertion') ?? '')
    return json({ access_token: `ya29.${assertions.length}`, expires_in: 3599, token_type: 'Bearer' })
  })
  const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
  const ask = (model: string) => client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] })
  return { user, client, ask, assertions }
}

describe('a service account', () => {
  test('gets one token for all calls, of all protocols, at the paths of its project', async () => {
    const seen: unknown[] = []
    const { ask, assertions } = await cloud('gemini-3.8-flash,claude-sonnet-4-5@20250929,openai/gpt-oss-120b-maas', ({ path, headers }) => {
      seen.push([path, headers['authorization']])
      if (path.includes('/google/')) return json(geminiResponse('from Gemini'))
      if (path.includes('/anthropic/'))
        return json({
          type: 'message',
          content: [{ type: 'text', text: 'from Claude' }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 9, output_tokens: 2 },
        })
      return json({
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: 'from a partner' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      })
    })
    const texts: unknown[] = []
    for (const model of ['gemini-3.8-flash', 'claude-sonnet-4-5@20250929', 'openai/gpt-oss-120b-maas'])
      texts.push((await ask(model)).choices[0]?.message.content)
    expect(texts).toEqual(['from Gemini', 'from Claude', 'from a partner'])
    const place = '/v1/projects/project-1/locations/europe-west1'
    expect(seen).toEqual([
      [`${place}/publishers/google/models/gemini-3.8-flash:generateContent`, 'Bearer ya29.1'],
      [`${place}/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`, 'Bearer ya29.1'],
      [`${place}/endpoints/openapi/chat/completions`, 'Bearer ya29.1'],
    ])
    expect(assertions).toHaveLength(1)
    const [header, claims, signature] = (assertions[0] ?? '').split('.')
    expect(
      createVerify('RSA-SHA256')
        .update(`${header}.${claims}`)
        .verify(publicKey, signature ?? '', 'base64url'),
    ).toBe(true)
  })

  test('streams Claude, and is charged as the vendor counts', async () => {
    const { client, user } = await cloud('claude-sonnet-4-5@20250929', () =>
      events([
        { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 100, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } },
        { type: 'message_stop' },
      ]),
    )
    const stream = client.chat.completions.stream({ model: 'claude-sonnet-4-5@20250929', messages: [{ role: 'user', content: 'Hi' }] })
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('Hello')
    expect(app.upstream.received.at(-1)).toMatchObject({ path: expect.stringContaining(':streamRawPredict') })
    await app.app.ledger.drain()
    const [row] = await app.data(contract.log.list, { username: user.username })
    expect(row?.quota).toBe(100 * 1.5 + 20 * 7.5)
  })

  test('whose key cannot be read fails with that reason and sends nothing', async () => {
    const group = `g${crypto.randomUUID().slice(0, 8)}`
    const user = await app.make.user({ groups: group })
    const { key } = await app.make.token(user)
    const account = JSON.stringify({ client_email: 'a@b.example', private_key: 'none' })
    await app.make.channel({ groups: group, type: 42, models: 'gemini-3.8-flash', key: `us|p|${account}` })
    const before = app.upstream.received.length
    const client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
    const error: unknown = await client.chat.completions
      .create({ model: 'gemini-3.8-flash', messages: [{ role: 'user', content: 'Hi' }] })
      .then(
        () => null,
        (cause: unknown) => cause,
      )
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(app.upstream.received.length).toBe(before)
  })

  test('whose token is refused at once is reported as the channel’s fault', async () => {
    const { ask } = await cloud('gemini-3.8-flash', () => json(refused, 401))
    const error: unknown = await ask('gemini-3.8-flash').then(
      () => null,
      (cause: unknown) => cause,
    )
    expect(error).toMatchObject({ status: expect.any(Number) })
    expect(JSON.stringify(error)).not.toContain('ya29.')
  })
})
