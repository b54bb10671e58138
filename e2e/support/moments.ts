import type { Page } from '@playwright/test'
import { dialog, type Shot, submit, wrongField } from './shots.ts'

export const shotsNow = Date.UTC(2026, 10, 21, 10, 0, 0)

const row = '[data-row]'
const openRow = (page: Page) => page.locator(row).first().dispatchEvent('click')
/** The menu of a row, or the sheet of a card. */
const rowMenu = (page: Page) => page.locator(row).first().getByRole('button').last().press('Enter')
const menu = '[role=menu], [role=dialog]'
const menuItem = (page: Page) => page.locator('[role=menuitem], [role=dialog] section button')
const toggle = (page: Page) => menuItem(page).filter({ hasText: /^(?:Disable|Enable|禁用|停用|启用|封禁)/ })
const frameMenu = (nth: number) => (page: Page) => page.locator('header [aria-haspopup=menu]').nth(nth).press('Enter')
const select = async (page: Page): Promise<void> => {
  for (const nth of [0, 1, 2]) await page.locator(`${row} [role=checkbox]`).nth(nth).click()
}
const series = /\/api\/log\/(?:self\/)?series/

/** Pages with what opens on them. */
export const moments: readonly Shot[] = [
  { name: 'channel-sheet', path: '/channel', act: openRow, shows: `${dialog} dl` },
  { name: 'token-sheet', path: '/token', act: openRow, shows: `${dialog} dl` },
  { name: 'user-sheet', path: '/user', act: openRow, shows: `${dialog} dl` },
  { name: 'redemption-sheet', path: '/redemption', act: openRow, shows: `${dialog} dl` },
  { name: 'task-sheet', path: '/task?state=completed', act: openRow, shows: `${dialog} dl` },
  { name: 'task-failed', path: '/task?state=failed', act: openRow, shows: `${dialog} dl` },
  { name: 'log-sheet', path: '/log', act: (page) => page.locator(row).nth(2).dispatchEvent('click'), shows: dialog },
  { name: 'channel-menu', path: '/channel', act: rowMenu, shows: menu },
  { name: 'token-menu', path: '/token', act: rowMenu, shows: menu },
  { name: 'user-menu', path: '/user', act: rowMenu, shows: menu },
  {
    name: 'account-menu',
    path: '/token',
    act: (page) => page.locator('header [aria-haspopup=menu]').last().press('Enter'),
    shows: '[role=menu]',
  },
  { name: 'language-menu', path: '/token', act: frameMenu(0), shows: '[role=menu]' },
  { name: 'theme-menu', path: '/token', act: frameMenu(1), shows: '[role=menu]' },
  { name: 'channel-selected', path: '/channel', act: select, only: 'desktop' },
  {
    name: 'token-delete',
    path: '/token',
    act: async (page) => {
      await rowMenu(page)
      await menuItem(page).last().click()
    },
    shows: '[role=alertdialog], [role=dialog]',
  },
  {
    name: 'toast-success',
    path: '/token',
    act: async (page) => {
      for (const _ of [0, 1]) {
        await rowMenu(page)
        await toggle(page).click()
      }
    },
    shows: '[data-kind]',
  },
  {
    name: 'toast-error',
    path: '/user',
    fails: /\/api\/user\/manage/,
    act: async (page) => {
      await rowMenu(page)
      await toggle(page).click()
    },
    shows: '[data-kind]',
  },
  {
    name: 'palette',
    path: '/token',
    act: (page) => page.locator('header [aria-keyshortcuts]').click(),
    shows: '[role=option]',
  },
  {
    name: 'palette-found',
    path: '/token',
    act: async (page) => {
      await page.locator('header [aria-keyshortcuts]').click()
      await page.locator('[data-palette] input').fill('open')
    },
    shows: '[role=option] + [role=option]',
  },
  {
    name: 'shortcuts',
    path: '/channel',
    act: async (page) => {
      await page.locator('header [aria-keyshortcuts]').waitFor()
      await page.keyboard.press('?')
    },
    shows: `${dialog} dl`,
  },
  {
    name: 'columns',
    path: '/channel',
    act: (page) => page.getByRole('button', { name: /^(?:Columns|列)/ }).click(),
    shows: dialog,
    only: 'desktop',
  },
  { name: 'log-cell', path: '/log', act: (page) => page.locator(`${row} td`).nth(4).hover(), shows: '[data-cell-copy]', only: 'desktop' },
  {
    name: 'export',
    path: '/token',
    act: (page) => page.getByRole('button', { name: /^(?:Export|导出)$/ }).click(),
    shows: `${dialog} ul, [role=menu]`,
  },
  { name: 'log-request', path: '/log?request=req-0239-5f3a9c1e7b2d' },
  { name: 'token-errors', path: '/token/add', act: submit, shows: wrongField },
  { name: 'channel-errors', path: '/channel/add', act: submit, shows: wrongField },
  { name: 'redemption-errors', path: '/redemption/add', act: submit, shows: wrongField },
  { name: 'user-errors', path: '/user/add', act: submit, shows: wrongField },
  { name: 'topup-error', path: '/topup', act: submit, shows: wrongField },
  { name: 'channel-types', path: '/channel/add', act: (page) => page.getByRole('combobox').first().click(), shows: '[role=grid]' },
  { name: 'token-models', path: '/token/add', act: (page) => page.getByRole('combobox').first().click(), shows: '[role=option]' },
  {
    name: 'setting-unsaved',
    path: '/setting?tab=operations',
    act: (page) => page.locator('#RetryTimes input').fill('7'),
    shows: '#general form button',
  },
  {
    name: 'setting-review',
    path: '/setting?tab=operations',
    act: async (page) => {
      await page.locator('#RetryTimes input').fill('7')
      await page.locator('#general form button').filter({ visible: true }).nth(-3).click()
    },
    shows: `${dialog} li`,
  },
  {
    name: 'setting-ratios',
    path: '/setting?tab=operations',
    act: (page) => page.locator('tr[data-model]').first().scrollIntoViewIfNeeded(),
    shows: 'tr[data-model]',
  },
  {
    name: 'setting-factors',
    path: '/setting?tab=operations',
    act: (page) =>
      page
        .locator('fieldset button')
        .getByText(/^(?:Channel types|渠道类型)$/)
        .click(),
    shows: 'tr[data-type]',
  },
  { name: 'setting-search', path: '/setting?tab=other', act: (page) => page.getByRole('searchbox').fill('smtp'), shows: 'search li' },
  {
    name: 'form-leave',
    path: '/token/add',
    act: async (page) => {
      await page.locator('form input').first().fill('a new token')
      await page.locator('main nav a').click()
    },
    shows: '[role=alertdialog], [role=dialog]',
  },
  {
    name: 'form-conflict',
    path: '/redemption/edit/1',
    act: async (page) => {
      const message =
        (await page.getAttribute('html', 'lang'))?.startsWith('zh') === true
          ? '内容已被他人修改，本次未保存，请重新加载后再试'
          : 'Someone else changed this in the meantime. Nothing was saved; reload and try again.'
      const refusal = { success: false, message, changed_fields: 'name,quota' }
      await page.route('**/api/redemption/', (route) => route.fulfill({ json: refusal }))
      await page.route('**/api/redemption/1', async (route) => {
        const response = await (await route.fetch()).json()
        await route.fulfill({ json: { ...response, data: { ...response.data, name: 'spring of 2026', quota: 7_500_000 } } })
      })
      await page.locator('form input').first().fill('my own name')
      await page.locator('form input').nth(1).fill('6000000')
      await submit(page)
    },
    shows: '#conflicts',
  },
  { name: 'log-failing-chart', path: '/log', fails: series },
  { name: 'log-filtered', path: '/log?token=production-api&type=2&model=gpt-4o-mini' },
  { name: 'log-no-match', path: '/log?token=nobody' },
  {
    name: 'log-filters',
    path: '/log',
    act: (page) => page.keyboard.press('f'),
    shows: dialog,
  },
  {
    name: 'log-calendar',
    path: `/log?start=${shotsNow / 1000 - 86_400}`,
    act: async (page) => {
      await page.locator('span > button:has(> bdi)').first().click()
      await page.locator(`${dialog} [name=start] + button`).click()
    },
    shows: `${dialog} table`,
  },
  {
    name: 'phone-menu',
    path: '/token',
    act: (page) => page.locator('header button').first().click(),
    shows: `${dialog} nav`,
    only: 'phone',
  },
  { name: 'user-inline', path: '/user', act: (page) => page.locator(`${row} button:not([role])`).first().click(), shows: dialog },
]
