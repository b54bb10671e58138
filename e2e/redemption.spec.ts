import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import type { Gateway } from './support/gateway.ts'
import { expect, expectToast, signIn, test, writesOf } from './support/test.ts'

const rows = (page: Page) => page.getByRole('table', { name: 'Redemption codes' }).locator('tbody').getByRole('row')
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })

async function makeCodes(gateway: Gateway, name: string, count = 1): Promise<readonly string[]> {
  const codes = await gateway.api('/api/redemption/', { method: 'POST', body: { name, quota: 100_000, count } })
  // Holds: the call returns the codes.
  return codes as readonly string[]
}

test.beforeEach(async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
})

test('new codes are saved as a text file, one on each line, and shown', async ({ page, gateway }) => {
  await page.goto('/redemption')
  await expect(page.getByText('No codes yet')).toBeVisible()
  await page.keyboard.press('n')
  await expect(page.getByRole('textbox', { name: 'Quota' })).toHaveValue('100000')
  await expect(page.getByLabel('Number of codes')).toHaveValue('1')
  const writes = writesOf(page)
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByLabel(/^Name/)).toBeFocused()
  expect(writes).toEqual([])
  await page.getByLabel(/^Name/).fill('spring26')
  await page.getByLabel('Number of codes').fill('3')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Create' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('spring26.txt')
  const lines = (await readFile(await file.path(), 'utf8')).split('\n')
  expect(lines).toHaveLength(4)
  expect(lines[3]).toBe('')
  await expectToast(page, 'redemption created')
  await expect(page.getByRole('dialog', { name: '3 codes created' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Codes, one per line' })).toHaveValue(lines.join('\n'))
  expect(writes).toEqual([['POST', '/api/redemption/', { name: 'spring26', quota: 100_000, count: 3, expired_time: -1 }]])
  await page.getByRole('dialog', { name: '3 codes created' }).getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(rows(page)).toHaveCount(3)
  const ann = await gateway.ask('user', {})
  await gateway.api('/api/user/topup', { method: 'POST', body: { key: lines[0] }, as: ann })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(row(page, 'not yet redeemed')).toHaveCount(2)
})

test('a code can be disabled, enabled and copied, but a used one stays used', async ({ page, gateway }) => {
  const [key = ''] = await makeCodes(gateway, 'fresh')
  const [used = ''] = await makeCodes(gateway, 'spent')
  await gateway.api('/api/user/topup', { method: 'POST', body: { key: used }, as: await gateway.ask('user', {}) })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/redemption')
  const writes = writesOf(page)
  const heads = page.getByRole('table', { name: 'Redemption codes' }).getByRole('columnheader')
  const named = ['ID', 'Name', 'Status', 'Quota', 'Created', 'Redeemed']
  await expect(heads).toHaveText(['', ...named, 'Expires', 'Actions'])
  for (const name of named) await expect(heads.getByRole('button', { name, exact: true })).toBeVisible()
  await expect(row(page, 'spent')).toContainText('Used')
  await expect(row(page, 'fresh')).toContainText(/Unused.*\$0\.20.*not yet redeemed/)
  await page.getByRole('button', { name: 'More actions for spent' }).click()
  await expect(page.getByRole('menuitem', { name: 'Enable' })).toBeDisabled()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'More actions for fresh' }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await expect(row(page, 'fresh')).toContainText('Disabled')
  await page.getByRole('button', { name: 'More actions for fresh' }).click()
  await page.getByRole('menuitem', { name: 'Enable' }).click()
  await expect(row(page, 'fresh')).toContainText('Unused')
  expect(writes).toEqual([
    ['PUT', '/api/redemption/?status_only=true', { id: 1, status: 2 }],
    ['PUT', '/api/redemption/?status_only=true', { id: 1, status: 1 }],
  ])
  await page.getByRole('button', { name: 'Copy fresh' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
})

test('an edited code keeps its number of uses and fills the form anew', async ({ page, gateway }) => {
  await makeCodes(gateway, 'old name')
  await page.goto('/redemption/edit/1')
  const writes = writesOf(page)
  await expect(page.getByLabel('Number of codes')).toHaveCount(0)
  await page.getByLabel(/^Name/).fill('new name')
  await page.getByRole('button', { name: 'Enter amount in dollars' }).click()
  await page.getByRole('textbox', { name: 'Quota' }).fill('1.5')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'redemption updated')
  const baseline = { name: 'old name', quota: expect.any(Number) }
  expect(writes).toEqual([['PUT', '/api/redemption/', { id: 1, name: 'new name', quota: 750_000, shown: baseline }]])
  await expect(page.getByRole('textbox', { name: 'Quota' })).toHaveValue('1.5')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(row(page, 'new name')).toContainText('$1.50')
})

test('codes are searched and deleted, one or many', async ({ page, gateway }) => {
  await makeCodes(gateway, 'autumn', 3)
  await makeCodes(gateway, 'winter')
  await page.goto('/redemption?q=winter')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'More actions for winter' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(page.getByRole('alertdialog')).toContainText('Delete code winter?')
  await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Delete' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('No results found.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).last().click()
  await expect(rows(page)).toHaveCount(3)
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).click()
  await page.getByRole('region', { name: 'Actions for selected rows' }).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No codes yet')).toBeVisible()
})

test('codes get an expiry, are shown as expired, and the server filters by the state', async ({ page, gateway }) => {
  await makeCodes(gateway, 'endless')
  const soon = Math.floor(Date.now() / 1000) + 2
  await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'brief', quota: 1, count: 1, expired_time: soon } })
  await page.goto('/redemption/add')
  await page.getByLabel(/^Name/).fill('timed')
  await page.getByRole('button', { name: '1 year' }).click()
  const writes = writesOf(page)
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('dialog', { name: '1 code created' })).toBeVisible()
  // Holds: the form sends one call, and its body is an object.
  const [[, , { expired_time }]] = writes as readonly [[string, string, { readonly expired_time: number }]]
  expect(expired_time - Date.now() / 1000).toBeGreaterThan(364 * 86_400)
  await expect.poll(() => Date.now() / 1000).toBeGreaterThan(soon)
  await page.goto('/redemption')
  await expect(row(page, 'brief')).toContainText('Expired')
  await expect(row(page, 'endless')).toContainText(/Unused.*never/)
  await page.getByRole('combobox', { name: 'Status: All' }).click()
  await page.getByRole('option', { name: 'Expired' }).click()
  await expect(page).toHaveURL('/redemption?status=4')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rows(page)).toHaveCount(3)
  await page.goto('/redemption/edit/2')
  await page.getByLabel('Expires at').fill('2001-02-03 04:05:06')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.locator('form').getByText('The expiry time is in the past')).toBeVisible()
  await expect(page.getByLabel('Expires at')).toHaveValue('2001-02-03 04:05:06')
  await page.getByRole('button', { name: 'Never' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'redemption updated')
})

test('a code opens with who redeemed it, and leads to the account and to its top-ups', async ({ page, gateway }) => {
  const [key = ''] = await makeCodes(gateway, 'given')
  const ann = await gateway.ask('user', {})
  await gateway.api('/api/user/topup', { method: 'POST', body: { key }, as: ann })
  await page.goto('/redemption')
  await row(page, 'given').getByText('Used').click()
  await expect(page).toHaveURL('/redemption?row=1')
  const sheet = page.getByRole('dialog', { name: 'given' })
  await expect(sheet).toContainText(key)
  await expect(sheet.getByRole('link', { name: ann.username })).toHaveAttribute('href', `/user?row=${ann.id}`)
  await sheet.getByRole('link', { name: 'Show their top-ups' }).click()
  await expect(page).toHaveURL(`/log?user=${ann.username}&type=1`)
  await expect(page.getByRole('table', { name: 'Logs' })).toContainText('given')
})

test('other users see that the page is for administrators', async ({ page, gateway }) => {
  await signIn(page, gateway, await gateway.ask('user', {}), 1)
  for (const path of ['/redemption', '/redemption/add', '/redemption/edit/1']) {
    await page.goto(path)
    await expect(page.getByText('Administrators only')).toBeVisible()
  }
})
