import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import { chatChunk, events, type FakeUpstream, json, startFakeUpstream } from './fake-upstream.ts'
import { prepare, processPassword, type ServerProcess, startServer, until } from './server-process.ts'
import { shippedHost, shippedProxies, startShipped } from './shipped-proxies.ts'

// What `deploy/` and the documentation show about proxies, as operators run it: a server behind each proxy, on an unusual port.

const folder = mkdtempSync(join(tmpdir(), 'sluice-proxies-'))
const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
const browserPath = process.env['CHROMIUM_PATH'] ?? ''
const consolePage = join(import.meta.dir, '../../console/dist/index.html')
const uploadBytes = 100_000_000

let server: ServerProcess
let upstream: FakeUpstream
let vendor: ReturnType<typeof startRealtimeVendor>
let client: Readonly<Record<string, string>>
/** Headers of a client whose token counts in another network only. */
let elsewhere: Readonly<Record<string, string>>
let browser: Browser | null = null

/** Sends an event at the start of each session, and responds to each message. */
const startRealtimeVendor = () =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, upgrading) => (upgrading.upgrade(request) ? undefined : new Response('', { status: 400 })),
    websocket: {
      open: (socket) => void socket.send(JSON.stringify({ type: 'session.created' })),
      message: (socket, message) => void socket.send(JSON.stringify({ type: 'error', error: { message: `got ${message.length}` } })),
    },
  })

beforeAll(async () => {
  const subject = ['-subj', `/CN=${shippedHost}`, '-addext', `subjectAltName=DNS:${shippedHost}`]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const result = Bun.spawnSync(['openssl', 'req', '-x509', ...curve, ...subject, '-keyout', key, '-out', certificate])
  expect(result.exitCode).toBe(0)
  upstream = await startFakeUpstream()
  vendor = startRealtimeVendor()
  server = await startServer({
    DATA_DIR: join(folder, 'data'),
    INITIAL_ROOT_PASSWORD: processPassword,
    TRUSTED_PROXIES: '127.0.0.1/32',
    ALLOWED_HOSTS: shippedHost,
    FORM_BYTES_MAX: String(128 * 1024 * 1024),
  })
  client = await prepare(server, upstream, { models: 'gpt-4o-mini,whisper-1' })
  elsewhere = await prepare(
    server,
    { url: `http://127.0.0.1:${vendor.port}` },
    { models: 'gpt-realtime', token: { subnet: '203.0.113.0/24' } },
  )
  if (browserPath === '') return
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', `--host-resolver-rules=MAP ${shippedHost} 127.0.0.1`]
  browser = await chromium.launch({ executablePath: browserPath, args })
}, 120_000)

afterAll(async () => {
  await browser?.close()
  server?.signal('SIGKILL')
  await server?.exited
  vendor?.stop(true)
  await upstream?.close()
  rmSync(folder, { recursive: true, force: true })
})

for (const proxy of shippedProxies) {
  if (proxy.program === null) console.log(`${proxy.name} is not installed, so its configuration is not tried.`)

  describe.skipIf(proxy.program === null)(`behind ${proxy.name}`, () => {
    let running: Awaited<ReturnType<typeof startShipped>>
    let origin: string

    beforeAll(async () => {
      const gateway = new URL(server.url).host
      running = await startShipped(proxy, { folder: mkdtempSync(join(folder, 'proxy-')), gateway, certificate, key })
      origin = `${proxy.scheme}://${shippedHost}:${running.port}`
    })
    afterAll(() => running?.stop())

    /** A request to the public name, whose certificate is self-signed. */
    const send = (path: string, { headers = {}, ...init }: RequestInit = {}): Promise<Response> =>
      fetch(`${proxy.scheme}://127.0.0.1:${running.port}${path}`, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(headers)), host: new URL(origin).host },
        tls: { rejectUnauthorized: false, serverName: shippedHost },
      })

    const chat = (isStream: boolean, signal?: AbortSignal): Promise<Response> => {
      const body = JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages: [{ role: 'user', content: 'hi' }] })
      return send('/v1/chat/completions', { method: 'POST', headers: client, body, ...(signal === undefined ? {} : { signal }) })
    }

    test('a page whose browser sends no fetch metadata logs in and makes a token', async () => {
      const headers = { origin, 'content-type': 'application/json' }
      const login = await send('/api/user/login', {
        ...{ method: 'POST', headers },
        body: JSON.stringify({ username: 'root', password: processPassword }),
      })
      expect(await login.json()).toMatchObject({ success: true })
      const cookie = login.headers.get('set-cookie') ?? ''
      expect(cookie).toMatch(proxy.scheme === 'https' ? /^__Host-session=.*; Secure/ : /^session=/)
      const response = await send('/api/token/', {
        ...{ method: 'POST', headers: { ...headers, cookie: cookie.split(';')[0] ?? '' } },
        body: JSON.stringify({ name: 'behind a proxy', unlimited_quota: true }),
      })
      expect(await response.json()).toMatchObject({ success: true })
    })

    test('a page of another site is refused, and the log names both hosts', async () => {
      const headers = { origin: `https://elsewhere.example:${running.port}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ username: 'root', password: processPassword })
      expect((await send('/api/user/login', { method: 'POST', headers, body })).status).toBe(403)
      // Once a minute, so this may be the refusal of the proxy before.
      await until(() => /"page":"elsewhere.example:\d+","hosts":\["ai.example.com:\d+"\]/.test(server.printed()))
    })

    test('a piece of a stream arrives before the next one is written', async () => {
      const [first, last] = [events([chatChunk({ content: 'first' })]), events([chatChunk({}, 'stop'), '[DONE]'])]
      const name = `${proxy.name} has passed on the first piece`
      // Only the first part sends the head of the response.
      upstream.script([...first, { do: 'wait', name }, ...last.filter((step) => step.do !== 'head')])
      const response = await chat(true)
      expect(response.status).toBe(200)
      let text = ''
      for await (const bytes of response.body ?? []) {
        text += new TextDecoder().decode(bytes)
        if (text.includes('first')) upstream.release(name)
      }
      expect(text.trimEnd()).toEndWith('[DONE]')
    })

    test('a client that leaves before the first word ends the request to the vendor', async () => {
      upstream.script([{ do: 'hang' }])
      const before = upstream.received.length
      const leaving = new AbortController()
      const left = chat(false, leaving.signal).catch((error: unknown) => error)
      await until(() => upstream.received.length > before)
      leaving.abort()
      await left
      await upstream.received.at(-1)?.aborted
    })

    test('messages of a WebSocket pass in both directions', async () => {
      const messages: string[] = []
      const socket = new WebSocket(
        `${proxy.scheme === 'https' ? 'wss' : 'ws'}://127.0.0.1:${running.port}/v1/realtime?model=gpt-realtime`,
        {
          headers: { ...client, host: new URL(origin).host },
          tls: { rejectUnauthorized: false, serverName: shippedHost },
        },
      )
      socket.onmessage = ({ data }) => {
        messages.push(String(data))
        if (messages.length === 1) socket.send(JSON.stringify({ type: 'response.cancel' }))
      }
      await until(() => messages.length >= 2)
      expect(messages[0]).toContain('session.created')
      expect(messages[1]).toContain('got')
      socket.close()
    })

    test('the subnet of a token counts for the client that the proxy sees, not for the one that the client names', async () => {
      const headers = { ...elsewhere, 'x-forwarded-for': '203.0.113.9' }
      expect((await send('/v1/models', { headers })).status).toBe(403)
      expect((await send('/v1/models', { headers: client })).status).toBe(200)
    })

    test('a form of 100 MB is passed on', async () => {
      const form = new FormData()
      form.set('model', 'whisper-1')
      form.set('file', new Blob([new Uint8Array(uploadBytes)]), 'long.wav')
      upstream.script(json({ text: 'good day' }))
      const { 'content-type': _, ...headers } = client
      const response = await send('/v1/audio/transcriptions', { method: 'POST', headers, body: form })
      expect([response.status, await response.json()]).toEqual([200, { text: 'good day' }])
    }, 120_000)

    test('a body that is too large is refused by Sluice, in the form of the client’s protocol', async () => {
      const body = new Uint8Array(130 * 1024 * 1024)
      const response = await send('/v1/chat/completions', { method: 'POST', headers: client, body }).catch((error: unknown) => error)
      if (response instanceof Response) expect([response.status, await response.json()]).toMatchObject([413, { error: {} }])
    }, 120_000)

    test.skipIf(browserPath === '' || !existsSync(consolePage))(
      'the console logs in',
      async () => {
        const context = await (browser ?? expect.unreachable()).newContext({ ignoreHTTPSErrors: true, locale: 'en-US' })
        const page = await context.newPage()
        await page.goto(`${origin}/login`)
        await page.getByLabel('Username or email').fill('root')
        await page.getByLabel('Password', { exact: true }).fill(processPassword)
        await page.keyboard.press('Enter')
        await page.waitForURL(`${origin}/token`)
        await page.goto(`${origin}/token/add`)
        await page.getByRole('textbox', { name: /^Name/ }).fill(`by ${proxy.name}`)
        const responded = page.waitForResponse((response) => response.request().method() === 'POST')
        await page.getByRole('button', { name: 'Create token' }).click()
        expect(await (await responded).json()).toMatchObject({ success: true })
        await context.close()
      },
      120_000,
    )
  })
}

const systemdAnalyze = Bun.which('systemd-analyze')

test.skipIf(systemdAnalyze === null)('systemd reads the unit without a warning', () => {
  const unit = join(folder, 'sluice.service')
  // The executable of another machine is none of this one.
  writeFileSync(
    unit,
    readFileSync(join(import.meta.dir, '../../../deploy/sluice.service'), 'utf8').replace(
      'ExecStart=/usr/local/bin/sluice',
      'ExecStart=/bin/true',
    ),
  )
  const { exitCode, stderr } = Bun.spawnSync([systemdAnalyze ?? '', 'verify', unit], { stderr: 'pipe' })
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
})
