import { afterAll, beforeAll, expect, test } from 'bun:test'
import { accessTokensMax, contract, en } from '@sluice/contract'
import { type Session, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { until } from '../../../test/channel-scene.ts'
import type { Clock } from '../../lib/clock.ts'

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
let app: TestApp

beforeAll(async () => {
  app = await testApp({ clock })
})
afterAll(() => app.close())

const { account, log, token } = contract
const seconds = (): number => Math.floor(ms / 1000)

async function createToken(
  user: TestUser,
  scopes: readonly string[],
  expired_time = -1,
): Promise<{ readonly id: number; readonly as: Session }> {
  const { id, token: key } = await app.data(contract.accessToken.create, { name: 'ci', scopes: [...scopes], expired_time }, user)
  return { id, as: { headers: { authorization: `Bearer ${key}` } } }
}

test('a token is shown once, is stored as a hash, and its list says what it may do and when it was used', async () => {
  const user = await app.make.user()
  const { id, token: key } = await app.data(
    contract.accessToken.create,
    { name: ' deploy ', scopes: ['token:write', 'log:read', 'log:read'], expired_time: seconds() + 3_600 },
    user,
  )
  expect(key).toMatch(/^slp_[0-9A-Za-z]{43}$/)
  const row = {
    id,
    name: 'deploy',
    scopes: ['token:write', 'log:read'],
    created_time: seconds(),
    expired_time: seconds() + 3_600,
    used_time: 0,
  }
  expect((await app.data(contract.accessToken.list, {}, user)).rows).toEqual([row])
  const rows = JSON.stringify([
    await app.app.store.db.selectFrom('access_tokens').selectAll().execute(),
    await app.app.store.db.selectFrom('logs').selectAll().execute(),
  ])
  expect(rows).not.toContain(key.slice(4))
  ms += 400_000
  const as = { headers: { authorization: key } }
  expect(await app.call(token.list, {}, as)).toMatchObject({ success: true })
  await until(
    () => app.data(contract.accessToken.list, {}, user),
    ({ rows: [listed] }) => listed?.used_time === seconds(),
  )
  const texts = (await app.data(log.list, { username: user.username })).map(({ content }) => content)
  expect(texts).toContain(
    `${user.username} created the personal access token "deploy" with the scopes token:write, log:read`.replace(', ', ','),
  )
})

test('a token may do what its scopes say, and reading is part of writing', async () => {
  const user = await app.make.user()
  const reads = await createToken(user, ['log:read'])
  expect(await app.call(log.listSelf, {}, reads.as)).toMatchObject({ success: true })
  const lacking = en.scope_missing.replace('{scope}', 'token:read')
  expect(await app.call(token.list, {}, reads.as)).toMatchObject({ success: false, message: lacking })
  const writes = await createToken(user, ['token:write'])
  expect(await app.call(token.list, {}, writes.as)).toMatchObject({ success: true })
  const whole = await createToken(user, ['read'])
  expect(await app.call(token.list, {}, whole.as)).toMatchObject({ success: true })
  expect(await app.call(token.create, { name: 'x', remain_quota: 1, expired_time: -1 }, whole.as)).toMatchObject({
    success: false,
    message: en.scope_missing.replace('{scope}', 'token:write'),
  })
})

test('a token changes no credentials with any scope', async () => {
  const user = await app.make.user()
  const { as } = await createToken(user, ['all'])
  const proof = { current_password: user.password }
  for (const response of [
    await app.call(account.newAccessToken, proof, as),
    await app.call(account.updateSelf, { password: 'another good password', ...proof }, as),
    await app.call(contract.accessToken.create, { name: 'x', scopes: ['all'], expired_time: -1 }, as),
    await app.call(contract.secondFactor.beginApp, {}, as),
    await app.call(contract.passkey.begin, {}, as),
    await app.call(contract.session.removeOthers, {}, as),
    await app.call(contract.oauth.unbind, { way: 'email' }, as),
  ]) {
    expect(response).toMatchObject({ success: false, message: en.session_required })
  }
})

test('a token ends at its expiry, with its removal, and with its account', async () => {
  const user = await app.make.user()
  const expiring = await createToken(user, ['all'], seconds() + 60)
  expect(await app.call(account.self, {}, expiring.as)).toMatchObject({ success: true })
  ms += 60_000
  expect(await app.call(account.self, {}, expiring.as)).toMatchObject({ success: false, message: en.access_token_invalid })
  const removed = await createToken(user, ['all'])
  const stranger = await app.make.user({ role: 100 })
  expect(await app.call(contract.accessToken.remove, { id: removed.id }, stranger)).toMatchObject({
    success: false,
    message: en.no_such_access_token,
  })
  await app.data(contract.accessToken.remove, { id: removed.id }, user)
  expect(await app.call(account.self, {}, removed.as)).toMatchObject({ success: false })
  const kept = await createToken(user, ['all'])
  await app.data(contract.user.manage, { username: user.username, action: 'disable', revoke_access_tokens: false })
  expect(await app.call(account.self, {}, kept.as)).toMatchObject({ success: false, message: en.user_banned })
  await app.data(contract.user.remove, { id: user.id })
  expect(await app.call(account.self, {}, kept.as)).toMatchObject({ success: false, message: en.access_token_invalid })
})

test('names, scopes and expiry are checked, and one account has a limited number', async () => {
  const user = await app.make.user()
  const right = { name: 'x', scopes: ['all'], expired_time: -1 }
  for (const [wrong, message] of [
    [{ name: '  ' }, en.access_token_name_required],
    [{ name: 'x'.repeat(65) }, en.access_token_name_too_long],
    [{ scopes: [] }, en.access_token_scopes_required],
    [{ scopes: ['token:delete'] }, en.access_token_scopes_invalid],
    [{ scopes: ['__proto__'] }, en.access_token_scopes_invalid],
    [{ expired_time: 1 }, en.expiry_past],
  ] as const) {
    expect(
      await app.call(
        contract.accessToken.create,
        { ...right, ...wrong, scopes: [...('scopes' in wrong ? wrong.scopes : right.scopes)] },
        user,
      ),
    ).toMatchObject({
      success: false,
      message,
    })
  }
  const responses = await Promise.all(Array.from({ length: accessTokensMax + 5 }, () => app.call(contract.accessToken.create, right, user)))
  expect(responses.filter(({ success }) => success)).toHaveLength(accessTokensMax)
  expect((await app.data(contract.accessToken.list, {}, user)).rows).toHaveLength(accessTokensMax)
})

test('a new one needs a login of the last ten minutes', async () => {
  const user = await app.make.user()
  ms += 700_000
  expect(await app.call(contract.accessToken.create, { name: 'x', scopes: ['all'], expired_time: -1 }, user)).toMatchObject({
    success: false,
    message: en.reauthentication_required,
  })
})

test('it opens no call of the relay', async () => {
  const { as } = await createToken(await app.make.user(), ['all'])
  const response = await app.request('/v1/models', { headers: as.headers })
  expect(response.status).toBe(401)
})

test('the list names the scopes that are of use to the role', async () => {
  const [user, admin] = [await app.make.user(), await app.make.user({ role: 10 })]
  const of = async (as: Session) => (await app.data(contract.accessToken.list, {}, as)).scopes
  expect(await of(user)).toEqual(expect.arrayContaining(['token:read', 'token:write', 'log:read']))
  expect(await of(user)).not.toContain('channel:read')
  expect(await of(admin)).toEqual(expect.arrayContaining(['token:read', 'channel:read', 'option:write']))
})
