import type { Page } from '@playwright/test'
import { logRow } from './support/log-rows.ts'
import { expect, signIn, test } from './support/test.ts'

async function openDialog(page: Page) {
  await page.getByRole('button', { name: 'Views', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Manage views…' }).click()
  return page.getByRole('dialog', { name: 'Views' })
}

test('views of a list are saved, applied, renamed, chosen for its opening and deleted', async ({ page, gateway }) => {
  await gateway.ask('logs', [logRow(gateway.root, { type: 1 }), logRow(gateway.root, { model_name: 'gpt-4o' })])
  await signIn(page, gateway, gateway.root)
  await page.goto('/log?type=1&range=7d')
  const dialog = await openDialog(page)
  await dialog.getByLabel('Save current filters as').fill('Top-ups')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('listitem')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await expect(page).toHaveURL('/log')
  await page.getByRole('button', { name: 'Views', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Top-ups' }).click()
  await expect(page).toHaveURL('/log?type=1&range=7d')
  await openDialog(page)
  await dialog.getByRole('textbox', { name: 'Rename Top-ups' }).fill('Money')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Make Money the default view' }).click()
  await page.keyboard.press('Escape')
  await page.goto('/log')
  await expect(page).toHaveURL('/log?type=1&range=7d')
  await page.goto('/log?model=gpt-4o')
  await expect(page.getByRole('button', { name: 'Views', exact: true })).toBeEnabled()
  await expect(page).toHaveURL('/log?model=gpt-4o')
  await openDialog(page)
  await dialog.getByRole('button', { name: 'Delete Money' }).click()
  await expect(dialog.getByRole('listitem')).toHaveCount(0)
  await page.reload()
  await page.getByRole('button', { name: 'Views', exact: true }).click()
  await expect(page.getByText('No views yet')).toBeVisible()
})

test('views are those of the account and of the list', async ({ page, gateway }) => {
  const user = await gateway.ask('user', {})
  await gateway.ask('tokens', { owner: user, names: ['ci'] })
  const saved = { [gateway.root.id]: { views: [{ name: 'of root', search: { q: 'ci' } }], start: 'of root' } }
  await page.addInitScript((views) => localStorage.setItem('ui-views:token', JSON.stringify(views)), saved)
  await signIn(page, gateway, user, 1)
  await page.goto('/token')
  await page.getByRole('button', { name: 'Views', exact: true }).click()
  await expect(page.getByText('No views yet')).toBeVisible()
  await expect(page).toHaveURL('/token')
  await signIn(page, gateway, gateway.root)
  await page.goto('/token')
  await expect(page).toHaveURL('/token?q=ci')
  await page.goto('/log')
  await page.getByRole('button', { name: 'Views', exact: true }).click()
  await expect(page.getByText('No views yet')).toBeVisible()
})
