import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type TestApp, testApp } from '../../test/app.ts'
import { damagedSeal as damaged } from '../../test/damaged-seal.ts'
import { chatResponse, json } from '../../test/fake-upstream.ts'

// A single sealed value that is damaged. A master key that is lost altogether: lost-key.test.ts.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
}, 60_000)
afterAll(() => app.close())

const db = () => app.app.store.db

const chat = (key: string) =>
  app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
  })

test('a channel is shown, is not used while others serve, is left out of files by its name, and takes new values', async () => {
  const [bad, good] = [await app.make.channel({ key: 'first-key', priority: 9 }), await app.make.channel({ key: 'second-key' })]
  const sealed = { key_sealed: damaged, config_sealed: damaged, settings_sealed: damaged }
  await db().updateTable('channels').set(sealed).where('id', '=', bad).execute()
  // The console's next edit notifies the relay that the row changed.
  await app.data(contract.channel.update, { id: bad, name: 'bad' })
  const { unreadable, name } = await app.data(contract.channel.get, { id: bad })
  expect([name, unreadable]).toEqual(['bad', ['key', 'config', 'settings']])
  for (const rows of [await app.data(contract.channel.list, {}), await app.data(contract.channel.search, { keyword: 'bad' })])
    expect(rows.find(({ id }) => id === bad)?.unreadable).toHaveLength(3)
  const exported = await app.data(contract.channel.exportFile, { ids: [bad, good] })
  expect(exported.left_out).toEqual([{ id: bad, name: 'bad', unreadable: ['config', 'settings'] }])
  expect(exported.channels).toHaveLength(1)
  expect((await app.request(`/api/channel/export?format=csv`, { headers: app.root.headers })).status).toBe(200)

  const user = await app.make.user()
  const { key } = await app.make.token(user)
  app.upstream.script(json(chatResponse()))
  expect((await chat(key)).status).toBe(200)
  expect(app.upstream.received.at(-1)?.headers).toMatchObject({ authorization: 'Bearer second-key' })

  // Whoever changes where it sends must enter the key again: it is readable again when its master key is back.
  const elsewhere = await app.call(contract.channel.update, { id: bad, base_url: 'https://elsewhere.example' })
  expect(elsewhere).toMatchObject({ success: false, message: en.channel_key_reentry_required })
  const edit = { id: bad, key: 'third-key', config: '', headers: '{"x-org":"ours"}' }
  expect((await app.data(contract.channel.update, edit)).unreadable).toEqual([])
  app.upstream.script(json(chatResponse()))
  expect((await chat(key)).status).toBe(200)
  expect(app.upstream.received.at(-1)?.headers).toMatchObject({ authorization: 'Bearer third-key', 'x-org': 'ours' })
})

test('the key of a token is not shown, still works, and can be replaced', async () => {
  const user = await app.make.user()
  const { id, key } = await app.make.token(user)
  await app.make.token(user)
  await db().updateTable('tokens').set({ key_sealed: damaged }).where('id', '=', id).execute()
  const rows = await app.data(contract.token.list, {}, user)
  expect(rows.map((row) => [row.id === id, row.unreadable])).toEqual([
    [false, []],
    [true, ['key']],
  ])
  expect(await app.data(contract.token.get, { id }, user)).toMatchObject({ key: '', unreadable: ['key'] })
  expect((await app.data(contract.token.update, { id, name: 'renamed' }, user)).name).toBe('renamed')
  app.upstream.script(json(chatResponse()))
  expect((await chat(key)).status).toBe(200)
  expect((await app.data(contract.token.replaceKey, { id }, user)).unreadable).toEqual([])
})

test('a top-up code is not shown, can be redeemed, and can be replaced while it was not', async () => {
  const keys = await app.data(contract.redemption.create, { name: 'code', quota: 5, count: 2 })
  const [used, open] = (await app.data(contract.redemption.list, {})).map(({ id }) => id)
  await db().updateTable('redemptions').set({ key_sealed: damaged }).execute()
  expect((await app.data(contract.redemption.list, {})).map(({ key, unreadable }) => [key, unreadable])).toEqual([
    ['', ['key']],
    ['', ['key']],
  ])
  const file = await app.request('/api/redemption/export?format=csv', { headers: app.root.headers })
  expect(await file.text()).toContain('cannot be read with this master key')
  const user = await app.make.user({ quota: 0 })
  expect(await app.data(contract.redemption.redeem, { key: keys[1] ?? '' }, user)).toBe(5)
  expect(await app.call(contract.redemption.replaceKey, { id: used ?? 0 })).toMatchObject({ message: en.redemption_used_edit })
  const { key, unreadable } = await app.data(contract.redemption.replaceKey, { id: open ?? 0 })
  expect(unreadable).toEqual([])
  expect((await app.call(contract.redemption.redeem, { key: keys[0] ?? '' }, user)).message).toBe(en.redemption_invalid)
  expect(await app.data(contract.redemption.redeem, { key }, user)).toBe(5)
})

test('a webhook is shown, and gets a new address and a new secret', async () => {
  const rule = { name: 'low', kind: 'balance', scope: 'own', threshold: 1, target: 'webhook', url: app.upstream.url, is_on: true } as const
  const { id } = await app.data(contract.notification.create, rule)
  await db().updateTable('notification_rules').set({ url_sealed: damaged, secret_sealed: damaged }).where('id', '=', id).execute()
  expect(await app.data(contract.notification.list, {})).toMatchObject([{ address: '', unreadable: ['url', 'secret'] }])
  expect((await app.data(contract.notification.test, { id })).error).toBe(en.notification_unreadable)
  const change = { id, name: 'low', threshold: 1, is_on: true }
  expect(await app.data(contract.notification.update, { ...change, url: '' })).toMatchObject({ secret: '', unreadable: ['url', 'secret'] })
  const { secret, ...row } = await app.data(contract.notification.update, { ...change, url: app.upstream.url })
  expect(secret).toMatch(/^whsec_/)
  expect(row).toMatchObject({ address: app.upstream.url, unreadable: [] })
})

test('an authenticator app says that it cannot be checked, and can be removed', async () => {
  const user = await app.make.user()
  const factor = { user_id: user.id, is_on: 1, app_sealed: damaged, app_confirmed: 1 }
  await db().insertInto('second_factors').values(factor).execute()
  expect(await app.data(contract.secondFactor.get, {}, user)).toMatchObject({ has_app: true, unreadable: ['app'] })
  const body = JSON.stringify({ username: user.username, password: user.password })
  const json = { 'content-type': 'application/json' }
  const login = await app.request('/api/user/login', { method: 'POST', headers: json, body })
  const cookie = login.headers.getSetCookie().map((one) => one.split(';')[0] ?? '')
  const second = await app.request('/api/user/login/code', {
    method: 'POST',
    headers: { ...json, cookie: cookie.join('; ') },
    body: JSON.stringify({ code: '123456' }),
  })
  expect(await second.json()).toMatchObject({ message: en.second_factor_unreadable })
  await app.data(contract.secondFactor.removeApp, {}, user)
  expect(await app.data(contract.secondFactor.get, {}, user)).toMatchObject({ has_app: false, unreadable: [] })
})

test('an option has its default, is marked, and takes a new value', async () => {
  const rows = [
    { key: 'SMTPToken', value: damaged, set_by_role: 100 },
    { key: 'ModelRatio', value: '{"gpt-4o":', set_by_role: 100 },
  ]
  await db().insertInto('options').values(rows).execute()
  const marked = async () =>
    (await app.data(contract.option.details, {})).options.flatMap(({ key, is_unreadable }) => (is_unreadable ? [key] : [])).sort()
  expect(await marked()).toEqual(['ModelRatio', 'SMTPToken'])
  await app.data(contract.option.update, { key: 'SMTPToken', value: 'again' })
  expect(await marked()).toEqual(['ModelRatio'])
  await app.data(contract.option.update, { key: 'ModelRatio', value: '{"gpt-4o":2}' })
  expect(await marked()).toEqual([])
})

test('an option whose proposed value is damaged keeps the one in force, is marked, and takes a new one', async () => {
  const row = { key: 'ChatLink', value: 'https://chat.example', set_by_role: 100, pending: 'no address', pending_by: 7 }
  await db().insertInto('options').values(row).execute()
  const chatLink = async () => (await app.data(contract.option.details, {})).options.find(({ key }) => key === 'ChatLink')
  // A change of another option lets the server read all of them.
  await app.data(contract.option.update, { key: 'SystemName', value: 'Sluice' })
  expect(await chatLink()).toMatchObject({ is_unreadable: true, is_pending: false, waits: false })
  expect((await app.data(contract.option.list, {})).find(({ key }) => key === 'ChatLink')?.value).toBe('https://chat.example')
  await app.data(contract.option.update, { key: 'ChatLink', value: 'https://other.example' })
  expect(await chatLink()).toMatchObject({ is_unreadable: false, is_pending: false })
})

test('the counts are those of the rows that must be entered again', async () => {
  const counts = await app.data(contract.option.unreadable, {})
  expect(Object.keys(counts)).toEqual(['channels', 'tokens', 'redemptions', 'options', 'notification_rules', 'second_factors'])
  expect((await app.call(contract.option.unreadable, {}, await app.make.user())).success).toBe(false)
})
