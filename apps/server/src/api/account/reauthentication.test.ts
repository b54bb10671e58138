import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en, type InputOf } from '@sluice/contract'
import { nobody, type Session, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { type FakeMailServer, startMailServer } from '../../../test/fake-mail-server.ts'
import type { Clock } from '../../lib/clock.ts'

// Changing passwords, access tokens and addresses needs a login of the last ten minutes, or the current password.

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
const tenMinutes = 600_000
let app: TestApp
let mail: FakeMailServer

beforeAll(async () => {
  mail = await startMailServer({ isPlain: true })
  app = await testApp({ clock })
  const options = { SMTPServer: '127.0.0.1', SMTPPort: String(mail.port), SMTPFrom: 'gateway@example.com' }
  for (const [key, value] of Object.entries(options)) await app.data(contract.option.update, { key, value })
})
afterAll(async () => {
  await app.close()
  await mail.close()
})
beforeEach(() => {
  ms += 700_000
})

type Change = Omit<InputOf<typeof contract.account.updateSelf>, 'username'>

const change = (user: TestUser, fields: Change, as: Session = user) =>
  app.call(contract.account.updateSelf, { username: user.username, ...fields }, as)

const logIn = ({ username }: TestUser, password: string) => app.call(contract.account.login, { username, password }, nobody)

const password = 'another password'

describe('a new password', () => {
  test('needs no old one within ten minutes of the login, because compatible consoles send none then', async () => {
    const user = await app.make.user()
    ms += tenMinutes
    expect((await change(user, { password })).success).toBe(true)
    expect((await logIn(user, password)).success).toBe(true)
  })

  test('needs the current one in an older session, and without it the error asks for a new login', async () => {
    const user = await app.make.user()
    ms += tenMinutes + 1_000
    expect((await change(user, { password })).message).toBe(en.reauthentication_required)
    expect((await change(user, { password, current_password: 'a wrong password' })).message).toBe(en.current_password_wrong)
    expect((await logIn(user, password)).success).toBe(false)
    expect((await change(user, { password, current_password: user.password })).success).toBe(true)
    expect((await logIn(user, password)).success).toBe(true)
  })

  test('that is refused leaves the other fields unchanged', async () => {
    const user = await app.make.user()
    ms += tenMinutes + 1_000
    const before = await app.data(contract.account.self, {}, user)
    await app.call(contract.account.updateSelf, { username: 'renamed-by-thief', display_name: 'x', password }, user)
    expect(await app.data(contract.account.self, {}, user)).toEqual(before)
    expect((await change(user, { display_name: 'New name', password: '' })).success).toBe(true)
  })

  test('is refused with a wrong current password, however recent the login is', async () => {
    const user = await app.make.user()
    expect((await change(user, { password, current_password: 'a wrong password' })).message).toBe(en.current_password_wrong)
  })

  test('is never set with an access token, not even with the current password', async () => {
    for (const role of [1, 10, 100]) {
      const user = await app.make.user({ role })
      const script = await app.make.accessToken(user)
      expect((await change(user, { password, current_password: user.password }, script)).message).toBe(en.session_required)
    }
  })

  test('limits guessing: wrong current passwords count as failed logins and are logged', async () => {
    const user = await app.make.user()
    ms += tenMinutes + 1_000
    const responses = []
    for (let tries = 0; tries < 12; tries++) responses.push(await change(user, { password, current_password: `guess ${tries}` }))
    expect(responses.at(-1)?.message).toMatch(/^Too many failed logins/)
    expect((await change(user, { password, current_password: user.password })).message).toMatch(/^Too many failed logins/)
    expect((await app.data(contract.log.list, { username: user.username })).map(({ content }) => content)).toContain(
      en.log_current_password_wrong.replace('{address}', '127.0.0.1'),
    )
  })

  test('of root has the same rules in the list of users, and so has a new address', async () => {
    const root = await app.make.user({ role: 100 })
    const script = await app.make.accessToken(root)
    const edit = { id: root.id, username: root.username }
    ms += tenMinutes + 1_000
    expect((await app.call(contract.user.update, { ...edit, password }, root)).message).toBe(en.reauthentication_required)
    expect((await app.call(contract.user.update, { ...edit, password, current_password: root.password }, script)).message).toBe(
      en.session_required,
    )
    expect((await app.call(contract.user.update, { ...edit, email: 'thief@example.com' }, root)).message).toBe(en.reauthentication_required)
    expect((await app.call(contract.user.update, { ...edit, display_name: 'Root', email: '' }, root)).success).toBe(true)
    const own = { ...edit, password, current_password: root.password, revoke_access_tokens: false }
    expect((await app.call(contract.user.update, own, root)).success).toBe(true)
    const user = await app.make.user()
    expect((await app.call(contract.user.update, { id: user.id, password }, script)).success).toBe(true)
  })
})

describe('the first password of an account with logins by other services', () => {
  async function withoutPassword(email: string): Promise<TestUser> {
    const user = await app.make.user()
    const { db } = app.app.store
    await db.updateTable('users').set({ password_hash: '', email }).where('id', '=', user.id).execute()
    return user
  }

  async function codeFor(user: TestUser, email: string): Promise<string> {
    await app.data(contract.verification.sendCode, { email }, user)
    return /\b\d{6}\b/.exec(mail.received.findLast(({ to }) => to.includes(email))?.text ?? '')?.[0] ?? ''
  }

  test('is set with a code that was mailed to its address, in old and new sessions', async () => {
    const user = await withoutPassword('first@example.com')
    expect((await app.data(contract.account.self, {}, user)).has_password).toBe(false)
    expect(await change(user, { password })).toMatchObject({ message: en.password_needs_code, field: 'verification_code' })
    ms += tenMinutes + 1_000
    const verification_code = await codeFor(user, 'first@example.com')
    const wrong = verification_code === '000000' ? '000001' : '000000'
    expect((await change(user, { password, verification_code: wrong })).message).toBe(en.email_code_wrong)
    expect((await change(user, { password, verification_code })).success).toBe(true)
    expect((await logIn(user, password)).success).toBe(true)
  })

  test('needs the code of its own address', async () => {
    const user = await withoutPassword('own@example.com')
    const verification_code = await codeFor(user, 'elsewhere@example.com')
    expect((await change(user, { password, verification_code })).message).toBe(en.email_code_wrong)
    const other = await withoutPassword('')
    expect((await change(other, { password, verification_code })).message).toBe(en.password_needs_email)
  })

  test('is not set with an access token', async () => {
    const user = await withoutPassword('script@example.com')
    const script = await app.make.accessToken(user)
    const verification_code = await codeFor(user, 'script@example.com')
    expect((await change(user, { password, verification_code }, script)).message).toBe(en.session_required)
  })
})

describe('a new access token', () => {
  const token = (as: Session) => app.call(contract.account.accessToken, {}, as)

  test('is returned in a session of the last ten minutes', async () => {
    const user = await app.make.user()
    ms += tenMinutes
    const authorization = await app.data(contract.account.accessToken, {}, user)
    expect((await app.data(contract.account.self, {}, { headers: { authorization } })).id).toBe(user.id)
  })

  test('needs the current password in an older session', async () => {
    const user = await app.make.user({ role: 10 })
    ms += tenMinutes + 1_000
    expect((await token(user)).message).toBe(en.reauthentication_required)
    const byPassword = (current_password: string) => app.call(contract.account.newAccessToken, { current_password }, user)
    expect((await byPassword('')).message).toBe(en.reauthentication_required)
    expect((await byPassword('a wrong password')).message).toBe(en.current_password_wrong)
    expect(await byPassword(user.password)).toMatchObject({ success: true, data: expect.stringMatching(/^\w{43}$/) })
  })

  test('is not returned to a call with the old one', async () => {
    const user = await app.make.user({ role: 100 })
    const script = await app.make.accessToken(user)
    expect((await token(script)).message).toBe(en.session_required)
    expect((await app.call(contract.account.newAccessToken, { current_password: user.password }, script)).message).toBe(en.session_required)
    expect((await app.data(contract.account.self, {}, script)).id).toBe(user.id)
  })
})

describe('deleting or renaming another account', () => {
  type Act = (target: TestUser, as: Session, current_password?: string) => Promise<{ readonly success: boolean; readonly message: string }>

  const remove: Act = ({ id }, as) => app.call(contract.user.remove, { id }, as)
  const manage: Act = ({ username }, as) => app.call(contract.user.manage, { username, action: 'delete' }, as)
  const rename: Act = ({ id }, as, current_password = '') =>
    app.call(contract.user.update, { id, username: `renamed-${id}`, password: '', current_password }, as)
  const stored = ({ id }: TestUser) =>
    app.app.store.db.selectFrom('users').select(['username', 'status']).where('id', '=', id).executeTakeFirst()

  for (const [name, act] of Object.entries({ remove, manage, rename })) {
    test(`needs a recent login in a session, whatever the role: ${name}`, async () => {
      for (const role of [10, 100]) {
        const [admin, target] = [await app.make.user({ role }), await app.make.user()]
        ms += tenMinutes + 1_000
        const before = await stored(target)
        expect((await act(target, admin)).message).toBe(en.reauthentication_required)
        expect(await stored(target)).toEqual(before)
        expect((await act(target, await app.make.user({ role }))).success).toBe(true)
        expect(await stored(target)).not.toEqual(before)
      }
    })

    test(`is done by the system access token, which has no scopes: ${name}`, async () => {
      const target = await app.make.user()
      expect((await act(target, await app.make.accessToken(await app.make.user({ role: 10 })))).success).toBe(true)
    })
  }

  test('by a new name accepts the current password instead', async () => {
    const [admin, target] = [await app.make.user({ role: 10 }), await app.make.user()]
    ms += tenMinutes + 1_000
    expect((await rename(target, admin, 'a wrong password')).message).toBe(en.current_password_wrong)
    expect((await rename(target, admin, admin.password)).success).toBe(true)
  })

  test('is not required if the name stays the same, or only the standing changes', async () => {
    const [admin, target] = [await app.make.user({ role: 10 }), await app.make.user()]
    ms += tenMinutes + 1_000
    const { id, username } = target
    expect((await app.call(contract.user.update, { id, username, display_name: 'Ann', password: '' }, admin)).success).toBe(true)
    for (const action of ['disable', 'enable'] as const)
      expect((await app.call(contract.user.manage, { username, action }, admin)).success).toBe(true)
  })

  test('root renames its own account by the same rules, and by no access token', async () => {
    const root = await app.make.user({ role: 100 })
    expect((await rename(root, await app.make.accessToken(root))).message).toBe(en.session_required)
    ms += tenMinutes + 1_000
    expect((await rename(root, root)).message).toBe(en.reauthentication_required)
    expect((await rename(root, root, root.password)).success).toBe(true)
  })
})
