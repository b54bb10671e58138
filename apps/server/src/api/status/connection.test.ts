import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'

let app: TestApp
let behindProxy: TestApp
beforeAll(async () => {
  app = await testApp()
  behindProxy = await testApp({ env: { TRUSTED_PROXIES: '127.0.0.1/32' } })
})
afterAll(async () => {
  await app.close()
  await behindProxy.close()
})

/** What a visitor sees of a request with these fields. */
async function seenBy(server: TestApp, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const response = await server.request(contract.status.connection.path, { headers })
  expect(response.status).toBe(200)
  // Holds: every response of the management API is an envelope.
  return ((await response.json()) as { readonly data: unknown }).data
}

const forwarded = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'localhost:8443' }

test('a request without a proxy is seen as it came', async () => {
  expect(await seenBy(app)).toEqual({ origin: app.url, address: '127.0.0.1', proxy: 'none' })
})

test('what a proxy that is not trusted says does not count, and the proxy shows', async () => {
  expect(await seenBy(app, forwarded)).toEqual({ origin: app.url, address: '127.0.0.1', proxy: 'untrusted' })
})

test('what a trusted proxy says counts', async () => {
  expect(await seenBy(behindProxy, forwarded)).toEqual({ origin: 'https://localhost:8443', address: '198.51.100.7', proxy: 'trusted' })
})
