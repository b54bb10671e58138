import { expect, settle, signIn, test } from './support/test.ts'

test('the menu opens from a button and closes when a page is chosen', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/')
  await page.getByRole('button', { name: 'Open the menu' }).tap()
  const menu = page.getByRole('dialog', { name: 'Main menu' })
  await expect(menu.getByRole('link')).toHaveText([
    'Home',
    'Channels',
    'Tokens',
    'Redemption codes',
    'Top-up',
    'Users',
    'Logs',
    'Settings',
    'Docs',
  ])
  await menu.getByRole('link', { name: 'Logs' }).tap()
  await expect(page).toHaveURL('/log')
  await expect(menu).toBeHidden()
})

test('the menu closes when the current page is chosen again', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/')
  await page.getByRole('button', { name: 'Open the menu' }).tap()
  await page.getByRole('dialog').getByRole('link', { name: 'Home' }).tap()
  await expect(page.getByRole('dialog')).toBeHidden()
})

const ofVisitors = ['/login', '/register', '/reset', '/user/reset?email=ann@example.com&token=t', '/oauth/github?error=access_denied']
const ofAccounts = [
  '/',
  '/user/edit',
  '/setting',
  '/token',
  '/token/add',
  '/channel',
  '/channel/add',
  '/log',
  '/topup',
  '/about',
  '/chat',
  '/no/such',
]

for (const path of [...ofVisitors, ...ofAccounts]) {
  test(`${path} does not scroll sideways, even in a window of 320 pixels`, async ({ page, gateway }) => {
    if (!ofVisitors.includes(path)) await signIn(page, gateway, gateway.root)
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 })
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await settle(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
  })
}
