import type { Locator, Page } from '@playwright/test'
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
    label: /^Name/,
    field: 'name',
    text: 'mine',
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

test('a refused save that is about no field says why beside the button', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/token/add')
  await page.getByRole('textbox', { name: /^Name/ }).fill('mine')
  await page.route('**/api/token/', (route) => route.fulfill({ json: { success: false, message: 'not today' } }))
  await page.locator('form button[type=submit]').click()
  await expect(page.locator('form').getByRole('status').filter({ hasText: 'not today' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: /^Name/ })).toHaveValue('mine')
})

test.describe('forms of visitors say why beside the field, and keep what was typed:', () => {
  const field = (page: Page, name: string) => page.getByRole('main').getByRole('textbox', { name, exact: true })

  test('a login', async ({ page }) => {
    await page.goto('/login')
    await field(page, 'Username or email').fill('root')
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('not the password')
    await page.keyboard.press('Enter')
    await expect(password).toHaveAccessibleDescription(/.+/)
    await expectToast(page, await describedBy(password))
    await expect(password).toHaveAttribute('aria-invalid', 'true')
    await expect(password).toHaveValue('not the password')
    await expect(field(page, 'Username or email')).toHaveValue('root')
  })

  test('a registration', async ({ page }) => {
    await page.goto('/register')
    await field(page, 'Username').fill('root')
    for (const label of ['Password', 'Confirm password']) await page.getByLabel(label, { exact: true }).fill('long enough')
    await page.getByRole('main').getByRole('button', { name: 'Register' }).click()
    await expect(field(page, 'Username')).toHaveAttribute('aria-invalid', 'true')
    await expectToast(page, await describedBy(field(page, 'Username')))
    await expect(field(page, 'Username')).toHaveValue('root')
  })

  test('a code for a mail address', async ({ page, gateway }) => {
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'EmailVerificationEnabled', value: 'true' } })
    await page.goto('/register')
    await field(page, 'Email').fill('no address')
    await page.getByRole('button', { name: 'Send code' }).click()
    await expect(field(page, 'Email')).toHaveAttribute('aria-invalid', 'true')
    await expectToast(page, await describedBy(field(page, 'Email')))
    await expect(field(page, 'Email')).toHaveValue('no address')
  })

  test('a request for a link', async ({ page }) => {
    // Before it is known whether there is a bot check, the page asks to wait.
    await Promise.all([page.waitForResponse('**/api/status'), page.goto('/reset')])
    await field(page, 'Email').fill('no address')
    await page.keyboard.press('Enter')
    await expect(field(page, 'Email')).toHaveAttribute('aria-invalid', 'true')
    await expectToast(page, await describedBy(field(page, 'Email')))
    await expect(field(page, 'Email')).toHaveValue('no address')
  })

  test('a link that is over, with a way to a new one', async ({ page }) => {
    await page.goto('/user/reset?email=ann@example.com&token=old')
    await page.getByRole('button', { name: 'Reset password' }).click()
    await expect(field(page, 'Email')).toHaveAttribute('aria-invalid', 'true')
    await expectToast(page, await describedBy(field(page, 'Email')))
    await page.getByRole('link', { name: 'Request a new link' }).click()
    await expect(page).toHaveURL('/reset')
  })
})

/** What stands beside a field. */
async function describedBy(field: Locator): Promise<string> {
  const id = (await field.getAttribute('aria-describedby')) ?? ''
  return (await field.page().locator(`[id="${id}"]`).textContent()) ?? ''
}

interface RefusedRequest {
  readonly of: string
  readonly path: string
  /** Opens the form and fills it, up to the button that sends it. */
  readonly fill: (page: Page) => Promise<void>
  /** Calls that are refused. */
  readonly call: string
  /** The field's name on the wire. */
  readonly field: string
  readonly input: (page: Page) => Locator
}

const dialog = (page: Page) => page.getByRole('dialog')

const cases: readonly RefusedRequest[] = [
  {
    of: 'a personal access token',
    path: '/setting?tab=security',
    async fill(page) {
      await page.getByRole('button', { name: 'New token' }).click()
      await dialog(page).getByRole('textbox', { name: 'Name' }).fill('ci')
      await choose(page, dialog(page).getByRole('combobox', { name: 'Permissions' }), /^Read and write everything/)
      await dialog(page).locator('button[type=submit]').click()
    },
    call: '**/api/access_token/',
    field: 'expired_time',
    input: (page) => dialog(page).getByRole('combobox', { name: 'Expires' }),
  },
  {
    of: 'a notification rule about failures',
    path: '/setting?tab=notification',
    async fill(page) {
      await page.getByRole('button', { name: 'New rule' }).click()
      await dialog(page).getByRole('textbox', { name: 'Name' }).fill('failures')
      await choose(page, dialog(page).getByRole('combobox', { name: 'Notify me when' }), 'Requests fail')
      await dialog(page)
        .getByRole('textbox', { name: /^Failure rate/ })
        .fill('20')
      await dialog(page).locator('button[type=submit]').click()
    },
    call: '**/api/notification/',
    field: 'hours',
    input: (page) => dialog(page).getByRole('combobox', { name: 'Over the last' }),
  },
  {
    of: 'a notification rule of a model',
    path: '/setting?tab=notification',
    async fill(page) {
      await page.getByRole('button', { name: 'New rule' }).click()
      await dialog(page).getByRole('textbox', { name: 'Name' }).fill('failures')
      await choose(page, dialog(page).getByRole('combobox', { name: 'Notify me when' }), 'Requests fail')
      await choose(page, dialog(page).getByRole('combobox', { name: 'Scope', exact: true }), 'One model')
      await dialog(page).getByRole('combobox', { name: 'Model', exact: true }).fill('gpt-4o')
      await dialog(page)
        .getByRole('textbox', { name: /^Failure rate/ })
        .fill('20')
      await dialog(page).locator('button[type=submit]').click()
    },
    call: '**/api/notification/',
    field: 'model_name',
    input: (page) => dialog(page).getByRole('combobox', { name: 'Model', exact: true }),
  },
  {
    of: 'the cleaning of the log',
    path: '/setting?tab=operations',
    async fill(page) {
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    },
    call: '**/api/log/?*',
    field: 'target_timestamp',
    input: (page) => page.getByRole('textbox', { name: 'Delete entries before' }),
  },
  {
    of: 'the route of an unknown account',
    path: '/channel/route',
    async fill(page) {
      await page.getByRole('combobox', { name: 'Model' }).fill('gpt-4o')
      await page.getByRole('textbox', { name: 'Username' }).fill('nobody')
      await page.getByRole('button', { name: 'Explain' }).click()
    },
    call: '**/api/route/?*',
    field: 'username',
    input: (page) => page.getByRole('textbox', { name: 'Username' }),
  },
]

async function choose(page: Page, select: Locator, name: string | RegExp): Promise<void> {
  await select.click()
  await page.getByRole('option', { name }).click()
}

for (const { of, path, fill, call, field, input } of cases) {
  test(`a refusal of ${of} stands beside the field that it is about`, async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto(path)
    const refusal = { success: false, message: 'not this one', field }
    await page.route(call, (route) =>
      route.request().method() === 'GET' && !path.includes('route') ? route.fallback() : route.fulfill({ json: refusal }),
    )
    await fill(page)
    await expect(input(page)).toHaveAccessibleDescription(/not this one/)
  })
}

test('a refusal to delete the own account stands beside the typed name', async ({ page, gateway }) => {
  const ann = await gateway.ask('user', {})
  await gateway.ask('userRow', { id: ann.id, username: 'ann' })
  await signIn(page, gateway, ann, 1)
  await page.goto('/setting?tab=personal')
  await page.getByRole('button', { name: 'Delete account' }).click()
  const name = dialog(page).getByRole('textbox')
  await name.fill('ann')
  await page.route('**/api/user/self', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ json: { success: false, message: 'not now' } }) : route.fallback(),
  )
  await dialog(page).getByRole('button', { name: 'Delete account' }).click()
  await expect(name).toHaveAccessibleDescription(/not now/)
  await expect(name).toHaveValue('ann')
})
