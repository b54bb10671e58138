import type { Page } from '@playwright/test'
import { expect, expectToast, signIn, test } from './support/test.ts'

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' })
const field = (page: Page) => palette(page).getByRole('combobox')
const options = (page: Page) => palette(page).getByRole('option')
const group = (page: Page, name: string) => palette(page).getByRole('group', { name, exact: true }).getByRole('option')

async function openPalette(page: Page): Promise<void> {
  // The frame's keys load after the page.
  await expect(page.getByRole('button', { name: 'Search and commands' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(field(page)).toBeFocused()
}

test('opens from a text field, runs commands by key, and gives the focus back', async ({ page, gateway }) => {
  const scripts: string[] = []
  page.on('request', (request) => scripts.push(new URL(request.url()).pathname))
  const isLoaded = () => scripts.some((path) => /\/palette-(?!button)[^/]*\.js$/.test(path))
  await signIn(page, gateway, gateway.root)
  await page.goto('/token/add')
  const name = page.getByRole('textbox', { name: /^Name/ })
  await name.focus()
  await expect(page.getByRole('button', { name: 'Search and commands' })).toBeVisible()
  expect(isLoaded()).toBe(false)
  await openPalette(page)
  expect(isLoaded()).toBe(true)
  expect(
    await palette(page)
      .getByRole('group')
      .evaluateAll((all) => all.map((one) => one.firstElementChild?.textContent)),
  ).toEqual(['Go to', 'Create', 'Theme', 'Language', 'Help and account'])
  await expect(options(page).first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Escape')
  await expect(palette(page)).toBeHidden()
  await expect(name).toBeFocused()

  await page.keyboard.press('Control+k')
  await field(page).fill('logs')
  await expect(options(page).first()).toHaveText(/^Logs/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/log')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()

  // What was used last is first, and the arrow keys go around.
  await page.keyboard.press('Control+k')
  await expect(group(page, 'Recent')).toHaveText([/^Logs/])
  await page.keyboard.press('ArrowUp')
  await expect(options(page).last()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('ArrowDown')
  await expect(options(page).first()).toHaveAttribute('aria-selected', 'true')

  // Enter that ends the input of a Chinese word chooses nothing.
  await field(page).fill('users')
  await field(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })
  await expect(palette(page)).toBeVisible()
  const opened = page.context().waitForEvent('page')
  await page.keyboard.press('Control+Enter')
  await expect(await opened).toHaveURL('/user')
  await expect(page).toHaveURL('/log')
})

test('offers what the role may do', async ({ page, gateway }) => {
  await page.goto('/login')
  await openPalette(page)
  await expect(group(page, 'Go to')).toHaveText([/^Home/, /^Docs/, /^Log in/, /^Register/])
  await expect(palette(page).getByRole('group', { name: 'Create' })).toHaveCount(0)
  await field(page).fill('dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.keyboard.press('Control+k')
  await field(page).fill('中文')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('english')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')

  const paths: string[] = []
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  await signIn(page, gateway, await gateway.ask('user', {}), 1)
  await page.goto('/token')
  await openPalette(page)
  await expect(group(page, 'Go to')).toHaveText([
    /^Home/,
    /^Tokens/,
    /^Top-up/,
    /^Logs/,
    /^Settings/,
    /^Docs/,
    /^Dashboard/,
    /^Models/,
    /^Playground/,
    /^Tasks/,
    /^Settings: Security/,
    /^Settings: Notifications/,
    /^Edit account/,
  ])
  await expect(group(page, 'Create')).toHaveText(['New token', 'New task'])
  await field(page).fill('nothing like this')
  await expect(palette(page).getByRole('status')).toHaveText('Nothing matches “nothing like this”.')
  expect(paths).toContain('/api/token/search')
  expect(paths.filter((path) => /^\/api\/(?:channel|user\/search)/.test(path))).toEqual([])
})

test('finds tokens, channels and users by name, and each key cancels the search before it', async ({ page, gateway }) => {
  await gateway.api('/api/token/', { method: 'POST', body: { name: 'atlas bot', remain_quota: 1 } })
  const channel = await gateway.ask('channel', {})
  await gateway.ask('channelRow', { id: channel, name: 'atlas west' })
  const user = await gateway.ask('user', {})
  await gateway.ask('userRow', { id: user.id, username: 'atlas', display_name: 'Ann Atlas' })
  await signIn(page, gateway, gateway.root)
  await page.goto('/')
  await openPalette(page)
  // The first search never gets a response.
  await page.route('**/api/token/search?*keyword=atl&*', () => null)
  const stopped = page.waitForEvent('requestfailed', (request) => /keyword=atl&/.test(request.url()))
  const searchRequest = page.waitForRequest(/token\/search\?.*keyword=atl&/)
  await field(page).fill('atl')
  await searchRequest
  await field(page).fill('atlas')
  await stopped
  await expect(group(page, 'Tokens')).toHaveText(['atlas bot#1'])
  await expect(group(page, 'Channels')).toHaveText([`atlas west#${channel}`])
  await expect(group(page, 'Users')).toHaveText(['atlasAnn Atlas'])
  await group(page, 'Channels').click()
  // In its sheet, which leaves the list behind it as it is.
  await expect(page).toHaveURL(`/channel?row=${channel}`)
  const sheet = page.getByRole('dialog', { name: 'atlas west' })
  await expect(sheet.getByRole('link', { name: 'Edit' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  await openPalette(page)
  await expect(group(page, 'Recent')).toHaveText(['atlas west'])
  // A search that fails leaves the commands.
  await page.route('**/api/*/search?*', (route) => route.fulfill({ status: 500, json: {} }))
  await field(page).fill('top-up')
  await expect(palette(page).getByRole('status')).toHaveText('Search by name failed. Commands still work.')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/topup')
})

test('has the actions of the focused row and of the selected rows', async ({ page, gateway }) => {
  for (const name of ['third', 'second', 'first']) await gateway.api('/api/token/', { method: 'POST', body: { name, remain_quota: 1 } })
  await signIn(page, gateway, gateway.root)
  await page.goto('/token')
  await expect(page.locator('[data-row]')).toHaveCount(3)
  await page.keyboard.press('j')
  await openPalette(page)
  await expect(group(page, 'Actions for first').filter({ hasText: 'Edit' })).toHaveCount(1)
  await field(page).fill('delete')
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Delete token first?' })
  await expect(question).toBeVisible()
  // A question keeps the keys.
  await page.keyboard.press('Control+k')
  await expect(palette(page)).toBeHidden()
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-row]')).toHaveCount(2)

  await expect(page.locator('[data-row]').first()).toBeFocused()
  await page.keyboard.press('x')
  // By the pointer, which takes the focus away from the row.
  await page.getByRole('button', { name: 'Search and commands' }).click()
  await expect(group(page, 'Actions for second').first()).toBeVisible()
  await group(page, '1 selected').filter({ hasText: 'Disable' }).click()
  await expect(page.locator('[data-row]').first()).toContainText('Disabled')
})

test('says when its code cannot be loaded, and opens with the next key', async ({ page }) => {
  await page.goto('/about')
  await expect(page.getByRole('button', { name: 'Search and commands' })).toBeVisible()
  await page.route('**/static/js/palette-*.js', (route) => route.abort())
  await page.keyboard.press('Control+k')
  await expectToast(page, /could not be loaded/)
  await page.unroute('**/static/js/palette-*.js')
  await page.keyboard.press('Control+k')
  await expect(field(page)).toBeFocused()
})
