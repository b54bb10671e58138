import type { Page, Route } from '@playwright/test'
import { expect, expectToast, logIn, signIn, test } from './support/test.ts'

const restored = (page: Page) => page.getByRole('status').filter({ hasText: 'Your unsaved changes from' })
const stored = (page: Page) => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('ui-draft:')))
const name = (page: Page) => page.getByLabel('Name', { exact: false }).first()

/** Waits until the entries are stored. */
async function typed(page: Page): Promise<void> {
  await expect.poll(() => stored(page)).toHaveLength(1)
}

/** The server carries the call out, but its response does not arrive. */
async function loseResponse(route: Route): Promise<void> {
  if (route.request().method() === 'GET') return route.fallback()
  await route.fetch()
  await route.abort()
}

const loseRequest = (route: Route) => (route.request().method() === 'GET' ? route.fallback() : route.abort())

test.describe('unsaved entries', () => {
  test('are restored after a reload, with a notice, and can be discarded', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/token/add')
    await name(page).fill('half typed')
    await page.getByRole('switch', { name: 'Unlimited' }).click()
    await typed(page)
    await page.reload()
    await expect(restored(page)).toBeVisible()
    await expect(name(page)).toHaveValue('half typed')
    await expect(page.getByRole('switch', { name: 'Unlimited' })).toBeChecked()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await expect(name(page)).toHaveValue('')
    await expect(restored(page)).toHaveCount(0)
    expect(await stored(page)).toEqual([])
    await page.reload()
    await expect(name(page)).toHaveValue('')
  })

  test('are forgotten when they are saved, and when somebody leaves without saving', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/token/add')
    await name(page).fill('left')
    await typed(page)
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
    await expect(page).toHaveURL('/token')
    expect(await stored(page)).toEqual([])
    await page.goto('/token/add')
    await expect(name(page)).toHaveValue('')
    await name(page).fill('saved')
    await typed(page)
    await page.locator('form button[type=submit]').click()
    await expect(page.getByRole('dialog', { name: 'Token “saved” created' })).toBeVisible()
    await expect.poll(() => stored(page)).toEqual([])
  })

  test('of a channel are restored without its key', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/channel/add')
    await name(page).fill('vendor')
    await page.getByLabel(/^Key/).first().fill('sk-very-secret')
    await typed(page)
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('sk-very-secret')
    await page.reload()
    await expect(restored(page)).toBeVisible()
    await expect(name(page)).toHaveValue('vendor')
    await expect(page.getByLabel(/^Key/).first()).toHaveValue('')
  })

  test('survive a logout in another tab, for their account and for no other', async ({ page, gateway, context }) => {
    const password = 'a good password'
    const ann = await gateway.ask('user', { password })
    const bob = await gateway.ask('user', { password })
    await page.goto('/login')
    await logIn(page, ann.username, password)
    await expect(page).toHaveURL('/token')
    await page.goto('/token/add')
    await name(page).fill('of ann')
    await typed(page)
    const other = await context.newPage()
    await other.goto('/token')
    await other.getByRole('button', { name: /^Account menu/ }).press('Enter')
    await other.getByRole('menuitem', { name: 'Log out' }).click()
    await expect(other).toHaveURL('/login')
    await other.close()
    await page.locator('form button[type=submit]').click()
    await expect(page.getByText('Not logged in or login expired, please log in again')).toBeVisible()

    await logIn(page, bob.username, password)
    await expect(page).toHaveURL('/token/add')
    await expect(page.getByRole('button', { name: /^Account menu of/ })).toBeVisible()
    await expect(name(page)).toHaveValue('')
    await expect(restored(page)).toHaveCount(0)
    await page.getByRole('button', { name: /^Account menu/ }).press('Enter')
    await page.getByRole('menuitem', { name: 'Log out' }).click()

    await expect(page).toHaveURL('/login')
    await logIn(page, ann.username, password)
    await expect(page).toHaveURL('/token')
    await page.goto('/token/add')
    await expect(name(page)).toHaveValue('of ann')
    await expect(restored(page)).toBeVisible()
  })

  test('of the own account are restored, without passwords', async ({ page, gateway }) => {
    await signIn(page, gateway, await gateway.ask('user', { password: 'a good password' }), 1)
    await page.goto('/user/edit')
    await page.getByLabel('Display name').fill('Ann')
    await page.getByLabel('New password', { exact: true }).fill('a new password')
    await typed(page)
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('a new password')
    await page.reload()
    await expect(page.getByLabel('Display name')).toHaveValue('Ann')
    await expect(page.getByLabel('New password', { exact: true })).toHaveValue('')
  })
})

test.describe('a connection that is lost while saving', () => {
  const lost = (page: Page) => page.getByRole('status').filter({ hasText: 'It is unknown whether your entries were saved.' })

  for (const [what, lose, outcome] of [
    ['after the server saved', loseResponse, 'Your entries were saved.'],
    ['before the server got it', loseRequest, 'Saved values differ from yours, which are still here.'],
  ] as const) {
    test(`${what} is named, and the page finds out what is stored`, async ({ page, gateway }) => {
      await gateway.api('/api/token/', { method: 'POST', body: { name: 'old', remain_quota: 5 } })
      await signIn(page, gateway, gateway.root)
      await page.goto('/token/edit/1')
      await name(page).fill('new')
      await page.route('**/api/token/', lose)
      await page.locator('form button[type=submit]').click()
      await expectToast(page, /^Error/)
      await expect(page.getByText(outcome)).toBeVisible()
      await expect(name(page)).toHaveValue('new')
      await page.unroute('**/api/token/')
      await name(page).fill('newer')
      await page.locator('form button[type=submit]').click()
      await expectToast(page, 'token updated')
      await expect(page.getByText(outcome)).toHaveCount(0)
      expect(await gateway.api('/api/token/1')).toMatchObject({ name: 'newer', remain_quota: 5 })
    })
  }

  test('notifies the creator of a row that the list has it', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/token/add')
    await name(page).fill('once')
    await page.route('**/api/token/', loseResponse)
    await page.locator('form button[type=submit]').click()
    await expect(page.getByText('The connection was lost, but this was saved')).toBeVisible()
    await expect(name(page)).toHaveValue('once')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
    await expect(page.getByRole('table').getByText('once')).toBeVisible()
  })

  test('is notified later if nothing can be queried at once', async ({ page, gateway }) => {
    await signIn(page, gateway, await gateway.ask('user', {}), 1)
    await page.goto('/user/edit')
    await page.getByLabel('Display name').fill('Ann')
    await page.route('**/api/user/self', async (route) => {
      if (route.request().method() !== 'GET') await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(lost(page)).toBeVisible()
    await page.unroute('**/api/user/self')
    await lost(page).getByRole('button', { name: 'Load current values' }).click()
    await expect(page.getByText('Your entries were saved.')).toBeVisible()
  })

  test('in a list shows what is stored', async ({ page, gateway }) => {
    await gateway.api('/api/token/', { method: 'POST', body: { name: 'demo', remain_quota: 5 } })
    await signIn(page, gateway, gateway.root)
    await page.goto('/token')
    await page.route('**/api/token/?status_only=true', loseResponse)
    await page.getByRole('button', { name: 'More actions for demo' }).click()
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await expectToast(page, /^Error/)
    await expect(page.getByRole('row').filter({ hasText: 'demo' })).toContainText(/disabled/i)
  })
})
