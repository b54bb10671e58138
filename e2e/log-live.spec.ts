import type { Page } from '@playwright/test'
import type { Gateway } from './support/gateway.ts'
import { logRow } from './support/log-rows.ts'
import { expect, signIn, test, untilResponse } from './support/test.ts'

const now = Date.UTC(2026, 10, 21, 10, 0, 0)
const nowSeconds = now / 1000

const rows = (page: Page) => page.getByRole('table', { name: 'Logs' }).locator('tbody').getByRole('row')
const waiting = (page: Page, count: number) => page.getByRole('button', { name: `${count} new`, exact: true })

async function write(gateway: Gateway, ...contents: readonly string[]): Promise<void> {
  await gateway.ask(
    'logs',
    contents.map((content) => logRow(gateway.root, { content, model_name: 'gpt-4o', created_at: nowSeconds })),
  )
}

/** Opens a log that has a row and is watched. The clock of the page stands still. */
async function watch(page: Page, gateway: Gateway, query = ''): Promise<void> {
  await page.clock.install({ time: now })
  await signIn(page, gateway, gateway.root)
  await write(gateway, 'the first row')
  await page.goto(`/log${query}`)
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Live', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Live', exact: true })).toHaveAttribute('aria-pressed', 'true')
  await expect(page).toHaveURL(/live=on/)
}

/** Lets the page's clock go on to the next call for new rows. */
async function nextCall(page: Page, afterMs = 5_000): Promise<void> {
  await untilResponse(page, '/api/log/tail', () => page.clock.runFor(afterMs))
}

test.describe('a watched log', () => {
  test('asks for new rows only, one call every five seconds, and adds them at the top', async ({ page, gateway }) => {
    await watch(page, gateway, '?model=gpt-4o')
    await page.clock.pauseAt(now + 60_000)
    const calls: URLSearchParams[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (/^\/api\/log\/(?:tail)?$/.test(pathname)) calls.push(searchParams)
    })
    await write(gateway, 'the second row')
    await gateway.ask('logs', [logRow(gateway.root, { content: 'of another model', model_name: 'other', created_at: nowSeconds })])
    await nextCall(page)
    await expect(rows(page)).toHaveCount(2)
    await expect(rows(page).first()).toContainText('the second row')
    await nextCall(page)
    await write(gateway, 'the third row')
    await nextCall(page)
    await expect(rows(page).first()).toContainText('the third row')
    await expect(rows(page)).toHaveCount(3)
    expect(calls).toHaveLength(3)
    for (const call of calls) expect(call.get('model_name')).toBe('gpt-4o')
    const since = calls.map((call) => Number(call.get('since')))
    // Those that it has are not requested again: each call names the last row that it knew.
    expect(since[2]).toBe(since[1])
    expect(since[1]).toBeGreaterThan(since[0] ?? 0)
    await page.clock.runFor(4_900)
    expect(calls).toHaveLength(3)
    await nextCall(page, 100)
    expect(calls).toHaveLength(4)
    expect(Number(calls[3]?.get('since'))).toBeGreaterThan(since[2] ?? 0)
    await page.getByRole('button', { name: 'Live', exact: true }).click()
    await expect(page).toHaveURL('/log?model=gpt-4o')
  })

  test('lets new rows wait while the pointer is over the rows, and shows them at a press', async ({ page, gateway }) => {
    await watch(page, gateway)
    await rows(page).first().hover()
    await write(gateway, 'two', 'three')
    await nextCall(page)
    await expect(waiting(page, 2)).toBeVisible()
    await expect(rows(page)).toHaveCount(1)
    await waiting(page, 2).click()
    await expect(rows(page)).toHaveCount(3)
    await expect(waiting(page, 2)).toHaveCount(0)
    await write(gateway, 'four')
    await nextCall(page)
    await expect(waiting(page, 1)).toBeVisible()
    await page.getByRole('heading', { name: 'Logs' }).hover()
    await expect(rows(page)).toHaveCount(4)
  })

  test('lets new rows wait while a row is open, text is selected, or it is paused by keyboard', async ({ page, gateway }) => {
    await watch(page, gateway)
    const details = rows(page)
      .filter({ hasText: 'the first row' })
      .getByRole('button', { name: /^Details/ })
    await details.press('Enter')
    await write(gateway, 'two')
    await nextCall(page)
    // Behind the open row.
    await expect(page.locator('[data-waiting]')).toHaveText('1 new')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).press('Enter')
    await expect(rows(page)).toHaveCount(2)
    // A key that is pressed before the focus is back would go to another button.
    await expect(details).toBeFocused()
    await page.getByRole('button', { name: 'Pause', exact: true }).press('Enter')
    await expect(page.getByRole('button', { name: 'Resume', exact: true })).toBeVisible()
    await write(gateway, 'three')
    await nextCall(page)
    await expect(waiting(page, 1)).toBeVisible()
    await page.getByRole('button', { name: 'Resume', exact: true }).press('Enter')
    await expect(rows(page)).toHaveCount(3)
    await page.getByRole('cell', { name: 'the first row' }).selectText()
    await write(gateway, 'four')
    await nextCall(page)
    await expect(waiting(page, 1)).toBeVisible()
    await expect(rows(page)).toHaveCount(3)
  })

  test('asks nothing while its tab is hidden, and then lets what came wait', async ({ page, gateway }) => {
    await watch(page, gateway)
    const show = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, isHidden)
    await show(true)
    let count = 0
    page.on('request', (request) => {
      if (request.url().includes('/api/log/tail')) count += 1
    })
    await write(gateway, 'two')
    await page.clock.runFor(60_000)
    expect(count).toBe(0)
    await show(false)
    await expect(waiting(page, 1)).toBeVisible()
    expect(count).toBe(1)
  })

  test('says that the server does not respond, asks less often, and goes on when it does', async ({ page, gateway }) => {
    await watch(page, gateway)
    await page.route('**/api/log/tail?*', (route) => route.fulfill({ status: 502, json: {} }))
    await page.clock.runFor(5_000)
    await expect(page.getByText(/^No response from the server\. Retrying at 11:\d\d:\d\d\.$/)).toBeVisible()
    await write(gateway, 'two')
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(rows(page)).toHaveCount(2)
    await expect(page.getByText(/^No response/)).toHaveCount(0)
  })
})

test.describe('the chart of the log', () => {
  const hour = 3_600

  test('counts requests by time, and narrows the log to the time of a bar', async ({ page, gateway }) => {
    await page.clock.setFixedTime(now)
    const at = (hoursAgo: number, end_reason = 'complete') =>
      logRow(gateway.root, { model_name: 'gpt-4o', created_at: nowSeconds - hoursAgo * hour + 60, quota: 500_000, end_reason })
    await gateway.ask('logs', [at(20), at(20, 'failed'), at(5), at(3)])
    await signIn(page, gateway, gateway.root)
    const series: URLSearchParams[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname === '/api/log/series') series.push(searchParams)
    })
    await page.goto('/log?range=24h&model=gpt-4o')
    const chart = page.getByRole('region', { name: 'Over time', exact: true })
    await expect(chart.getByText('hourly · 4 requests')).toBeVisible()
    await expect(chart.getByRole('img', { name: /^Requests from 2026-11-20 11:00 to 2026-11-21 12:00\. Peak: 2/ })).toBeVisible()
    expect(series).toHaveLength(1)
    expect(Object.fromEntries(series[0] ?? [])).toMatchObject({ bucket: 'hour', zone: 'Europe/Berlin', model_name: 'gpt-4o' })
    await chart.getByRole('button', { name: 'Show as table' }).click()
    const table = chart.getByRole('table')
    await expect(table.getByRole('row')).toHaveText([/Time/, /08:00–09:001\$1\.00/, /06:00–07:001\$1\.00/, /15:00–16:0021\$2\.00/])
    await table.getByRole('button', { name: /15:00–16:00/ }).click()
    const start = nowSeconds - 20 * hour
    await expect(page).toHaveURL(`/log?model=gpt-4o&start=${start}&end=${start + hour - 1}`)
    await expect(rows(page)).toHaveCount(2)
    await expect(chart.getByText('hourly · 2 requests')).toBeVisible()
  })

  test('narrows the log to the bars that are dragged over, and Back returns', async ({ page, gateway }) => {
    await page.clock.setFixedTime(now)
    await gateway.ask(
      'logs',
      Array.from({ length: 8 }, (_, index) => logRow(gateway.root, { created_at: nowSeconds - index * 3 * hour })),
    )
    await signIn(page, gateway, gateway.root)
    await page.goto('/log?range=24h')
    await expect(rows(page)).toHaveCount(8)
    const bars = page.getByRole('region', { name: 'Over time', exact: true }).getByRole('img')
    const box = (await bars.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const x = (bar: number) => box.x + (box.width * (bar + 0.5)) / 25
    await page.mouse.move(x(20), box.y + 20)
    await page.mouse.down()
    await page.mouse.move(x(24), box.y + 20, { steps: 4 })
    await page.mouse.up()
    await expect(page).toHaveURL(/start=\d+&end=\d+/)
    await expect(rows(page)).toHaveCount(2)
    await page.goBack()
    await expect(rows(page)).toHaveCount(8)
  })

  test('says what it does not count, and why it shows nothing', async ({ page, gateway }) => {
    await page.clock.setFixedTime(now)
    await gateway.ask('logs', [logRow(gateway.root, { type: 1, created_at: nowSeconds })])
    await signIn(page, gateway, gateway.root)
    await page.goto('/log?type=1')
    await expect(page.getByText('“Top-up” entries are not requests and are not charted.')).toBeVisible()
    await page.goto('/log')
    await expect(page.getByText('No requests in this period')).toBeVisible()
    await page.route('**/api/log/series?*', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto('/log?range=7d')
    await expect(page.getByText('The chart could not be loaded.')).toBeVisible()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByText('No requests in this period')).toBeVisible()
    await page.getByRole('button', { name: 'Hide the chart' }).click()
    await page.reload()
    await expect(page.getByRole('button', { name: 'Show the chart' })).toBeVisible()
    await expect(page.getByText('No requests in this period')).toHaveCount(0)
  })
})
