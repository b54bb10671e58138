import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { until } from './server-process.ts'

// A vendor that responds over a WebSocket, through HTTP.

let app: TestApp
let user: TestUser
let key: string
let passedMs = 0
const clock = { nowMs: () => Date.now() + passedMs, monotonicMs: () => performance.now() + passedMs }

/** What the vendor does with the message of a request. */
interface Connection {
  send(message: string): unknown
  close(): void
}
let respond: (socket: Connection, message: string) => void = () => {}
let refusal: { readonly status: number; readonly message: string } | null = null
const messages: { url: URL; message: string }[] = []
let closedCount = 0
let vendor: ReturnType<typeof startVendor>

function startVendor() {
  let url = new URL('http://none')
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, server) {
      url = new URL(request.url)
      if (refusal !== null) return Response.json({ message: refusal.message }, { status: refusal.status })
      return server.upgrade(request) ? undefined : new Response('no', { status: 400 })
    },
    websocket: {
      message(socket, message) {
        messages.push({ url, message: String(message) })
        respond(socket, String(message))
      },
      close() {
        closedCount += 1
      },
    },
  })
}

beforeAll(async () => {
  app = await testApp({ clock })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  vendor = startVendor()
})
afterAll(async () => {
  await vendor.stop(true)
  await app.close()
})

beforeEach(async () => {
  refusal = null
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  user = await app.make.user({ groups, quota: 10_000_000 })
  key = (await app.make.token(user)).key
  const baseUrl = `http://127.0.0.1:${vendor.port}`
  await app.make.channel({ type: 18, key: 'app1|secret|apikey', models: 'Spark-4.0-Ultra,Spark-Lite', groups, baseUrl })
})

afterEach(async () => {
  await until(async () => (await app.app.store.db.selectFrom('holds').select('request_id').execute()).length === 0)
  expect(await app.inconsistencies()).toEqual([])
})

/** A value in a response, by the names that lead to it. */
function at(json: unknown, ...names: readonly string[]): unknown {
  return names.reduce((value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined), json)
}

const chat = (more: object = {}, signal?: AbortSignal): Promise<Response> =>
  app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'Spark-4.0-Ultra', messages: [{ role: 'user', content: 'Hi' }], ...more }),
    ...(signal === undefined ? {} : { signal }),
  })

async function lastRow() {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username: user.username, type: 2 }))[0]
}

const usage = { question_tokens: 2, prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }

function frame(status: number, text: object, more: object = {}): string {
  const choices = { status, seq: 0, text: [{ index: 0, role: 'assistant', ...text }] }
  return JSON.stringify({ header: { code: 0, message: 'Success', sid: 'cht', status }, payload: { choices, ...more } })
}

const failed = (code: number, message: string): string => JSON.stringify({ header: { code, message, sid: 'cht', status: 2 } })

/** Sends these messages and closes. */
const says =
  (...messages: readonly string[]): typeof respond =>
  (socket) => {
    for (const message of messages) socket.send(message)
    socket.close()
  }

const whole = [frame(0, { content: 'Hel' }), frame(1, { content: 'lo' }), frame(2, { content: '!' }, { usage: { text: usage } })]

describe('a response in messages', () => {
  test('is collected for a client that wants it whole, and charged by its usage', async () => {
    respond = says(...whole)
    const response = await (await chat({ temperature: 2, max_tokens: 9 })).json()
    expect(response).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    })
    const { url, message } = messages.at(-1) ?? { url: new URL('http://none'), message: '' }
    expect([url.pathname, [...url.searchParams.keys()]]).toEqual(['/v4.0/chat', ['authorization', 'date', 'host']])
    expect(JSON.parse(message)).toEqual({
      header: { app_id: 'app1' },
      parameter: { chat: { domain: '4.0Ultra', temperature: 1, max_tokens: 9, auditing: 'default' } },
      payload: { message: { text: [{ role: 'user', content: 'Hi' }] } },
    })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 3, completion_tokens: 4, end_reason: 'complete', is_stream: false })
  })

  test('is streamed as it comes, with a function call, and ends when the vendor says so, even if the connection stays', async () => {
    const call = { name: 'weather', arguments: '{"city":"Porto"}' }
    respond = (socket) => {
      socket.send(frame(0, { content: '', reasoning_content: 'Hm' }))
      socket.send(frame(2, { content: '', function_call: call }, { usage: { text: usage } }))
    }
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
    const lines = (await (await chat({ stream: true, tools })).text()).split('\n').filter((line) => line.startsWith('data: '))
    expect(lines.at(-1)).toBe('data: [DONE]')
    const choices = lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)).choices[0])
    expect(choices[0].delta).toMatchObject({ role: 'assistant', reasoning_content: 'Hm' })
    expect(choices.flatMap(({ delta }) => delta.tool_calls ?? [])).toMatchObject([{ index: 0, type: 'function', function: call }])
    expect(choices.at(-1).finish_reason).toBe('tool_calls')
    expect(await lastRow()).toMatchObject({ prompt_tokens: 3, completion_tokens: 4, end_reason: 'complete' })
    const before = closedCount
    passedMs += 3_000
    await until(async () => closedCount > before)
  })

  test('that is an error is the vendor’s error, and costs nothing', async () => {
    respond = says(failed(10013, 'the input is not allowed'))
    for (const stream of [false, true]) {
      const response = await chat({ stream })
      expect([response.status, at(await response.json(), 'error', 'code')]).toEqual([400, 'content_filter'])
    }
    expect((await app.data(contract.account.self, {}, user)).quota).toBe(10_000_000)
  })

  test('that breaks off is not taken for a whole one', async () => {
    respond = says(...whole.slice(0, 2))
    expect((await chat()).status).toBe(502)
    const text = await (await chat({ stream: true })).text()
    expect([text.includes('Hel'), text.includes('[DONE]')]).toEqual([true, false])
    expect(await lastRow()).toMatchObject({ end_reason: 'upstream_cut' })
  })

  test('may have a message of megabytes, but none of more than four', async () => {
    const long = 'word '.repeat(700_000)
    respond = says(frame(0, { content: long }), frame(2, { content: '!' }, { usage: { text: usage } }))
    const response: unknown = await (await chat()).json()
    expect(String(at(response, 'choices', '0', 'message', 'content')).length).toBe(long.length + 1)
    expect(await lastRow()).toMatchObject({ prompt_tokens: 3, completion_tokens: 4, end_reason: 'complete' })

    respond = says(frame(0, { content: 'a'.repeat(4 * 1024 * 1024) }), frame(2, { content: '!' }, { usage: { text: usage } }))
    const before = closedCount
    expect((await chat()).status).toBe(502)
    await until(async () => closedCount > before)
    respond = says(frame(0, { content: 'Hello' }), frame(1, { content: 'a'.repeat(4 * 1024 * 1024) }))
    const text = await (await chat({ stream: true })).text()
    expect([text.includes('Hello'), text.includes('aaaa'), text.includes('[DONE]')]).toEqual([true, false, false])
  })

  test('that is garbage or empty is refused', async () => {
    for (const messages of [['no json'], ['[]', '{}'], []]) {
      respond = says(...messages)
      expect((await chat()).status).toBe(502)
      expect((await chat({ stream: true })).status).toBe(502)
    }
  })

  test('that does not begin ends with a timeout, and the connection is closed', async () => {
    respond = () => {}
    const before = [messages.length, closedCount] as const
    const response = chat()
    await until(async () => messages.length > before[0])
    passedMs += 3_600_000
    expect((await response).status).toBe(504)
    await until(async () => closedCount > before[1])
  })

  test('is aborted when the client leaves, and what was delivered is charged', async () => {
    respond = (socket) => void socket.send(frame(0, { content: 'A long beginning' }))
    const before = closedCount
    const control = new AbortController()
    const response = await chat({ stream: true }, control.signal)
    await response.body?.getReader().read()
    control.abort()
    await until(async () => closedCount > before)
    await until(async () => (await lastRow()) !== undefined)
    expect(await lastRow()).toMatchObject({ end_reason: 'client_gone' })
    expect((await lastRow())?.quota).toBeGreaterThan(0)
  })

  test('is not lost while a slow client reads', async () => {
    const long = 'x'.repeat(60_000)
    respond = says(...Array.from({ length: 100 }, () => frame(1, { content: long })), frame(2, { content: '' }, { usage: { text: usage } }))
    const response = await chat({ stream: true })
    await Bun.sleep(200)
    expect((await response.text()).length).toBeGreaterThan(6_000_000)
    expect(await lastRow()).toMatchObject({ end_reason: 'complete', completion_tokens: 4 })
  })
})

describe('a handshake that is refused', () => {
  test('for the signature is a refusal of the key', async () => {
    refusal = { status: 401, message: 'HMAC signature does not match' }
    const response = await chat()
    expect(response.status).toBeGreaterThanOrEqual(500)
    expect(await response.text()).not.toContain('secret')
  })

  test('is reported as what the vendor says', async () => {
    refusal = { status: 400, message: 'bad request' }
    expect([(await chat()).status, (await chat({ stream: true })).status]).toEqual([400, 400])
  })
})

test('functions for a model without them are refused by name', async () => {
  const tools = [{ type: 'function', function: { name: 'weather' } }]
  const response = await chat({ model: 'Spark-Lite', tools })
  expect([response.status, at(await response.json(), 'error', 'message')]).toEqual([400, expect.stringContaining('tools')])
})
