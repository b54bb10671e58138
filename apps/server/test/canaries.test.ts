import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare, processPassword, runServer, type ServerProcess, startServer } from './server-process.ts'

// A vendor repeats the channel's key in every part of its responses. Nothing that the server sends or writes may contain the key (I10).

const folder = mkdtempSync(join(tmpdir(), 'sluice-canaries-'))
const channelKey = 'canary-channel-key-7f3a'
const secondHalf = 'canary-second-half-19c2'
const prompt = 'canary-prompt-55d0'
const vendorWords = 'canary-words-4c1d'
const headerSecret = 'canary-header-secret-e41b'
const metricsToken = 'canary-metrics-token-83be'

const body = (key: string) =>
  JSON.stringify({ error: { message: `${vendorWords}: ${key}`, type: key, param: key, code: key }, message: key, detail: [key] })
const whole = (status: string, text: string, headers = '') =>
  `HTTP/1.1 ${status}\r\n${headers}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`
const streamHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n'
const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"begun"},"finish_reason":null}]}\n\n'

/** Parts of a response that can contain a key: the response as bytes. */
const places: Readonly<Record<string, (key: string) => readonly string[]>> = {
  'a refusal of the request': (key) => [whole('400 Bad Request', body(key))],
  'a refusal of the key': (key) => [whole('401 Unauthorized', body(key))],
  'a refusal for lack of money': (key) => [whole('402 Payment Required', body(key))],
  'a refusal of the model': (key) => [whole('404 Not Found', body(key))],
  'a rate limit': (key) => [whole('429 Too Many Requests', body(key))],
  'a breakdown': (key) => [whole('500 Internal Server Error', body(key))],
  'a page of HTML': (key) => [whole('503 Service Unavailable', `<html><title>${key}</title>${key}</html>`)],
  'the words of the status': (key) => [whole(`500 ${key}`, '{}')],
  headers: (key) => [
    whole('500 Oops', '{}', `x-api-key: ${key}\r\nset-cookie: k=${key}\r\nretry-after: ${key}\r\nx-request-id: ${key}\r\n`),
  ],
  'the address of a redirect': (key) => [whole('302 Found', '', `location: http://127.0.0.1:9/?key=${key}\r\n`)],
  'a coding that nobody knows': (key) => [whole('200 OK', '{}', `content-encoding: ${key}\r\n`)],
  'a transfer coding that nobody knows': (key) => [`HTTP/1.1 200 OK\r\ntransfer-encoding: ${key}\r\n\r\n`],
  'a length that is none': (key) => [`HTTP/1.1 200 OK\r\ncontent-length: ${key}\r\n\r\n`],
  'a status line that is none': (key) => [`${key}\r\n\r\n`],
  'an error with status 200': (key) => [whole('200 OK', body(key))],
  'JSON that is broken': (key) => [whole('200 OK', `{"choices": ${key}`)],
  'an answer that is none': (key) => [whole('200 OK', `{"answer":"${key}"}`)],
  'the first event of a stream': (key) => [streamHead, `data: ${body(key)}\n\n`],
  'a later event of a stream': (key) => [streamHead, chunk, `data: ${body(key)}\n\n`],
  'a later event of a stream that is an error as a whole': (key) => [
    streamHead,
    chunk,
    `event: error\ndata: {"object":"error","message":"${key}","code":"${key}"}\n\n`,
  ],
}

let server: ServerProcess
let headers: Record<string, string>
const vendors: { close(): void }[] = []
const models = Object.keys(places).map((_, index) => `canary-model-${index}`)

/** Resolves when the client has the beginning of its response, or need not wait for it. */
let begun = Promise.withResolvers<void>()

/** A vendor that sends its response in pieces. */
async function startVendor(pieces: readonly string[]): Promise<string> {
  const sockets = new Set<Socket>()
  const vendor = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', async () => {
      for (const [index, piece] of pieces.entries()) {
        // Further pieces are sent when the client has the first ones.
        if (index > 1) await begun.promise
        socket.write(piece)
      }
      socket.end()
    })
  })
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve))
  vendors.push({
    close() {
      for (const socket of sockets) socket.destroy()
      vendor.close()
    },
  })
  const address = vendor.address()
  if (address === null || typeof address === 'string') throw new Error('the vendor has no port')
  return `http://127.0.0.1:${address.port}`
}

const asRoot = async (path: string, init: RequestInit = {}): Promise<string> =>
  await (await fetch(server.url + path, { ...init, headers: { authorization: rootToken } })).text()
const rootToken = 'canary-root-access-token-0123456789abcdef'

beforeAll(async () => {
  server = await startServer({
    DATA_DIR: folder,
    INITIAL_ROOT_PASSWORD: processPassword,
    INITIAL_ROOT_ACCESS_TOKEN: rootToken,
    METRICS_TOKEN: metricsToken,
    LOG_LEVEL: 'trace',
  })
  headers = await prepare(server, { url: 'http://127.0.0.1:9' })
  const prices = Object.fromEntries(models.map((model) => [model, 1]))
  await asRoot('/api/option/', { method: 'PUT', body: JSON.stringify({ key: 'ModelRatio', value: JSON.stringify(prices) }) })
  for (const [index, pieces] of Object.values(places).entries()) {
    // A key of two parts: the second part alone is a secret too, and so is a header in the channel's settings.
    const url = await startVendor(pieces(`${index % 2 === 0 ? `${channelKey}|${secondHalf}` : secondHalf}-${headerSecret}`))
    const channel = { name: `c${index}`, type: 1, key: `${channelKey}|${secondHalf}`, models: models[index], base_url: url }
    await asRoot('/api/channel/', { method: 'POST', body: JSON.stringify(channel) })
    const edit = { id: index + 2, headers: JSON.stringify({ 'x-team-token': `Token ${headerSecret}` }) }
    expect(JSON.parse(await asRoot('/api/channel/', { method: 'PUT', body: JSON.stringify(edit) }))).toMatchObject({ success: true })
  }
})
afterAll(async () => {
  for (const vendor of vendors) vendor.close()
  server.signal('SIGKILL')
  await server.exited
  rmSync(folder, { recursive: true, force: true })
})

const secrets = () => [
  channelKey,
  secondHalf,
  headerSecret,
  prompt,
  metricsToken,
  rootToken,
  processPassword,
  headers['authorization']?.slice('Bearer sk-'.length) ?? '',
]
const secretsIn = (text: string): readonly string[] => secrets().filter((secret) => text.includes(secret))

test.each(Object.keys(places).map((place, index) => [place, models[index] ?? ''] as const))(
  'a key that a vendor repeats in %s is not sent to the client',
  async (_, model) => {
    for (const stream of [false, true]) {
      const ask = { model, stream, messages: [{ role: 'user', content: prompt }] }
      begun = Promise.withResolvers()
      if (!stream) begun.resolve()
      const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(ask) })
      begun.resolve()
      const text = await response.text()
      expect(text).toContain('error')
      expect(secretsIn(text + JSON.stringify([...response.headers]))).toEqual([])
    }
  },
)

test('no key is in the responses of the management API, in metrics, logs or files', async () => {
  const channels = JSON.parse(await asRoot('/api/channel/'))
  for (const { id } of channels.data) {
    for (const path of [`/api/channel/test/${id}`, `/api/channel/update_balance/${id}`, `/api/channel/${id}`])
      expect([path, secretsIn(await asRoot(path))]).toEqual([path, []])
  }
  for (const path of ['/api/log/', '/api/option/', '/api/user/']) expect([path, secretsIn(await asRoot(path))]).toEqual([path, []])
  const metrics = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  expect([metrics.status, secretsIn(await metrics.text())]).toEqual([200, []])
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  expect(server.printed()).toContain('request failed')
  expect(server.printed()).toMatch(/"attempts":\[\{"channel":\d+,"name":"c\d+","address":"http:[^"]+","status":500,"kind":"unavailable"/)
  expect(secretsIn(server.printed())).toEqual([])
  expect(server.printed()).not.toContain(vendorWords)
  expect(secretsIn((await runServer(['verify'], { DATA_DIR: folder })).text)).toEqual([])
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = Bun.file(join(folder, name))
    if ((await file.exists()) && file.size > 0) expect([name, secretsIn(readFileSync(join(folder, name), 'latin1'))]).toEqual([name, []])
  }
})
