import type { Locator } from '@playwright/test'
import { expect, settle, signIn, test } from './support/test.ts'

/** How many lines the controls of a toolbar take. */
const linesOf = (tools: Locator): Promise<number> =>
  tools.locator('button, input').evaluateAll((all) => {
    const seen = all.filter((one) => one.checkVisibility()).map((one) => one.getBoundingClientRect())
    const lines: { top: number; bottom: number }[] = []
    for (const { top, bottom, height } of seen.filter((box) => box.width > 1)) {
      const line = lines.find((known) => Math.abs((known.top + known.bottom) / 2 - (top + bottom) / 2) < height / 2)
      if (line === undefined) lines.push({ top, bottom })
    }
    return lines.length
  })

for (const lang of ['en', 'zh']) {
  test(`the tools of a page are at most two lines (${lang})`, async ({ page, gateway }) => {
    await page.addInitScript((chosen) => localStorage.setItem('ui-lang', JSON.stringify(chosen)), lang)
    await gateway.ask('user', {})
    await gateway.ask('tokens', { owner: gateway.root, names: ['mine'] })
    await gateway.api('/api/channel/', {
      method: 'POST',
      body: { name: 'channel', type: 1, key: 'key', base_url: gateway.upstreamUrl, models: 'gpt-4o', group: 'default' },
    })
    await signIn(page, gateway, gateway.root)
    for (const path of [
      '/dashboard',
      '/dashboard?range=year',
      '/log',
      '/log?type=2',
      '/model',
      '/token',
      '/channel',
      '/user',
      '/task?state=failed',
    ]) {
      await page.goto(path)
      const tools = page.locator('[data-list-tools]')
      await expect(tools.locator('button').last()).toBeVisible()
      await page.waitForLoadState('networkidle')
      await settle(page)
      expect(await linesOf(tools), path).toBeLessThanOrEqual(2)
    }
  })
}

test('the log has its tools in two lines while it is watched too', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/log')
  await page.getByRole('button', { name: 'Live', exact: true }).tap()
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible()
  expect(await linesOf(page.locator('[data-list-tools]'))).toBe(2)
})

test('the dashboard keeps its views and its refresh, beside the title', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/dashboard')
  const title = await page.getByRole('heading', { level: 1 }).boundingBox()
  const refresh = page.getByRole('button', { name: 'Refresh', exact: true })
  const box = await refresh.boundingBox()
  expect(Math.abs((box?.y ?? 0) + (box?.height ?? 0) / 2 - (title?.y ?? 0) - (title?.height ?? 0) / 2)).toBeLessThan(12)
  await expect(refresh).toBeEnabled()
  await page.getByRole('button', { name: 'Views' }).tap()
  await expect(page.getByRole('menuitem').first()).toBeVisible()
})

test('the log and the dashboard have their tools in two lines of a window of 360 pixels too', async ({ page, gateway }) => {
  await page.setViewportSize({ width: 360, height: 800 })
  await signIn(page, gateway, gateway.root)
  for (const path of ['/log', '/dashboard']) {
    await page.goto(path)
    const tools = page.locator('[data-list-tools]')
    await expect(tools.getByRole('button', { name: 'Filters' })).toBeVisible()
    await page.waitForLoadState('networkidle')
    await settle(page)
    expect(await linesOf(tools), path).toBe(2)
  }
})

test('each chart of the dashboard has its table and its file beside its title, and names the metric', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/dashboard')
  for (const name of ['Usage', 'Durations', 'Incomplete and failed requests']) {
    const chart = page.getByRole('region', { name, exact: true })
    const title = await chart.getByRole('heading', { name, exact: true }).boundingBox()
    const file = await chart.getByRole('button', { name: `Save ${name} as CSV` }).boundingBox()
    expect(Math.abs((file?.y ?? 0) + (file?.height ?? 0) / 2 - (title?.y ?? 0) - (title?.height ?? 0) / 2), name).toBeLessThan(12)
  }
  await page.getByRole('combobox', { name: /^Metric/ }).tap()
  await page.getByRole('option', { name: 'Failures' }).tap()
  await expect(page).toHaveURL(/metric=failures/)
})

for (const lang of ['en', 'zh']) {
  test(`the tools of the playground are beside its title (${lang})`, async ({ page, gateway }) => {
    await page.addInitScript((chosen) => localStorage.setItem('ui-lang', JSON.stringify(chosen)), lang)
    await gateway.ask('tokens', { owner: gateway.root, names: ['mine'] })
    await signIn(page, gateway, gateway.root)
    await page.goto('/playground')
    const middle = async (of: Locator) => {
      const box = await of.boundingBox()
      return (box?.y ?? 0) + (box?.height ?? 0) / 2
    }
    const last = page.getByRole('button', { name: /^(?:New chat|新对话)$/ })
    await expect(last).toBeVisible()
    await expect.poll(async () => Math.abs((await middle(last)) - (await middle(page.getByRole('heading', { level: 1 }))))).toBeLessThan(12)
  })
}

test('the button that applies the filters of the log is in sight above the last fields, which are not covered', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/log')
  await page.getByRole('button', { name: 'Filters' }).tap()
  const sheet = page.getByRole('dialog')
  const apply = sheet.getByRole('button', { name: 'Apply' })
  await expect(apply).toBeInViewport()
  await settle(page)
  const until = sheet.getByLabel('To', { exact: true })
  await until.focus()
  const [field, button] = [await until.boundingBox(), await apply.boundingBox()]
  expect((field?.y ?? 0) + (field?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0)
  await sheet.getByLabel('Token name').fill('mine')
  await apply.tap()
  await expect(page).toHaveURL(/token=mine/)
})

test('the playground says which model responds, and offers the choice beside the prompt', async ({ page, gateway }) => {
  await gateway.ask('tokens', { owner: gateway.root, names: ['mine'] })
  await gateway.api('/api/channel/', {
    method: 'POST',
    body: { name: 'channel', type: 1, key: 'key', base_url: gateway.upstreamUrl, models: 'gpt-4o', group: 'default' },
  })
  await signIn(page, gateway, gateway.root)
  await page.goto('/playground')
  await page.getByRole('button', { name: /Choose a model$/ }).tap()
  const sheet = page.getByRole('dialog')
  await sheet.getByRole('combobox', { name: 'Model' }).tap()
  await page.getByRole('option', { name: 'gpt-4o' }).tap()
  await sheet.getByRole('button', { name: 'Close' }).tap()
  await expect(page.getByRole('button', { name: 'Model gpt-4o' })).toBeVisible()
})
