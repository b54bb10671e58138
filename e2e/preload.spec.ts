import type { Page } from '@playwright/test'
import { makeChannel } from './support/channels.ts'
import { hold } from './support/hold.ts'
import { logRow } from './support/log-rows.ts'
import { expect, signIn, test } from './support/test.ts'

/** The reads that the page sends from now on: their paths with the query. */
function readsOf(page: Page): string[] {
  const reads: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (request.method() === 'GET' && pathname.startsWith('/api/')) reads.push(`${pathname}${search}`)
  })
  return reads
}

const menuLink = (page: Page, name: string) => page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name, exact: true })

test.beforeEach(async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
})

test('a link of the menu that is pointed at loads what its page shows first', async ({ page }) => {
  await page.clock.install()
  await page.goto('/user/edit')
  await expect(page.getByRole('textbox', { name: 'Username' })).toBeVisible()
  const reads = readsOf(page)
  for (const [name, paths] of [
    // First, because Top-up reads the same.
    ['Settings', ['/api/user/self']],
    ['Home', ['/api/home_page_content', '/api/log/self/series', '/api/user/available_models']],
    ['Docs', ['/api/about']],
    ['Top-up', ['/api/user/self', '/api/log/self/?type=1']],
    ['Playground', ['/api/token/?size=100', '/api/model/']],
    ['Logs', ['/api/log/?', '/api/log/series?']],
    ['Dashboard', ['/api/log/times?', '/api/channel/board', '/api/channel/health']],
  ] as const) {
    reads.length = 0
    // What was read within the last five seconds is not read again.
    await page.clock.fastForward(6_000)
    await menuLink(page, name).hover()
    for (const path of paths)
      await expect.poll(() => reads.filter((read) => read.startsWith(path)).length, `${name}: ${path}`).toBeGreaterThan(0)
  }
})

test('the focus of a link loads the same, and opening the log calls neither its rows nor its chart again', async ({ page, gateway }) => {
  await gateway.ask('logs', [logRow(gateway.root, { created_at: Math.floor(Date.now() / 1000) - 60 })])
  await page.goto('/about')
  const reads = readsOf(page)
  await menuLink(page, 'Logs').focus()
  await expect.poll(() => reads.filter((read) => /^\/api\/log\/(?:series)?\?/.test(read)).length).toBe(2)
  await page.waitForLoadState('networkidle')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Logs', level: 1 })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Over time' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(reads.filter((read) => /^\/api\/log\/(?:series)?\?/.test(read))).toHaveLength(2)
})

test('a form that was loaded while its link was pointed at shows what is stored when it opens', async ({ page, gateway }) => {
  const id = await makeChannel(gateway, 'before')
  await page.goto('/channel')
  const reads = readsOf(page)
  const edit = page.getByRole('link', { name: 'Edit before' })
  await expect(edit).toBeVisible()
  const responded = page.waitForResponse(`**/api/channel/${id}`)
  await edit.hover()
  await responded
  // The page has taken the response, which is then older than what is stored.
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  await gateway.api('/api/channel/', { method: 'PUT', body: { id, name: 'after' } })
  // A press would give the link the focus, which loads too, and ends before or after the form opens.
  await edit.dispatchEvent('click')
  await expect(page.getByRole('textbox', { name: /^Name/ })).toHaveValue('after')
  await page.waitForLoadState('networkidle')
  expect(reads.filter((read) => read === `/api/channel/${id}`)).toHaveLength(2)
})

test('a form whose call is on its way when its link is pressed sends no second one', async ({ page, gateway }) => {
  const id = await makeChannel(gateway, 'demo')
  await page.goto('/channel')
  const reads = readsOf(page)
  const edit = page.getByRole('link', { name: 'Edit demo' })
  await expect(edit).toBeVisible()
  const response = await hold(page, `**/api/channel/${id}`)
  const rowRequest = page.waitForRequest(`**/api/channel/${id}`)
  await edit.hover()
  await rowRequest
  await edit.click()
  await expect(page.getByRole('heading', { level: 1, name: 'Edit channel' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: /^Name/ })).toHaveCount(0)
  response()
  await expect(page.getByRole('textbox', { name: /^Name/ })).toHaveValue('demo')
  await page.waitForLoadState('networkidle')
  expect(reads.filter((read) => read === `/api/channel/${id}`)).toHaveLength(1)
})

test.describe('a form that cannot be read', () => {
  test.use({ tolerated: /ERR_FAILED|Failed to load resource/ })

  test('is not filled with what was read before', async ({ page, gateway }) => {
    const id = await makeChannel(gateway, 'demo')
    await page.goto(`/channel/edit/${id}`)
    const field = page.getByRole('textbox', { name: /^Name/ })
    await expect(field).toHaveValue('demo')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.route(`**/api/channel/${id}`, (route) => route.abort())
    await page.getByRole('link', { name: 'Edit demo' }).click()
    await expect(page.getByText('Could not load this content')).toBeVisible()
    await expect(field).toHaveCount(0)
    await page.unroute(`**/api/channel/${id}`)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(field).toHaveValue('demo')
  })
})

test('a tab of the settings that is pointed at loads its code and its options; the first page of a visit calls each once', async ({
  page,
}) => {
  const reads = readsOf(page)
  await page.goto('/setting')
  await expect(page.getByRole('heading', { name: 'Login methods' })).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(reads.filter((read) => read === '/api/user/self')).toHaveLength(1)
  reads.length = 0
  const code = page.waitForRequest(/system-tab/)
  await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('link', { name: 'System' }).hover()
  await code
  await expect.poll(() => reads).toContain('/api/option/')
})
