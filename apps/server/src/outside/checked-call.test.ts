import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { nobody, type TestApp, testApp } from '../../test/app.ts'
import { startMailServer } from '../../test/fake-mail-server.ts'
import { type FakeService, fakeWechat } from '../../test/fake-services.ts'

// Names that only the gateway's own resolver knows: a second lookup elsewhere finds nothing, or another address.

let app: TestApp
let wechat: FakeService
let mail: Awaited<ReturnType<typeof startMailServer>>
/** The results of the next lookups; the last one is repeated. */
let lookupResults: Array<readonly string[]> = [['127.0.0.1']]
let ms = 1_800_000_000_000
const clock = { nowMs: () => ms, monotonicMs: () => ms }
beforeAll(async () => {
  wechat = fakeWechat('wechat-token', { '123456': 'openid-1' })
  mail = await startMailServer({ isPlain: true })
  app = await testApp({ clock, lookUp: async () => (lookupResults.length > 1 ? lookupResults.shift() : lookupResults[0]) ?? [] })
})
afterAll(async () => {
  await app.close()
  await mail.close()
  await wechat.close()
})

async function set(options: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(options)) await app.data(contract.option.update, { key, value })
}

/** Closes idle connections, so that names are resolved again. */
const nextQuery = (...addresses: ReadonlyArray<readonly string[]>): void => {
  lookupResults = [...addresses]
  ms += 61_000
}

describe('a call to a service with a configured address', () => {
  const logIn = async () => (await app.call(contract.oauth.wechat, { code: '123456' }, nobody)).message
  const unreachable = en.service_unreachable.replace('{service}', 'WeChat')

  test('connects to the checked address, with the name in the Host header', async () => {
    const { port } = new URL(wechat.url)
    await set({ WeChatServerAddress: `http://wechat.example:${port}`, WeChatServerToken: 'wechat-token', WeChatAuthEnabled: 'true' })
    nextQuery(['127.0.0.1'], ['169.254.169.254'])
    expect(await logIn()).toBe('')
    expect(wechat.received.at(-1)?.headers.get('host')).toBe(`wechat.example:${port}`)
    expect(wechat.received.at(-1)?.headers.get('x-sluice-hop')).toBeNull()
  })

  test('is not sent if the name now resolves to a forbidden address', async () => {
    const before = wechat.received.length
    nextQuery(['169.254.169.254'])
    expect(await logIn()).toBe(unreachable)
    nextQuery(['127.0.0.1', '169.254.169.254'])
    expect(await logIn()).toBe(unreachable)
    expect(wechat.received.length).toBe(before)
  })

  test('is aborted if the response takes more than five seconds or is too long', async () => {
    nextQuery(['127.0.0.1'])
    const requestStarted = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<Response>()
    wechat.responseNext(() => {
      requestStarted.resolve()
      return gate.promise
    })
    const waiting = logIn()
    await requestStarted.promise
    ms += 5_001
    expect(await waiting).toBe(unreachable)
    gate.resolve(new Response())
    wechat.responseNext(() => new Response('x'.repeat(300 * 1024)))
    expect(await logIn()).toBe(unreachable)
  })
})

describe('a mail', () => {
  const send = async () => (await app.call(contract.verification.sendCode, { email: 'ann@example.com' })).message
  const unreachable = en.service_unreachable.replace('{service}', 'SMTP')

  test('is sent to a checked address, or to the next one if nothing listens there', async () => {
    await set({ SMTPServer: 'mail.example', SMTPPort: String(mail.port), SMTPFrom: 'gateway@example.com', SMTPAccount: '' })
    nextQuery(['127.0.0.2', '127.0.0.1'], ['169.254.169.254'])
    expect(await send()).toBe('')
    expect(mail.received.at(-1)?.to).toEqual(['ann@example.com'])
  })

  test('is not sent if the name now resolves to a forbidden address', async () => {
    const before = mail.received.length
    nextQuery(['169.254.169.254'])
    expect(await send()).toBe(unreachable)
    expect(mail.received.length).toBe(before)
  })
})
