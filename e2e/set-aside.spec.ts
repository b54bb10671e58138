import type { Page } from '@playwright/test'
import { expectAccessible } from './support/axe.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

// Charges that the database refused: root sees them, and retries or resolves each.

const row = (page: Page, id: number) => page.locator(`[data-row="${id}"]`)
const notice = (page: Page) => page.getByRole('status').filter({ hasText: 'set aside' })

test('root is notified of charges that the database refused, retries one and resolves another', async ({ page, gateway }) => {
  const ann = await gateway.ask('user', { quota: 1_000_000 })
  await gateway.ask('refuseCharges', { owner: ann, amounts: [1_000, 2_000] })
  await signIn(page, gateway, gateway.root)
  await page.goto('/log')
  await expect(notice(page)).toContainText('2 charges are set aside')
  await notice(page).getByRole('link', { name: 'Review' }).click()
  await expect(page).toHaveURL('/log/set-aside?state=open')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Charges set aside')
  await expect(page.locator('[data-row]')).toHaveCount(2)
  await expect(row(page, 1)).toContainText(ann.username)
  await expect(row(page, 1)).toContainText('gpt-4o')
  await expect(row(page, 1)).toContainText('a value is refused')

  const retry = async () => {
    await page.getByRole('button', { name: 'Retry #1' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Retry' }).click()
  }
  await retry()
  await expectToast(page, 'The database rejected it again')
  await expect(row(page, 1)).toContainText('Open')
  await gateway.ask('acceptCharges', null)
  await retry()
  await expectToast(page, 'Charge retried')
  await expect(row(page, 1)).toContainText('Retried')

  // A dialog that closes puts the focus back.
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await row(page, 2).focus()
  await expect(row(page, 2)).toBeFocused()
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog', { name: 'Resolve charge #2' })
  const amount = dialog.getByLabel('Amount to charge')
  await expect(amount).toHaveValue('2000')
  await amount.fill('5001')
  await amount.press('Enter')
  await expect(amount).toHaveAccessibleDescription(/^Enter an amount from 0 to/)
  await expect(amount).toBeFocused()
  await expectAccessible(page)
  await amount.fill('300')
  await dialog.getByLabel('Remark').fill('agreed with Ann')
  await dialog.getByRole('button', { name: 'Resolve' }).click()
  await expectToast(page, 'Charge resolved')

  await page.reload()
  await expect(page.getByText('Nothing matches these filters.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await expect(row(page, 1)).toContainText('Retried')
  await expect(row(page, 2)).toContainText('Resolved')
  await expect(page.getByRole('button', { name: /^(?:Retry|Resolve) #/ })).toHaveCount(0)
  await row(page, 2).press('Enter')
  const sheet = page.getByRole('dialog', { name: 'Charge #2' })
  await expect(sheet).toContainText('agreed with Ann')
  await expect(sheet).toContainText('"settlement"')
  await expectAccessible(page)
  await page.goto('/log')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Logs')
  await expect(notice(page)).toHaveCount(0)
  expect(await gateway.api('/api/user/self', { as: ann })).toMatchObject({ quota: 1_000_000 - 1_300 })
  expect(await gateway.ask('inconsistencies', null)).toEqual([])
})

test('the page says that nothing is set aside, and that a list could not be loaded, and is for root only', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/log/set-aside')
  await expect(page.getByText('No charges set aside')).toBeVisible()
  await page.route('**/api/ledger/set-aside?*', (route) => route.fulfill({ status: 500 }))
  await page.reload()
  await expect(page.getByText('This list could not be loaded')).toBeVisible()
  await page.unroute('**/api/ledger/set-aside?*')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('No charges set aside')).toBeVisible()

  const admin = await gateway.ask('user', { role: 10 })
  await signIn(page, gateway, admin, 10)
  await page.goto('/log/set-aside')
  await expect(page.getByText('Super admins only')).toBeVisible()
})
