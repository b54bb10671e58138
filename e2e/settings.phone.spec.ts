import { expect, expectToast, signIn, test } from './support/test.ts'

test('settings can be found, changed and saved on a phone, without scrolling sideways', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/setting?tab=other')
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('retries')
  await page.getByRole('link', { name: /Retries/ }).tap()
  await expect(page).toHaveURL(/tab=operations#RetryTimes$/)
  const field = page.locator('#RetryTimes input')
  await expect(field).toBeInViewport()
  await field.fill('4')
  const general = page.getByRole('region', { name: 'General', exact: true })
  // The bar stays in sight while its section is on the screen.
  await expect(general.getByRole('button', { name: 'Save' })).toBeInViewport()
  await general.getByRole('button', { name: 'Save' }).tap()
  await expectToast(page, 'Settings saved')
  await expect(page.locator('tr[data-model]').first()).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
})
