import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

// The memory that large bodies of many clients may take together.

const mebi = 1024 * 1024
let app: TestApp
let key: string
/** Milliseconds by which the clock was advanced. */
let aheadMs = 0

beforeAll(async () => {
  const clock = { nowMs: () => Date.now() + aheadMs, monotonicMs: () => performance.now() + aheadMs }
  app = await testApp({ clock, env: { BODY_BYTES_MAX: String(8 * mebi), BODIES_BYTES_MAX: String(8 * mebi), BODY_TIMEOUT_MS: '60000' } })
  key = (await app.make.token(await app.make.user({ quota: 1_000_000_000_000 }))).key
  await app.make.channel()
})
afterAll(() => app.close())

const chat = (body: string) =>
  app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  })

const bodyOf = (bytes: number): string =>
  JSON.stringify({ model: 'gpt-4o-mini', max_tokens: 10, messages: [{ role: 'user', content: 'x'.repeat(bytes) }] })

/** A client that announces a body, sends a part of it, and then nothing. */
async function halfBody(
  length: number,
  bytes: number,
  coding = '',
): Promise<{ readonly socket: Socket; readonly response: Promise<string> }> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  const framing = coding === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n${framing}\r\n\r\n`
  const data = 'x'.repeat(bytes)
  await new Promise<void>((resolve) => socket.write(head, () => resolve()))
  socket.write(coding === 'chunked' ? `${length.toString(16)}\r\n${data}` : data)
  const response = new Promise<string>((resolve) => socket.once('data', (some) => resolve(some.toString())))
  return { socket, response }
}

/** Advances the clock until the promise is settled. */
async function passing<Value>(work: Promise<Value>, stepMs = 500): Promise<Value> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    aheadMs += stepMs
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return await ended
}

describe('large bodies of many clients', () => {
  test.each(['by length', 'chunked'])('that stall are dropped in favour of those that arrive, %s', async (coding) => {
    const stalled = await Promise.all(Array.from({ length: 6 }, () => halfBody(8 * mebi, 7 * mebi, coding)))
    const good = await passing(chat(bodyOf(2 * mebi)))
    expect(good.status).toBe(200)
    const first = await Promise.race(stalled.map(({ response }) => response))
    expect(first).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 5\r\n[\s\S]*"body_capacity_exceeded"/i)
    const responses = await passing(Promise.all(stalled.map(({ response }) => response)), 1_900)
    for (const response of responses) expect(response).toMatch(/^HTTP\/1\.1 (503|408) /)
    for (const { socket } of stalled) socket.destroy()
  })

  test('that are complete are counted until a vendor responds to them', async () => {
    app.upstream.script(...['one', 'two'].map((name) => [{ do: 'wait', name } as const, ...json(chatResponse())]))
    const seen = app.upstream.received.length
    const waiting = [chat(bodyOf(4 * mebi)), chat(bodyOf(4 * mebi))]
    while (app.upstream.received.length < seen + 2) await new Promise((resolve) => setTimeout(resolve, 5))
    let isResponded = false
    const third = chat(bodyOf(6 * mebi)).finally(() => {
      isResponded = true
    })
    expect((await chat(bodyOf(100_000))).status).toBe(200)
    expect(isResponded).toBe(false)
    for (const name of ['one', 'two']) app.upstream.release(name)
    expect((await Promise.all([...waiting, third])).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test('release their share of memory, whether they were completed, refused or aborted', async () => {
    for (let round = 0; round < 4; round += 1) {
      expect((await chat(bodyOf(7 * mebi))).status).toBe(200)
      expect((await chat(`${bodyOf(5 * mebi)}}`)).status).toBe(400)
      expect((await chat(bodyOf(5 * mebi).replace('gpt-4o-mini', 'no-such-model'))).status).toBe(404)
      const { socket } = await halfBody(8 * mebi, 6 * mebi)
      socket.destroy()
    }
    expect((await chat(bodyOf(7 * mebi))).status).toBe(200)
  })

  test('with too many values are refused before they are parsed', async () => {
    const many = JSON.stringify({ model: 'gpt-4o-mini', messages: Array.from({ length: 600_000 }, () => ({})) })
    const response = await chat(many)
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('too many values')])
    const numbers = JSON.stringify({ ...JSON.parse(bodyOf(10)), metadata: Array.from({ length: 45_000 }, (_, index) => index) })
    expect((await chat(numbers)).status).toBe(200)
  })
})
