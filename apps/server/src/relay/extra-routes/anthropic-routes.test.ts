import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { type TestApp, testApp } from '../../../test/app.ts'
import { json } from '../../../test/fake-upstream.ts'
import { messageScene } from '../../../test/message-scene.ts'

// What Anthropic's own client calls beside messages.

const [claude, gpt] = ['claude-sonnet-4-5', 'gpt-4o-mini']

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

const messages = [{ role: 'user' as const, content: 'How many tokens are there?' }]

async function counted(key: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const response = await app.request('/v1/messages/count_tokens', {
    method: 'POST',
    headers: { 'x-api-key': key, ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, by: response.headers.get('x-token-count'), body: (await response.json()) as unknown }
}

describe('the count of tokens', () => {
  test('is the vendor’s where it has an endpoint for it, with the client’s beta features, and costs nothing', async () => {
    const { client, key, header, upstreamBody, log } = await messageScene(
      app,
      [{ type: 14, models: claude, key: 'sk-ant-vendor' }],
      [json({ input_tokens: 42 }), json({ input_tokens: 43 })],
    )
    expect(await client.messages.countTokens({ model: claude, messages })).toMatchObject({ input_tokens: 42 })
    expect(app.upstream.received.at(-1)?.path).toBe('/v1/messages/count_tokens')
    expect(upstreamBody()).toEqual({ model: claude, messages })
    expect(header('x-api-key')).toBe('sk-ant-vendor')
    const { by, body } = await counted(key, { model: claude, messages }, { 'anthropic-beta': 'context-1m-2025-08-07' })
    expect({ by, body }).toEqual({ by: 'vendor', body: { input_tokens: 43 } })
    expect(header('anthropic-beta')).toBe('context-1m-2025-08-07')
    expect(await log()).toBeUndefined()
  })

  test('is our own for other vendors, and where the vendor returns none', async () => {
    const { key } = await messageScene(app, [{ models: gpt }], [])
    const before = app.upstream.received.length
    const short = await counted(key, { model: gpt, messages })
    expect(short.by).toBe('gateway')
    expect(app.upstream.received.length).toBe(before)
    const system = 'You count the tokens of every text that you are given, and say the number.'
    const tools = [{ name: 'count', description: 'Counts', input_schema: { type: 'object' } }]
    const long = await counted(key, { model: gpt, messages, system, tools })
    const tokens = ({ body }: typeof short) => (body as { readonly input_tokens: number }).input_tokens
    expect(tokens(short)).toBeWithin(6, 20)
    expect(tokens(long)).toBeGreaterThan(tokens(short) + 20)
    // The model does not see a deferred tool until it finds it.
    const later = tools.map((tool) => ({ ...tool, name: 'later', defer_loading: true }))
    expect(tokens(await counted(key, { model: gpt, messages, system, tools: [...tools, ...later] }))).toBe(tokens(long))
    const failing = await messageScene(app, [{ type: 14, models: claude }], [json({ error: { message: 'broken' } }, 500)])
    expect((await counted(failing.key, { model: claude, messages })).by).toBe('gateway')
  })

  test('is our own where Claude is at another host, which is not called', async () => {
    const { key } = await messageScene(app, [{ type: 3, models: claude, other: 'v1' }], [])
    const before = app.upstream.received.length
    expect((await counted(key, { model: claude, messages })).by).toBe('gateway')
    expect(app.upstream.received.length).toBe(before)
  })

  test('is for a token with its models only', async () => {
    await messageScene(app, [{ models: gpt }], [])
    const { key } = await app.make.token(await app.make.user(), { models: 'gpt-4o' })
    expect((await counted(key, { model: gpt, messages })).status).toBe(403)
  })

  test.each([
    [{ model: 'unknown-model', messages }, 404],
    [{ model: gpt }, 400],
  ])('of %j is refused with %d', async (body, status) => {
    const { key } = await messageScene(app, [{ models: gpt }], [])
    const response = await counted(key, body)
    expect(response.status).toBe(status)
    expect(response.body).toMatchObject({ type: 'error' })
  })
})

describe('the list of models', () => {
  test('has the protocol’s form and pages', async () => {
    const { client } = await messageScene(app, [{ models: `${claude},${gpt},gpt-4o` }], [])
    const page = await client.models.list({ limit: 2 })
    expect(page.data).toMatchObject([
      { type: 'model', id: claude, display_name: claude },
      { type: 'model', id: 'gpt-4o' },
    ])
    expect([page.has_more, page.first_id, page.last_id]).toEqual([true, claude, 'gpt-4o'])
    const all: string[] = []
    for await (const { id } of client.models.list({ limit: 1 })) all.push(id)
    expect(all).toEqual([claude, 'gpt-4o', gpt])
    expect((await client.models.list({ before_id: gpt, limit: 1 })).data.map(({ id }) => id)).toEqual(['gpt-4o'])
    expect(await client.models.retrieve(gpt)).toMatchObject({ type: 'model', id: gpt })
  })

  test('keeps OpenAI’s form for other clients', async () => {
    const { key } = await messageScene(app, [{ models: gpt }], [])
    const response = await app.request('/v1/models', { headers: { authorization: `Bearer ${key}` } })
    expect(await response.json()).toMatchObject({ object: 'list', data: [{ object: 'model', id: gpt }] })
  })

  test('refuses what is not in it in the protocol’s form', async () => {
    const { client } = await messageScene(app, [{ models: gpt }], [])
    expect(await client.models.retrieve('unknown').catch((caught: unknown) => caught)).toBeInstanceOf(Anthropic.NotFoundError)
    expect(await client.models.list({ limit: 5_000 }).catch((caught: unknown) => caught)).toBeInstanceOf(Anthropic.BadRequestError)
    expect(await client.models.list({ after_id: 'unknown' }).catch((caught: unknown) => caught)).toBeInstanceOf(Anthropic.BadRequestError)
  })
})
