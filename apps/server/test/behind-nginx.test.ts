import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { rootPassword, type TestApp, testApp } from './app.ts'
import { until } from './channel-scene.ts'
import { chatChunk, events, type Step } from './fake-upstream.ts'
import { nginx, startNginx, withPlaces } from './nginx.ts'

// Tests the configuration of docs/https.md as it is written, with a real nginx if one is installed.

const openssl = Bun.which('openssl')
const isHere = nginx !== null && openssl !== null
if (!isHere) console.log('No nginx or no openssl here: docs/https.md is not tried.')

const page = readFileSync(join(import.meta.dir, '../../../docs/https.md'), 'utf8')
const written = /```nginx\n([\s\S]*?)```/.exec(page)?.[1] ?? ''

let app: TestApp
let folder: string
let server: Awaited<ReturnType<typeof startNginx>>
let url: string

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

/** The page's configuration, with the paths and ports of this test. */
function configuration(port: number): string {
  const places: readonly (readonly [string, string])[] = [
    ['127.0.0.1:3000', new URL(app.url).host],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/etc/letsencrypt/live/ai.example.com/fullchain.pem', join(folder, 'cert.pem')],
    ['/etc/letsencrypt/live/ai.example.com/privkey.pem', join(folder, 'key.pem')],
  ]
  return withPlaces(written, places)
}

beforeAll(async () => {
  if (!isHere) return
  app = await testApp({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } })
  folder = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
  const certificate = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=ai.example.com']
  Bun.spawnSync([openssl, ...certificate, '-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')])
  const port = freePort()
  server = await startNginx(folder, configuration(port), port)
  url = `https://127.0.0.1:${port}`
})
afterAll(async () => {
  if (!isHere) return
  await server.stop()
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Sends a request without checking the certificate, which is self-signed. */
const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}${path}`, { ...init, tls: { rejectUnauthorized: false } })

const chat = (key: string, more: object = {}): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }], ...more }),
})

describe.skipIf(!isHere)('behind nginx', () => {
  test('a piece of a stream arrives before the next one is written', async () => {
    await app.make.channel()
    const { key } = await app.make.token(await app.make.user({ quota: 1_000_000 }))
    const stop = chatChunk({}, 'stop')
    const [first, last] = [events([chatChunk({ role: 'assistant', content: 'first' })]), events([stop, '[DONE]'])]
    // Only the first part sends the head of the answer.
    const rest = last.filter((step: Step) => step.do !== 'head')
    app.upstream.script([...first, { do: 'wait', name: 'first was read' }, ...rest])
    const response = await ask('/v1/chat/completions', chat(key, { stream: true }))
    const reader = response.body?.getReader()
    const seen = new TextDecoder().decode((await reader?.read())?.value)
    expect(seen).toContain('first')
    app.upstream.release('first was read')
    let all = seen
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
      if (done) break
      all += new TextDecoder().decode(value)
    }
    expect(all.trimEnd()).toEndWith('[DONE]')
  })

  test('the subnet of a token is checked against the address of the client, which a client cannot forge', async () => {
    const user = await app.make.user({ quota: 1_000_000 })
    const here = await app.make.token(user, { subnet: '127.0.0.1/32' })
    const elsewhere = await app.make.token(user, { subnet: '203.0.113.0/24' })
    expect((await ask('/v1/models', { headers: { authorization: `Bearer ${here.key}` } })).status).toBe(200)
    const forged = { authorization: `Bearer ${elsewhere.key}`, 'x-forwarded-for': '203.0.113.9' }
    expect((await ask('/v1/models', { headers: forged })).status).toBe(403)
  })

  test('a login sets a cookie that is sent over https only', async () => {
    const body = JSON.stringify({ username: 'root', password: rootPassword })
    const response = await ask('/api/user/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-session=.*Secure/)
  })

  test('a body of 20 MB is accepted', async () => {
    const { key } = await app.make.token(await app.make.user({ quota: 100_000_000 }))
    const response = await ask('/v1/chat/completions', chat(key, { metadata: { padding: 'x'.repeat(20 * 1024 * 1024) } }))
    expect(response.status).toBe(200)
    expect(app.upstream.received.at(-1)?.body.length).toBeGreaterThan(20 * 1024 * 1024)
  })

  test('a WebSocket session opens, and messages pass in both directions', async () => {
    const vendor = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request, upgrading) => (upgrading.upgrade(request) ? undefined : new Response('', { status: 400 })),
      websocket: {
        open: (socket) => void socket.send(JSON.stringify({ type: 'session.created' })),
        message: (socket, message) => void socket.send(JSON.stringify({ type: 'error', error: { message: `got ${message.length}` } })),
      },
    })
    await app.make.channel({ models: 'gpt-realtime', baseUrl: `http://127.0.0.1:${vendor.port}` })
    await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
    const { key } = await app.make.token(await app.make.user({ quota: 100_000_000 }), { isUnlimited: true })
    const heard: string[] = []
    const socket = new WebSocket(`${url.replace('https', 'wss')}/v1/realtime?model=gpt-realtime`, {
      headers: { authorization: `Bearer ${key}` },
      tls: { rejectUnauthorized: false },
    })
    socket.onmessage = ({ data }) => {
      heard.push(String(data))
      if (heard.length === 1) socket.send(JSON.stringify({ type: 'response.cancel' }))
    }
    await until(
      async () => heard,
      (all) => all.length >= 2,
    )
    expect(heard[0]).toContain('session.created')
    expect(heard[1]).toContain('got')
    socket.close()
    vendor.stop(true)
  })
})
