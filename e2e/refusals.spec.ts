import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

// What the server refuses stands beside its field, in every form of a row.

interface Form {
  readonly of: string
  /** @returns the path of the form */
  readonly path: (gateway: Gateway) => Promise<string>
  readonly label: RegExp
  /** The field's name on the wire. */
  readonly field: string
  readonly text: string
}

const makeToken = async (gateway: Gateway) => (await gateway.ask('tokens', { owner: gateway.root, names: ['before'] }))[0] ?? 0
const makeCode = (gateway: Gateway) => gateway.api('/api/redemption/', { method: 'POST', body: { name: 'before', quota: 1, count: 1 } })

const forms: readonly Form[] = [
  { of: 'a new token', path: async () => '/token/add', label: /^Name/, field: 'name', text: 'mine' },
  { of: 'a token', path: async (gateway) => `/token/edit/${await makeToken(gateway)}`, label: /^Quota$/, field: 'remain_quota', text: '7' },
  {
    of: 'a channel',
    path: async (gateway) => `/channel/edit/${await makeChannel(gateway, 'before')}`,
    label: /^Base URL/,
    field: 'base_url',
    text: 'https://mine.example',
  },
  { of: 'new codes', path: async () => '/redemption/add', label: /^Name/, field: 'name', text: 'mine' },
  {
    of: 'a code',
    async path(gateway) {
      await makeCode(gateway)
      return '/redemption/edit/1'
    },
    label: /^Quota$/,
    field: 'quota',
    text: '7',
  },
  {
    of: 'an account',
    path: async (gateway) => `/user/edit/${(await gateway.ask('user', {})).id}`,
    label: /^Display name/,
    field: 'display_name',
    text: 'mine',
  },
  { of: 'the own account', path: async () => '/user/edit', label: /^Username/, field: 'username', text: 'mine' },
]

for (const { of, path, label, field, text } of forms) {
  test(`a refused save of ${of} says why beside the field, keeps what was typed, and can be tried again`, async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto(await path(gateway))
    const input = page.locator('main form').getByRole('textbox', { name: label })
    await input.fill(text)
    const refusal = { success: false, message: 'not this one', field }
    await page.route('**/api/**', (route) => (route.request().method() === 'GET' ? route.fallback() : route.fulfill({ json: refusal })))
    await page.locator('form button[type=submit]').click()
    await expectToast(page, 'not this one')
    await expect(input).toHaveAccessibleDescription(/not this one/)
    await expect(input).toBeFocused()
    await expect(input).toHaveValue(text)
    await page.unroute('**/api/**')
    await page.locator('form button[type=submit]').click()
    await expect(page.locator('[aria-invalid=true]')).toHaveCount(0)
  })
}
