import type { Page } from '@playwright/test'
import { expect, expectToast, signIn, test } from './support/test.ts'

/** The provider is a real one on loopback, whose pages ask for a font. */
test.use({ tolerated: /^elsewhere: (?:http:\/\/127\.0\.0\.1:\d+|https:\/\/fonts\.googleapis\.com)\// })

test.beforeEach(async ({ page }) => {
  await page.route('https://fonts.googleapis.com/**', (route) => route.abort())
})

/** Logs in at the pages of the provider, and agrees. */
async function agree(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

test('a person logs in at an OpenID provider, and is the same account at the next login', async ({ page, gateway }) => {
  const issuer = await gateway.ask('openIdProvider', 'Company')
  const ids: unknown[] = []
  for (const isFirst of [true, false]) {
    await page.context().clearCookies()
    await page.goto('/login')
    await page.getByRole('button', { name: 'Continue with Company' }).click()
    await expect(page).toHaveURL((url) => url.origin === issuer)
    await agree(page, 'ann')
    await expect(page).toHaveURL('/')
    await expectToast(page, 'Login successful!')
    ids.push(await page.evaluate(async () => (await (await fetch('/api/user/self')).json()).data.id))
    if (isFirst) await page.evaluate(() => fetch('/api/user/logout'))
  }
  expect(ids[0]).toBeGreaterThan(0)
  expect(ids[1]).toBe(ids[0])
})

test('a person who cancels at the provider sees a message, and comes back to the login', async ({ page, gateway }) => {
  await gateway.ask('openIdProvider', 'Company')
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with Company' }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page.getByRole('alert')).toHaveText('Access was denied at Company. Log in again and approve it.')
  await page.getByRole('link', { name: 'Back' }).click()
  await expect(page).toHaveURL('/login')
})

test('a signed-in account binds the provider in its settings', async ({ page, gateway }) => {
  await gateway.ask('openIdProvider', 'Company')
  const ann = await gateway.ask('user', {})
  await signIn(page, gateway, ann, 1)
  await page.goto('/setting')
  await page.getByRole('button', { name: 'Link Company', exact: true }).click()
  await agree(page, 'ann at work')
  await expect(page).toHaveURL('/setting')
  await expectToast(page, 'Company linked')
  await expect(page.getByRole('button', { name: 'Unlink Company' })).toBeVisible()
})
