import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { nobody, type TestApp, testApp } from '../../../test/app.ts'
import { setOptions } from '../../../test/channel-scene.ts'
import { cookieBrowser } from '../../../test/cookie-browser.ts'
import { type FakeProvider, fakeLark } from '../../../test/fake-services.ts'

// Logins whose service gets an address of this server to which it redirects the browser.

const secrets = {
  ...{ GoogleClientId: 'id', GoogleClientSecret: 'a secret' },
  ...{ OidcIssuer: 'https://login.example', OidcClientId: 'id', OidcClientSecret: 'a secret' },
  ...{ LarkClientId: 'lark-client', LarkClientSecret: 'lark-secret' },
}
const missing = (service: string): string => en.server_address_missing.replaceAll('{service}', service)

describe('without a server address', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp()
    await setOptions(app, secrets)
  })
  afterAll(() => app.close())

  test.each(['GoogleOAuthEnabled', 'OidcEnabled'])('%s cannot be turned on, and keeps the address once it is', async (key) => {
    const update = (name: string, value: string) => app.call(contract.option.update, { key: name, value })
    expect(await update(key, 'true')).toMatchObject({
      success: false,
      message: en.option_incomplete.replace('{needed}', 'ServerAddress').replace('{name}', key),
    })
    await setOptions(app, { ServerAddress: 'https://gateway.example' })
    expect((await update(key, 'true')).success).toBe(true)
    expect((await update('ServerAddress', '')).success).toBe(false)
    await setOptions(app, { [key]: 'false', LarkClientId: '' })
    expect((await update('ServerAddress', '')).success).toBe(true)
    await setOptions(app, { LarkClientId: 'lark-client' })
  })
})

describe('an installation whose logins are on without a server address', () => {
  let app: TestApp
  let lark: FakeProvider
  beforeAll(async () => {
    lark = fakeLark({ id: 'lark-client', secret: 'lark-secret' })
    app = await testApp({
      env: { CONSOLE_ORIGINS: 'https://console.example' },
      outsideAddresses: { lark: lark.url, larkPassport: lark.url },
      // As an earlier version let it be.
      storedOptions: { GoogleOAuthEnabled: 'true', OidcEnabled: 'true' },
    })
    await setOptions(app, secrets)
  })
  afterAll(async () => {
    await app.close()
    await lark.close()
  })

  test.each([
    ['google', 'Google'],
    ['oidc', 'OpenID Connect'],
  ] as const)('refuses to begin a login by %s, instead of sending the browser to localhost', async (service, name) => {
    const response = await app.call(contract.oauth.state, { pkce: 'S256', service }, nobody)
    expect([response.success, response.message]).toEqual([false, missing(name)])
    // A console on another site is its own address: the provider is called.
    const elsewhere = await app.request(`/api/oauth/state?pkce=S256&service=${service}`, { headers: { origin: 'https://console.example' } })
    expect(await elsewhere.text()).not.toContain(missing(name))
  })

  test('refuses the callback of Lark before the code is spent', async () => {
    const browser = cookieBrowser(app)
    const { data: state } = await browser.call(contract.oauth.state, { pkce: 'S256', service: '' })
    const before = lark.received.length
    const response = await browser.call(contract.oauth.lark, {
      code: lark.codeFor({ id: 'ou_1', login: '', name: 'Ann' }),
      state: String(state),
    })
    expect(response.message).toBe(missing('Lark'))
    expect(lark.received.length).toBe(before)
  })

  test('notifies root until the address is set', async () => {
    const services = async () => (await app.data(contract.option.waiting, {})).logins_without_address
    expect(await services()).toEqual(['Google', 'OpenID Connect', 'Lark'])
    await setOptions(app, { ServerAddress: 'https://gateway.example' })
    expect(await services()).toEqual([])
  })
})
