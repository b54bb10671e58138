import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en, type OptionKey, optionKeys, options, priceFieldOptions } from '@sluice/contract'
import { defaultPrice, pricedModels } from '@sluice/vendors/registry/models/prices'
import { nobody, type TestApp, testApp } from '../../../test/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const put = (key: string, value: string) => app.call(contract.option.update, { key, value })
const storedValue = async (key: string) => (await app.data(contract.option.list, {})).find((row) => row.key === key)?.value

test('every option that is not secret is listed with its value as text', async () => {
  const rows = await app.data(contract.option.list, {})
  expect(rows.map(({ key }) => key).sort()).toEqual(optionKeys.filter((key) => !options[key].secret).sort())
  expect(await storedValue('QuotaPerUnit')).toBe('500000')
})

test('secrets are never sent, are stored encrypted, and stay when an empty one is saved (W39)', async () => {
  await put('TurnstileSecretKey', 'a-very-secret-key')
  await put('TurnstileSecretKey', '')
  await put('TurnstileSiteKey', 'site')
  expect((await put('TurnstileCheckEnabled', 'true')).success).toBe(true)
  await put('TurnstileCheckEnabled', 'false')
  expect(await storedValue('TurnstileSecretKey')).toBeUndefined()
  const { value } = await app.app.store.db
    .selectFrom('options')
    .select('value')
    .where('key', '=', 'TurnstileSecretKey')
    .executeTakeFirstOrThrow()
  expect(value).not.toContain('secret')
})

test('a secret is removed with `clear`, and other options with an empty value', async () => {
  await put('MessagePusherToken', 'a-token')
  const stored = () =>
    app.app.store.db.selectFrom('options').select('value').where('key', '=', 'MessagePusherToken').executeTakeFirstOrThrow()
  const before = await stored()
  await app.data(contract.option.update, { key: 'MessagePusherToken', value: '' })
  expect(await stored()).toEqual(before)
  await app.data(contract.option.update, { key: 'GitHubClientSecret', value: 'gh-secret' })
  await app.data(contract.option.update, { key: 'GitHubClientId', value: 'gh-client' })
  await app.data(contract.option.update, { key: 'GitHubClientSecret', value: '', clear: true })
  expect((await put('GitHubOAuthEnabled', 'true')).message).toBe(
    en.option_incomplete.replace('{needed}', 'GitHubClientSecret').replace('{name}', 'GitHubOAuthEnabled'),
  )
  await put('GitHubClientId', '')
})

test('an option that another active one needs cannot be emptied', async () => {
  const inUse = (name: string, user: string) => en.option_in_use.replace('{name}', name).replace('{user}', user)
  for (const [values, emptied, user] of [
    [
      { GitHubClientId: 'id', GitHubClientSecret: 'secret', GitHubOAuthEnabled: 'true' },
      ['GitHubClientId', 'GitHubClientSecret'],
      'GitHubOAuthEnabled',
    ],
    [{ WeChatServerAddress: 'https://wechat.example', WeChatAuthEnabled: 'true' }, ['WeChatServerAddress'], 'WeChatAuthEnabled'],
    [
      { EmailDomainWhitelist: 'example.com', EmailDomainRestrictionEnabled: 'true' },
      ['EmailDomainWhitelist'],
      'EmailDomainRestrictionEnabled',
    ],
    [{ SMTPServer: 'mail.example', EmailVerificationEnabled: 'true' }, ['SMTPServer'], 'EmailVerificationEnabled'],
    [{ LarkClientId: 'id', LarkClientSecret: 'secret' }, ['LarkClientSecret'], 'LarkClientId'],
  ] as const) {
    for (const [key, value] of Object.entries(values)) expect([key, (await put(key, value)).success]).toEqual([key, true])
    for (const key of emptied) {
      const response = await app.call(contract.option.update, { key, value: '', clear: true })
      expect([key, response.message]).toEqual([key, inUse(key, user)])
    }
    await put(user, user.endsWith('Enabled') ? 'false' : '')
    for (const key of emptied) expect((await app.call(contract.option.update, { key, value: '', clear: true })).success).toBe(true)
  }
})

test('the number of further attempts has no maximum', async () => {
  expect((await put('RetryTimes', '99')).success).toBe(true)
  expect(await storedValue('RetryTimes')).toBe('99')
  await put('RetryTimes', '3')
})

test('a login method cannot be switched on before it is configured', async () => {
  for (const [key, needed] of [
    ['GitHubOAuthEnabled', 'GitHubClientId, GitHubClientSecret'],
    ['WeChatAuthEnabled', 'WeChatServerAddress'],
  ] as const) {
    expect((await put(key, 'true')).message).toBe(en.option_incomplete.replace('{needed}', needed).replace('{name}', key))
    expect(await storedValue(key)).toBe('false')
  }
  await put('EmailDomainWhitelist', '')
  expect((await put('EmailDomainRestrictionEnabled', 'true')).success).toBe(false)
  await put('EmailDomainWhitelist', 'example.com')
  expect((await put('EmailDomainRestrictionEnabled', 'true')).success).toBe(true)
})

test('an address is stored unchecked at each keystroke, and checked when a feature that needs it is switched on', async () => {
  for (const key of ['MessagePusherAddress', 'WeChatServerAddress'] as const) {
    const whole = 'https://push.example/push/root'
    for (let length = 1; length <= whole.length; length++) {
      expect(await put(key, whole.slice(0, length))).toMatchObject({ success: true })
      expect(await storedValue(key)).toBe(whole.slice(0, length))
    }
  }
  for (const address of ['', 'ftp://wechat.example', 'wechat', 'http:/']) {
    await put('WeChatServerAddress', address)
    expect((await put('WeChatAuthEnabled', 'true')).success).toBe(false)
  }
  await put('WeChatServerAddress', 'https://wechat.example')
  expect((await put('WeChatAuthEnabled', 'true')).success).toBe(true)
  await put('WeChatServerAddress', 'wechat')
  expect((await app.call(contract.oauth.wechat, { code: 'x' }, nobody)).message).toContain('WeChat')
  await put('WeChatAuthEnabled', 'false')
  await put('MessagePusherAddress', '')
})

test('a saved value is in force at once', async () => {
  expect((await put('SystemName', 'My Gateway')).success).toBe(true)
  expect((await app.data(contract.status.get, {}, nobody)).system_name).toBe('My Gateway')
  expect(await storedValue('SystemName')).toBe('My Gateway')
})

test('booleans and numbers are accepted and converted', async () => {
  const response = await app.request('/api/option/', {
    method: 'PUT',
    headers: app.root.headers,
    body: '{"key":"DisplayInCurrencyEnabled","value":false}',
  })
  expect(await response.json()).toMatchObject({ success: true })
  expect((await app.data(contract.status.get, {}, nobody)).display_in_currency).toBe(false)
})

test('an unknown option and an invalid value are refused and change nothing', async () => {
  expect((await put('NoSuchOption', 'x')).message).toBe(en.option_unknown)
  for (const [key, value] of [
    ['RetryTimes', '-1'],
    ['RetryTimes', '2.5'],
    ['QuotaPerUnit', '0'],
    ['YuanPerDollar', '0'],
    ['YuanPerDollar', '0.009'],
    ['YuanPerDollar', '10001'],
    ['YuanPerDollar', '-7'],
    ['YuanPerDollar', '7 yuan'],
    ['DisplayInCurrencyEnabled', 'yes'],
    ['ChatLink', 'javascript:alert(1)'],
    ['Logo', 'javascript:alert(1)'],
    ['Logo', 'data:image/svg+xml;base64,PHN2Zz4='],
    ['WeChatAccountQRCodeImageURL', 'javascript:alert(1)'],
    ['EmailDomainWhitelist', 'example.com,not a domain'],
    ['PreConsumedQuota', '1e9'],
  ] as const) {
    const before = await storedValue(key)
    expect([key, (await put(key, value)).success]).toEqual([key, false])
    expect(await storedValue(key)).toBe(before)
  }
})

test('a ratio must be JSON of non-negative numbers, and an invalid one does not replace the old one', async () => {
  await put('ModelRatio', '{"my-model": 2.5}')
  for (const bad of ['{bad', '[]', '{"a":-1}', '{"a":"1"}', '{"a":null}', 'null']) {
    expect((await put('ModelRatio', bad)).message).toBe(en.ratio_invalid.replace('{name}', 'ModelRatio'))
  }
  expect(JSON.parse((await storedValue('ModelRatio')) ?? '')).toMatchObject({ 'my-model': 2.5 })
})

test('a factor by channel type must name types that exist', async () => {
  expect((await put('ChannelTypeRatio', '{"33": 1.1, "1": 0}')).success).toBe(true)
  for (const type of ['34.5', '4444', 'gpt-5', '01', '1 ', '-1', '']) {
    const { message } = await put('ChannelTypeRatio', JSON.stringify({ [type]: 1.1 }))
    expect(message).toBe(en.ratio_type_unknown.replace('{name}', 'ChannelTypeRatio').replace('{type}', type))
  }
  for (const key of ['ChannelTypeRatio', 'RetailRatio'] as const)
    expect((await put(key, '{"1": -1}')).message).toBe(en.ratio_invalid.replace('{name}', key))
  expect(await storedValue('ChannelTypeRatio')).toBe('{"33": 1.1, "1": 0}')
  await put('ChannelTypeRatio', '{}')
})

/** The stored text of an option. */
const kept = async (key: OptionKey) =>
  (await app.app.store.db.selectFrom('options').select('value').where('key', '=', key).executeTakeFirst())?.value
const tableOf = async (key: OptionKey): Promise<Record<string, number>> => JSON.parse((await storedValue(key)) ?? '')

test('an option of ratios shows the complete table in force, and saving it unchanged changes nothing', async () => {
  await put('PriceRules', '{"gpt-4o":{"cached":0.25},"local":{"ratio":0.5}}')
  await put('ModelRatio', '{"my-model":2.5,"gpt-4o":9}')
  for (const [field, key] of Object.entries(priceFieldOptions)) {
    const table = await tableOf(key)
    const priced = pricedModels.filter((model) => Object.hasOwn(defaultPrice(model, { yuanPerDollar: 7, nowMs: Date.now() }) ?? {}, field))
    expect(Object.keys(table)).toEqual(expect.arrayContaining(priced))
    const before = await kept(key)
    expect(await put(key, JSON.stringify(table, null, 2))).toMatchObject({ success: true })
    expect(await tableOf(key)).toEqual(table)
    expect(JSON.parse((await kept(key)) ?? '')).toEqual(JSON.parse(before ?? '{}'))
  }
  expect(JSON.parse((await kept('ModelRatio')) ?? '')).toEqual({ 'my-model': 2.5, 'gpt-4o': 9 })
  expect(await tableOf('ModelRatio')).toMatchObject({ 'my-model': 2.5, 'gpt-4o': 9, local: 0.5 })
  expect((await tableOf('CacheRatio'))['gpt-4o']).toBe(0.25)
})

test('a model that is removed from the table, or set to its built-in price, has the built-in price of later versions', async () => {
  await put('PriceRules', '{}')
  await put('ModelRatio', '{}')
  const built = await tableOf('ModelRatio')
  await put('ModelRatio', JSON.stringify({ ...built, 'gpt-4o': 9, 'gpt-4o-mini': 8 }))
  expect(await tableOf('ModelRatio')).toMatchObject({ 'gpt-4o': 9, 'gpt-4o-mini': 8 })
  const { 'gpt-4o': _, ...without } = await tableOf('ModelRatio')
  await put('ModelRatio', JSON.stringify({ ...without, 'gpt-4o-mini': built['gpt-4o-mini'] }))
  expect(await tableOf('ModelRatio')).toEqual(built)
  expect(await kept('ModelRatio')).toBe('{}')
})

test('the rate of the yuan converts the tables that are shown, and saving one unchanged stores nothing at any rate', async () => {
  await put('PriceRules', '{"my-kimi":{"like":"kimi-k3"}}')
  const before = await tableOf('ModelRatio')
  expect(before).toMatchObject({ 'kimi-k3': 1.4285714, 'gpt-4o': 1.25 })
  await put('YuanPerDollar', '6.4')
  const table = await tableOf('ModelRatio')
  expect(table).toMatchObject({ 'kimi-k3': 1.5625, 'my-kimi': 1.5625, 'gpt-4o': 1.25 })
  await put('ModelRatio', JSON.stringify(table))
  expect(await kept('ModelRatio')).toBe('{}')
  await put('ModelRatio', JSON.stringify({ ...table, 'kimi-k3': before['kimi-k3'] }))
  expect(await kept('ModelRatio')).toBe('{"kimi-k3":1.4285714}')
  await put('YuanPerDollar', '7')
  expect((await tableOf('ModelRatio'))['kimi-k3']).toBe(1.4285714)
  await put('ModelRatio', '{}')
  await put('PriceRules', '{}')
})

test('of values that are saved concurrently the stored one is in force', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, number) => put('SystemName', `name ${number}`)))
  const stored = await app.app.store.db.selectFrom('options').select('value').where('key', '=', 'SystemName').executeTakeFirstOrThrow()
  expect((await app.data(contract.status.get, {}, nobody)).system_name).toBe(stored.value)
})

test('a body that is no JSON is a 400 on this call', async () => {
  expect((await app.request('/api/option/', { method: 'PUT', headers: app.root.headers, body: '{' })).status).toBe(400)
})

test('switching password login off takes effect at once', async () => {
  const ann = await app.make.user()
  await put('PasswordLoginEnabled', 'false')
  expect((await app.call(contract.account.login, { username: ann.username, password: ann.password }, nobody)).message).toBe(
    en.login_disabled,
  )
  await put('PasswordLoginEnabled', 'true')
})
