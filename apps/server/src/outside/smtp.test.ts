import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract, en } from '@sluice/contract'
import { type TestApp, testApp } from '../../test/app.ts'
import { mailLogin, startEndlessServer, startMailServer, startSilentServer } from '../../test/fake-mail-server.ts'
import { startServer, until } from '../../test/server-process.ts'

type Options = Readonly<Record<string, string>>

/** Requests a verification code from a gateway with these options. @returns the error message, empty if the mail was sent */
async function sendBy(app: TestApp, options: Options): Promise<string> {
  for (const [key, value] of Object.entries({ SMTPFrom: 'gateway@example.com', SMTPAccount: '', ...options }))
    await app.data(contract.option.update, { key, value })
  const address = `198.51.100.${++senders}`
  const response = await app.request('/api/verification?email=ann@example.com', { headers: { 'x-forwarded-for': address } })
  // Holds: the management API responds with its envelope.
  return ((await response.json()) as { readonly message: string }).message
}
let senders = 0

const login: Options = { SMTPAccount: mailLogin.user, SMTPToken: mailLogin.password }
const unreachable = en.service_unreachable.replace('{service}', 'SMTP')

let starting: Awaited<ReturnType<typeof startMailServer>>
let secure: Awaited<ReturnType<typeof startMailServer>>
let plain: Awaited<ReturnType<typeof startMailServer>>
let ms = 1_800_000_000_000
const clock = { nowMs: () => ms, monotonicMs: () => ms }
const env = { TRUSTED_PROXIES: '127.0.0.1' }
let app: TestApp
let trusting: TestApp
beforeAll(async () => {
  starting = await startMailServer()
  secure = await startMailServer({ isSecure: true })
  plain = await startMailServer({ isPlain: true })
  app = await testApp({ clock, env, mailNetwork: { tlsPort: secure.port } })
  trusting = await testApp({ clock, env, mailNetwork: { tlsPort: secure.port, trustedCertificate: starting.certificate } })
})
afterAll(async () => {
  for (const one of [app, trusting, starting, secure, plain]) await one.close()
})

const at = (port: number): Options => ({ SMTPServer: 'localhost', SMTPPort: String(port) })

/** Resets the limit of mails per address, which another test covers. */
const nextWindow = (): void => {
  ms += 700_000
}

describe('a mail', () => {
  test('uses STARTTLS with a login', async () => {
    expect(await sendBy(trusting, { ...at(starting.port), ...login })).toBe('')
    expect(starting.received.at(-1)).toMatchObject({ isEncrypted: true, user: mailLogin.user, to: ['ann@example.com'] })
  })

  test('uses implicit TLS on its port', async () => {
    expect(await sendBy(trusting, { ...at(secure.port), ...login })).toBe('')
    expect(secure.received.at(-1)).toMatchObject({ isEncrypted: true, user: mailLogin.user })
  })

  test('uses implicit TLS on any other port if that is set, and trusts no unknown certificate there', async () => {
    nextWindow()
    const other = await startMailServer({ isSecure: true })
    const tls = { ...at(other.port), SMTPSSLEnabled: 'true' }
    expect(await sendBy(trusting, { ...tls, ...login })).toBe('')
    expect(await sendBy(trusting, tls)).toBe('')
    expect(other.received.map(({ isEncrypted, user }) => [isEncrypted, user])).toEqual([
      [true, mailLogin.user],
      [true, ''],
    ])
    expect(await sendBy(app, tls)).toBe(unreachable)
    for (const one of [app, trusting]) await one.data(contract.option.update, { key: 'SMTPSSLEnabled', value: 'false' })
    await other.close()
  })

  test('to a server that takes no password fails, and a test mail says what it takes', async () => {
    nextWindow()
    const modern = await startMailServer({ logins: ['XOAUTH2'] })
    expect(await sendBy(trusting, { ...at(modern.port), ...login })).toBe(en.mail_failed)
    await trusting.app.store.db.updateTable('users').set({ email: 'root@example.com' }).where('id', '=', trusting.root.id).execute()
    const { message } = await trusting.call(contract.option.testMail, {})
    expect(message).toBe(en.mail_login_unsupported.replace('{methods}', 'XOAUTH2'))
    await modern.close()
  })

  test('is sent without a login, encrypted if the server offers it', async () => {
    nextWindow()
    expect(await sendBy(app, at(plain.port))).toBe('')
    expect(plain.received.at(-1)).toMatchObject({ isEncrypted: false, user: '' })
    expect(await sendBy(app, at(starting.port))).toBe('')
    expect(starting.received.at(-1)).toMatchObject({ isEncrypted: true, user: '' })
  })

  test('is never sent, nor is a password, to a server with an untrusted certificate (W21)', async () => {
    nextWindow()
    const before = [starting.received.length, secure.received.length]
    for (const { port } of [starting, secure]) expect(await sendBy(app, { ...at(port), ...login })).toBe(unreachable)
    expect([starting.received.length, secure.received.length]).toEqual(before)
  })

  test('is not sent in plain text with a login', async () => {
    nextWindow()
    const before = plain.received.length
    expect(await sendBy(trusting, { ...at(plain.port), ...login })).toBe(en.mail_failed)
    expect(plain.received.length).toBe(before)
  })

  test('that the server refuses, or whose login it refuses, is reported as failed without the server’s message', async () => {
    nextWindow()
    expect(await sendBy(trusting, { ...at(starting.port), ...login, SMTPToken: 'wrong' })).toBe(en.mail_failed)
    await sendBy(trusting, { SMTPToken: mailLogin.password })
    plain.refuseNext()
    nextWindow()
    expect(await sendBy(trusting, at(plain.port))).toBe(en.mail_failed)
  })

  test('to a server that responds without an end is given up', async () => {
    nextWindow()
    const endless = await startEndlessServer()
    const impatient = await testApp({ env, mailNetwork: { tlsPort: secure.port, mailMs: 300 } })
    expect(await sendBy(impatient, at(endless.port))).toBe(unreachable)
    await Promise.all([impatient.close(), endless.close()])
  })

  test('to a server that is silent, gone or on a forbidden address ends in time (F58)', async () => {
    nextWindow()
    const silent = await startSilentServer()
    expect(await sendBy(app, at(silent.port))).toBe(unreachable)
    await silent.close()
    expect(await sendBy(app, at(silent.port))).toBe(unreachable)
    expect(await sendBy(app, { SMTPServer: '169.254.169.254', SMTPPort: '25' })).toBe(unreachable)
  }, 20_000)
})

test('settings cannot inject anything: a host stays a host, a port a port, an address an address', async () => {
  for (const [key, value] of [
    ['SMTPServer', 'mail.example.com/x'],
    ['SMTPServer', 'a b'],
    ['SMTPPort', '0'],
    ['SMTPPort', '65536'],
    ['SMTPFrom', 'Name <a@b.c>, d@e.f'],
    ['SMTPFrom', 'a@b.c\r\nBcc: d@e.f'],
  ] as const) {
    expect([key, (await app.call(contract.option.update, { key, value })).success]).toEqual([key, false])
  }
})

test('the reason of a failed mail is in the server log, without the password', async () => {
  const accessToken = 'x'.repeat(40)
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-smtp-'))
  const stoppedServer = await startSilentServer()
  await stoppedServer.close()
  const server = await startServer({ DATA_DIR: dataDir, INITIAL_ROOT_PASSWORD: 'root-password', INITIAL_ROOT_ACCESS_TOKEN: accessToken })
  try {
    const headers = { authorization: accessToken, 'content-type': 'application/json' }
    for (const [key, value] of Object.entries({ ...at(stoppedServer.port), ...login, SMTPFrom: 'a@example.com' }))
      await fetch(`${server.url}/api/option/`, { method: 'PUT', headers, body: JSON.stringify({ key, value }) })
    const response = await fetch(`${server.url}/api/verification?email=ann@example.com`)
    expect(await response.json()).toEqual({ success: false, message: unreachable })
    await until(() => server.printed().includes('management API call failed'))
    expect(server.printed()).toContain('ECONNREFUSED')
    expect(server.printed()).not.toContain(mailLogin.password)
  } finally {
    server.signal('SIGKILL')
    await server.exited
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 20_000)

test('a server with an IPv6 address is reached, and without an account no password is sent', async () => {
  nextWindow()
  const { port } = plain
  expect(await sendBy(app, { SMTPServer: '::ffff:127.0.0.1', SMTPPort: String(port) })).toBe('')
})
