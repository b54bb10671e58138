import type { Page } from '@playwright/test'
import type { Person } from '../../apps/server/test/outside-services.ts'
import type { Gateway } from './gateway.ts'

/** Requests of the browser to the pages of other services, which a test replaces. */
export const toOtherServices = /^elsewhere: https:\/\/(?:github\.com|accounts\.feishu\.cn|challenges\.cloudflare\.com)\//

const authorizePages = {
  github: 'https://github.com/login/oauth/authorize?*',
  lark: 'https://accounts.feishu.cn/open-apis/authen/v1/authorize?*',
} as const

type Provider = keyof typeof authorizePages

interface OpenedPage {
  /** The address of the service's page, as the console opened it. */
  address: URL | null
}

/** The page of a service on which a person agrees at once: it sends the browser back with a code of the service. */
export async function agreeAt(
  page: Page,
  gateway: Gateway,
  { provider, person }: { provider: Provider; person: Person },
): Promise<OpenedPage> {
  const opened: OpenedPage = { address: null }
  await page.route(authorizePages[provider], async (route) => {
    const address = new URL(route.request().url())
    opened.address = address
    const challenge = address.searchParams.get('code_challenge') ?? ''
    const code = await gateway.ask('oauthCode', { provider, person, challenge })
    const back = `${gateway.url}/oauth/${provider}?${new URLSearchParams({ code, state: address.searchParams.get('state') ?? '' })}`
    await route.fulfill({ status: 302, headers: { location: back } })
  })
  return opened
}

/** The widget of the bot check: a button that passes it. Its tokens are those that the server's fake of the service accepts. */
const widgetScript = `
window.turnstile = {
  made: 0,
  render(box, { sitekey, callback }) {
    const id = 'widget-' + ++this.made
    const button = document.createElement('button')
    Object.assign(button, { id, type: 'button', textContent: 'I am human' })
    button.dataset.sitekey = sitekey
    button.addEventListener('click', () => callback('good-' + id + Math.random()))
    box.append(button)
    return id
  },
  remove(id) {
    document.getElementById(id)?.remove()
  },
}`

/** Serves the script of the bot check. */
export async function serveBotCheck(page: Page): Promise<void> {
  await page.route('https://challenges.cloudflare.com/turnstile/v0/api.js?*', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: widgetScript }),
  )
}
