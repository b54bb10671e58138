import type { Page } from '@playwright/test'
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
    'Dashboard',
    'Models',
    'Playground',
    'Tasks',
  ])
  await menu.getByRole('link', { name: 'Logs' }).tap()
  await expect(page).toHaveURL('/log')
  await expect(menu).toBeHidden()
})

test('the command palette fills the screen and runs what is tapped', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/')
  await page.getByRole('button', { name: 'Search and commands' }).tap()
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  await expect(palette.getByRole('combobox')).toBeFocused()
  const box = await palette.boundingBox()
  expect(box?.width).toBeGreaterThan(360)
  await palette.getByRole('combobox').fill('top')
  await palette.getByRole('option', { name: 'Top-up' }).tap()
  await expect(page).toHaveURL('/topup')
  await expect(palette).toBeHidden()
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
  '/setting?tab=security',
  '/setting?tab=notification',
  '/setting?tab=operations',
  '/setting?tab=system',
  '/setting?tab=other',
  '/token',
  '/token/add',
  '/channel',
  '/channel/add',
  '/channel/route',
  '/channel/route?model=gpt-4o',
  '/redemption',
  '/redemption/add',
  '/user',
  '/user/add',
  '/log',
  '/dashboard',
  '/task',
  '/task/add',
  '/model',
  '/status',
  '/playground',
  '/topup',
  '/about',
  '/chat',
  '/no/such',
]

/** Makes each word of the page 40 % longer, because other languages need that much more room. */
async function lengthenWords(page: Page): Promise<void> {
  await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const texts: CharacterData[] = []
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node instanceof Text && node.parentElement?.closest('script, style, pre, code, kbd') === null) texts.push(node)
    }
    for (const text of texts) text.data = text.data.replace(/\p{L}{2,}/gu, (word) => word + word.slice(0, Math.ceil(word.length * 0.4)))
  })
}

for (const path of [...ofVisitors, ...ofAccounts]) {
  test(`${path} has a title, and does not scroll sideways, even in a window of 320 pixels and with longer words`, async ({
    page,
    gateway,
  }) => {
    if (!ofVisitors.includes(path)) await signIn(page, gateway, gateway.root)
    await page.goto(path)
    const heading = page.getByRole('heading', { level: 1 })
    await expect(heading).toBeVisible()
    await expect(page).toHaveTitle(/. · Sluice$/)
    const widthOfPage = () => page.evaluate(() => document.documentElement.scrollWidth)
    await settle(page)
    expect(await widthOfPage()).toBeLessThanOrEqual(390)
    await page.setViewportSize({ width: 320, height: 844 })
    expect(await widthOfPage()).toBeLessThanOrEqual(320)
    await lengthenWords(page)
    expect(await widthOfPage()).toBeLessThanOrEqual(320)
  })
}
