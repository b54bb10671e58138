import type { Page } from '@playwright/test'

// Every page of the console, for its screenshots.

export interface Shot {
  readonly name: string
  readonly path: string
  readonly isOpen?: boolean
  /** Whether the page reads lists, which can be empty, slow or failing. */
  readonly hasData?: boolean
  /** Whether the page reads what it shows: that can be slow or failing, but not empty. */
  readonly reads?: boolean
  /** Whether it is the page of a user without rights of an administrator. */
  readonly isOfUser?: boolean
  /** The design, if it is another than the default one. */
  readonly design?: 'berry' | 'air'
  /** Actions before the screenshot. */
  readonly act?: (page: Page) => Promise<void>
  /** An element that `act` opens. */
  readonly shows?: string
  /** Calls that fail, or that find nothing. */
  readonly fails?: RegExp
  readonly only?: 'desktop' | 'phone'
}

export const dialog = '[role=dialog]'
export const wrongField = '[aria-invalid=true]'
export const submit = (page: Page) => page.locator('form button[type=submit]').click()
/** The first model of the list, a table or cards. */
const openModel = (page: Page) => page.locator('main tbody button, main ul > li > button').first().click()
export const askModel = async (page: Page): Promise<void> => {
  await page.getByRole('textbox', { name: /^(?:Prompt|提示词)$/ }).fill('How does a sluice work?')
  await page.getByRole('button', { name: /^(?:Send|发送)$/ }).click()
}

export const pages: readonly Shot[] = [
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
  { name: 'model-found', path: '/model?input=image&can=tools&sort=-released' },
  {
    ...{ name: 'model-filters', path: '/model', shows: dialog, only: 'phone' },
    act: (page) => page.getByRole('button', { name: /^(?:Filters|筛选)/ }).tap(),
  },
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
export const pagesOfUsers: readonly Shot[] = [
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
