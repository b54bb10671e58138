import { logRow } from './support/log-rows.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

test.beforeEach(async ({ page, gateway }) => {
  for (const name of ['third', 'second', 'first'])
    await gateway.api('/api/token/', { method: 'POST', body: { name, remain_quota: 500_000 } })
  await signIn(page, gateway, gateway.root)
  await page.goto('/token')
  await expect(page.locator('[data-row]')).toHaveCount(3)
})

test('moves through rows, selects them and runs their actions', async ({ page }) => {
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(page.locator('[data-row]').nth(1)).toBeFocused()
  await page.keyboard.press('x')
  await expect(page.getByRole('region', { name: 'Actions on the selected rows' })).toContainText('1 selected')
  await page.keyboard.press('k')
  await expect(page.locator('[data-row]').nth(0)).toBeFocused()
  await page.keyboard.press('Delete')
  await expect(page.getByRole('alertdialog', { name: 'Delete token first?' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('alertdialog')).toBeHidden()
  await expect(page.locator('[data-row]')).toHaveCount(3)
  await page.locator('[data-row]').nth(2).focus()
  await page.keyboard.press('e')
  await expect(page).toHaveURL('/token/edit/1')
})

test('refreshes, searches and opens a new token from anywhere on the page', async ({ page }) => {
  const asked = page.waitForRequest('**/api/token/?*')
  await page.keyboard.press('r')
  await asked
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox')).toBeFocused()
  // Inside a field, keys are text and no shortcuts.
  await page.keyboard.type('n?')
  await expect(page.getByRole('searchbox')).toHaveValue('n?')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('searchbox')).toHaveValue('')
  await page.keyboard.press('Escape')
  await page.keyboard.press('n')
  await expect(page).toHaveURL('/token/add')
})

test('lists the shortcuts, and ignores single keys when they are switched off', async ({ page }) => {
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(help).toContainText('Next or previous row')
  await help.getByRole('switch', { name: 'Single-key shortcuts' }).click()
  await page.keyboard.press('Escape')
  await expect(help).toBeHidden()
  await page.keyboard.press('n')
  await page.keyboard.press('?')
  await expect(help).toBeHidden()
  await expect(page).toHaveURL('/token')
  await page.reload()
  await expect(page.locator('[data-row]')).toHaveCount(3)
  await page.keyboard.press('?')
  await expect(help).toBeHidden()
})

test('reaches the filters and rows of the log', async ({ page, gateway }) => {
  await gateway.ask('logs', [logRow(gateway.root, { content: 'in full' })])
  await page.goto('/log')
  await expect(page.locator('[data-row]')).toHaveCount(1)
  await page.keyboard.press('f')
  // Administrators choose among user, channel, token, ...
  const choice = page.getByRole('dialog', { name: 'Filter' }).getByRole('button', { name: 'Token name' })
  await expect(choice).toBeVisible()
  for (let presses = 0; presses < 8 && !(await choice.evaluate((item) => item === document.activeElement)); presses += 1) {
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Token name' })).toBeFocused()
  await page.keyboard.type('ci')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/log?token=ci')
})

test('reaches everything by Tab in visual order, after a link that skips the menu', async ({ page }) => {
  await page.goto('/token/add')
  await expect(page.getByRole('textbox', { name: /^Name/ })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('textbox', { name: /^Name/ })).toBeFocused()
  await page.keyboard.type('by keyboard alone')
  await page.keyboard.press('Control+s')
  await expectToast(page, 'token created')
  await expect(page.getByRole('button', { name: 'Copy the key' })).toBeFocused()
})
