import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Gateway } from './support/gateway.ts'
import { busyLog } from './support/log-rows.ts'
import { settle, signIn, test } from './support/test.ts'

// Writes pictures of every page to test-results/screenshots (`npm run screenshots`), to be looked at one by one: both languages, colours
// and sizes; full, empty, loading and failing. It is no test.

const folder = join(import.meta.dirname, '../test-results/screenshots')
const now = Date.UTC(2026, 10, 21, 10, 0, 0)

interface Shot {
  readonly name: string
  readonly path: string
  readonly isOpen?: boolean
  /** Whether the page reads lists, which can be empty, slow or failing. */
  readonly hasData?: boolean
}

const shots: readonly Shot[] = [
  { name: 'home-visitor', path: '/', isOpen: true },
  { name: 'login', path: '/login', isOpen: true },
  { name: 'register', path: '/register', isOpen: true },
  { name: 'reset', path: '/reset', isOpen: true },
  { name: 'user-reset', path: '/user/reset?email=ann@example.com&token=t', isOpen: true },
  { name: 'oauth-failed', path: '/oauth/github?error=access_denied', isOpen: true },
  { name: 'home', path: '/' },
  { name: 'channel', path: '/channel', hasData: true },
  { name: 'channel-add', path: '/channel/add' },
  { name: 'channel-edit', path: '/channel/edit/3' },
  { name: 'token', path: '/token', hasData: true },
  { name: 'token-add', path: '/token/add' },
  { name: 'token-edit', path: '/token/edit/2', hasData: true },
  { name: 'redemption', path: '/redemption', hasData: true },
  { name: 'redemption-add', path: '/redemption/add' },
  { name: 'redemption-edit', path: '/redemption/edit/1' },
  { name: 'topup', path: '/topup', hasData: true },
  { name: 'user', path: '/user', hasData: true },
  { name: 'user-add', path: '/user/add' },
  { name: 'user-edit-own', path: '/user/edit' },
  { name: 'user-edit', path: '/user/edit/2' },
  { name: 'log', path: '/log', hasData: true },
  { name: 'setting-personal', path: '/setting?tab=personal' },
  { name: 'setting-operations', path: '/setting?tab=operations' },
  { name: 'setting-system', path: '/setting?tab=system' },
  { name: 'setting-other', path: '/setting?tab=other' },
  { name: 'about', path: '/about' },
  { name: 'chat', path: '/chat' },
  { name: 'not-found', path: '/no/such' },
]

const channels = [
  { name: 'OpenAI', type: 1, groups: 'default,vip' },
  { name: 'Anthropic', type: 14, groups: 'default' },
  { name: 'Groq', type: 29, groups: 'default' },
  { name: 'DeepSeek', type: 36, groups: 'default,svip' },
  { name: 'vLLM in the office', type: 8, groups: 'default' },
]
const users = ['ann', 'ben', 'chen.wei', 'a-very-long-username-of-somebody', 'حسن', '王小明']
const tokens = ['support-bot', 'editor', 'nightly tests', 'notebook', '客服机器人', 'evaluation of everything, every night, for everybody']

/** An office of a few people who have used the gateway for some days. */
async function fill(gateway: Gateway): Promise<void> {
  for (const [index, channel] of channels.entries()) {
    await gateway.ask('channel', { ...channel, models: 'gpt-4o-mini,gpt-4o,o3' })
    await gateway.ask('channelRow', {
      id: index + 1,
      status: [1, 1, 2, 3, 1][index] ?? 1,
      response_time: [0, 840, 2_310, 4_870, 9_120][index] ?? 0,
      test_time: now / 1000 - 3_600 * index,
    })
  }
  for (const [index, name] of tokens.entries()) {
    const body = { name, remain_quota: 9_000_000 / (index + 1), unlimited_quota: index === 3, models: index === 1 ? 'gpt-4o' : '' }
    await gateway.api('/api/token/', { method: 'POST', body })
    await gateway.ask('tokenRow', { id: index + 1, status: [1, 1, 2, 1, 3, 4][index] ?? 1, used_quota: 1_234_567 * index })
  }
  for (const [index, username] of users.entries()) {
    const { id } = await gateway.ask('user', { quota: 12_345_678 * index, groups: index % 2 === 0 ? 'default' : 'vip,svip' })
    await gateway.ask('userRow', { id, username, display_name: index === 2 ? '陈伟' : '' })
  }
  for (const name of ['spring 2026', '内测赠送']) {
    await gateway.api('/api/redemption/', { method: 'POST', body: { name, quota: 5_000_000, count: 4 } })
  }
  await gateway.api('/api/redemption/?status_only=true', { method: 'PUT', body: { id: 2, status: 2 } })
  await gateway.ask('logs', busyLog(gateway.root, 240, now / 1000))
}

async function shoot(page: Page, name: string): Promise<void> {
  await settle(page)
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
}

for (const lang of ['en', 'zh'] as const) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const { name, path, isOpen = false, hasData = false } of shots) {
      test(`${name} ${lang} ${colorScheme}`, async ({ page, gateway }, { project }) => {
        await page.clock.setFixedTime(now)
        // Without motion a skeleton stands still.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.addInitScript((chosen) => localStorage.setItem('ui-lang', JSON.stringify(chosen)), lang)
        if (!isOpen) await signIn(page, gateway, gateway.root)
        const file = `${name}-${project.name === 'screenshots-phone' ? 'phone' : 'desktop'}-${colorScheme}-${lang}`
        if (hasData) {
          await page.goto(path)
          await page.waitForLoadState('networkidle')
          await shoot(page, `${file}-empty`)
        }
        await fill(gateway)
        if (hasData) await shootUnhappy(page, path, file)
        await page.goto(path)
        await page.waitForLoadState('networkidle')
        await shoot(page, file)
      })
    }
  }
}

const skeletonMs = 600

/** The same page while its data loads, and after that failed. */
async function shootUnhappy(page: Page, path: string, file: string): Promise<void> {
  const calls = /\/api\/(?:token|channel|redemption|user|log)\/(?!self$)/
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(calls, async (route) => {
    await released
    await route.fulfill({ status: 500, json: {} })
  })
  const asked = page.waitForRequest(calls)
  await page.goto(path)
  await asked
  // A skeleton appears after a short while, so that fast answers show none.
  await page.waitForTimeout(skeletonMs)
  await shoot(page, `${file}-loading`)
  release()
  await page.waitForLoadState('networkidle')
  await shoot(page, `${file}-failing`)
  await page.unroute(calls)
}
