import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../test/app.ts'
import { startFaultProxy } from '../../../test/fault-proxy.ts'

// A channel whose address leads back to this server through another port, as with a load balancer or a container's port mapping.

let app: TestApp
let key: string
const closing: Array<() => void> = []
beforeAll(async () => {
  app = await testApp()
  key = (await app.make.token(await app.make.user(), { isUnlimited: true })).key
})
afterAll(async () => {
  for (const close of closing) close()
  await app.close()
})

interface Hopped {
  readonly status: number
  readonly code: string
}

async function ask(path: string, headers: Record<string, string> = {}, body?: object): Promise<Hopped> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await app.request(path, { ...init, headers: { authorization: `Bearer ${key}`, ...headers } })
  // Holds: the relay sends every refusal in this form.
  const { error } = (await response.json()) as { error: { code: string } }
  return { status: response.status, code: error.code }
}

/** A TCP proxy to this server. @returns its address, and the number of connections it has forwarded */
async function inFront() {
  const proxy = await startFaultProxy(app.url)
  closing.push(proxy.close)
  return proxy
}

describe('a channel that leads back to this server', () => {
  test('is refused at the second pass, without a second reservation', async () => {
    const { url } = await inFront()
    await app.make.channel({ models: 'gpt-4o', baseUrl: url, key })
    const started = await rows()
    expect(await ask('/v1/chat/completions', {}, { model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] })).toEqual({
      status: 502,
      code: 'upstream_failed',
    })
    expect(await rows()).toBe(started + 1)
  })

  test('is refused as a raw proxy too', async () => {
    const { url } = await inFront()
    const channel = await app.make.channel({ type: 43, models: '', baseUrl: url, key: `Bearer ${key}` })
    const path = `/v1/oneapi/proxy/${channel}`
    expect(await ask(`${path}${path}/x`)).toEqual({ status: 508, code: 'loop_detected' })
  })
})

describe('the servers that a request has passed', () => {
  const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }
  test('are sent to the next one, with this one appended', async () => {
    await app.make.channel({})
    await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'x-sluice-hop': 'first, second' },
      body: JSON.stringify(body),
    })
    expect(app.upstream.received.at(-1)?.headers['x-sluice-hop']).toMatch(/^first, second, [A-Za-z0-9]{12}$/)
  })

  test('are at most eight, and a malformed header is not forwarded', async () => {
    const eight = Array.from({ length: 8 }, (_, index) => `server${index}`).join(', ')
    expect(await ask('/v1/chat/completions', { 'x-sluice-hop': eight }, body)).toEqual({ status: 508, code: 'loop_detected' })
    await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'x-sluice-hop': '<script>' },
      body: JSON.stringify(body),
    })
    expect(app.upstream.received.at(-1)?.headers['x-sluice-hop']).toMatch(/^[A-Za-z0-9]{12}$/)
  })
})

async function rows(): Promise<number> {
  const { db } = app.app.store
  return (await db.selectFrom('logs').select('id').where('type', '=', 2).execute()).length
}
