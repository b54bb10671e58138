import type { Page } from '@playwright/test'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { logRow } from './support/log-rows.ts'
import { expect, signIn, test } from './support/test.ts'

// Each route of the specification's table, opened by each role: its page with what is stored, or why it is not shown.

interface Route {
  readonly path: string
  readonly heading: string
  readonly access: 'everyone' | 'accounts' | 'administrators'
  /** A stored value that the page shows or that is in one of its fields. */
  readonly shows?: string
}

/** Of the rows that `prepare` makes. */
const routesOf = ({ role, tokenId, channelId, userId }: Prepared): readonly Route[] => [
  { path: '/', heading: 'One endpoint for every model', access: 'everyone' },
  { path: '/channel', heading: 'Channels', access: 'administrators', shows: 'the channel' },
  { path: '/channel/add', heading: 'New channel', access: 'administrators' },
  { path: `/channel/edit/${channelId}`, heading: 'Edit channel', access: 'administrators', shows: 'the channel' },
  { path: '/token', heading: 'Tokens', access: 'accounts', shows: 'the token' },
  { path: '/token/add', heading: 'New token', access: 'accounts', shows: '500000' },
  { path: `/token/edit/${tokenId}`, heading: 'Edit token', access: 'accounts', shows: 'the token' },
  { path: '/redemption', heading: 'Redemption codes', access: 'administrators', shows: 'the code' },
  { path: '/redemption/add', heading: 'New codes', access: 'administrators', shows: '100000' },
  { path: '/redemption/edit/1', heading: 'Edit code', access: 'administrators', shows: 'the code' },
  { path: '/user', heading: 'Manage users', access: 'administrators', shows: 'Activated' },
  { path: '/user/add', heading: 'New user', access: 'administrators' },
  { path: '/user/edit', heading: 'Account', access: 'accounts' },
  { path: `/user/edit/${userId}`, heading: 'Edit user', access: 'administrators', shows: '1000000' },
  { path: '/user/reset?email=ann@example.com&token=t', heading: 'Set a new password', access: 'everyone', shows: 'ann@example.com' },
  { path: '/login', heading: 'Log in to Sluice', access: 'everyone' },
  { path: '/register', heading: 'Register at Sluice', access: 'everyone' },
  { path: '/reset', heading: 'Reset your password', access: 'everyone' },
  { path: '/oauth/github', heading: 'Login with GitHub', access: 'everyone' },
  { path: '/oauth/lark', heading: 'Login with Lark', access: 'everyone' },
  { path: '/setting', heading: 'Settings', access: 'accounts', shows: 'Login methods' },
  { path: '/topup', heading: 'Top up', access: 'accounts', shows: role === 100 ? '$1,000,000,000.00' : '$2.00' },
  { path: '/log', heading: 'Logs', access: 'accounts', shows: 'a row of the log' },
  { path: '/about', heading: 'About', access: 'everyone' },
  role === 0
    ? { path: '/chat', heading: 'Chat', access: 'everyone', shows: 'No chat is configured' }
    : { path: '/chat', heading: 'Playground', access: 'everyone' },
  { path: '/no/such', heading: 'Page does not exist', access: 'everyone' },
]

interface Prepared {
  readonly role: number
  readonly tokenId: number
  readonly channelId: number
  readonly userId: number
}

const roles = [
  { name: 'visitors', role: 0, may: ['everyone'] },
  { name: 'users', role: 1, may: ['everyone', 'accounts'] },
  { name: 'administrators', role: 10, may: ['everyone', 'accounts', 'administrators'] },
  { name: 'root', role: 100, may: ['everyone', 'accounts', 'administrators'] },
] as const

/** Signs in as an account of the role that has a token, a log row and a balance, beside a channel, a code and another account. */
async function prepare(page: Page, gateway: Gateway, role: number): Promise<Prepared> {
  const channelId = await makeChannel(gateway, 'the channel')
  await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'the code', quota: 500, count: 1 } })
  const other = await gateway.ask('user', { quota: 1_000_000 })
  if (role === 0) return { role, channelId, tokenId: 1, userId: other.id }
  const account = role === 100 ? gateway.root : await gateway.ask('user', { role, quota: 1_000_000 })
  const [tokenId = 0] = await gateway.ask('tokens', { owner: account, names: ['the token'] })
  await gateway.ask('logs', [logRow(account, { token_name: 'the token', content: 'a row of the log' })])
  await signIn(page, gateway, account, role)
  return { role, channelId, tokenId, userId: other.id }
}

const isShown = (page: Page, text: string) =>
  page.locator('main').evaluate((main, expected) => {
    const fields = [...main.querySelectorAll<HTMLInputElement>('input, textarea')].map(({ value }) => value)
    return main.textContent.includes(expected) || fields.includes(expected)
  }, text)

for (const { name, role, may } of roles) {
  test(`${name} reach the pages of the specification that are for them, and no others`, async ({ page, gateway }) => {
    test.setTimeout(180_000)
    const prepared = await prepare(page, gateway, role)
    const heading = page.getByRole('heading', { level: 1 })
    for (const { path, heading: title, access, shows } of routesOf(prepared)) {
      await page.goto(path)
      if (role === 0 && access !== 'everyone') {
        await expect(heading, path).toHaveText('Log in to Sluice')
        continue
      }
      const isAllowed = may.some((one) => one === access)
      await expect(heading, path).toHaveText(title)
      if (!isAllowed) await expect(page.getByText('Administrators only'), path).toBeVisible()
      else if (shows !== undefined) await expect.poll(() => isShown(page, shows), path).toBe(true)
    }
  })
}
