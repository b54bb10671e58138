import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en, zh } from '@sluice/contract'
import { nobody, type Session, type TestApp, testApp } from '../../../test/app.ts'
import { type FakeMailServer, startMailServer, startSilentServer } from '../../../test/fake-mail-server.ts'
import { type FakeService, fakeTurnstile } from '../../../test/fake-services.ts'
import type { Clock } from '../../lib/clock.ts'

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
let mail: FakeMailServer
let turnstile: FakeService
let app: TestApp
beforeAll(async () => {
  mail = await startMailServer({ isPlain: true })
  turnstile = fakeTurnstile()
  app = await testApp({
    clock,
    env: { TRUSTED_PROXIES: '127.0.0.1', ALLOWED_HOSTS: 'evil.example', RATE_LIMITS: 'api=off,mail=off,reset=off,register=off,login=off' },
    outsideAddresses: { turnstile: turnstile.url },
  })
  await set({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPFrom: 'gateway@example.com',
    ServerAddress: 'https://gateway.example',
  })
})
afterAll(async () => {
  await app.close()
  await mail.close()
  await turnstile.close()
})
/** Each test gets a new window of the rate limits. */
beforeEach(() => {
  ms += 700_000
})

async function set(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value })
}

let clients = 0
/** A visitor from a new address. */
const visitor = (): Session => ({ headers: { 'x-forwarded-for': `198.51.100.${++clients}` } })
const sendCode = (email: string, as: Session = visitor(), token = '') =>
  app.call(contract.verification.sendCode, { email, turnstile: token }, as)
const askReset = (email: string, as: Session = visitor(), token = '') =>
  app.call(contract.verification.requestReset, { email, turnstile: token }, as)
const reset = (email: string, token: string) => app.call(contract.verification.reset, { email, token }, nobody)
const lastMail = () => mail.received.at(-1)
const codeIn = (text: string | undefined): string => /\b\d{6}\b/.exec(text ?? '')?.[0] ?? ''
const tokenIn = (text: string | undefined): string => /token=([\da-f]{32})/.exec(text ?? '')?.[1] ?? ''

async function userWith(email: string) {
  const user = await app.make.user()
  await app.app.store.db.updateTable('users').set({ email }).where('id', '=', user.id).execute()
  return user
}

/** Requests a link and waits for the mail. */
async function resetToken(email: string): Promise<string> {
  const before = mail.received.length
  expect(await askReset(email)).toMatchObject({ success: true })
  return tokenIn((await mail.mail(before)).text)
}

describe('a verification code', () => {
  test('is mailed in the language of the request, and its subject cannot inject a header', async () => {
    await set({ SystemName: 'My\r\nBcc: victim@example.com' })
    expect(await sendCode(' New.Person@Example.com ')).toMatchObject({ success: true, message: '' })
    expect(lastMail()).toMatchObject({ from: 'gateway@example.com', to: ['new.person@example.com'] })
    expect(codeIn(lastMail()?.text)).toHaveLength(6)
    expect(lastMail()?.raw.split('\r\n\r\n')[0]).not.toMatch(/^bcc:/im)
    await set({ SystemName: 'Sluice' })
    await sendCode('new.person@example.com', { headers: { ...visitor().headers, 'accept-language': 'zh-CN' } })
    expect(lastMail()?.text).toContain('您的验证码为')
  })

  test('is stored only as a hash', async () => {
    await sendCode('stored@example.com')
    const code = codeIn(lastMail()?.text)
    const rows = await app.app.store.db.selectFrom('codes').selectAll().execute()
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.some(({ secret_hash }) => secret_hash.includes(code))).toBe(false)
    expect(JSON.stringify(rows)).not.toContain('stored@example.com')
  })

  test('is refused for invalid addresses and for domains outside the list', async () => {
    for (const email of ['', 'nobody', 'a@b.c,d@e.f', 'a@b.c\r\nBcc: x@y.z']) expect((await sendCode(email)).message).toBe(en.email_invalid)
    expect(await app.call(contract.option.update, { key: 'EmailDomainWhitelist', value: 'no domain' })).toMatchObject({ success: false })
    await set({ EmailDomainWhitelist: ' Example.com, example.org ', EmailDomainRestrictionEnabled: 'true' })
    expect((await sendCode('a@evil-example.com')).message).toBe(en.email_domain_forbidden)
    expect((await sendCode('a@example.com.evil.net')).message).toBe(en.email_domain_forbidden)
    expect((await sendCode('a@EXAMPLE.org')).success).toBe(true)
    await set({ EmailDomainRestrictionEnabled: 'false' })
  })

  test('for an address of an account gets an identical response, and only its owner is notified by mail (W22: no enumeration of accounts)', async () => {
    await userWith('taken@example.com')
    const [taken, free] = [await sendCode('taken@example.com'), await sendCode('free@example.com')]
    expect(taken).toEqual(free)
    const codedText = mail.received.find(({ to }) => to[0] === 'taken@example.com')
    expect(codedText?.text).toContain('already belongs to an account')
    expect(codeIn(codedText?.text)).toBe('')
  })

  test('is sent three times in ten minutes to one mailbox, whoever requests it, without limiting other mailboxes', async () => {
    const statuses: number[] = []
    const from = (address: string, email: string) =>
      app.request(`/api/verification?${new URLSearchParams({ email })}`, { headers: { 'x-forwarded-for': address } })
    for (const [index, email] of ['often@example.com', 'Often@Example.com', 'often+tag@example.com', 'often@example.com'].entries())
      statuses.push((await from(`203.0.113.${index}`, email)).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    const slowed = await from('203.0.113.9', 'often@example.com')
    expect(slowed.headers.get('retry-after')).toBe('600')
    // A whole site has one client address if its proxy is not configured.
    const others = await Promise.all(Array.from({ length: 6 }, (_, number) => from('203.0.113.77', `other${number}@example.com`)))
    expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200))
    ms += 601_000
    expect((await from('203.0.113.77', 'often@example.com')).status).toBe(200)
  })

  test('is sent as often as requested if RATE_LIMITS is off or sets another limit', async () => {
    const limited = async (RATE_LIMITS: string) => {
      const other = await testApp({ clock, env: { RATE_LIMITS } })
      for (const [key, value] of Object.entries({ SMTPServer: '127.0.0.1', SMTPPort: String(mail.port), SMTPFrom: 'gateway@example.com' }))
        await other.data(contract.option.update, { key, value })
      const responses: boolean[] = []
      for (let index = 0; index < 5; index++)
        responses.push((await other.call(contract.verification.sendCode, { email: 'one@example.com' }, nobody)).success)
      await other.close()
      return responses.filter(Boolean).length
    }
    expect(await limited('off')).toBe(5)
    expect(await limited('mailbox=1/600')).toBe(1)
    expect(await limited('mailbox=off')).toBe(5)
  })

  test('cannot be sent by a page of another site', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
    expect((await app.request('/api/verification?email=a@example.com', { headers })).status).toBe(403)
  })
})

describe('a password reset', () => {
  test('mails a link with the configured public address, never with the Host of the request', async () => {
    await userWith('ann@example.com')
    const before = mail.received.length
    await askReset('ann@example.com', {
      headers: { ...visitor().headers, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    })
    const { text } = await mail.mail(before)
    expect(text).toContain('https://gateway.example/user/reset?email=ann%40example.com&token=')
    expect(text).not.toContain('evil.example')
  })

  test('changes nothing before the link is used (W4)', async () => {
    const amy = await userWith('amy@example.com')
    await resetToken('amy@example.com')
    expect((await app.call(contract.account.login, { username: amy.username, password: amy.password }, nobody)).success).toBe(true)
    expect((await app.call(contract.account.self, {}, amy)).success).toBe(true)
  })

  test('returns a new password that works at once, ends every session, and can be used once', async () => {
    const bob = await userWith('bob@example.com')
    const token = await resetToken('bob@example.com')
    const response = await app.request('/api/user/reset', { method: 'POST', body: JSON.stringify({ email: 'Bob@example.com', token }) })
    expect(response.headers.get('cache-control')).toBe('no-store')
    // Holds: by the contract, data is the password.
    const { success, data: password } = (await response.json()) as { success: boolean; data: string }
    expect([success, password.length >= 16]).toEqual([true, true])
    expect((await app.call(contract.account.self, {}, bob)).message).toBe(en.not_logged_in)
    expect((await app.call(contract.account.login, { username: bob.username, password: bob.password }, nobody)).success).toBe(false)
    expect((await app.call(contract.account.login, { username: 'bob@example.com', password }, nobody)).success).toBe(true)
    expect((await reset('bob@example.com', token)).message).toBe(en.reset_link_invalid)
  })

  test('has the same response for an unknown address, sends it no mail, and counts it alike', async () => {
    await userWith('known@example.com')
    const before = mail.received.length
    expect(await askReset('unknown@example.com')).toEqual(await askReset('known@example.com'))
    await mail.mail(before)
    expect(mail.received.slice(before).map(({ to }) => to[0])).toEqual(['known@example.com'])
    await askReset('unknown@example.com')
    await askReset('unknown@example.com')
    expect((await askReset('unknown@example.com')).message).toContain('Too many attempts')
  })

  test('is refused to a banned account, after ten minutes, for another address, and with a wrong token', async () => {
    const cid = await userWith('cid@example.com')
    await userWith('dan@example.com')
    const [token, other] = [await resetToken('cid@example.com'), await resetToken('dan@example.com')]
    expect((await reset('cid@example.com', other)).message).toBe(en.reset_link_invalid)
    expect((await reset('cid@example.com', 'f'.repeat(32))).message).toBe(en.reset_link_invalid)
    expect((await reset('cid@example.com', '')).success).toBe(false)
    await app.app.store.db.updateTable('users').set({ status: 2 }).where('id', '=', cid.id).execute()
    expect((await reset('cid@example.com', token)).message).toBe(en.reset_link_invalid)
    ms += 601_000
    expect((await reset('dan@example.com', other)).message).toBe(en.reset_link_invalid)
  })

  test('a newer link replaces the older one', async () => {
    await userWith('eve@example.com')
    const [older, newer] = [await resetToken('eve@example.com'), await resetToken('eve@example.com')]
    expect((await reset('eve@example.com', older)).success).toBe(false)
    expect((await reset('eve@example.com', newer)).success).toBe(true)
  })

  test('of two concurrent calls with one link, one gets a password', async () => {
    await userWith('fay@example.com')
    const token = await resetToken('fay@example.com')
    const responses = await Promise.all(Array.from({ length: 8 }, () => reset('fay@example.com', token)))
    expect(responses.filter(({ success }) => success)).toHaveLength(1)
  })
})

describe('the bot check', () => {
  test('is required for both mails if it is on, accepts each token once, and refuses all if it is silent (W37)', async () => {
    expect((await app.call(contract.option.update, { key: 'TurnstileCheckEnabled', value: 'true' })).message).toContain('TurnstileSiteKey')
    await set({ TurnstileSiteKey: 'site', TurnstileSecretKey: 'the-secret', TurnstileCheckEnabled: 'true' })
    expect((await sendCode('bot@example.com')).message).toBe(en.turnstile_missing)
    expect((await sendCode('bot@example.com', visitor(), 'bad-token')).message).toBe(en.turnstile_failed)
    expect((await askReset('bot@example.com', visitor(), 'bad-token')).message).toBe(en.turnstile_failed)
    expect((await sendCode('bot@example.com', visitor(), 'good-1')).success).toBe(true)
    expect(turnstile.received.at(-1)?.body).toBe(`secret=the-secret&response=good-1&remoteip=198.51.100.${clients}`)
    expect((await sendCode('bot@example.com', visitor(), 'good-1')).message).toBe(en.turnstile_failed)
    turnstile.responseNext(() => new Response('no JSON'))
    expect((await sendCode('bot@example.com', visitor(), 'good-2')).message).toBe(
      en.service_response_invalid.replace('{service}', 'Turnstile'),
    )
    turnstile.responseNext(() => new Response('down', { status: 503 }))
    expect((await sendCode('bot@example.com', visitor(), 'good-2')).message).toBe(en.service_unreachable.replace('{service}', 'Turnstile'))
    await set({ TurnstileCheckEnabled: 'false' })
  })

  test('does not reveal its secret', async () => {
    const options = await app.data(contract.option.list, {})
    expect(options.map(({ key }) => key)).not.toContain('TurnstileSecretKey')
    expect(JSON.stringify(options)).not.toContain('the-secret')
    const stored = await app.app.store.db.selectFrom('options').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain('the-secret')
  })
})

describe('without a mail server', () => {
  test('the response is an error, the same for every address', async () => {
    await set({ SMTPServer: '' })
    for (const response of [await sendCode('x@example.com'), await askReset('x@example.com'), await askReset('ann@example.com')])
      expect(response).toEqual({ success: false, message: en.mail_not_set })
    const inChinese = { headers: { ...visitor().headers, 'accept-language': 'zh' } }
    expect((await askReset('x@example.com', inChinese)).message).toBe(zh.mail_not_set)
    await set({ SMTPServer: '127.0.0.1' })
  })

  test('a silent one delays neither requests for a reset nor logins', async () => {
    const silent = await startSilentServer()
    await set({ SMTPPort: String(silent.port) })
    const gus = await userWith('gus@example.com')
    expect(await askReset('gus@example.com')).toMatchObject({ success: true })
    expect((await app.call(contract.account.login, { username: gus.username, password: gus.password }, nobody)).success).toBe(true)
    await silent.close()
    await set({ SMTPPort: String(mail.port) })
  })
})
