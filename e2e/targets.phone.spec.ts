import type { Page } from '@playwright/test'
import type { Gateway } from './support/gateway.ts'
import { busyLog } from './support/log-rows.ts'
import { officeTasks } from './support/office-tasks.ts'
import { expect, settle, signIn, test } from './support/test.ts'

/** Pixels that a finger needs. */
const touchMin = 44

/** What can be pressed and is lower, with its height. Links within a text are as high as their line, and the first one is for keyboards. */
async function smallTargets(page: Page): Promise<readonly string[]> {
  return await page.evaluate((least) => {
    const others = 'p a, li a, dd a, td a, footer a, a[href="#main"]'
    const targets = [
      ...document.querySelectorAll('button, a[href], input, select, textarea, [role=switch], [role=checkbox], [role=combobox]'),
    ]
    return targets
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) &&
          !element.matches(others) &&
          element.closest('.sr-only, [inert], [aria-hidden=true]') === null,
      )
      .flatMap((element) => {
        const { width, height } = element.getBoundingClientRect()
        // A small mark has a part around it that can be pressed too.
        const around = getComputedStyle(element, '::before')
        const more = around.position === 'absolute' && around.content !== 'none' ? Number.parseFloat(around.height) : 0
        const reach = Math.round(Math.max(height, more))
        return reach < least && width > 0 ? [`${element.outerHTML.slice(0, 90)} ${reach}`] : []
      })
  }, touchMin)
}

async function fill(gateway: Gateway): Promise<void> {
  await gateway.ask('logs', busyLog(gateway.root, 3, 1_760_000_000))
  await gateway.ask('tasks', officeTasks([gateway.root], 1, 1_760_000_000).slice(-3))
  await gateway.ask('user', {})
  await gateway.api('/api/token/', { method: 'POST', body: { name: 'demo', remain_quota: 500_000 } })
  await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'spring', quota: 500, count: 1 } })
  const body = { name: 'demo', type: 1, key: 'key', base_url: gateway.upstreamUrl, models: 'gpt-4o,o3', group: 'default,vip' }
  await gateway.api('/api/channel/', { method: 'POST', body })
}

test('everything that is pressed is large enough for a finger', async ({ page, gateway }) => {
  await fill(gateway)
  await signIn(page, gateway, gateway.root)
  const small: string[] = []
  for (const path of [
    ...['/token', '/channel', '/redemption', '/user', '/log', '/task', '/topup', '/dashboard'],
    ...['/token/add', '/channel/edit/1', '/redemption/add', '/user/edit/2', '/task/add'],
    ...['/token?row=1', '/channel?row=1', '/log?row=1', '/task?row=1'],
    ...['personal', 'operations', 'system', 'other'].map((tab) => `/setting?tab=${tab}`),
  ]) {
    await page.goto(path)
    await expect(page.locator('h1')).toBeAttached()
    await page.waitForLoadState('networkidle')
    await settle(page)
    small.push(...(await smallTargets(page)).map((target) => `${path} ${target}`))
  }
  expect(small).toEqual([])
})
