import type { Locator, Page, Route } from '@playwright/test'
import type { TestUser } from '../apps/server/test/app.ts'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { expect, logIn, logOut, signIn, test } from './support/test.ts'

// Each form meets each fault: what the server itself refuses, a connection that is lost in the middle of a save, and a logout in another tab.

const password = 'a good password'

interface Refused {
  readonly field: Locator
  readonly why: RegExp
  /** What shows an entry that the field no longer holds as its text. */
  readonly kept?: Locator
}

interface Fault {
  readonly of: string
  readonly role: number
  /** Makes what the form shows. @returns its path */
  readonly path: (gateway: Gateway, user: TestUser) => string | Promise<string>
  /** Fills everything that the form needs besides the field. */
  readonly fill?: (page: Page) => Promise<void>
  readonly field: (page: Page) => Locator
  readonly text: string
  /** Makes a save that the server refuses, and says the field and the reason beside it. */
  readonly refuse: (page: Page, gateway: Gateway) => Promise<Refused>
  /** Presses the button that saves. */
  readonly save: (page: Page) => Promise<void>
  readonly call: string
  /** What the page says by itself after a lost response, and after a lost call. */
  readonly outcomes: readonly [saved: string, notSaved: string]
  /** Whether the server has the text. */
  readonly isStored: (gateway: Gateway, user: TestUser, text: string) => Promise<boolean>
}

const input = (page: Page, label: RegExp) => page.getByRole('main').locator('form').getByRole('textbox', { name: label })
const save = (page: Page) => page.getByRole('main').locator('form button[type=submit]').click()
const option = (page: Page, key: string) => page.locator(`[data-option="${key}"]`).getByRole('textbox')

const has = async (gateway: Gateway, path: string, text: string, as?: TestUser) =>
  JSON.stringify(await gateway.api(path, as === undefined ? {} : { as })).includes(JSON.stringify(text))

const ofRow = ['Your entries were saved.', 'Saved values differ from yours, which are still here.'] as const
const ofNew = [
  'The connection was lost, but this was saved: it is in the list.',
  'The connection was lost before this was saved. Your entries are still here.',
] as const

async function refuseName(page: Page, gateway: Gateway, label: RegExp) {
  const { username } = await gateway.ask('user', {})
  await input(page, label).fill(username)
  return { field: input(page, label), why: /already|taken|exists/ }
}

async function refuseSubnet(page: Page) {
  await page.locator('form details').evaluateAll((sections) => sections.forEach((section) => section.setAttribute('open', '')))
  await input(page, /^Name/).fill('mine')
  const field = input(page, /^Allowed IP addresses/)
  await field.fill('10.0.0.0/99')
  return { field, why: /10\.0\.0\.0\/99/, kept: page.getByRole('button', { name: 'Remove 10.0.0.0/99' }) }
}

async function refuseAddress(page: Page) {
  const field = input(page, /^Base URL/)
  await field.fill('http://169.254.169.254')
  return { field, why: /base URL is not allowed/ }
}

const makeCode = async (gateway: Gateway) => {
  await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'before', quota: 1, count: 1 } })
  return '/redemption/edit/1'
}

async function refuseExpiry(page: Page) {
  const refusal = { success: false, message: 'The time is over', field: 'expired_time' }
  await page.route('**/api/redemption/', (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.fulfill({ json: refusal }),
  )
  await input(page, /^Name/).fill('mine')
  return { field: input(page, /^Expires at/), why: /The time is over/ }
}

const faults: readonly Fault[] = [
  {
    of: 'a token',
    role: 1,
    path: async (gateway, owner) => `/token/edit/${(await gateway.ask('tokens', { owner, names: ['before'] }))[0] ?? 0}`,
    field: (page) => input(page, /^Name/),
    text: 'mine',
    refuse: refuseSubnet,
    save,
    call: '**/api/token/',
    outcomes: ofRow,
    isStored: (gateway, user, text) => has(gateway, '/api/token/', text, user),
  },
  {
    of: 'a new token',
    role: 1,
    path: () => '/token/add',
    field: (page) => input(page, /^Name/),
    text: 'mine',
    refuse: refuseSubnet,
    save,
    call: '**/api/token/',
    outcomes: ofNew,
    isStored: (gateway, user, text) => has(gateway, '/api/token/', text, user),
  },
  {
    of: 'a channel',
    role: 100,
    path: async (gateway) => `/channel/edit/${await makeChannel(gateway, 'before')}`,
    field: (page) => input(page, /^Name/),
    text: 'mine',
    refuse: refuseAddress,
    save,
    call: '**/api/channel/',
    outcomes: ofRow,
    isStored: (gateway, _, text) => has(gateway, '/api/channel/', text),
  },
  {
    of: 'a new channel',
    role: 100,
    path: () => '/channel/add',
    async fill(page) {
      await input(page, /^Key/).fill('secret')
      await page.getByRole('main').getByRole('combobox', { name: 'Models', exact: true }).fill('gpt-4o')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
    },
    field: (page) => input(page, /^Name/),
    text: 'mine',
    async refuse(page) {
      await input(page, /^Name/).fill('mine')
      return await refuseAddress(page)
    },
    save,
    call: '**/api/channel/',
    outcomes: ofNew,
    isStored: (gateway, _, text) => has(gateway, '/api/channel/', text),
  },
  {
    of: 'an account',
    role: 100,
    path: async (gateway) => `/user/edit/${(await gateway.ask('user', {})).id}`,
    field: (page) => input(page, /^Display name/),
    text: 'mine',
    refuse: (page, gateway) => refuseName(page, gateway, /^Username/),
    save,
    call: '**/api/user/',
    outcomes: ofRow,
    isStored: (gateway, _, text) => has(gateway, '/api/user/', text),
  },
  {
    of: 'a new account',
    role: 100,
    path: () => '/user/add',
    fill: (page) =>
      page
        .getByRole('main')
        .getByLabel(/^Password/)
        .first()
        .fill(password),
    field: (page) => input(page, /^Username/),
    text: 'mine',
    refuse: (page, gateway) => refuseName(page, gateway, /^Username/),
    save,
    call: '**/api/user/',
    outcomes: ofNew,
    isStored: (gateway, _, text) => has(gateway, '/api/user/', text),
  },
  {
    of: 'an administrator’s own account',
    role: 100,
    path: (_, user) => `/user/edit/${user.id}`,
    field: (page) => input(page, /^Display name/),
    text: 'mine',
    async refuse(page) {
      await page.getByLabel('New password', { exact: true }).fill('a new password')
      const field = page.getByLabel('Your current password')
      await field.fill('a wrong password')
      return { field, why: /The current password is incorrect/ }
    },
    save,
    call: '**/api/user/',
    outcomes: ofRow,
    isStored: (gateway, _, text) => has(gateway, '/api/user/', text),
  },
  {
    of: 'the own account',
    role: 1,
    path: () => '/user/edit',
    field: (page) => input(page, /^Display name/),
    text: 'mine',
    refuse: (page, gateway) => refuseName(page, gateway, /^Username/),
    save,
    call: '**/api/user/self',
    outcomes: ofRow,
    isStored: (gateway, user, text) => has(gateway, '/api/user/self', text, user),
  },
  {
    of: 'a code',
    role: 100,
    path: makeCode,
    field: (page) => input(page, /^Name/),
    text: 'mine',
    refuse: refuseExpiry,
    save,
    call: '**/api/redemption/',
    outcomes: ofRow,
    isStored: (gateway, _, text) => has(gateway, '/api/redemption/', text),
  },
  {
    of: 'new codes',
    role: 100,
    path: () => '/redemption/add',
    field: (page) => input(page, /^Name/),
    text: 'mine',
    refuse: refuseExpiry,
    save,
    call: '**/api/redemption/',
    outcomes: ofNew,
    isStored: (gateway, _, text) => has(gateway, '/api/redemption/', text),
  },
  {
    of: 'settings',
    role: 100,
    async path(gateway) {
      for (const [key, value] of [
        ['SMTPServer', 'mail.example'],
        ['EmailVerificationEnabled', 'true'],
      ] as const) {
        await gateway.api('/api/option/', { method: 'PUT', body: { key, value } })
      }
      return '/setting?tab=system'
    },
    field: (page) => option(page, 'SMTPFrom'),
    text: 'mine@example.com',
    async refuse(page) {
      await option(page, 'SMTPServer').fill('')
      return { field: option(page, 'SMTPServer'), why: /SMTPServer cannot be empty/ }
    },
    save: (page) => page.getByRole('region', { name: 'SMTP', exact: true }).getByRole('button', { name: 'Save' }).click(),
    call: '**/api/option/',
    outcomes: ['The connection was lost, but this was saved.', 'The connection was lost before this was saved. Save again.'],
    isStored: (gateway, _, text) => has(gateway, '/api/option/', text),
  },
]

/** The server carries the call out, but its response does not arrive. */
async function loseResponse(route: Route): Promise<void> {
  if (route.request().method() === 'GET') return route.fallback()
  await route.fetch()
  await route.abort('connectionreset')
}

const loseCall = (route: Route) => (route.request().method() === 'GET' ? route.fallback() : route.abort('connectionreset'))

for (const fault of faults) {
  const { of, role, path, fill, field, text, refuse, call, outcomes, isStored } = fault

  /** Opens the form as a new account of its role. */
  async function open(page: Page, gateway: Gateway): Promise<TestUser> {
    const user = role === 100 ? gateway.root : await gateway.ask('user', { password })
    await signIn(page, gateway, user, role)
    await page.goto(await path(gateway, user))
    await expect(field(page)).toBeVisible()
    await fill?.(page)
    return user
  }

  test.describe(`the form of ${of}`, () => {
    test('has what the server refuses beside its field, and keeps what was typed', async ({ page, gateway }) => {
      await open(page, gateway)
      const refused = await refuse(page, gateway)
      const typed = await refused.field.inputValue()
      await fault.save(page)
      await expect(refused.field).toHaveAccessibleDescription(refused.why)
      await expect(refused.field).toHaveAttribute('aria-invalid', 'true')
      await expect(refused.field).toBeFocused()
      if (refused.kept === undefined) await expect(refused.field).toHaveValue(typed)
      else await expect(refused.kept).toBeVisible()
    })

    for (const [what, lose, outcome, wasStored] of [
      ['was saved when only the answer is lost', loseResponse, outcomes[0], true],
      ['was not saved when the call is lost', loseCall, outcomes[1], false],
    ] as const) {
      test(`says by itself that it ${what}, and keeps what was typed`, async ({ page, gateway }) => {
        const user = await open(page, gateway)
        await field(page).fill(text)
        await page.route(call, lose)
        await fault.save(page)
        await expect(page.getByText(outcome).first()).toBeVisible()
        await expect(field(page)).toHaveValue(text)
        expect(await isStored(gateway, user, text)).toBe(wasStored)
      })
    }

    test('gives unsaved entries back after a logout in another tab, and only to the account that typed them', async ({
      page,
      gateway,
      context,
    }) => {
      const [owner, other] = [await gateway.ask('user', { role, password }), await gateway.ask('user', { role, password })]
      const form = await path(gateway, owner)
      await page.goto('/login')
      await logIn(page, owner.username, password)
      await expect(page).toHaveURL('/token')
      await page.goto(form)
      await field(page).fill(text)
      await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain(text)
      const tab = await context.newPage()
      await tab.goto('/about')
      await logOut(tab)
      await logIn(tab, other.username, password)
      await expect(tab).toHaveURL('/token')
      await tab.goto(form)
      await expect(tab.getByRole('button', { name: /^Account menu/ })).toBeVisible()
      await expect(tab.getByText('Your unsaved changes from')).toHaveCount(0)
      await expect(tab.locator(`input[value="${text}"]`)).toHaveCount(0)
      await logOut(tab)
      await logIn(tab, owner.username, password)
      await expect(tab).toHaveURL('/token')
      await tab.goto(form)
      await expect(field(tab)).toHaveValue(text)
    })
  })
}
