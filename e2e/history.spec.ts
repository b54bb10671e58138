import { makeChannel } from './support/channels.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

test('a changed setting is listed with what was before, and is restored', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  for (const value of ['Blue', 'Green']) await gateway.api('/api/option/', { method: 'PUT', body: { key: 'SystemName', value } })
  await page.goto('/setting?tab=other')
  await page
    .locator('[data-option=SystemName]')
    .getByRole('button', { name: /^History/ })
    .click()
  const dialog = page.getByRole('dialog', { name: /^History: / })
  const changes = dialog.getByRole('listitem')
  await expect(changes).toHaveCount(2)
  await expect(changes.first()).toContainText(/root.*Before: Blue.*After: Green/)
  await changes.first().getByRole('button', { name: 'Restore previous values' }).click()
  await expectToast(page, 'Restored')
  await expect(changes).toHaveCount(3)
  await expect(changes.first()).toContainText(/Before: Green.*After: Blue/)
  await page.keyboard.press('Escape')
  await expect(page.locator('[data-option=SystemName] input')).toHaveValue('Blue')
})

test('a list that grew says only what was added', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  for (const value of ['a.example', 'a.example,b.example', 'b.example']) {
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'EmailDomainWhitelist', value } })
  }
  await page.goto('/setting?tab=system')
  await page
    .locator('[data-option=EmailDomainWhitelist]')
    .getByRole('button', { name: /^History/ })
    .click()
  const changes = page.getByRole('dialog', { name: /^History: / }).getByRole('listitem')
  await expect(changes).toHaveCount(3)
  await expect(changes.nth(0)).toContainText(/Removed: a\.example$/)
  await expect(changes.nth(1)).toContainText(/Added: b\.example$/)
})

test('an edit of a channel is listed by its fields, and is restored; a new key is listed without its value', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  const id = await makeChannel(gateway, 'first', { models: 'gpt-4o,o1' })
  await gateway.api('/api/channel/', { method: 'PUT', body: { id, name: 'second', models: 'gpt-4o,o3' } })
  await gateway.api('/api/channel/', { method: 'PUT', body: { id, key: 'sk-another' } })
  await page.goto(`/channel?row=${id}`)
  await page.getByRole('button', { name: 'History' }).click()
  const changes = page.getByRole('dialog', { name: 'History: second' }).getByRole('listitem')
  await expect(changes).toHaveCount(2)
  await expect(changes.first()).toContainText('A key or other secret was replaced.')
  await expect(changes.first().getByRole('button')).toHaveCount(0)
  await expect(changes.last()).toContainText(/Name.*first.*second.*Models.*Before: o1.*After: o3/)
  await changes.last().getByRole('button', { name: 'Restore previous values' }).click()
  await expectToast(page, 'Restored')
  expect(await gateway.api(`/api/channel/${id}`)).toMatchObject({ name: 'first', models: 'gpt-4o,o1' })
})
