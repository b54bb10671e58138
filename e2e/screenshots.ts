import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import type { MadeUser } from '../apps/server/test/app.ts'
import type { Gateway } from './support/gateway.ts'
import { fillOffice } from './support/office.ts'
import { settle, signIn, test as withGateway } from './support/test.ts'

// Writes pictures of every page to test-results/screenshots (`npm run screenshots`), to be looked at one by one: both languages, colours
// and sizes; full, empty, loading and failing, and with what opens on them. It is no test.

const folder = join(import.meta.dirname, '../test-results/screenshots')
const now = Date.UTC(2026, 10, 21, 10, 0, 0)

interface Office extends Gateway {
  readonly people: readonly MadeUser[]
}

/** `office` is a server with data, which all pictures of a worker share; `gateway` has none. */
const test = withGateway.extend<object, { readonly office: Office }>({
  office: [
    async ({ host }, use) => {
      const office = await host.open({ hasServices: true })
      const people = await fillOffice(office, now / 1000)
      await use({ ...office, people })
      await office.close()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
test.use({ tolerated: /elsewhere: http:\/\/127/ })

interface Shot {
  readonly name: string
  readonly path: string
  readonly isOpen?: boolean
  /** Whether the page reads lists, which can be empty, slow or failing. */
  readonly hasData?: boolean
  /** Whether the page reads what it shows: that can be slow or failing, but not empty. */
  readonly reads?: boolean
  /** Whether it is the page of a user without rights of an administrator. */
  readonly isOfUser?: boolean
  /** Whether it differs in the other designs. */
  readonly design?: 'berry' | 'air'
  /** Actions before the picture. */
  readonly act?: (page: Page) => Promise<void>
  /** An element that `act` opens. */
  readonly shows?: string
  /** Calls that fail, or that find nothing. */
  readonly fails?: RegExp
  readonly only?: 'desktop' | 'phone'
}

const row = '[data-row]'
const dialog = '[role=dialog]'
const wrongField = '[aria-invalid=true]'
const submit = (page: Page) => page.locator('form button[type=submit]').click()
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
/** The first model of the list, a table or cards. */
const openModel = (page: Page) => page.locator('main tbody button, main ul > li > button').first().click()
const askModel = async (page: Page): Promise<void> => {
  await page.getByRole('textbox', { name: /^(?:Prompt|提示词)$/ }).fill('How does a sluice work?')
  await page.getByRole('button', { name: /^(?:Send|发送)$/ }).click()
}
const series = /\/api\/log\/(?:self\/)?series/

const pages: readonly Shot[] = [
  { name: 'home-visitor', path: '/', isOpen: true },
  { name: 'login', path: '/login', isOpen: true },
  { name: 'login-expired', path: '/login?expired=true', isOpen: true, act: submit, shows: wrongField },
  { name: 'register', path: '/register', isOpen: true },
  { name: 'register-errors', path: '/register', isOpen: true, act: submit, shows: wrongField },
  { name: 'reset', path: '/reset', isOpen: true },
  { name: 'user-reset', path: '/user/reset?email=ann@example.com&token=t', isOpen: true },
  { name: 'oauth-failed', path: '/oauth/github?error=access_denied', isOpen: true },
  { name: 'home', path: '/', reads: true },
  { name: 'channel', path: '/channel', hasData: true },
  { name: 'channel-add', path: '/channel/add' },
  { name: 'channel-edit', path: '/channel/edit/9', reads: true },
  { name: 'token', path: '/token', hasData: true },
  { name: 'token-add', path: '/token/add' },
  { name: 'token-edit', path: '/token/edit/8', hasData: true },
  { name: 'redemption', path: '/redemption', hasData: true },
  { name: 'redemption-add', path: '/redemption/add' },
  { name: 'redemption-edit', path: '/redemption/edit/1', reads: true },
  { name: 'topup', path: '/topup', hasData: true },
  { name: 'user', path: '/user', hasData: true },
  { name: 'user-add', path: '/user/add' },
  { name: 'user-edit-own', path: '/user/edit', reads: true },
  { name: 'user-edit', path: '/user/edit/3', reads: true },
  { name: 'log', path: '/log', hasData: true },
  { name: 'task', path: '/task', hasData: true },
  { name: 'task-add', path: '/task/add' },
  { name: 'dashboard', path: '/dashboard', hasData: true },
  { name: 'model', path: '/model', hasData: true },
  { name: 'model-sheet', path: '/model', act: openModel, shows: `${dialog} dl` },
  { name: 'playground', path: '/playground?model=gpt-4o-mini', hasData: true },
  { name: 'playground-answer', path: '/playground?model=gpt-4o-mini', act: askModel, shows: '[data-answer]' },
  { name: 'channel-route', path: '/channel/route?model=gpt-4o-mini', hasData: true },
  { name: 'setting-personal', path: '/setting?tab=personal', reads: true },
  { name: 'setting-security', path: '/setting?tab=security', reads: true, shows: 'section' },
  { name: 'setting-notification', path: '/setting?tab=notification', reads: true, shows: 'section' },
  { name: 'setting-operations', path: '/setting?tab=operations', reads: true },
  { name: 'setting-system', path: '/setting?tab=system' },
  { name: 'setting-other', path: '/setting?tab=other' },
  { name: 'status', path: '/status', hasData: true },
  { name: 'status-hours', path: '/status?span=hours' },
  { name: 'about', path: '/about', reads: true },
  { name: 'chat', path: '/chat' },
  { name: 'not-found', path: '/no/such' },
]

/** What users without rights of an administrator see, where it differs. */
const pagesOfUsers: readonly Shot[] = [
  { name: 'user-home', path: '/', isOfUser: true },
  { name: 'user-token', path: '/token', isOfUser: true },
  { name: 'user-log', path: '/log', isOfUser: true },
  { name: 'user-topup', path: '/topup', isOfUser: true },
  { name: 'user-setting', path: '/setting', isOfUser: true },
  { name: 'user-dashboard', path: '/dashboard', isOfUser: true },
  { name: 'user-task', path: '/task', isOfUser: true },
  { name: 'user-account', path: '/user/edit', isOfUser: true },
  { name: 'forbidden-channel', path: '/channel', isOfUser: true },
  { name: 'forbidden-channel-edit', path: '/channel/edit/9', isOfUser: true },
  { name: 'forbidden-redemption', path: '/redemption', isOfUser: true },
  { name: 'forbidden-user', path: '/user', isOfUser: true },
  { name: 'forbidden-user-edit', path: '/user/edit/3', isOfUser: true },
  { name: 'token-gone', path: '/token/edit/999' },
  { name: 'channel-gone', path: '/channel/edit/999' },
]

/** Pages with what opens on them. */
const moments: readonly Shot[] = [
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
          ? '内容已被他人修改，本次未保存'
          : 'Somebody else has changed this meanwhile, so nothing was saved'
      const refusal = { success: false, message, changed_fields: 'name,quota' }
      await page.route('**/api/redemption/', (route) => route.fulfill({ json: refusal }))
      await page.route('**/api/redemption/1', async (route) => {
        const answer = await (await route.fetch()).json()
        await route.fulfill({ json: { ...answer, data: { ...answer.data, name: 'spring of 2026', quota: 7_500_000 } } })
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
    path: `/log?start=${now / 1000 - 86_400}`,
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

/** The pages, full, in the other designs. */
const inDesigns: readonly Shot[] = (['berry', 'air'] as const).flatMap((design) =>
  pages.map((shot) => ({ ...shot, name: `${shot.name}-${design}`, design, hasData: false, reads: false })),
)

const sizes: Readonly<Record<string, string>> = { 'screenshots-phone': 'phone', 'screenshots-zoom': 'zoom' }

async function shoot(page: Page, name: string): Promise<void> {
  await settle(page)
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
}

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.waitForLoadState('networkidle')
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
}

for (const lang of ['en', 'zh'] as const) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const shot of [...pages, ...pagesOfUsers, ...moments, ...inDesigns]) {
      test(`${shot.name} ${lang} ${colorScheme}`, async ({ page, gateway, office }, { project }) => {
        const size = sizes[project.name] ?? 'desktop'
        // A window that is zoomed to 200 % has the cards and the menu of a phone.
        if (shot.only !== undefined && shot.only !== (size === 'desktop' ? size : 'phone')) return
        await page.clock.setFixedTime(now)
        // Without motion a skeleton stands still.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.addInitScript((chosen) => localStorage.setItem('ui-lang', JSON.stringify(chosen)), lang)
        const { name, path, isOpen = false, hasData = false, reads = hasData, isOfUser = false } = shot
        const file = `${name}-${size}-${colorScheme}-${lang}`
        if (hasData) {
          await signIn(page, gateway, gateway.root)
          await open(page, `${gateway.url}${path}`)
          await shoot(page, `${file}-empty`)
        }
        const [ann] = office.people
        if (isOfUser && ann !== undefined) await signIn(page, office, ann, 1)
        else if (!isOpen) await signIn(page, office, office.root)
        if (reads) await shootUnhappy(page, `${office.url}${path}`, file)
        if (shot.fails !== undefined) await page.route(shot.fails, (route) => route.fulfill({ status: 500, json: {} }))
        await open(page, `${office.url}${path}`)
        await prepare(page, shot)
        // Parts of a page may begin to load after its own data.
        await expect(page.locator('[data-page-loading], [aria-busy=true]')).toHaveCount(0)
        await shoot(page, file)
      })
    }
  }
}

async function prepare(page: Page, { design, act, shows }: Shot): Promise<void> {
  if (design !== undefined) {
    await page.evaluate((chosen) => {
      document.documentElement.dataset['design'] = chosen
    }, design)
  }
  await act?.(page)
  if (shows !== undefined) await page.locator(shows).filter({ visible: true }).first().waitFor()
  if (act !== undefined) await page.waitForLoadState('networkidle')
}

const skeletonMs = 600

/** The same page while its data loads, and after that failed. */
async function shootUnhappy(page: Page, address: string, file: string): Promise<void> {
  // The own account is read by the frame of every page.
  const own = address.endsWith('/user/edit') ? '' : '(?!self$)'
  const calls = new RegExp(
    `/api/(?:(?:token|channel|redemption|user|log|task|option|model|route|session|passkey|access_token|notification)/${own}|second_factor|about|home_page_content)`,
  )
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(calls, async (route) => {
    await released
    await route.fulfill({ status: 500, json: {} })
  })
  const asked = page.waitForRequest(calls)
  await page.goto(address)
  await asked
  // A skeleton appears after a short while, so that fast answers show none.
  await page.waitForTimeout(skeletonMs)
  await shoot(page, `${file}-loading`)
  release()
  await page.waitForLoadState('networkidle')
  await shoot(page, `${file}-failing`)
  await page.unroute(calls)
}
