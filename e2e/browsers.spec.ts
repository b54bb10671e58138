import type { Page } from '@playwright/test'
import { type LackingName, lackingNames } from '../tools/browser-support.ts'
import { expect, logIn, test } from './support/test.ts'

/** Runs in the page: removes what a browser of the list may lack. */
function removeNames(names: readonly LackingName[]): void {
  const root = globalThis as unknown as Record<string, unknown>
  for (const { owner, member, isStatic } of names) {
    const object = root[owner] as Record<string, unknown> | undefined
    if (object === undefined || object === null) continue
    if (member === '') delete root[owner]
    else Reflect.deleteProperty(isStatic ? object : Object(object['prototype']), member)
  }
}

/** Makes the browser one that has not more than all browsers of the list have. */
const beOldest = (page: Page): Promise<unknown> =>
  page.addInitScript(removeNames, [...lackingNames(), { owner: 'HTMLElement', member: 'popover', isStatic: false }])

test('a browser with no more than the oldest of the list logs in and works', async ({ page, gateway }) => {
  await beOldest(page)
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'ChatLink', value: 'https://chat.example.com' } })
  await gateway.ask('user', {})
  await page.goto('/login')
  expect(
    await page.evaluate(() => [typeof AbortSignal.any, typeof Map.groupBy, typeof URL.parse, typeof document.body.showPopover]),
  ).toEqual(Array(4).fill('undefined'))
  await logIn(page, gateway.root.username, gateway.root.password)
  await expect(page).toHaveURL('/token')
  await page.getByRole('main').getByRole('link', { name: 'New token' }).first().click()
  await page.getByRole('textbox', { name: 'Name (required)' }).fill('my program')
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'All tokens' }).click()
  const row = page.getByRole('row', { name: /my program/ })
  await row.getByRole('button', { name: /More/ }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await page.getByRole('menuitem', { name: 'Details' }).click()
  await expect(page.getByRole('dialog', { name: /my program/ })).toBeVisible()
  await page.keyboard.press('Escape')
  for (const path of [
    '/dashboard',
    '/channel',
    '/channel/add',
    '/channel/route',
    '/log',
    '/user',
    '/model',
    '/task',
    '/playground',
    '/setting',
    '/redemption',
  ]) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[data-page-loading]')).toHaveCount(0)
  }
  await expect(page.getByText('Unexpected')).toHaveCount(0)
})

const tooOld = [
  { name: 'Chromium before 111', remove: () => void Object.assign(CSS, { supports: () => false }) },
  { name: 'Firefox before 115', remove: () => void Reflect.deleteProperty(Array.prototype, 'toSorted') },
  { name: 'a browser without CSS.supports', remove: () => void Reflect.deleteProperty(globalThis, 'CSS') },
]
for (const { name, remove } of tooOld) {
  test(`${name} gets a page in both languages about which browsers work, and makes no calls`, async ({ page, gateway }) => {
    await page.addInitScript(remove)
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await page.goto('/token')
    await expect(page.getByRole('heading', { name: 'Your browser is too old' })).toBeVisible()
    await expect(page.getByRole('heading', { name: '浏览器版本过低' })).toBeVisible()
    await expect(page.getByText('Chrome or Edge 111 or later')).toBeVisible()
    await expect(page.getByText(/could not (?:be )?load/i)).toBeHidden()
    await page.waitForLoadState('networkidle')
    expect(requests.filter((path) => path === '/token')).toHaveLength(1)
    expect(requests.filter((path) => path.startsWith('/api/'))).toEqual([])
    expect(page.url()).toBe(`${gateway.url}/token`)
  })
}

test('a new browser does not see the page for old ones', async ({ page }) => {
  await page.goto('/login')
  await expect(page.getByLabel('Username or email')).toBeVisible()
  await expect(page.getByText('Your browser is too old')).toBeHidden()
})
