import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { type TestApp, testApp } from './app.ts'

const bodyMs = 4_000
/** Far less than the hours that their heads and bodies would take, also on a busy machine. */
const soonMs = 60_000

let app: TestApp
beforeAll(async () => {
  app = await testApp({ env: { BODY_TIMEOUT_MS: String(bodyMs) } })
  await app.make.channel()
})
afterAll(() => app.close())

/** Sends the start at once and then a piece every second. @returns the response, and the time until the server disconnected */
function drip(start: string, piece: string): Promise<{ readonly got: string; readonly tookMs: number }> {
  return new Promise((resolve) => {
    const startedMs = performance.now()
    let got = ''
    const socket = connect(app.app.port, '127.0.0.1', () => socket.write(start))
    const dripping = setInterval(() => socket.write(piece), 1_000)
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(dripping)
      resolve({ got, tookMs: performance.now() - startedMs })
    })
  })
}

// A head must arrive within ten seconds, however slowly its bytes come.
test('clients that send their head or body byte by byte are disconnected, and no other client is affected (F30)', async () => {
  const { key } = await app.make.token(await app.make.user(), { isUnlimited: true })
  const post = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`
  const heads = Array.from({ length: 400 }, (_, index) => drip(index % 2 === 0 ? `${post}x-` : '', index % 2 === 0 ? 'a' : ''))
  const bodies = Array.from({ length: 100 }, () => drip(`${post}content-length: 10000\r\n\r\n{`, ' '))
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] })
  for (let request = 0; request < 500; request += 1) {
    const response = await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
  }
  const ends = await Promise.all([...heads, ...bodies])
  for (const { got, tookMs } of ends.slice(0, heads.length)) {
    // A client that has begun a request gets a 408.
    expect(got).toMatch(/^(?:HTTP\/1\.1 408 |$)/)
    expect(tookMs).toBeLessThan(soonMs)
  }
  for (const { got, tookMs } of ends.slice(heads.length)) {
    expect(got).toStartWith('HTTP/1.1 408')
    expect(got).toContain('"body_timeout"')
    expect(tookMs).toBeLessThan(soonMs)
  }
  expect(await app.inconsistencies()).toEqual([])
}, 120_000)
