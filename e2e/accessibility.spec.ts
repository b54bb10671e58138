import type { Page } from '@playwright/test'
import { expectAccessible, expectReadableColours } from './support/axe.ts'
import type { Gateway } from './support/gateway.ts'
import { busyLog } from './support/log-rows.ts'
import { officeTasks } from './support/office-tasks.ts'
import { expect, settle, signIn, test } from './support/test.ts'

/** Fills every list with rows of all kinds. */
async function fill(gateway: Gateway): Promise<void> {
  await gateway.ask('logs', busyLog(gateway.root, 60, 1_760_000_000))
  await gateway.ask('user', { quota: 1_000_000, groups: 'vip,svip,default' })
  await gateway.ask('tasks', officeTasks([gateway.root], 1, 1_760_000_000))
  await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'spring', quota: 500, count: 3 } })
  await gateway.api('/api/redemption/?status_only=true', { method: 'PUT', body: { id: 2, status: 2 } })
  for (let number = 1; number <= 4; number += 1) {
    const unlimited_quota = number === 2
    await gateway.api('/api/token/', { method: 'POST', body: { name: `token ${number}`, remain_quota: 900 * number, unlimited_quota } })
    await gateway.ask('tokenRow', { id: number, status: number, used_quota: 400 * number })
    const body = {
      name: `channel ${number}`,
      type: 1,
      key: 'key',
      base_url: gateway.upstreamUrl,
      models: 'gpt-4o,o3',
      group: 'default,vip,svip',
    }
    await gateway.api('/api/channel/', { method: 'POST', body })
    await gateway.ask('channelRow', { id: number, status: number, response_time: number * 1_700, test_time: 1_760_000_000 })
  }
}

interface View {
  readonly name: string
  readonly path: string
  readonly isOpen?: boolean
  readonly isFilled?: boolean
  /** Whether it is checked in the other designs too; all pages are made of the parts that these have. */
  readonly hasDesigns?: boolean
  /** Options that are set before. */
  readonly options?: Readonly<Record<string, string>>
  /** Actions before the check. */
  readonly act?: (page: Page) => Promise<void>
  /** An element that appears with the data of the page or after `act`; the check waits for it. */
  readonly shows?: string
}

/** Fields of passwords and codes that do not let their text be pasted. */
async function refusedPastes(page: Page): Promise<readonly string[]> {
  return await page
    .locator('input[type=password], input[autocomplete=one-time-code], input[inputmode=numeric]')
    .evaluateAll((inputs) =>
      inputs
        .filter((input) => !input.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true })))
        .map((input) => input.outerHTML),
    )
}

const row = '[data-row]'
/** A click on the first row or card opens its sheet. */
const openRow = (page: Page) => page.locator(row).first().dispatchEvent('click')
const promptField = (page: Page) => page.getByRole('textbox', { name: /^(?:Prompt|提示词)$/ })
const wrongField = '[aria-invalid=true]'
const submit = (page: Page) => page.locator('form button[type=submit]').click()
/** Menus at the end of the top bar, which load after the page. */
const menus = (page: Page) => page.locator('header [aria-haspopup=menu]')

/** Opens the export or the import of channels, the last two entries of the menu on all channels. */
const transfer = (nth: -2 | -1) => async (page: Page) => {
  await page.locator('main [aria-haspopup=menu]').first().press('Enter')
  await page.locator('[role=menuitem]').nth(nth).click()
}
/** A new channel, one whose name exists, and one that is refused. */
const importedChannels = ['new', 'channel 1', 'refused'].map((name) => ({
  ...{ id: 1, name, type: 1, key: '', status: 1, models: 'gpt-4o', group: 'default', config: '' },
  base_url: name === 'refused' ? 'ftp://host' : null,
}))

const text =
  '## Hello\n\n- [one](https://example.com/)\n- `two`\n\n> three\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n<p style="color: #333">four</p>'

const views: readonly View[] = [
  { name: 'the login page', path: '/login?expired=true', isOpen: true },
  { name: 'the login page with its errors', path: '/login', isOpen: true, act: submit, shows: wrongField, hasDesigns: true },
  { name: 'the registration', path: '/register', isOpen: true },
  { name: 'the registration with its errors', path: '/register', isOpen: true, act: submit, shows: wrongField },
  { name: 'the request for a reset mail', path: '/reset', isOpen: true },
  { name: 'the page of a reset link', path: '/user/reset?email=ann@example.com&token=t', isOpen: true, shows: 'input' },
  { name: 'a refused login of another service', path: '/oauth/github?error=access_denied', isOpen: true, shows: '[role=alert]' },
  { name: 'home for visitors', path: '/', isOpen: true },
  { name: 'a page that does not exist', path: '/no/such' },
  { name: 'the sheet of a token', path: '/token', isFilled: true, act: openRow, shows: '[role=dialog] dl' },
  { name: 'the sheet of an account', path: '/user', isFilled: true, act: openRow, shows: '[role=dialog] dl' },
  { name: 'the sheet of a code', path: '/redemption', isFilled: true, act: openRow, shows: '[role=dialog] dl' },
  { name: 'home', path: '/' },
  { name: 'home with the text of an administrator', path: '/', options: { HomePageContent: text }, shows: '.stored-html li' },
  { name: 'the page about the installation', path: '/about' },
  {
    name: 'the page about the installation, for visitors',
    path: '/about',
    isOpen: true,
    options: { About: text },
    shows: '.stored-html li',
  },
  { name: 'the chat without an address', path: '/chat' },
  { name: 'the playground of an account without tokens', path: '/playground' },
  { name: 'the playground', path: '/playground?model=gpt-4o', isFilled: true, shows: 'textarea', hasDesigns: true },
  {
    name: 'the playground with an answer',
    path: '/playground?model=gpt-4o',
    isFilled: true,
    act: async (page) => {
      await promptField(page).fill('Hello')
      await page.getByRole('button', { name: /^(?:Send|发送)$/ }).click()
    },
    shows: '[data-answer][aria-busy=false]',
    hasDesigns: true,
  },
  {
    name: 'the code of a request',
    path: '/playground?model=gpt-4o',
    isFilled: true,
    act: (page) => page.getByRole('button', { name: /^(?:Code|代码)$/ }).click(),
    shows: '[role=dialog] pre',
  },
  { name: 'the models, empty', path: '/model' },
  { name: 'the models', path: '/model', isFilled: true, shows: 'main li button, main tbody button', hasDesigns: true },
  {
    name: 'the sheet of a model',
    path: '/model',
    isFilled: true,
    act: (page) => page.locator('main li button, main tbody button').first().click(),
    shows: '[role=dialog] pre',
  },
  {
    name: 'the models for visitors',
    path: '/model',
    isFilled: true,
    isOpen: true,
    options: { PublicModelsEnabled: 'true' },
    shows: 'main li button, main tbody button',
  },
  {
    name: 'the status page for visitors',
    path: '/status',
    isFilled: true,
    isOpen: true,
    options: { StatusPageEnabled: 'true' },
    shows: 'main li svg',
    hasDesigns: true,
  },
  { name: 'the question why a channel is chosen', path: '/channel/route', isFilled: true },
  { name: 'why a channel is chosen', path: '/channel/route?model=gpt-4o', isFilled: true, shows: 'main ol li' },
  {
    name: 'a notice',
    path: '/about',
    options: { Notice: text, Footer: '<b>Acme</b> <a href="/about">imprint</a>' },
    shows: '[data-kind=notice] li',
  },
  { name: 'the personal settings', path: '/setting?tab=personal', shows: 'section' },
  { name: 'the settings of security', path: '/setting?tab=security', shows: 'section li', hasDesigns: true },
  {
    name: 'a new personal access token with its errors',
    path: '/setting?tab=security',
    act: async (page) => {
      await page.getByRole('button', { name: /^(?:New token|新建令牌)$/ }).click()
      await page.locator('[role=dialog] form button[type=submit]').click()
    },
    shows: '[role=dialog] [aria-invalid=true]',
  },
  { name: 'the notifications', path: '/setting?tab=notification', shows: 'section', hasDesigns: true },
  { name: 'the settings of the operation', path: '/setting?tab=operations', shows: 'tr[data-model]' },
  {
    name: 'the comparison of unsaved settings',
    path: '/setting?tab=operations',
    act: async (page) => {
      await page.locator('#RetryTimes input').fill('7')
      await page.locator('#general form button').filter({ visible: true }).nth(-3).click()
    },
    shows: '[role=dialog] li',
  },
  {
    name: 'the settings of the system, with a refused switch',
    path: '/setting?tab=system',
    act: async (page) => {
      await page.locator('#GitHubOAuthEnabled [role=switch]').click()
      await page.locator('#GitHubOAuthEnabled [role=alert]').waitFor()
      // What lies below the bar of the page cannot be pressed, so it may be near a button of the bar.
      await page.evaluate(() => scrollTo(0, 0))
    },
    shows: '#GitHubOAuthEnabled [role=alert]',
  },
  {
    name: 'the other settings, with a preview and found options',
    path: '/setting?tab=other',
    options: { Notice: text, Theme: 'berry' },
    act: (page) => page.getByRole('searchbox').fill('smtp'),
    shows: 'search li',
    hasDesigns: true,
  },
  { name: 'the account page', path: '/user/edit', shows: 'form input' },
  // Opened by keyboard: pointing at it opens it too, and the click after that would close it.
  { name: 'the menu of the account', path: '/', act: (page) => menus(page).last().press('Enter'), shows: '[role=menu]' },
  { name: 'the list of tokens, empty', path: '/token' },
  { name: 'the list of tokens', path: '/token', isFilled: true, shows: row, hasDesigns: true },
  { name: 'a new token', path: '/token/add', shows: 'form input' },
  { name: 'a new token with its errors', path: '/token/add', act: submit, shows: wrongField, hasDesigns: true },
  {
    name: 'the command palette with found rows',
    path: '/token',
    isFilled: true,
    act: async (page) => {
      await page.locator('header [aria-keyshortcuts]').click()
      await page.locator('[data-palette] input').fill('token')
    },
    shows: '[role=option] + [role=option] + [role=option]',
    hasDesigns: true,
  },
  {
    name: 'the list of shortcuts',
    path: '/channel',
    isFilled: true,
    act: async (page) => {
      await expect(page.locator('header [aria-keyshortcuts]')).toBeVisible()
      await page.keyboard.press('?')
    },
    shows: '[role=dialog] dl',
  },
  { name: 'a token', path: '/token/edit/1', isFilled: true, shows: 'form input' },
  { name: 'the list of channels', path: '/channel', isFilled: true, shows: row },
  { name: 'the sheet of a channel', path: '/channel', isFilled: true, act: openRow, shows: '[role=dialog] dl' },
  { name: 'the export of channels', path: '/channel', isFilled: true, act: transfer(-2), shows: '[role=dialog] [role=switch]' },
  {
    name: 'the import of channels with a file',
    path: '/channel',
    isFilled: true,
    act: async (page) => {
      await transfer(-1)(page)
      await page.locator('[role=dialog] input[type=file]').setInputFiles({
        name: 'channels.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify({ success: true, message: '', data: importedChannels })),
      })
    },
    shows: '[role=dialog] table',
  },
  { name: 'a new channel with its errors', path: '/channel/add', act: submit, shows: wrongField },
  { name: 'a channel', path: '/channel/edit/1', isFilled: true, shows: 'form input' },
  { name: 'the top-up page', path: '/topup', isFilled: true, shows: 'section li' },
  { name: 'the top-up page with an error', path: '/topup', act: submit, shows: wrongField },
  { name: 'the list of codes, empty', path: '/redemption' },
  { name: 'the list of codes', path: '/redemption', isFilled: true, shows: row },
  { name: 'new codes with their errors', path: '/redemption/add', act: submit, shows: wrongField },
  { name: 'a code', path: '/redemption/edit/1', isFilled: true, shows: 'form input' },
  { name: 'the list of users', path: '/user', isFilled: true, shows: row },
  {
    name: 'an addition to a balance',
    path: '/user',
    act: (page) => page.locator(`${row} button:not([role])`).first().click(),
    shows: '[role=dialog]',
  },
  { name: 'a new user with its errors', path: '/user/add', act: submit, shows: wrongField },
  { name: 'a user', path: '/user/edit/2', isFilled: true, shows: 'form input' },
  { name: 'the list of tasks, empty', path: '/task' },
  { name: 'the list of tasks', path: '/task', isFilled: true, shows: row },
  { name: 'the sheet of a task', path: '/task?state=completed', isFilled: true, act: openRow, shows: '[role=dialog] figure' },
  { name: 'a new task with its errors', path: '/task/add', isFilled: true, act: submit, shows: wrongField },
  { name: 'the dashboard, empty', path: '/dashboard' },
  { name: 'the dashboard', path: '/dashboard?start=1759900000&end=1760100000', isFilled: true, shows: 'svg rect[width="0.8"]' },
  { name: 'the log, empty', path: '/log' },
  { name: 'the log', path: '/log', isFilled: true, shows: row },
  { name: 'the log without matches', path: '/log?token=nobody', isFilled: true },
  {
    name: 'the calendar of a time filter',
    path: '/log?start=1800000000',
    act: async (page) => {
      await page.locator('fieldset ~ div > span > button').first().click()
      await page.locator('[role=dialog] [name=start] + button').click()
    },
    shows: '[role=dialog] table',
  },
  {
    name: 'the details of a log entry',
    path: '/log',
    isFilled: true,
    act: (page) => page.locator(`${row} button:not([role])`).first().click(),
    shows: '[role=dialog]',
  },
]

/**
 * Every view is checked in one language on a desktop and in the other on a phone; the next view the other way round. All views are made of
 * the same parts, so that each part is checked in every combination. `AXE_SWAPPED=true` checks each view in its other language.
 */
const isSwapped = process.env['AXE_SWAPPED'] === 'true'
const languageOf = (index: number, isPhone: boolean): 'en' | 'zh' => ((index % 2 === 0) === (isPhone !== isSwapped) ? 'zh' : 'en')

for (const [index, view] of views.entries()) {
  const { name, path, isOpen = false, isFilled = false, hasDesigns = false, options = {}, act, shows = 'h1' } = view
  test(`${name} passes the checks of axe, in light and dark`, async ({ page, gateway, isMobile }) => {
    if (isFilled) await fill(gateway)
    for (const [key, value] of Object.entries(options)) await gateway.api('/api/option/', { method: 'PUT', body: { key, value } })
    if (!isOpen) await signIn(page, gateway, gateway.root)
    const lang = languageOf(index, isMobile)
    await page.addInitScript((chosen) => localStorage.setItem('ui-lang', JSON.stringify(chosen)), lang)
    await page.goto(path)
    await expect(page.locator('html')).toHaveAttribute('lang', lang)
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    await expect(page).toHaveTitle(/\S · Sluice$/)
    for (const role of ['banner', 'main', 'contentinfo'] as const) await expect(page.getByRole(role)).toHaveCount(1)
    // Screen readers announce only what is added to a region that was there before.
    await expect(page.locator('[aria-live=polite]').first()).toBeAttached()
    await expect(menus(page)).toHaveCount(isOpen ? 2 : 3)
    await act?.(page)
    await expect(page.locator(shows).first()).toBeVisible()
    // A press of the button may have scrolled a link half under the top bar, where axe finds it too small.
    if (act === submit) await page.evaluate(() => scrollTo(0, 0))
    await settle(page)
    await expectAccessible(page)
    expect(await refusedPastes(page)).toEqual([])
    await expectColours(page, hasDesigns)
  })
}

/** Checks the colours of an open view in the other colour scheme, and in the other designs if it has them. */
async function expectColours(page: Page, hasDesigns: boolean): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const design of hasDesigns ? ['default', 'berry', 'air'] : ['default']) {
      // Checked before, with all other rules.
      if (colorScheme === 'light' && design === 'default') continue
      await page.evaluate((chosen) => {
        document.documentElement.dataset['design'] = chosen
      }, design)
      await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
      await settle(page)
      await expectReadableColours(page)
    }
  }
}
