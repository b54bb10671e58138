import { test as base, expect, type Page } from '@playwright/test'
import type { TestUser } from '../../apps/server/test/app.ts'
import { type Gateway, type GatewayHost, startGatewayHost } from './gateway.ts'

interface Options {
  /** The root account still has the password of every new installation. */
  readonly keepsDefaultPassword: boolean
  /** Root has no password yet, and logs in by the link that the start prints. */
  readonly hasSetupLink: boolean
  /** Mail, GitHub, Lark, WeChat and the bot check are servers on loopback. */
  readonly hasServices: boolean
  /** Options that an earlier run of the server stored; some take effect at the next start. */
  readonly storedOptions: Readonly<Record<string, string>> | null
  /** Messages of the browser that the test causes and that do not fail it. */
  readonly tolerated: RegExp | null
}

interface Fixtures {
  readonly gateway: Gateway
  /** Fails the test at errors that a page does not show: in the browser's console, missing files, requests to other sites. */
  readonly quiet: undefined
}

/** A test with its own server and a page of it. */
export const test = base.extend<Options & Fixtures, { readonly host: GatewayHost }>({
  keepsDefaultPassword: [false, { option: true }],
  hasSetupLink: [false, { option: true }],
  hasServices: [false, { option: true }],
  storedOptions: [null, { option: true }],
  tolerated: [null, { option: true }],
  host: [
    async ({ browserName: _ }, use) => {
      const host = await startGatewayHost()
      await use(host)
      await host.stop()
    },
    { scope: 'worker' },
  ],
  gateway: async ({ host, keepsDefaultPassword, hasSetupLink, hasServices, storedOptions }, use) => {
    const gateway = await host.open({ keepsDefaultPassword, hasSetupLink, hasServices, storedOptions })
    await use(gateway)
    await gateway.close()
  },
  baseURL: async ({ gateway }, use) => use(gateway.url),
  quiet: [
    async ({ page, gateway, tolerated }, use) => {
      const complaints = watch(page, gateway.url)
      await page.addInitScript(noteToasts)
      await use(undefined)
      // A call that the test did not wait for may still be in a handler.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      expect(complaints.filter((complaint) => tolerated?.test(complaint) !== true)).toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

function watch(page: Page, own: string): readonly string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`))
  page.on('console', (message) => {
    // Failed calls are ignored, because many tests cause them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(own)) complaints.push(`elsewhere: ${request.url()}`)
  })
  page.on('response', (response) => {
    const isFile = !/\/(?:api|v1)\//.test(response.url())
    if (isFile && response.status() >= 400) complaints.push(`missing: ${response.url()}`)
  })
  return complaints
}

/** Sends the form of the open login page. */
export async function logIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

/** The link that the first start has printed. */
export function setupLinkOf({ startLines }: Gateway): string {
  return /\S+\/setup#\S+/.exec(startLines.join('\n'))?.[0] ?? ''
}

/** Ends the session by the menu, and waits for the login page. */
export async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account menu/ }).press('Enter')
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expect(page).toHaveURL('/login')
}

/** Logs a user in, from the next opened page on. */
export async function signIn(page: Page, { url }: Gateway, user: TestUser, role = 100): Promise<void> {
  const [name = '', value = ''] = (user.headers['cookie'] ?? '').split('=')
  await page.context().addCookies([{ name, value, url }])
  const stored = JSON.stringify({ id: user.id, username: user.username, role, status: 1 })
  // Runs before every page, but stores the user only on the first.
  await page.addInitScript((account) => {
    const mark = `signed in: ${account}`
    if (sessionStorage.getItem(mark) !== null) return
    sessionStorage.setItem(mark, '')
    localStorage.setItem('user', account)
  }, stored)
}

/** Calls that write, as method, path and body. */
export function writesOf(page: Page): readonly unknown[] {
  const writes: unknown[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.startsWith('/api/') && request.method() !== 'GET') {
      writes.push([request.method(), `${pathname}${search}`, ...(request.method() === 'DELETE' ? [] : [request.postDataJSON()])])
    }
  })
  return writes
}

/** Acts, and returns when the page has taken the response of a call. For pages whose clock a test advances: the time limit of a call runs by it. */
export async function untilResponse(page: Page, path: string, act: () => Promise<void>): Promise<void> {
  const pending = page.waitForResponse((response) => new URL(response.url()).pathname === path)
  await act()
  await (await pending).finished()
  // What the page does with the response comes before that of a later call.
  await page.evaluate(async () => void (await (await fetch('/api/status')).text()))
}

/** A visible toast; for toasts that stay, or with a stopped clock. */
export function toast(page: Page, text: string | RegExp) {
  return page.getByLabel('Notifications', { exact: true }).getByText(text)
}

/** Expects that a toast was shown, visible or not anymore: those of success stay for a second and a half. */
export async function expectToast(page: Page, text: string | RegExp): Promise<void> {
  const pattern = typeof text === 'string' ? new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text
  await expect(page.locator('html')).toHaveAttribute('data-toasts', pattern)
}

/** Runs in the page and records the text of every toast for tests. */
function noteToasts(): void {
  const seen = new Set<string>()
  new MutationObserver(() => {
    for (const toast of document.querySelectorAll('[data-kind]')) if (toast.checkVisibility?.()) seen.add(toast.textContent)
    const text = [...seen].join('\n')
    const { dataset } = document.documentElement
    if (dataset['toasts'] !== text) dataset['toasts'] = text
  }).observe(document, { childList: true, subtree: true })
}

/** Waits until all animations have ended, so that colours and places can be measured. */
export async function settle(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('[data-starting-style], [data-ending-style]') === null &&
      document.getAnimations().every(({ playState }) => playState !== 'running'),
  )
}
