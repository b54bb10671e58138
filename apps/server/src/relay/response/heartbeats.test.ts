import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatResponse, chatStream, events, json, type Script, type Step } from '../../../test/fake-upstream.ts'
import { metricsToken, scrape, total } from '../../../test/scrape.ts'
import { until } from '../../../test/server-process.ts'

// What a client sees, and what a vendor may send, before the first event of a response.

let app: TestApp
beforeAll(async () => {
  app = await testApp({ env: { METRICS_TOKEN: metricsToken, HEARTBEAT_MS: '300', FIRST_BYTE_TIMEOUT_MS: '1500', IDLE_TIMEOUT_MS: '1500' } })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

const hello = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Hi' }] }

async function scene(...channels: Script[]) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, quota: 1_000_000 })
  const { key } = await app.make.token(user)
  for (const index of channels.keys()) await app.make.channel({ groups: group, priority: -index })
  app.upstream.script(...channels)
  return { user, key, group, client: new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 }) }
}

function ask(key: string, fields: object = {}, signal: AbortSignal | null = null): Promise<Response> {
  return app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...hello, stream: true, ...fields }),
    signal,
  })
}

async function lastRow(user: TestUser) {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username: user.username }))[0]
}

let gates = 0
/** A script step that waits until it is released. */
function gate(): { readonly step: Step; readonly open: () => void } {
  gates += 1
  const name = `gate${gates}`
  return { step: { do: 'wait', name }, open: () => app.upstream.release(name) }
}

const failing: Script = json({ error: { message: 'broken', type: 'server_error' } }, 500)

describe('a client that requested a stream', () => {
  test('gets headers and keep-alive comments until the first event, and then the stream', async () => {
    const { step, open } = gate()
    const { key, user } = await scene([step, ...chatStream(['Hi'])])
    const response = await ask(key)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(response.headers.get('x-request-id')).not.toBeNull()
    expect(total(await scrape(app), 'sluice_requests_in_flight')).toBe(1)
    open()
    const text = await response.text()
    expect(total(await scrape(app), 'sluice_requests_in_flight')).toBe(0)
    expect(text).toStartWith(': keep-alive\n\n')
    expect(text).toContain('"content":"Hi"')
    expect(text).toEndWith('data: [DONE]\n\n')
    expect(await lastRow(user)).toMatchObject({ end_reason: 'complete', attempts: 1, prompt_tokens: 10 })
  })

  test('gets the response of another channel if the first one fails after keep-alive comments', async () => {
    const { step, open } = gate()
    const { client, user } = await scene([step, ...failing], chatStream(['Hi']))
    const stream = await client.chat.completions.create({ ...hello, stream: true })
    open()
    let text = ''
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
    expect(text).toBe('Hi')
    expect(await lastRow(user)).toMatchObject({ end_reason: 'complete', attempts: 2 })
  })

  test('gets a response without a stream as the stream that it requested', async () => {
    const { step, open } = gate()
    const { client } = await scene([step, ...json(chatResponse('Whole'))])
    const stream = client.chat.completions.stream(hello)
    stream.on('connect', open)
    expect(await stream.finalContent()).toBe('Whole')
  })

  test.each([
    ['a chat', (client: OpenAI) => client.chat.completions.create({ ...hello, stream: true })],
    ['a completion', (client: OpenAI) => client.completions.create({ model: hello.model, prompt: 'Hi', stream: true })],
    ['a response', (client: OpenAI) => client.responses.create({ model: hello.model, input: 'Hi', stream: true })],
  ] as const)('sees an error if no channel responds %s after heartbeats, and is charged nothing', async (_, create) => {
    const { step, open } = gate()
    const { client, user } = await scene([step, ...failing])
    const stream: AsyncIterable<unknown> = await create(client)
    open()
    const read = async (): Promise<void> => {
      for await (const _event of stream);
    }
    expect(await read().catch((error: unknown) => error)).toMatchObject({ code: 'upstream_failed' })
    expect(await lastRow(user)).toMatchObject({ end_reason: 'failed', quota: 0, attempts: 1 })
    expect((await app.data(contract.account.self, {}, user)).quota).toBe(1_000_000)
  })

  test('may disconnect while it waits: its vendor is aborted, and nothing is retried or charged', async () => {
    const { step } = gate()
    const { key, user, group } = await scene([step])
    await app.make.channel({ groups: group, priority: -1 })
    const control = new AbortController()
    const response = await ask(key, {}, control.signal)
    expect(response.status).toBe(200)
    const before = app.upstream.received.length
    control.abort()
    await app.upstream.received.at(-1)?.aborted
    await until(async () => (await lastRow(user)) !== undefined)
    expect(await lastRow(user)).toMatchObject({ end_reason: 'client_gone', quota: 0 })
    expect(app.upstream.received.length).toBe(before)
  })

  test('gets an error status if nothing was sent yet', async () => {
    const { key } = await scene(failing)
    const response = await ask(key)
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'application/json'])
  })
})

test('a client that requested no stream waits for its status', async () => {
  const { key } = await scene([{ do: 'pause', ms: 700 }, ...failing])
  expect((await ask(key, { stream: false })).status).toBe(502)
})

describe('a vendor that is busy', () => {
  const head = (type: string): Step => ({ do: 'head', status: 200, headers: { 'content-type': type } })
  /** Signs of life for longer than the first-byte timeout. */
  const alive = (bytes: string): Script =>
    Array.from(
      { length: 5 },
      (): Script => [
        { do: 'send', bytes },
        { do: 'pause', ms: 500 },
      ],
    ).flat()

  test('is waited for as long as it sends signs of life', async () => {
    const { client, user } = await scene([
      head('text/event-stream'),
      ...alive(': keep-alive\n\n'),
      ...events([]).slice(1),
      ...chatStream(['Hi']).slice(1),
    ])
    expect(await client.chat.completions.stream(hello).finalContent()).toBe('Hi')
    expect(await lastRow(user)).toMatchObject({ end_reason: 'complete', attempts: 1 })
  })

  test('may send them before a response without a stream too', async () => {
    const { client } = await scene([head('application/json'), ...alive('\n'), ...json(chatResponse('Hi')).slice(1)])
    expect((await client.chat.completions.create(hello)).choices[0]?.message.content).toBe('Hi')
  })

  test('is given up if it sends nothing', async () => {
    const { client, user } = await scene([head('text/event-stream'), { do: 'send', bytes: ': keep-alive\n\n' }, { do: 'hang' }])
    const stream = client.chat.completions.stream(hello)
    expect(await stream.finalContent().catch((error: unknown) => error)).toBeInstanceOf(Error)
    expect(await lastRow(user)).toMatchObject({ end_reason: 'failed', content: expect.stringContaining('upstream_timeout') })
  })
})
