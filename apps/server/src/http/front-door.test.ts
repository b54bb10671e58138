import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { contract, en, zh } from '@sluice/contract'
import { type TestApp, testApp } from '../../test/app.ts'
import { chatChunk, chatResponse, events, json } from '../../test/fake-upstream.ts'
import { filesIn, loadConsole } from './console-files.ts'

/** Sends bytes that no HTTP client would send. @returns everything that was received until the server closed the connection */
function sendRaw(app: TestApp, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = connect(app.app.port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1')
    })
    socket.on('close', () => resolve(response))
    socket.on('error', reject)
  })
}

describe('a request', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp({ env: { BODY_BYTES_MAX: '4096' } })
  })
  afterAll(() => app.close())

  test('without a host is accepted where any host is, and with an invalid one is refused', async () => {
    const { key } = await app.make.token(await app.make.user())
    const head = 'Host: \r\nConnection: close\r\n\r\n'
    expect(await sendRaw(app, `GET /api/status HTTP/1.1\r\n${head}`)).toStartWith('HTTP/1.1 421 ')
    expect(await sendRaw(app, `GET /v1/models HTTP/1.1\r\n${head}`)).toContain('"error":{')
    expect(await sendRaw(app, `GET /v1/models/no-such-model HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n${head}`)).toContain(
      'model_not_found',
    )
    expect(await sendRaw(app, `GET /api/nonsense HTTP/1.1\r\n${head}`)).toContain('unknown_url')
    for (const host of ['a b', '%%%', '[', 'user@host:99', 'x/v1', 'a:b'])
      expect(await sendRaw(app, `GET /api/status HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toStartWith('HTTP/1.1 400 ')
    expect(await sendRaw(app, 'GET /healthz HTTP/1.0\r\n\r\n')).toContain('{"status":"ok"}')
  })

  test('with a body over the limit is refused in the form of its API, whatever length it declares', async () => {
    const { key } = await app.make.token(await app.make.user())
    const chat = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n`
    const login = 'POST /api/user/login HTTP/1.1\r\nHost: localhost\r\n'
    const declared = 'Content-Length: 99999999999\r\n\r\n'
    const undeclared = `Transfer-Encoding: chunked\r\n\r\n${`fff\r\n${'x'.repeat(0xfff)}\r\n`.repeat(300)}`
    for (const body of [declared, undeclared]) {
      const envelope = await sendRaw(app, login + body)
      expect(envelope).toStartWith('HTTP/1.1 413')
      expect(envelope).toContain('{"success":false,"message":"The request body is larger than 1048576 bytes"}')
      const error = await sendRaw(app, chat + body)
      expect(error).toStartWith('HTTP/1.1 413')
      expect(error).toContain('"code":"body_too_large"')
    }
  })

  test('with two lengths is refused', async () => {
    const both = 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
    expect(await sendRaw(app, `POST /api/user/login HTTP/1.1\r\nHost: x\r\n${both}`)).toStartWith('HTTP/1.1 400')
  })

  test('whose body is no text, or compressed, is refused with a message', async () => {
    const post = (body: Uint8Array<ArrayBuffer> | string, headers: Readonly<Record<string, string>> = {}) =>
      app.request('/api/user/login', { method: 'POST', body, headers })
    const broken = await post(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]))
    expect([broken.status, await broken.json()]).toEqual([200, { success: false, message: en.invalid_text }])
    expect((await post('x', { 'content-encoding': 'rot13' })).status).toBe(415)
    expect(await (await post('', { 'accept-language': 'zh' })).json()).toEqual({
      success: false,
      message: zh.invalid_json.replace('{detail}', 'it is empty'),
    })
  })

  test('to the management API has headers against framing, caching, sniffing and indexing', async () => {
    for (const response of [await app.request('/api/status'), await app.request('/api/token/'), await app.request('/api/nonsense')]) {
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex',
      })
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('gets a response that forbids sniffing, also an error or a stream', async () => {
    const { key } = await app.make.token(await app.make.user())
    await app.make.channel({ models: 'gpt-4o-mini' })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const messages = [{ role: 'user', content: '<script>' }]
    const post = (path: string, body: object) => app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
    app.upstream.script(json(chatResponse('<b>')), events([chatChunk({ content: '<b>' }), chatChunk({}, 'stop'), '[DONE]']))
    const responses = [
      await app.request('/v1/models', { headers }),
      await app.request('/v1/models'),
      await app.request('/v1/models', { method: 'OPTIONS' }),
      await app.request('/v1/nonsense'),
      await post('/v1/chat/completions', { model: 'gpt-4o-mini', messages }),
      await post('/v1/chat/completions', { model: 'gpt-4o-mini', messages, stream: true }),
      await post('/v1/messages', { model: 'no-such-model', messages }),
      ...(await Promise.all(['/api/status', '/api/docs', '/healthz', '/', '/metrics'].map((path) => app.request(path)))),
    ]
    for (const response of responses) {
      await response.arrayBuffer()
      expect([response.url, response.headers.get('x-content-type-options')]).toEqual([response.url, 'nosniff'])
    }
    expect(responses.map(({ status }) => status).slice(0, 7)).toEqual([200, 401, 204, 404, 200, 200, 404])
    expect(responses[5]?.headers.get('content-type')).toStartWith('text/event-stream')
    expect(await sendRaw(app, 'nonsense\r\n\r\n')).toContain('\r\nx-content-type-options: nosniff\r\n')
  })

  test('for a page of a server without a console gets a 404', async () => {
    expect((await app.request('/')).status).toBe(404)
  })
})

test('if the database does not respond, the server is alive but not ready, and failures are envelopes', async () => {
  const app = await testApp()
  try {
    await app.app.store.db.schema.dropTable('tokens').execute()
    const failed = await app.request('/api/token/', { headers: app.root.headers })
    expect([failed.status, await failed.json()]).toEqual([500, { success: false, message: en.internal_error }])
    expect((await app.request('/readyz')).status).toBe(200)
    await app.app.store.db.schema.dropTable('sessions').execute()
    // Other tables refer to it, so it cannot be dropped alone.
    await app.app.store.db.schema.alterTable('users').renameTo('users_elsewhere').execute()
    expect((await app.request('/readyz')).status).toBe(503)
    expect((await app.request('/healthz')).status).toBe(200)
  } finally {
    await app.close()
  }
})

test('a server whose ledger cannot be written any more is running, but not alive', async () => {
  const app = await testApp({ engine: 'sqlite' })
  try {
    for (const path of ['/healthz', '/livez']) expect(await (await app.request(path)).json()).toEqual({ status: 'ok' })
    const user = await app.make.user()
    await app.app.store.db.schema.alterTable('ledger_accounts').renameTo('accounts_elsewhere').execute()
    expect((await app.call(contract.user.topUp, { user_id: user.id, quota: 1 })).success).toBe(false)
    const alive = await app.request('/livez')
    expect([alive.status, await alive.json()]).toEqual([503, { status: 'broken' }])
    expect((await app.request('/healthz')).status).toBe(200)
  } finally {
    await app.close()
  }
})

describe('the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-console-'))
  const inline = "document.documentElement.dataset.theme = 'dark'"
  const page = `<!doctype html><title>Console</title><script>${inline}</script><script type="module" src="/static/app-1a2b.js"></script>`
  const script = `export const text = '${'long enough to be compressed '.repeat(80)}'`
  let app: TestApp
  beforeAll(async () => {
    mkdirSync(join(folder, 'static'))
    writeFileSync(join(folder, 'index.html'), page)
    writeFileSync(join(folder, 'logo.png'), new Uint8Array(2_000))
    writeFileSync(join(folder, '.env'), 'SECRET=1')
    writeFileSync(join(folder, 'static/app-1a2b.js'), script)
    writeFileSync(join(folder, 'static/packed-3c4d.js'), script)
    writeFileSync(join(folder, 'static/packed-3c4d.js.br'), brotliCompressSync(script))
    writeFileSync(join(folder, 'static/alone-5e6f.css.br'), brotliCompressSync(script))
    app = await testApp({ consoleFiles: await loadConsole(filesIn(folder)) })
  })
  afterAll(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })

  test('is the same page at every address of its router, and not cached', async () => {
    for (const path of ['/', '/token', '/user/edit/7', '/no/such/page', '/index.html', '/api-docs', '/v1beta']) {
      const response = await app.request(path)
      expect([path, response.status, response.headers.get('cache-control')]).toEqual([path, 200, 'no-cache'])
      expect(await response.text()).toBe(page)
    }
    expect((await app.request('/token', { method: 'HEAD' })).status).toBe(200)
  })

  test('names the design of the last start before any script runs, also compressed, under the same policy', async () => {
    const html = '<!doctype html><html lang="en"><head><script>1</script></head></html>'
    const at = mkdtempSync(join(tmpdir(), 'sluice-console-'))
    writeFileSync(join(at, 'index.html'), `${html}<!--${' '.repeat(2_000)}-->`)
    const consoleFiles = await loadConsole(filesIn(at))
    const themed = await testApp({ consoleFiles, storedOptions: { Theme: 'berry' } })
    const plain = await testApp({ consoleFiles })
    try {
      await plain.call(contract.option.update, { key: 'Theme', value: 'air' })
      for (const path of ['/', '/index.html', '/token']) {
        for (const encoding of ['identity', 'gzip', 'br']) {
          const [own, other] = await Promise.all(
            [themed, plain].map((server) => server.request(path, { headers: { 'accept-encoding': encoding } })),
          )
          expect(await own?.text()).toStartWith('<!doctype html><html data-design="berry" lang="en">')
          expect(await other?.text()).toStartWith('<!doctype html><html data-design="default" lang="en">')
          expect(own?.headers.get('content-security-policy')).toBe(other?.headers.get('content-security-policy') ?? '')
        }
      }
    } finally {
      await themed.close()
      await plain.close()
      rmSync(at, { recursive: true })
    }
  })

  test('does not respond to unknown calls, calls that write, or missing files', async () => {
    for (const path of ['/api/nonsense', '/api', '/v1/nonsense', '/v1']) {
      const response = await app.request(path)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.json()).toMatchObject({ error: { code: 'unknown_url' } })
    }
    expect((await app.request('/token', { method: 'POST' })).status).toBe(404)
    expect((await app.request('/static/app-gone.js')).status).toBe(404)
  })

  test('allows caching of files whose name changes with their content', async () => {
    const response = await app.request('/static/app-1a2b.js')
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(await response.text()).toBe(script)
  })

  test('is sent compressed if the client accepts it, but images are not', async () => {
    const encodingOf = async (path: string, accepted: string): Promise<string | null> => {
      const response = await app.request(path, { headers: { 'accept-encoding': accepted } })
      await response.arrayBuffer()
      return response.headers.get('content-encoding')
    }
    expect(await encodingOf('/static/app-1a2b.js', 'gzip, deflate, br')).toBe('br')
    expect(await encodingOf('/static/app-1a2b.js', 'gzip')).toBe('gzip')
    expect(await encodingOf('/static/app-1a2b.js', 'identity')).toBeNull()
    expect(await encodingOf('/logo.png', 'br')).toBeNull()
  })

  test('is the same in every encoding where the build packed it, with or without the file itself', async () => {
    for (const [path, type] of [
      ['/static/packed-3c4d.js', 'text/javascript; charset=utf-8'],
      ['/static/alone-5e6f.css', 'text/css;charset=utf-8'],
    ] as const) {
      for (const accepted of ['br', 'gzip', 'identity']) {
        const response = await app.request(path, { headers: { 'accept-encoding': accepted } })
        const coding = response.headers.get('content-encoding') ?? 'identity'
        expect([path, coding, response.headers.get('content-type')]).toEqual([path, accepted, type])
        expect(await response.text()).toBe(script)
      }
      expect((await app.request(`${path}.br`)).status).toBe(404)
    }
  })

  test('serves no file outside its folder and no hidden file', async () => {
    for (const path of ['/.env', '/../../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/static/..%2f..%2fetc/passwd']) {
      expect(await sendRaw(app, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)).not.toMatch(/SECRET|root:/)
    }
  })

  test('allows only its own scripts and the inline one', async () => {
    const policy = (await app.request('/')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain(`'sha256-${createHash('sha256').update(inline).digest('base64')}'`)
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(/script-src[^;]*unsafe/.test(policy)).toBe(false)
  })

  test('allows the script and the frame of the bot check only while the bot check is on', async () => {
    const policy = async (): Promise<string> => (await app.request('/')).headers.get('content-security-policy') ?? ''
    const set = (key: string, value: string) => app.data(contract.option.update, { key, value })
    expect(await policy()).not.toContain('challenges.cloudflare.com')
    await set('TurnstileSiteKey', 'site-key')
    await set('TurnstileSecretKey', 'secret-key')
    await set('TurnstileCheckEnabled', 'true')
    expect(await policy()).toMatch(/script-src [^;]*https:\/\/challenges\.cloudflare\.com/)
    expect(await policy()).toMatch(/frame-src [^;]*https:\/\/challenges\.cloudflare\.com/)
    await set('TurnstileCheckEnabled', 'false')
    expect(await policy()).not.toContain('challenges.cloudflare.com')
  })

  test('may frame only the chat application of the option', async () => {
    const frames = async (): Promise<string> =>
      /frame-src[^;]*/.exec((await app.request('/')).headers.get('content-security-policy') ?? '')?.[0] ?? ''
    expect(await frames()).not.toContain('chat.example.com')
    await app.data(contract.option.update, { key: 'ChatLink', value: 'https://chat.example.com/#/?x=1;script-src *' })
    expect(await frames()).toEndWith(' https://chat.example.com')
  })
})
