import type { Page } from '@playwright/test'
import { expectAccessible } from './support/axe.ts'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { logRow } from './support/log-rows.ts'
import { expect, signIn, test } from './support/test.ts'

const hour = 3_600
const now = Date.UTC(2026, 10, 21, 10, 30, 0)
const nowSeconds = now / 1000
const thisHour = nowSeconds - 1_800

/** Requests of two models in three hours, and of the day before. */
async function fill(gateway: Gateway): Promise<void> {
  const row = (createdAt: number, more: Parameters<typeof logRow>[1]) =>
    logRow(gateway.root, { created_at: createdAt, model_name: 'gpt-4o', quota: 500_000, elapsed_ms: 800, first_byte_ms: 200, ...more })
  await gateway.ask('logs', [
    row(thisHour + 60, { cost: 375_000 }),
    row(thisHour + 120, { model_name: 'claude-sonnet-4-5', elapsed_ms: 3_000, quota: 1_000_000, cost: 1_250_000 }),
    row(thisHour - hour, {}),
    row(thisHour - 3 * hour, { end_reason: 'failed', content: 'failed: upstream_timeout', quota: 0, elapsed_ms: 40_000 }),
    row(thisHour - 30 * hour, {}),
    row(thisHour - 30 * hour, {}),
  ])
}

async function open(page: Page, gateway: Gateway, query = '?range=24h'): Promise<void> {
  await page.clock.setFixedTime(now)
  await signIn(page, gateway, gateway.root)
  await page.goto(`/dashboard${query}`)
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
}

const card = (page: Page, label: string) => page.getByRole('list', { name: 'Summary' }).getByRole('listitem').filter({ hasText: label })
const chart = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test.describe('the dashboard', () => {
  test('sums up a day beside the day before', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway)
    await expect(card(page, 'Requests')).toContainText('4')
    await expect(card(page, 'Requests')).toContainText('100%')
    await expect(card(page, 'Charged')).toContainText('$4.00')
    await expect(card(page, 'Failed')).toContainText('25%')
    await expect(card(page, 'Duration')).toContainText('1.00 s')
    await expect(card(page, 'Duration')).toContainText(/p95: 5\d\.\d s/)
    await expect(card(page, 'First byte')).toContainText('125 ms')
    await expect(card(page, 'First byte')).toContainText(/p95: 2\d\d ms/)
  })

  test('is loaded while the menu is pointed at, so that opening it makes no further call', async ({ page, gateway }) => {
    await fill(gateway)
    await page.clock.setFixedTime(now)
    await signIn(page, gateway, gateway.root)
    await page.goto('/about')
    const reads: string[] = []
    page.on('request', (request) =>
      /\/api\/(?:log\/(?:series|times)\?|model\/$)/.test(request.url()) ? reads.push(request.url()) : undefined,
    )
    const menu = page.getByRole('navigation', { name: 'Main menu' })
    for (const [link, calls] of [
      ['Dashboard', 4],
      ['Models', 1],
    ] as const) {
      reads.length = 0
      await menu.getByRole('link', { name: link, exact: true }).hover()
      await expect.poll(() => reads.length).toBe(calls)
      await page.waitForLoadState('networkidle')
      await menu.getByRole('link', { name: link, exact: true }).click()
      await expect(page.getByRole('heading', { name: link, level: 1 })).toBeVisible()
      if (link === 'Dashboard') await expect(chart(page, 'Usage').getByRole('list', { name: 'Legend' }).getByRole('button')).toHaveCount(2)
      await page.waitForLoadState('networkidle')
      expect(reads).toHaveLength(calls)
    }
  })

  test('reads everything again when it is refreshed, within the same hour', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway)
    await expect(card(page, 'Requests')).toContainText('4')
    await gateway.ask('logs', [logRow(gateway.root, { created_at: thisHour + 180, model_name: 'gpt-4o' })])
    await page.getByRole('main').getByRole('button', { name: 'Refresh' }).click()
    await expect(card(page, 'Requests')).toContainText('5')
  })

  test('splits usage by model or channel, and keeps the choice in the address', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway)
    const usage = chart(page, 'Usage')
    const legend = usage.getByRole('list', { name: 'Legend' })
    await expect(legend.getByRole('button')).toHaveText(['gpt-4o3', 'claude-sonnet-4-51'])
    await usage.getByRole('button', { name: 'Charged', exact: true }).click()
    await expect(page).toHaveURL(/metric=quota/)
    await expect(legend.getByRole('button')).toHaveText(['gpt-4o$2.00', 'claude-sonnet-4-5$2.00'])
    await usage.getByRole('combobox', { name: /^Group by/ }).click()
    await page.getByRole('option', { name: 'User' }).click()
    await expect(page).toHaveURL(/group=user/)
    await expect(legend.getByRole('button')).toHaveText(['root$4.00'])
  })

  test('shows administrators what vendors charge and what is left, and marks losses', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway)
    await expect(card(page, 'Vendor cost')).toContainText('$3.25')
    // One of three requests has no known cost.
    await expect(card(page, 'Margin')).toContainText('-$0.25')
    await expect(card(page, 'Margin').getByTitle('Based on the 75% of charges with known cost')).toBeVisible()
    const table = page.getByRole('region', { name: 'Usage by Model' })
    await expect(table.getByRole('row', { name: /^claude/ })).toContainText(/\$2\.00\$2\.50Loss -\$0\.50 -25%/)
    await expect(table.getByRole('row', { name: /^gpt-4o/ })).toContainText(/\$2\.00\$0\.75 \$0\.25 25%/)
    await chart(page, 'Usage').getByRole('button', { name: 'Vendor cost', exact: true }).click()
    await expect(page).toHaveURL(/metric=cost/)
    await expect(chart(page, 'Usage').getByRole('list', { name: 'Legend' }).getByRole('button')).toHaveText([
      'claude-sonnet-4-5$2.50',
      'gpt-4o$0.75',
    ])
  })

  test('says that the vendor cost is not known where no request has one', async ({ page, gateway }) => {
    await gateway.ask('logs', [logRow(gateway.root, { created_at: thisHour + 60, model_name: 'gpt-4o', quota: 500_000 })])
    await open(page, gateway)
    await expect(card(page, 'Vendor cost')).toHaveText(/Vendor cost\s*Unknown/)
    await expect(card(page, 'Margin')).toHaveText(/Margin\s*Unknown/)
    await chart(page, 'Usage').getByRole('button', { name: 'Vendor cost', exact: true }).click()
    await expect(chart(page, 'Usage').getByText('The vendor cost of these requests is unknown.')).toBeVisible()
  })

  test('has a table and a file of each chart, and a legend that hides', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway, '?range=24h&zone=utc')
    const usage = chart(page, 'Usage')
    await usage.getByRole('button', { name: 'Usage as a table' }).click()
    const table = usage.getByRole('table')
    await expect(table.getByRole('row').nth(1)).toHaveText(/2026-11-21 10:00–11:00\s*211/)
    await usage.getByRole('button', { name: /^gpt-4o/ }).click()
    await expect(table.getByRole('columnheader')).toHaveText(['Time', 'Total', 'claude-sonnet-4-5'])
    const download = page.waitForEvent('download')
    await usage.getByRole('button', { name: 'Save Usage as CSV' }).click()
    const stream = await (await download).createReadStream()
    const text = Buffer.concat(await stream.toArray()).toString('utf8')
    expect(text.split('\r\n').slice(0, 1)).toEqual(['\uFEFFTime,gpt-4o,claude-sonnet-4-5'])
    expect(text).toContain('2026-11-21 10:00–11:00,1,1')
  })

  test('opens the log of a bar by pointer and by keyboard, and narrows the time by a drag', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway)
    const bars = chart(page, 'Usage').getByRole('img', { name: 'Usage' })
    const box = await bars.boundingBox()
    if (box === null) throw new Error('the chart has no size')
    const at = (bar: number, height: number) => [box.x + ((bar + 0.5) / 25) * box.width, box.y + box.height * (1 - height)] as const
    await page.mouse.click(...at(24, 0.05))
    await expect(page).toHaveURL(new RegExp(`/log\\?.*start=${thisHour}&end=${thisHour + hour - 1}&model=gpt-4o`))
    await page.goBack()
    await expect(bars).toBeVisible()
    await chart(page, 'Usage')
      .getByRole('group', { name: /arrow keys/ })
      .press('End')
    await expect(chart(page, 'Usage').locator('[aria-live]')).toHaveText(/, 2, /)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`/log\\?.*start=${thisHour}&end=${thisHour + hour - 1}$`))
    await page.goBack()
    await expect(bars).toBeVisible()
    await page.mouse.move(...at(20, 0.5))
    await page.mouse.down()
    await page.mouse.move(...at(24, 0.5), { steps: 4 })
    await page.mouse.up()
    await expect(page).toHaveURL(new RegExp(`start=${thisHour - 4 * hour}&end=${thisHour + hour}`))
    await expect(card(page, 'Requests')).toContainText('4')
    await page.getByRole('button', { name: /show all$/ }).click()
    await expect(page).not.toHaveURL(/start=/)
  })

  test('opens the log of a part of a bar of durations', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway)
    const durations = chart(page, 'Durations').getByRole('img', { name: 'Durations' })
    await durations.scrollIntoViewIfNeeded()
    const box = await durations.boundingBox()
    if (box === null) throw new Error('the chart has no size')
    // The last hour has a request of 800 ms and, above it, one of 3 s.
    await page.mouse.click(box.x + (24.5 / 25) * box.width, box.y + box.height * 0.95)
    await expect(page).toHaveURL(new RegExp(`/log\\?.*start=${thisHour}&end=${thisHour + hour - 1}&duration=elapsed_1000`))
    await expect(page.locator('[data-row]')).toHaveCount(1)
    await expect(page.locator('[data-row]')).toContainText('gpt-4o')
    await expect(page.getByText('The chart can’t be filtered by duration.')).toBeVisible()
    await page.getByRole('button', { name: 'Remove filter Duration' }).click()
    await expect(page.locator('[data-row]')).toHaveCount(2)
  })

  test('opens the log of failures from their bars, their shares and their metric', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway)
    const ends = chart(page, 'Incomplete and failed requests')
    await expect(ends.getByRole('list', { name: 'Legend' }).getByRole('button')).toHaveText(['upstream_timeout1'])
    await ends.getByRole('button', { name: 'Incomplete and failed requests as a table' }).click()
    await ends.getByRole('button', { name: /^Logs for/ }).click()
    await expect(page).toHaveURL(/\/log\?.*outcome=broken/)
    await expect(page.locator('[data-row]')).toHaveCount(1)
    await expect(page.getByText('The chart can’t be filtered by outcome.')).toBeVisible()
    await page.getByRole('button', { name: 'Remove filter Outcome' }).click()
    await expect(page).not.toHaveURL(/outcome/)
    await page.goBack()
    await page.goBack()
    // A part of a bar opens the requests with its code.
    const bars = ends.getByRole('img', { name: 'Incomplete and failed requests' })
    await bars.scrollIntoViewIfNeeded()
    const box = await bars.boundingBox()
    if (box === null) throw new Error('the chart has no size')
    await page.mouse.click(box.x + (21.5 / 25) * box.width, box.y + box.height * 0.95)
    await expect(page).toHaveURL(/\/log\?.*error=upstream_timeout/)
    await expect(page.locator('[data-row]')).toHaveCount(1)
    await page.getByRole('button', { name: 'Remove filter Error code' }).click()
    await expect(page).not.toHaveURL(/error=/)
    await page.goBack()
    await page.goBack()
    await page
      .getByRole('region', { name: 'Usage by Model' })
      .getByRole('row', { name: /^gpt-4o/ })
      .getByRole('link', { name: '33%' })
      .click()
    await expect(page).toHaveURL(/\/log\?.*outcome=failures/)
    await expect(page.locator('[data-row]')).toHaveCount(1)
    await page.goBack()
    await chart(page, 'Usage').getByRole('button', { name: 'Failures', exact: true }).click()
    const usage = chart(page, 'Usage').getByRole('group', { name: /arrow keys/ })
    await usage.press('End')
    for (let press = 0; press < 3; press++) await usage.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/log\?.*outcome=failures/)
  })

  test('limits all charts to a model, a channel, an account or a token, and keeps that as a saved view', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway)
    const table = page.getByRole('region', { name: 'Usage by Model' })
    await table.getByRole('button', { name: 'Show only claude-sonnet-4-5' }).click()
    await expect(page).toHaveURL(/model=claude-sonnet-4-5/)
    await expect(card(page, 'Requests')).toContainText('1')
    await expect(card(page, 'Duration')).toContainText('2.83 s')
    await expect(chart(page, 'Usage').getByRole('list', { name: 'Legend' }).getByRole('button')).toHaveText(['claude-sonnet-4-51'])
    await page.keyboard.press('f')
    await page.getByRole('dialog').getByRole('button', { name: 'User' }).click()
    await page.getByRole('dialog').getByLabel('User').fill('nobody')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/user=nobody/)
    await expect(page.getByText('Latency and results are available by model, channel or user')).toBeVisible()
    await expect(card(page, 'Requests')).toContainText('0')
    await page.getByRole('button', { name: 'Remove filter Model' }).click()
    await expect(page.getByText('Latency and results are available by model')).toHaveCount(0)
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Manage views…' }).click()
    const views = page.getByRole('dialog')
    await expect(views).toBeVisible()
    await expectAccessible(page)
    await views.press('Escape')
    await expect(views).toHaveCount(0)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect(card(page, 'Requests')).toContainText('4')
    await page.goto('/dashboard?range=24h&model=claude-sonnet-4-5')
    await chart(page, 'Usage')
      .getByRole('group', { name: /arrow keys/ })
      .press('End')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/log\?.*model=claude-sonnet-4-5/)
  })

  test('has a file of the sums', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save Usage by Model as CSV' }).click()
    const stream = await (await download).createReadStream()
    const text = Buffer.concat(await stream.toArray()).toString('utf8')
    expect(text.split('\r\n').slice(0, 3)).toEqual([
      '\uFEFFModel,Requests,Tokens,Input tokens,Output tokens,Charged,Vendor cost,Margin,Failed',
      'gpt-4o,3,0,0,0,1000000,375000,125000,1',
      'claude-sonnet-4-5,1,0,0,0,1000000,1250000,-250000,0',
    ])
  })

  test('shows administrators the state of each channel', async ({ page, gateway }) => {
    const id = await makeChannel(gateway, 'Anthropic', { models: 'claude-sonnet-4-5' })
    const tested = { channel_id: id, created_time: thisHour, model: 'claude-sonnet-4-5', elapsed_ms: 800, message: '' }
    await gateway.ask(
      'channelTests',
      [0, 1, 1].map((passed) => ({ ...tested, passed })),
    )
    const circuit = { channel: id, kind: 'chat', model: 'claude-sonnet-4-5', state: 'open', rest_seconds: 30, tokens: 0 }
    await page.route('**/api/channel/health', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), data: [circuit] } })
    })
    await open(page, gateway)
    const board = page.getByRole('region', { name: 'Channels', exact: true })
    await expect(board.getByRole('link', { name: 'Anthropic' })).toHaveAttribute('href', `/channel/edit/${id}`)
    await expect(board.getByText('Enabled')).toBeVisible()
    await expect(board.getByRole('img', { name: /^2 of 3 tests passed/ })).toBeVisible()
    await expect(board.getByTitle('Deprioritized for 30 s after failures: claude-sonnet-4-5 (chat)')).toHaveText('Failing')
  })

  test('has every channel on its board, those with trouble first, page by page', async ({ page, gateway }) => {
    const keys = Array.from({ length: 40 }, (_, index) => `sk-${index}`).join('\n')
    const broken = await makeChannel(gateway, 'broken', {})
    await makeChannel(gateway, 'fine', { key: keys })
    await gateway.api('/api/channel/', { method: 'PUT', body: { id: await makeChannel(gateway, 'off', {}), status: 2 } })
    const failed = { created_time: thisHour, model: 'gpt-4o-mini', passed: 0, elapsed_ms: 5, message: 'broken' }
    await gateway.ask('channelTests', [{ channel_id: broken, ...failed }])
    await open(page, gateway)
    const board = chart(page, 'Channels')
    const tiles = board.getByRole('link')
    await expect(board.getByRole('button', { name: /^(?:All|Failing|Healthy|Disabled) / })).toHaveText([
      'All 42',
      'Failing 1',
      'Healthy 40',
      'Disabled 1',
    ])
    await expect(tiles).toHaveCount(30)
    await expect(tiles.first()).toHaveText('broken')
    await board.getByRole('button', { name: 'Page 2' }).click()
    await expect(tiles).toHaveCount(12)
    await expect(tiles.last()).toHaveText('off')
    await board.getByRole('button', { name: 'Failing 1' }).click()
    await expect(tiles).toHaveText(['broken'])
    await expectAccessible(page)
  })

  test('shows the previous period beside the bars, as a line, in the table and in the file', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway, '?range=24h&zone=utc')
    const usage = chart(page, 'Usage')
    const legend = usage.getByRole('list', { name: 'Legend' })
    await expect(legend.getByText('Previous period')).toHaveCount(0)
    await usage.getByRole('button', { name: 'Compare to previous' }).click()
    await expect(page).toHaveURL(/compare=before/)
    await expect(legend.getByRole('listitem').last()).toHaveText('Previous period2')
    const keys = usage.getByRole('group', { name: /arrow keys/ })
    await keys.press('Home')
    for (let steps = 0; steps < 20; steps += 1) await keys.press('ArrowRight')
    await expect(usage.locator('[aria-live]')).toHaveText(/2026-11-21 06:00–07:00, 0, Previous period 0$/)
    await expectAccessible(page)
    await usage.getByRole('button', { name: 'Usage as a table' }).click()
    await expect(usage.getByRole('columnheader')).toHaveText(['Time', 'Total', 'Previous period', 'gpt-4o', 'claude-sonnet-4-5'])
    const download = page.waitForEvent('download')
    await usage.getByRole('button', { name: 'Save Usage as CSV' }).click()
    const text = Buffer.concat(await (await (await download).createReadStream()).toArray()).toString('utf8')
    expect(text.split('\r\n')[0]).toBe('\uFEFFTime,gpt-4o,claude-sonnet-4-5,Previous period')
    // Without all lines there is nothing to compare with.
    await legend.getByRole('button', { name: /^claude/ }).click()
    await expect(usage.getByRole('columnheader')).toHaveText(['Time', 'Total', 'gpt-4o'])
  })

  test('sums what the bars count, and opens the log up to a bar', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway, '?range=24h&zone=utc')
    const usage = chart(page, 'Usage')
    await usage.getByRole('button', { name: 'Cumulative' }).click()
    await expect(page).toHaveURL(/sum=running/)
    await expect(usage.getByRole('list', { name: 'Legend' }).getByRole('button')).toHaveText(['gpt-4o3', 'claude-sonnet-4-51'])
    await usage.getByRole('button', { name: 'Usage as a table' }).click()
    await expect(usage.getByRole('row').nth(1)).toHaveText(/2026-11-21 10:00–11:00\s*431/)
    await expect(usage.getByRole('row').nth(2)).toHaveText(/2026-11-21 09:00–10:00\s*22/)
    await usage.getByRole('button', { name: 'Logs for 2026-11-21 09:00–10:00' }).click()
    await expect(page).toHaveURL(new RegExp(`/log\\?.*start=${thisHour - 24 * hour}&end=${thisHour - 1}`))
  })

  test('has bars of hours or days, and as many lines as are chosen, and keeps both in the address', async ({ page, gateway }) => {
    const names = Array.from({ length: 7 }, (_, index) => `model-${index}`)
    await gateway.ask(
      'logs',
      names.map((name, index) => logRow(gateway.root, { created_at: thisHour + 60, model_name: name, quota: 1_000 * (10 - index) })),
    )
    await open(page, gateway, '?range=7d')
    const usage = chart(page, 'Usage')
    const lines = usage.getByRole('list', { name: 'Legend' }).getByRole('button')
    await expect(lines).toHaveCount(7)
    await usage.getByRole('combobox', { name: /^Show top/ }).click()
    await page.getByRole('option', { name: '5', exact: true }).click()
    await expect(page).toHaveURL('/dashboard?range=7d&lines=5')
    await expect(lines).toHaveText([...names.slice(0, 5).map((name) => `${name}1`), 'All others2'])
    await usage.getByRole('button', { name: 'Usage as a table' }).click()
    const times = usage.getByRole('rowheader')
    await expect(times.first()).toHaveText(/^\d{4}-\d{2}-\d{2}$/)
    await page.getByRole('combobox', { name: /^Interval/ }).click()
    await page.getByRole('option', { name: 'Hour' }).click()
    await expect(page).toHaveURL(/by=hour/)
    await expect(times.first()).toHaveText(/^\d{4}-\d{2}-\d{2} \d{2}:00–\d{2}:00$/)
    await page.reload()
    await expect(page.getByRole('combobox', { name: 'Interval: Hour' })).toBeVisible()
    await expect(lines).toHaveCount(6)
  })

  test('draws what went in and what came out, and opens the log of a bar of it', async ({ page, gateway }) => {
    const row = (more: Parameters<typeof logRow>[1]) => logRow(gateway.root, { created_at: thisHour + 60, model_name: 'gpt-4o', ...more })
    await gateway.ask('logs', [
      row({ prompt_tokens: 1_200, completion_tokens: 30 }),
      row({ prompt_tokens: 800, completion_tokens: 10, model_name: 'o1' }),
    ])
    await open(page, gateway)
    await expect(card(page, 'Tokens')).toContainText('2000 in, 40 out')
    const tokens = chart(page, 'Input and output tokens')
    await expect(tokens.getByRole('list', { name: 'Legend' }).getByRole('button')).toHaveText(['Input tokens2000', 'Output tokens40'])
    await tokens.getByRole('group', { name: /arrow keys/ }).press('End')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`/log\\?.*start=${thisHour}&end=${thisHour + hour - 1}$`))
    await expect(page.locator('[data-row]')).toHaveCount(2)
  })

  test('shows today so far, any custom range, and days of any zone', async ({ page, gateway }) => {
    await fill(gateway)
    await open(page, gateway, '')
    await page.getByRole('button', { name: 'Today' }).click()
    await expect(page).toHaveURL(/range=today/)
    await expect(card(page, 'Requests')).toContainText('vs. yesterday so far')
    await expect(card(page, 'Requests')).toContainText('4')
    await page.getByRole('combobox', { name: /^Time zone/ }).click()
    await page.getByRole('combobox', { name: 'Search' }).fill('shanghai')
    await page.getByRole('option', { name: 'Asia/Shanghai' }).click()
    await expect(page).toHaveURL(/zone=Asia%2FShanghai/)
    const usage = chart(page, 'Usage')
    await usage.getByRole('button', { name: 'Usage as a table' }).click()
    await expect(usage.getByRole('rowheader').first()).toHaveText('2026-11-21 18:00–19:00')
    await page.getByRole('button', { name: 'Custom range' }).click()
    const dates = page.getByRole('dialog', { name: 'Custom range' })
    await expect(dates.getByText('Time zone: Asia/Shanghai')).toBeVisible()
    await dates.getByRole('textbox', { name: 'To' }).fill('2026-11-19')
    await dates.getByRole('button', { name: 'Apply' }).click()
    await expect(dates.getByText(/^End must be after start/)).toBeVisible()
    await dates.getByRole('textbox', { name: 'From' }).fill('2026-11-20')
    await dates.getByRole('textbox', { name: 'To' }).fill('2026-11-20')
    await expectAccessible(page)
    await dates.getByRole('textbox', { name: 'To' }).press('Enter')
    const [start, end] = ['2026-11-19T16:00:00Z', '2026-11-20T16:00:00Z'].map((text) => Date.parse(text) / 1000)
    await expect(page).toHaveURL(new RegExp(`start=${start}&end=${end}`))
    // The requests of thirty hours ago.
    await expect(card(page, 'Requests')).toContainText('2')
    await page.getByRole('button', { name: 'This month' }).click()
    await expect(card(page, 'Requests')).toContainText('6')
  })

  test('shows users what they use themselves, and no channel', async ({ page, gateway }) => {
    await fill(gateway)
    const ann = await gateway.ask('user', { role: 1 })
    await gateway.ask('logs', [logRow(ann, { created_at: thisHour, model_name: 'o1' })])
    await page.clock.setFixedTime(now)
    await signIn(page, gateway, ann, 1)
    await page.goto('/dashboard?range=24h&group=channel&metric=cost')
    await expect(chart(page, 'Usage').getByRole('list', { name: 'Legend' }).getByRole('button')).toHaveText(['o11'])
    await chart(page, 'Usage')
      .getByRole('combobox', { name: /^Group by/ })
      .click()
    await expect(page.getByRole('option')).toHaveText(['Model', 'Token'])
    await expect(page.getByRole('region', { name: 'Channels', exact: true })).toHaveCount(0)
    await expect(card(page, 'Cost')).toBeVisible()
    await expect(page.getByText(/Vendor cost|Margin/)).toHaveCount(0)
  })

  test('says that a chart could not be loaded, and loads it again', async ({ page, gateway }) => {
    await fill(gateway)
    await page.route('**/api/log/series?*', (route) => route.fulfill({ status: 500, json: {} }))
    await open(page, gateway)
    await expect(chart(page, 'Usage').getByText('The chart could not be loaded.')).toBeVisible()
    await expect(card(page, 'Requests')).toHaveText('Requests–')
    await page.unrouteAll()
    await chart(page, 'Usage').getByRole('button', { name: 'Retry' }).click()
    await expect(chart(page, 'Usage').getByRole('list', { name: 'Legend' })).toBeVisible()
    await expect(card(page, 'Requests')).toContainText('4')
  })
})
