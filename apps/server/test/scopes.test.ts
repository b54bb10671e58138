import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { callScopes, contract, type Endpoint, en, nounScopes, separateScopes, userStatus } from '@sluice/contract'
import { type Session, type TestApp, type TestUser, testApp } from './app.ts'
import { endpoints, envelopeText, sendRaw } from './endpoints.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const { redemption, secondFactor, token, user } = contract

const lacking = (scope: string): string => en.scope_missing.replace('{scope}', scope)

/** A personal access token of an administrator of the highest role, for the scope of the call and others. */
async function holder(endpoint: Endpoint, ...more: readonly string[]): Promise<{ readonly owner: TestUser; readonly as: Session }> {
  const owner = await app.make.user({ role: 100 })
  return { owner, as: await app.make.personalToken(owner, [callScopes.get(endpoint) ?? '', ...more]) }
}

/** A token and a redemption code of an account, with their keys. */
async function withKeys(owner: TestUser) {
  const own = await app.data(token.create, { name: 'spends', remain_quota: 5, expired_time: -1 }, owner)
  const [code = ''] = await app.data(redemption.create, { name: 'gift', quota: 5, count: 1 }, owner)
  const { id: codeId } = (await app.data(redemption.list, {}, owner)).find(({ key }) => key === code) ?? { id: 0 }
  return { token: own, code, codeId }
}

/** The input of each call that returns keys, of a token or a code. */
const inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'token.search': { keyword: 'spends' },
  'token.setStatus': { status: 2 },
  'token.update': { name: 'spends more' },
  'redemption.search': { keyword: 'gift' },
  'redemption.export': { format: 'json' },
  'redemption.setStatus': { status: 2 },
  'redemption.update': { name: 'another gift' },
}

const keyCalls = endpoints.filter(([, { keyScope }]) => keyScope !== null)

describe('keys of tokens and redemption codes', () => {
  test('are returned by the calls that this test knows', () => {
    expect(keyCalls.map(([name]) => name).toSorted()).toEqual([
      ...['export', 'get', 'list', 'search', 'setStatus', 'update'].map((call) => `redemption.${call}`),
      ...['get', 'list', 'search', 'setStatus', 'update'].map((call) => `token.${call}`),
    ])
  })

  for (const [name, endpoint] of keyCalls) {
    test(`${name} returns them to a personal access token only with the scope ${endpoint.keyScope} beside its own`, async () => {
      const isAllowed = async (...scopes: readonly string[]) => {
        const { owner, as } = await holder(endpoint, ...scopes)
        const { token: row, code, codeId } = await withKeys(owner)
        const [id, key] = endpoint.keyScope === 'token:keys' ? [row.id, row.key] : [codeId, code]
        const text = await envelopeText(await sendRaw(app, endpoint, { as, input: { id, ...inputs[name] } }))
        expect([name, text.includes(name.startsWith('token') ? 'spends' : 'gift')]).toEqual([name, true])
        return text.includes(key)
      }
      expect(await isAllowed()).toBe(false)
      expect(await isAllowed('all', 'read', ...nounScopes.filter((scope) => scope !== endpoint.keyScope))).toBe(false)
      expect(await isAllowed(endpoint.keyScope ?? '')).toBe(true)
    })
  }

  test('are in no response to a personal access token that has every scope but theirs', async () => {
    const owner = await app.make.user({ role: 100 })
    const as = await app.make.personalToken(owner, ['all', 'user:credentials'])
    const { token: row, code, codeId } = await withKeys(owner)
    for (const [name, endpoint] of endpoints.filter(([, { method, sideEffect }]) => method === 'GET' && !sideEffect)) {
      for (const id of [row.id, codeId]) {
        const text = await envelopeText(await sendRaw(app, endpoint, { as, input: { id } }))
        expect([name, text.includes(row.key), text.includes(code)]).toEqual([name, false, false])
      }
    }
  })

  test('are returned to sessions and to the system access token', async () => {
    const owner = await app.make.user({ role: 100 })
    const { token: row, code } = await withKeys(owner)
    for (const as of [owner, await app.make.accessToken(owner)]) {
      expect((await app.data(token.list, {}, as)).map(({ key }) => key)).toContain(row.key)
      expect((await app.data(redemption.list, {}, as)).map(({ key }) => key)).toContain(code)
    }
  })

  test('that are new are returned once to whoever may create them', async () => {
    const owner = await app.make.user({ role: 100 })
    const as = await app.make.personalToken(owner, ['token:write', 'redemption:write', 'notification:write'])
    const row = await app.data(token.create, { name: 'new', remain_quota: 5, expired_time: -1 }, as)
    expect(row.key).toMatch(/^[0-9A-Za-z]{48}$/)
    expect((await app.data(token.get, { id: row.id }, as)).key).toBe('')
    expect((await app.data(token.replaceKey, { id: row.id }, as)).key).toMatch(/^[0-9A-Za-z]{48}$/)
    expect(await app.data(redemption.create, { name: 'new', quota: 5, count: 2 }, as)).toHaveLength(2)
    const { id, secret } = await app.data(
      contract.notification.create,
      { name: 'hook', threshold: 5, kind: 'balance', scope: 'own', target: 'webhook', url: 'https://example.com/hook', model_name: '' },
      as,
    )
    expect(secret).toMatch(/^whsec_/)
    const later = [
      await app.call(contract.notification.list, {}, as),
      await app.call(contract.notification.update, { id, name: 'hook', threshold: 6, url: '' }, as),
    ]
    expect(JSON.stringify(later)).toContain('https://example.com')
    expect(JSON.stringify(later)).not.toContain(secret)
  })
})

/** A change of another account that needs `user:credentials`, by its call and the part of it. */
const changes: Readonly<Record<string, readonly [endpoint: Endpoint, input: (target: TestUser) => Readonly<Record<string, unknown>>]>> = {
  'user.update username': [user.update, ({ id }) => ({ id, username: `renamed-${id}` })],
  'user.update password': [user.update, ({ id }) => ({ id, password: 'a new long password' })],
  'user.update email': [user.update, ({ id }) => ({ id, email: `taken-over-${id}@example.com` })],
  'user.manage promote': [user.manage, ({ username }) => ({ username, action: 'promote' })],
  'user.manage demote': [user.manage, ({ username }) => ({ username, action: 'demote' })],
  'user.manage delete': [user.manage, ({ username }) => ({ username, action: 'delete' })],
  'user.remove': [user.remove, ({ id }) => ({ id })],
  'user.create': [user.create, ({ id }) => ({ username: `made-by-${id}`, password: 'a new long password' })],
  'user.unbind': [user.unbind, ({ id }) => ({ id, way: 'email' })],
  'user.removeAccessToken': [user.removeAccessToken, ({ id }) => ({ id, token: 'system' })],
  'secondFactor.clear': [secondFactor.clear, ({ id }) => ({ id })],
}

/** Whether an account is there, everything by which it is entered, and its role. */
async function entryOf(id: number): Promise<string> {
  const { db } = app.app.store
  const row = await db
    .selectFrom('users')
    .select([
      'username',
      'password_hash',
      'role',
      'email',
      'github_id',
      'google_id',
      'oidc_id',
      'wechat_id',
      'lark_id',
      'access_token_lookup',
    ])
    .where('id', '=', id)
    .executeTakeFirst()
  const factors = await db.selectFrom('second_factors').selectAll().where('user_id', '=', id).execute()
  const createdUsers = await db.selectFrom('users').select('id').where('username', '=', `made-by-${id}`).execute()
  const deleted = await db.selectFrom('users').select('id').where('id', '=', id).where('status', '=', userStatus.deleted).execute()
  return JSON.stringify([row, factors, createdUsers.length, deleted.length])
}

async function target(role: number): Promise<TestUser> {
  const person = await app.make.user({ role })
  await app.make.accessToken(person)
  const { db } = app.app.store
  await db
    .updateTable('users')
    .set({ email: `own-${person.id}@example.com` })
    .where('id', '=', person.id)
    .execute()
  await db.insertInto('second_factors').values({ user_id: person.id, is_on: 1 }).execute()
  return person
}

describe('the credentials of other accounts', () => {
  test('are changed by the calls and parts that this test knows, and by options, which a test of their own is about', () => {
    const ofAccounts = endpoints.filter(([name]) => name !== 'option.update')
    const parts = ofAccounts.flatMap(([name, { scope, credentialParts }]) => [
      ...(scope === 'user:credentials' ? [name] : []),
      ...credentialParts.map((part) => `${name} ${part}`),
    ])
    expect(Object.keys(changes).toSorted()).toEqual(parts.toSorted())
  })

  for (const [name, [endpoint, input]] of Object.entries(changes)) {
    test(`${name} is refused to a personal access token without user:credentials, and done with it`, async () => {
      const person = await target(name.endsWith('demote') ? 10 : 1)
      const before = await entryOf(person.id)
      const owner = await app.make.user({ role: 100 })
      const call = async (...scopes: readonly string[]) =>
        await (await sendRaw(app, endpoint, { as: await app.make.personalToken(owner, scopes), input: input(person) })).json()
      for (const scopes of [['user:write'], ['all'], ['all', ...nounScopes.filter((scope) => scope !== 'user:credentials')]])
        expect(await call(...scopes)).toMatchObject({ success: false, message: lacking('user:credentials') })
      expect(await entryOf(person.id)).toBe(before)
      expect(await call('user:write', 'user:credentials')).toMatchObject({ success: true })
      expect(await entryOf(person.id)).not.toBe(before)
    })
  }

  test('are not reached where the account has the same role, even by root', async () => {
    const root = await app.make.user({ role: 100 })
    const as = await app.make.personalToken(root, ['all', 'user:credentials'])
    for (const [name, [endpoint, input]] of Object.entries(changes)) {
      if (name === 'user.create') continue
      const other = await target(100)
      const before = await entryOf(other.id)
      expect([name, await (await sendRaw(app, endpoint, { as, input: input(other) })).json()]).toMatchObject([name, { success: false }])
      expect([name, await entryOf(other.id)]).toEqual([name, before])
    }
    const response = await (await sendRaw(app, user.update, { as, input: { id: root.id, password: 'a new long password' } })).json()
    expect(response).toMatchObject({ success: false, message: en.session_required })
  })

  test('stay where user:write changes other fields, and sends what the row has already', async () => {
    const person = await target(1)
    const before = await entryOf(person.id)
    const as = await app.make.personalToken(await app.make.user({ role: 10 }), ['user:write'])
    const { quota_was: _, form_id: __, ...row } = await app.data(user.get, { id: person.id }, as)
    expect(await app.call(user.update, { ...row, display_name: 'Renamed', group: 'vip' }, as)).toMatchObject({ success: true })
    expect(await app.call(user.manage, { username: person.username, action: 'disable', revoke_access_tokens: false }, as)).toMatchObject({
      success: true,
    })
    expect(await entryOf(person.id)).toBe(before)
  })
})

describe('scopes', () => {
  test('that are separate are included in no other', async () => {
    const owner = await app.make.user({ role: 100 })
    const { scopes } = await app.data(contract.accessToken.list, {}, owner)
    expect(separateScopes.filter((scope) => !scopes.includes(scope))).toEqual([])
    const ofUser = (await app.data(contract.accessToken.list, {}, await app.make.user())).scopes
    expect(separateScopes.filter((scope) => ofUser.includes(scope))).toEqual(['token:keys'])
  })

  test('count in calls that are open to visitors too', async () => {
    const owner = await app.make.user()
    const as = await app.make.personalToken(owner, ['log:read'])
    for (const [name, endpoint] of endpoints.filter(([, { access, knowsCaller }]) => access === 'public' && knowsCaller)) {
      const response = await (await sendRaw(app, endpoint, { as, input: { email: 'new@example.com' } })).json()
      const message = endpoint.needsSession ? en.session_required : lacking(callScopes.get(endpoint) ?? '')
      expect([name, response]).toEqual([name, { success: false, message }])
    }
    expect(callScopes.get(contract.verification.sendCode)).toBeUndefined()
  })

  test.each(Object.entries({ 'another role': ['redemption:keys'], nothing: ['token:delete'] }))(
    'of %s give nothing beyond the account',
    async (_, scopes) => {
      const as = await app.make.personalToken(await app.make.user(), scopes)
      expect(await app.call(redemption.list, {}, as)).toMatchObject({ success: false, message: en.permission_denied })
      expect(await app.call(token.list, {}, as)).toMatchObject({ success: false, message: lacking('token:read') })
    },
  )
})
