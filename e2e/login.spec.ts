import { expect, test, toast } from './support/test.ts'

test('a correct password leads to the tokens and is said so', async ({ page, gateway }) => {
  await page.goto('/login')
  await page.getByLabel('Username or email').fill(gateway.root.username)
  await page.getByLabel('Password', { exact: true }).fill(gateway.root.password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/token')
  await expect(toast(page, 'Login successful!')).toBeVisible()
})
