import { test as base, expect, type Page } from '@playwright/test'
import type { MadeUser } from '../../apps/server/test/app.ts'
import { type Gateway, type GatewayHost, startGatewayHost } from './gateway.ts'

interface Options {
  /** The root account still has the password of every fresh installation. */
  readonly keepsDefaultPassword: boolean
  /** What the browser may complain of, because the test makes it. */
  readonly tolerated: RegExp | null
}

interface Fixtures {
  readonly gateway: Gateway
  /** Fails the test on what a person would not see: errors on the console, missing files, requests to other sites. */
  readonly quiet: undefined
}

/** Everything a test needs: a server of its own, and a page that opens on it. */
export const test = base.extend<Options & Fixtures, { readonly host: GatewayHost }>({
  keepsDefaultPassword: [false, { option: true }],
  tolerated: [null, { option: true }],
  host: [
    async ({ browserName: _ }, use) => {
      const host = await startGatewayHost()
      await use(host)
      await host.stop()
    },
    { scope: 'worker' },
  ],
  gateway: async ({ host, keepsDefaultPassword }, use) => {
    const gateway = await host.open({ keepsDefaultPassword })
    await use(gateway)
    await gateway.close()
  },
  baseURL: async ({ gateway }, use) => use(gateway.url),
  quiet: [
    async ({ page, gateway, tolerated }, use) => {
      const complaints = watch(page, gateway.url)
      await page.addInitScript(noteToasts)
      await use(undefined)
      // A call that the test does not wait for may be on its way through a handler.
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
    // Refused calls are what many tests are about; what the page makes of them is seen on the page.
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

/** Somebody who has logged in already; the next page that is opened shows it. */
export async function signIn(page: Page, { url }: Gateway, user: MadeUser, role = 100): Promise<void> {
  const [name = '', value = ''] = (user.headers['cookie'] ?? '').split('=')
  await page.context().addCookies([{ name, value, url }])
  const stored = JSON.stringify({ id: user.id, username: user.username, role, status: 1 })
  // Runs before every page; only the first one is opened by somebody who has just logged in.
  await page.addInitScript((account) => {
    const mark = `signed in: ${account}`
    if (sessionStorage.getItem(mark) !== null) return
    sessionStorage.setItem(mark, '')
    localStorage.setItem('user', account)
  }, stored)
}

/** A toast that is on screen now; for those that stay, or with a clock that stands still. */
export function toast(page: Page, text: string | RegExp) {
  return page.getByLabel('Notifications', { exact: true }).getByText(text)
}

/** Whether it is still there or gone again: what says that all went well stays for a second and a half. */
export async function expectToast(page: Page, text: string | RegExp): Promise<void> {
  const wanted = typeof text === 'string' ? new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')) : text
  await expect(page.locator('html')).toHaveAttribute('data-toasts', wanted)
}

/** Runs in the page: writes down what every toast says, where a test finds it. */
function noteToasts(): void {
  const seen = new Set<string>()
  new MutationObserver(() => {
    for (const shown of document.querySelectorAll('[data-kind]')) if (shown.checkVisibility()) seen.add(shown.textContent)
    const text = [...seen].join('\n')
    const { dataset } = document.documentElement
    if (dataset['toasts'] !== text) dataset['toasts'] = text
  }).observe(document, { childList: true, subtree: true })
}

/** Until nothing appears, fades or moves any more: only then is it measured. */
export async function settle(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('[data-starting-style], [data-ending-style]') === null &&
      document.getAnimations().every(({ playState }) => playState !== 'running'),
  )
}
