import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en, zh } from '@sluice/contract'
import { nobody, type TestApp, testApp } from '../../../test/app.ts'
import { type FakeMailServer, startMailServer } from '../../../test/fake-mail-server.ts'
import { fakeTurnstile } from '../../../test/fake-services.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
})
afterAll(() => app.close())

let number = 0
/** The body that consoles send. */
const form = (change: object = {}) => ({ username: `guest${++number}`, password: 'a good password', aff_code: null, ...change })
const register = (change: object = {}) => app.call(contract.account.register, form(change), nobody)
const messageOf = async (change: object) => (await register(change)).message
const option = (key: string, value: string) => app.data(contract.option.update, { key, value })
const rowOf = (username: string) =>
  app.app.store.db.selectFrom('users').selectAll().where('username', '=', username).executeTakeFirstOrThrow()
const logsOf = (userId: number) =>
  app.app.store.db.selectFrom('logs').select(['type', 'content']).where('user_id', '=', userId).orderBy('id').execute()

beforeEach(async () => {
  for (const key of ['QuotaForNewUser', 'QuotaForInviter', 'QuotaForInvitee']) await option(key, '0')
  for (const key of ['RegisterEnabled', 'PasswordRegisterEnabled', 'DisplayInCurrencyEnabled']) await option(key, 'true')
})

describe('a registration', () => {
  test('creates an ordinary account with a token without expiry, and does not log in', async () => {
    const body = form({ password2: 'a good password', email: 'not.proven@example.com' })
    const response = await app.request('/api/user/register', { method: 'POST', body: JSON.stringify(body) })
    expect(await response.json()).toMatchObject({ success: true, message: '' })
    expect(response.headers.get('set-cookie')).toBeNull()
    const row = await rowOf(body.username)
    expect(row).toMatchObject({ role: 1, status: 1, groups: 'default', display_name: body.username, quota: 0, inviter_id: 0, email: '' })
    expect(row.aff_code).toMatch(/^[0-9A-Za-z]{8}$/)
    const { username, password } = body
    expect((await app.call(contract.account.login, { username, password }, nobody)).success).toBe(true)
    const tokens = await app.app.store.db.selectFrom('tokens').selectAll().where('user_id', '=', row.id).execute()
    expect(tokens).toMatchObject([{ name: 'default', unlimited_quota: 1, expired_time: -1, status: 1, models: '' }])
  })

  test('ignores members of the body that a visitor may not set (W18)', async () => {
    const body = form({
      role: 100,
      quota: 1e9,
      group: 'svip',
      status: 1,
      inviter_id: 1,
      id: 1,
      access_token: 'x'.repeat(32),
      used_quota: -5,
    })
    await register(body)
    expect(await rowOf(body.username)).toMatchObject({ role: 1, quota: 0, groups: 'default', inviter_id: 0, access_token_lookup: null })
  })

  test('needs a name that nobody takes for another one', async () => {
    for (const [username, key] of [
      ['ro\u043et', 'username_scripts'],
      ['root\u200b', 'username_characters'],
      ['\u202etoor', 'username_characters'],
      ['a\nb', 'username_characters'],
      ['<img src=x>', 'username_characters'],
      ['r00t', 'username_reserved'],
      ['admin', 'username_reserved'],
    ] as const) {
      expect(await messageOf({ username })).toBe(en[key])
      const inChinese = await app.call(contract.account.register, form({ username }), { headers: { 'accept-language': 'zh' } })
      expect(inChinese).toMatchObject({ success: false, message: zh[key] })
    }
    for (const username of ['小明', 'Иван', 'José']) expect(await register({ username })).toMatchObject({ success: true })
  })

  test('needs a password that is not among the most common ones', async () => {
    for (const password of ['password', '12345678', 'iloveyou', 'PassWord1']) expect(await messageOf({ password })).toBe(en.password_common)
    const inChinese = await app.call(contract.account.register, form({ password: '12345678' }), { headers: { 'accept-language': 'zh' } })
    expect(inChinese).toMatchObject({ success: false, message: zh.password_common })
  })

  test('needs a username, which other gateways accept empty (W27), and a password of at least eight characters', async () => {
    expect(await messageOf({ username: '   ' })).toBe(en.username_required)
    expect(await messageOf({ password: 'short67' })).toBe(en.password_too_short)
    expect(await messageOf({ password: '' })).toBe(en.password_too_short)
    expect(await messageOf({ password: 'p'.repeat(129) })).toBe(en.password_too_long)
    // Eight characters, whatever their length in bytes.
    expect((await register({ password: '密码密码密码密码' })).success).toBe(true)
    const headers = { 'accept-language': 'zh-CN' }
    expect((await app.call(contract.account.register, form({ password: 'x' }), { headers })).message).toBe(zh.password_too_short)
  })

  test('reports a taken name without texts of the database (W35), also for two at once', async () => {
    const body = form()
    const responses = await Promise.all(Array.from({ length: 8 }, () => app.call(contract.account.register, body, nobody)))
    expect(responses.filter(({ success }) => success)).toHaveLength(1)
    for (const response of responses.filter(({ success }) => !success)) expect(response.message).toBe(en.username_taken)
    const { id } = await rowOf(body.username)
    expect(await app.app.store.db.selectFrom('tokens').select('id').where('user_id', '=', id).execute()).toHaveLength(1)
  })

  test('can be disabled by either of two options', async () => {
    await option('PasswordRegisterEnabled', 'false')
    expect(await messageOf({})).toBe(en.password_register_disabled)
    await option('RegisterEnabled', 'false')
    expect(await messageOf({})).toBe(en.register_disabled)
  })
})

describe('with e-mail verification', () => {
  let mail: FakeMailServer
  beforeAll(async () => {
    mail = await startMailServer({ isPlain: true })
    await option('SMTPServer', '127.0.0.1')
    await option('SMTPPort', String(mail.port))
    await option('SMTPFrom', 'gateway@example.com')
    await option('EmailVerificationEnabled', 'true')
  })
  afterAll(async () => {
    await option('EmailVerificationEnabled', 'false')
    await mail.close()
  })

  async function codeFor(email: string): Promise<string> {
    await app.data(contract.verification.sendCode, { email }, nobody)
    return /\b\d{6}\b/.exec(mail.received.at(-1)?.text ?? '')?.[0] ?? ''
  }

  test('needs address and code, and the account gets the address', async () => {
    for (const change of [{}, { email: 'new@example.com' }, { verification_code: '123456' }, { email: null, verification_code: null }])
      expect(await messageOf(change)).toBe(en.email_code_required)
    const verification_code = await codeFor('new@example.com')
    expect(await messageOf({ email: 'other@example.com', verification_code })).toBe(en.email_code_wrong)
    expect(await messageOf({ email: 'new@example.com', verification_code: `${(Number(verification_code) + 1) % 1e6}` })).toBe(
      en.email_code_wrong,
    )
    const body = form({ email: ' New@Example.com ', verification_code })
    expect((await app.call(contract.account.register, body, nobody)).success).toBe(true)
    expect((await rowOf(body.username)).email).toBe('new@example.com')
    expect(await messageOf({ email: 'new@example.com', verification_code })).toBe(en.email_code_wrong)
  })

  const at = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const guess = async (email: string, address: string) =>
    (await app.call(contract.account.register, form({ email, verification_code: '000000' }), at(address))).message

  test('guesses and further codes of strangers do not use up the code of the person who requested it', async () => {
    const email = 'target@example.com'
    await app.data(contract.verification.sendCode, { email }, at('198.51.100.7'))
    const verification_code = /\b\d{6}\b/.exec(mail.received.at(-1)?.text ?? '')?.[0] ?? ''
    for (let tries = 0; tries < 20; tries++) expect(await guess(email, `203.0.113.${tries}`)).toBe(en.email_code_wrong)
    await app.data(contract.verification.sendCode, { email }, at('203.0.113.9'))
    const body = form({ email, verification_code })
    expect((await app.call(contract.account.register, body, at('192.0.2.1'))).message).toBe(en.email_code_wrong)
    expect(await app.call(contract.account.register, body, at('198.51.100.8'))).toMatchObject({ success: true })
  })

  test('a code can be typed in on another device, and its own network has five tries', async () => {
    const codeTo = async (email: string) => {
      await app.data(contract.verification.sendCode, { email }, at('198.51.100.7'))
      return /\b\d{6}\b/.exec(mail.received.at(-1)?.text ?? '')?.[0] ?? ''
    }
    const elsewhere = form({ email: 'phone@example.com', verification_code: await codeTo('phone@example.com') })
    expect(await app.call(contract.account.register, elsewhere, at('192.0.2.1'))).toMatchObject({ success: true })
    const email = 'clumsy@example.com'
    const verification_code = await codeTo(email)
    for (let tries = 0; tries < 5; tries++) expect(await guess(email, '198.51.100.7')).toBe(en.email_code_wrong)
    for (const address of ['198.51.100.7', '192.0.2.1'])
      expect((await app.call(contract.account.register, form({ email, verification_code }), at(address))).message).toBe(en.email_code_wrong)
  })

  test('a taken name does not use up the code', async () => {
    const body = form({ email: 'thrifty@example.com', verification_code: await codeFor('thrifty@example.com') })
    expect((await app.call(contract.account.register, { ...body, username: 'root' }, nobody)).message).toBe(en.username_taken)
    expect((await app.call(contract.account.register, body, nobody)).success).toBe(true)
  })
})

describe('with the bot check on', () => {
  test('each registration needs a new token (W37)', async () => {
    const turnstile = fakeTurnstile()
    const guarded = await testApp({ outsideAddresses: { turnstile: turnstile.url } })
    try {
      for (const [key, value] of [
        ['TurnstileSiteKey', 'site'],
        ['TurnstileSecretKey', 'secret'],
        ['TurnstileCheckEnabled', 'true'],
      ] as const) {
        await guarded.data(contract.option.update, { key, value })
      }
      const send = async (token: string) => {
        const init = { method: 'POST', body: JSON.stringify(form()) }
        return await (await guarded.request(`/api/user/register?turnstile=${token}`, init)).json()
      }
      expect(await send('')).toMatchObject({ success: false, message: en.turnstile_missing })
      expect(await send('bad')).toMatchObject({ success: false, message: en.turnstile_failed })
      expect(await send('good-1')).toMatchObject({ success: true })
      expect(await send('good-1')).toMatchObject({ success: false, message: en.turnstile_failed })
    } finally {
      await guarded.close()
      await turnstile.close()
    }
  })
})

describe('gifts', () => {
  test('are given once to a new user, an invited user and the inviter, each with an entry and a row of the log', async () => {
    await option('QuotaForNewUser', '1000')
    await option('QuotaForInvitee', '200')
    await option('QuotaForInviter', '50')
    const inviter = await app.make.user({ quota: 0 })
    const code = await app.data(contract.account.inviteCode, {}, inviter)
    expect(code).toMatch(/^[0-9A-Za-z]{8}$/)
    expect(await app.data(contract.account.inviteCode, {}, inviter)).toBe(code)
    const body = form({ aff_code: code })
    await register(body)
    const invited = await rowOf(body.username)
    expect(invited).toMatchObject({ quota: 1200, inviter_id: inviter.id })
    expect((await app.data(contract.account.self, {}, inviter)).quota).toBe(50)
    expect(await logsOf(invited.id)).toEqual([
      { type: 4, content: '$0.002000 welcome credit for a new user' },
      { type: 4, content: '$0.000400 credit for joining by invitation' },
    ])
    expect(await logsOf(inviter.id)).toEqual([{ type: 4, content: `$0.000100 credit for inviting ${body.username}` }])
    const entries = await app.app.store.db.selectFrom('ledger').select(['ref', 'amount']).where('kind', '=', 'grant').execute()
    for (const ref of ['register', 'invitee', 'invite']) expect(entries.filter((row) => row.ref === `${ref}:${invited.id}`)).toHaveLength(1)
    expect(await app.inconsistencies()).toEqual([])
  })

  test('are not given if none are set, for an unknown code, or to a banned inviter (W38)', async () => {
    await option('QuotaForInviter', '50')
    const inviter = await app.make.user({ quota: 0 })
    const code = await app.data(contract.account.inviteCode, {}, inviter)
    await app.data(contract.user.manage, { username: inviter.username, action: 'disable' })
    for (const aff_code of [code, 'nobodys-code']) {
      const body = form({ aff_code })
      await register(body)
      expect(await rowOf(body.username)).toMatchObject({ quota: 0, inviter_id: 0 })
    }
    expect((await rowOf(inviter.username)).quota).toBe(0)
  })

  test('that are missing after a crash are given once, at the next registration or start', async () => {
    const ann = await app.make.user({ quota: 0 })
    const owed = { ref: `register:${ann.id}`, user_id: ann.id, amount: 70, content: 'gift', created_at: 1 }
    await app.app.store.db.insertInto('grants_due').values(owed).execute()
    await register()
    expect((await rowOf(ann.username)).quota).toBe(70)
    await app.app.store.db.insertInto('grants_due').values(owed).execute()
    await register()
    expect((await rowOf(ann.username)).quota).toBe(70)
    expect(await app.app.store.db.selectFrom('grants_due').selectAll().execute()).toEqual([])
  })

  test('are not affected by an invite code that is generated twice: no account gets the code of another (W51)', async () => {
    for (let count = 0; count < 20; count++) await register()
    const rows = await app.app.store.db.selectFrom('users').select('aff_code').where('aff_code', '<>', '').execute()
    expect(new Set(rows.map(({ aff_code }) => aff_code)).size).toBe(rows.length)
    const taken = rows[0]?.aff_code ?? ''
    const other = await app.make.user()
    const write = app.app.store.db.updateTable('users').set({ aff_code: taken }).where('id', '=', other.id).execute()
    expect(await write.then(() => 'written').catch(() => 'refused')).toBe('refused')
  })
})
