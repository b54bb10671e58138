import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { cookieBrowser, loggedIn } from '../../../test/cookie-browser.ts'
import type { Clock } from '../../lib/clock.ts'

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
let app: TestApp

beforeAll(async () => {
  app = await testApp({ clock, env: { TRUSTED_PROXIES: '127.0.0.1' } })
})
afterAll(() => app.close())

const { account } = contract

test('the list has device, address, way and times of each session, and marks the one of the call', async () => {
  const user = await app.make.user()
  const phone = cookieBrowser(app, { address: '198.51.100.7' })
  await phone.call(account.login, user, { 'user-agent': 'Mozilla/5.0 (iPhone)' })
  ms += 60_000
  const { data } = await phone.call(contract.session.list, {})
  const createdAt = Math.floor(ms / 1000)
  expect(data).toHaveLength(2)
  expect(data).toContainEqual({
    ...{ id: expect.stringMatching(/^[0-9a-f]{32}$/), is_current: true, way: 'password' },
    ...{ user_agent: 'Mozilla/5.0 (iPhone)', address: '198.51.100.7', created_at: createdAt - 60, seen_at: createdAt - 60 },
  })
  expect(data.filter(({ is_current }: { is_current: boolean }) => is_current)).toHaveLength(1)
  expect(JSON.stringify(data)).not.toContain(phone.cookies.get('session') ?? '?')
})

test('one session is ended by its id, all others by one call, and the one of the call stays', async () => {
  const user = await app.make.user()
  const [here, there, elsewhere] = [await loggedIn(app, user), await loggedIn(app, user), await loggedIn(app, user)]
  const { data } = await there.call(contract.session.list, {})
  const own = data.find(({ is_current }: { is_current: boolean }) => is_current)
  expect(await here.call(contract.session.remove, { id: own.id })).toMatchObject({ success: true })
  expect(await there.call(account.self, {})).toMatchObject({ status: 401, success: false })
  expect(await elsewhere.call(account.self, {})).toMatchObject({ success: true })
  expect((await here.call(contract.session.removeOthers, {})).data).toBe(2)
  expect(await elsewhere.call(account.self, {})).toMatchObject({ status: 401 })
  expect((await here.call(contract.session.list, {})).data).toHaveLength(1)
  expect(await here.call(account.self, {})).toMatchObject({ success: true })
})

test('ending the session of the call removes its cookie', async () => {
  const browser = await loggedIn(app, await app.make.user())
  const { data } = await browser.call(contract.session.list, {})
  const own = data.find(({ is_current }: { is_current: boolean }) => is_current)
  expect(await browser.call(contract.session.remove, { id: own.id })).toMatchObject({ success: true })
  expect(browser.cookies.has('session')).toBe(false)
})

test('nobody sees or ends the sessions of others, whatever their role', async () => {
  const [ann, bob] = [await app.make.user(), await app.make.user()]
  const [first] = (await app.data(contract.session.list, {}, ann)).map(({ id }) => id)
  for (const stranger of [bob, app.root]) {
    expect(await app.call(contract.session.remove, { id: first ?? '' }, stranger)).toMatchObject({
      success: false,
      message: en.no_such_session,
    })
    expect((await app.data(contract.session.list, {}, stranger)).map(({ id }) => id)).not.toContain(first)
    await app.data(contract.session.removeOthers, {}, stranger)
  }
  expect(await app.call(account.self, {}, ann)).toMatchObject({ success: true })
  expect(await app.call(contract.session.remove, { id: `${first}' OR 1=1` }, bob)).toMatchObject({ success: false })
})

test('expired sessions are not in the list', async () => {
  const user = await app.make.user()
  ms += 8 * 86_400_000
  const browser = await loggedIn(app, user)
  expect((await browser.call(contract.session.list, {})).data).toHaveLength(1)
})

test('a change of the password ends all others', async () => {
  const user = await app.make.user()
  const [here, there] = [await loggedIn(app, user), await loggedIn(app, user)]
  await here.call(account.updateSelf, { password: 'a brand new password' })
  expect(await there.call(account.self, {})).toMatchObject({ status: 401 })
  expect((await here.call(contract.session.list, {})).data).toHaveLength(1)
})
