import type { BrowserContext, Page } from '@playwright/test'
import type { TestUser } from '../apps/server/test/app.ts'
import { expectAccessible } from './support/axe.ts'
import type { Gateway } from './support/gateway.ts'
import { expect, expectToast, logIn, logOut, signIn, test, writesOf } from './support/test.ts'

const password = 'a good password'
const name = (page: Page) => page.getByLabel('Name', { exact: false }).first()
const save = (page: Page) => page.locator('form button[type=submit]').click()

/** The display name of a user of the tests. */
const displayName = ({ username }: TestUser): string => username.replace('user', 'User ')

async function logInAs(page: Page, { username }: TestUser): Promise<void> {
  await logIn(page, username, password)
  await expect(page).toHaveURL('/token')
}

async function tokensOf({ url }: Gateway, user: TestUser): Promise<unknown> {
  const response = await fetch(`${url}/api/token/`, { headers: user.headers })
  const { data } = (await response.json()) as { readonly data: unknown }
  return data
}

interface TwoLogins {
  readonly other: Page
  readonly ann: TestUser
  readonly bob: TestUser
}

/** Ann has typed a new token, and Bob logs in beside her page. */
async function typedBeside(page: Page, gateway: Gateway, context: BrowserContext): Promise<TwoLogins> {
  const ann = await gateway.ask('user', { password })
  const bob = await gateway.ask('user', { password })
  await page.goto('/login')
  await logInAs(page, ann)
  await page.goto('/token/add')
  await name(page).fill('of ann')
  const other = await context.newPage()
  await other.goto('/token')
  await logOut(other)
  await expect(page.getByRole('alert').getByText('You were logged out in another tab')).toBeVisible()
  await logInAs(other, bob)
  await expect(page.getByRole('alert').getByText(`${displayName(bob)} is logged in now`)).toBeVisible()
  return { other, ann, bob }
}

test.describe('a page whose account was replaced by another in a second tab', () => {
  test('says so at once, keeps what was typed, and sends nothing', async ({ page, gateway, context }) => {
    const { other, bob } = await typedBeside(page, gateway, context)
    await expectAccessible(page)
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await save(page)
    await expectToast(page, 'You are now logged in with another account. Nothing was sent.')
    await expect(name(page)).toHaveValue('of ann')
    expect(urls.filter((url) => url.includes('/api/'))).toEqual([])
    expect(await tokensOf(gateway, bob)).toEqual([])
    // The second tab goes on as Bob.
    await other.reload()
    await expect(other.getByRole('button', { name: `Account menu of ${displayName(bob)}` })).toBeVisible()
  })

  test('is loaded again as the other account at a press, without the entries', async ({ page, gateway, context }) => {
    const { bob } = await typedBeside(page, gateway, context)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: `Reload as ${displayName(bob)}` }).click()
    await expect(page.getByRole('button', { name: `Account menu of ${displayName(bob)}` })).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    await expect(name(page)).toHaveValue('')
    await name(page).fill('of bob')
    await save(page)
    await expect(page.getByRole('dialog', { name: 'Token “of bob” created' })).toBeVisible()
    expect(await tokensOf(gateway, bob)).toMatchObject([{ name: 'of bob' }])
  })

  test('asks once before it is left, and the next page is the other account’s', async ({ page, gateway, context }) => {
    const { bob } = await typedBeside(page, gateway, context)
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type())
      void dialog.accept()
    })
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
    await expect(page).toHaveURL('/token')
    await expect(page.getByRole('button', { name: `Account menu of ${displayName(bob)}` })).toBeVisible()
    expect(dialogs).toEqual([])
  })

  test('sends again when its own account is back', async ({ page, gateway, context }) => {
    const { other, ann } = await typedBeside(page, gateway, context)
    await logOut(other)
    await logInAs(other, ann)
    await expect(page.getByRole('alert')).toHaveCount(0)
    await save(page)
    await expect(page.getByRole('dialog', { name: 'Token “of ann” created' })).toBeVisible()
  })
})

test('a save is refused by the server if the session changed without a word', async ({ page, gateway }) => {
  const ann = await gateway.ask('user', { password })
  const bob = await gateway.ask('user', { password })
  await signIn(page, gateway, ann, 1)
  await page.goto('/token/add')
  await name(page).fill('of ann')
  const writes = writesOf(page)
  const [cookie = '', value = ''] = (bob.headers['cookie'] ?? '').split('=')
  await page.context().addCookies([{ name: cookie, value, url: gateway.url }])
  await save(page)
  await expect(page.getByRole('alert').getByText('Another account is logged in now', { exact: true })).toBeVisible()
  expect(writes).toHaveLength(1)
  expect(await tokensOf(gateway, bob)).toEqual([])
  await save(page)
  await expect(name(page)).toHaveValue('of ann')
  expect(writes).toHaveLength(1)
  // It is not known who: the stored account has no session.
  page.on('dialog', (dialog) => void dialog.accept())
  await page.getByRole('alert').getByRole('button', { name: 'Log in again' }).click()
  await expect(page).toHaveURL('/login')
})
