import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { busyLog, logRow } from './support/log-rows.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

/** The visible rows; the first is the table's head. */
const rows = (page: Page) => page.getByRole('table', { name: 'Logs' }).getByRole('row')
const heads = (page: Page) => page.getByRole('table', { name: 'Logs' }).getByRole('columnheader')

/** Records queries of the list and of its total from now on. */
function queriesOf(page: Page): readonly { readonly path: string; readonly query: Readonly<Record<string, string>> }[] {
  const queries: { path: string; query: Record<string, string> }[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    // The chart has tests of its own.
    if (pathname.startsWith('/api/log') && !pathname.endsWith('/series'))
      queries.push({ path: pathname, query: Object.fromEntries(searchParams) })
  })
  return queries
}

/** Opens the menu of the filters that are not set, and the fields of one. */
async function openFilter(page: Page, name: string) {
  await expect(page.getByRole('button', { name: 'Filter', exact: true })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('f')
  await page.getByRole('dialog', { name: 'Filter' }).getByRole('button', { name, exact: true }).click()
  return page.getByRole('dialog', { name, exact: true })
}

async function addFilter(page: Page, name: string, value: string): Promise<void> {
  const fields = await openFilter(page, name)
  await expect(fields.getByRole('textbox', { name })).toBeFocused()
  await page.keyboard.type(value)
  await page.keyboard.press('Enter')
  await expect(fields).toBeHidden()
}

async function exportCsv(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: /^CSV/ }).click()
}

/** The chip of a filter that is set. */
const chip = (page: Page, text: string) => page.getByRole('button', { name: text, exact: true })

const now = Date.UTC(2026, 10, 21, 10, 0, 0)
const nowSeconds = now / 1000

test.beforeEach(async ({ page }) => {
  await page.clock.setFixedTime(now)
})

test.describe('the query', () => {
  test('of administrators is for all users, from the first row to an hour from now', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    const queries = queriesOf(page)
    await page.goto('/log')
    await expect(page.getByText('No log entries yet')).toBeVisible()
    expect(queries).toEqual([
      {
        path: '/api/log/',
        query: {
          p: '0',
          size: '10',
          type: '0',
          token_name: '',
          model_name: '',
          request_id: '',
          username: '',
          channel: '0',
          start_timestamp: '0',
          end_timestamp: String(nowSeconds + 3_600),
        },
      },
    ])
  })

  test('of other users is for their own log, without channel and user', async ({ page, gateway }) => {
    await signIn(page, gateway, await gateway.ask('user', {}), 1)
    const queries = queriesOf(page)
    await page.goto('/log?user=root&channel=3')
    await expect(page.getByText('No log entries yet')).toBeVisible()
    await page.keyboard.press('f')
    await expect(page.getByRole('dialog', { name: 'Filter' }).getByRole('button')).toHaveText([
      'Token name',
      'Model name',
      'Request ID',
      'Outcome',
      'Error code',
      'Duration',
      'Time',
    ])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Show the total' }).click()
    await expect(page.getByText('$0.00')).toBeVisible()
    expect(queries.map(({ path }) => path)).toEqual(['/api/log/self/', '/api/log/self/stat'])
    for (const { query } of queries) expect(Object.keys(query)).not.toEqual(expect.arrayContaining(['username']))
    for (const { query } of queries) expect(Object.keys(query)).not.toEqual(expect.arrayContaining(['channel']))
  })

  test('finds a request by its id, whose cost is the total', async ({ page, gateway }) => {
    const requestId = '019a7b1c-2f3e-7c4d-9a5b-6c7d8e9f0a1b'
    const others = ['a', 'b'].map((content) => logRow(gateway.root, { request_id: content, content, quota: 500_000 }))
    await gateway.ask('logs', [...others, logRow(gateway.root, { request_id: requestId, content: 'this one', quota: 1_000_000 })])
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    await addFilter(page, 'Request ID', requestId)
    await expect(page).toHaveURL(`/log?request=${requestId}`)
    await expect(rows(page)).toHaveCount(2)
    await expect(rows(page).nth(1)).toContainText('this one')
    await expect(page.getByText('The chart can’t be filtered by request ID.')).toBeVisible()
    await page.getByRole('button', { name: 'Show the total' }).click()
    await expect(page.getByText('$2.00').first()).toBeVisible()
  })

  test('has the values of the filters, and so has the address', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    await expect(page.getByText('No log entries yet')).toBeVisible()
    const queries = queriesOf(page)
    await addFilter(page, 'Token name', 'ci')
    await addFilter(page, 'Model name', 'gpt-4o')
    await addFilter(page, 'Username', 'ann')
    await addFilter(page, 'Channel ID', '7')
    const times = await openFilter(page, 'Time')
    await times.getByLabel('From').fill('2026-11-20 10:00:00')
    await times.getByLabel('To', { exact: true }).fill('2026-11-21 10:00:00')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Nothing matches these filters.')).toBeVisible()
    await expect.poll(() => queries).toHaveLength(5)
    const query = {
      token_name: 'ci',
      model_name: 'gpt-4o',
      username: 'ann',
      channel: '7',
      start_timestamp: String(nowSeconds - 25 * 3_600),
      end_timestamp: String(nowSeconds - 3_600),
    }
    expect(queries.at(-1)?.query).toMatchObject(query)
    await page.reload()
    for (const text of ['Model name: gpt-4o', 'Time: 2026-11-20 10:00:00 to 2026-11-21 10:00:00'])
      await expect(chip(page, text)).toBeVisible()
    await expect.poll(() => queries).toHaveLength(6)
    expect(queries.at(-1)?.query).toMatchObject(query)
    await page.getByRole('button', { name: 'Remove filter Model name' }).click()
    await expect(chip(page, 'Model name: gpt-4o')).toBeHidden()
    await expect.poll(() => queries.at(-1)?.query).toMatchObject({ ...query, model_name: '' })
    await chip(page, 'Token name: ci').click()
    await page.getByRole('dialog', { name: 'Token name' }).getByRole('textbox').fill('production')
    await page.keyboard.press('Enter')
    await expect(chip(page, 'Token name: production')).toBeFocused()
    await expect.poll(() => queries.at(-1)?.query['token_name']).toBe('production')
  })

  test('is not sent while a filter is invalid, and the field shows the reason', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    await expect(page.getByText('No log entries yet')).toBeVisible()
    const queries = queriesOf(page)
    const channel = await openFilter(page, 'Channel ID')
    await page.keyboard.type('azure')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Channel ID must be a whole number')).toBeVisible()
    await expect(channel.getByRole('textbox')).toBeFocused()
    await page.keyboard.press('Escape')
    const times = await openFilter(page, 'Time')
    await times.getByLabel('From').fill('2026-11-21 10:00:00')
    await times.getByLabel('To', { exact: true }).fill('2026-11-20 10:00:00')
    await times.getByRole('button', { name: 'Apply' }).click()
    await expect(page.getByText('End must be after start')).toBeVisible()
    expect(queries).toEqual([])
  })

  test('has the time that was chosen in the calendar by keyboard', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    const times = await openFilter(page, 'Time')
    await times.getByRole('button', { name: 'Choose a time' }).first().click()
    const calendar = page.getByRole('dialog', { name: 'Choose a time' })
    await expect(calendar.getByRole('table', { name: 'November 2026' })).toBeVisible()
    await calendar.getByRole('button', { name: 'Saturday, November 21, 2026' }).focus()
    for (const key of ['PageUp', 'ArrowLeft', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
    await expect(calendar.getByRole('button', { name: 'Tuesday, October 13, 2026' })).toHaveAttribute('aria-pressed', 'true')
    await calendar.getByLabel('Time of day').fill('08:30:00')
    await calendar.getByRole('button', { name: 'Done' }).click()
    await expect(times.getByLabel('From')).toHaveValue('2026-10-13 08:30:00')
    await times.getByRole('button', { name: 'Apply' }).click()
    await expect(chip(page, 'Time: since 2026-10-13 08:30:00')).toBeVisible()
    await expect(page).toHaveURL(`/log?start=${Date.UTC(2026, 9, 13, 6, 30) / 1000}`)
  })

  test('has the times of quick ranges, which move with the clock', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    const queries = queriesOf(page)
    await page.getByRole('button', { name: '24 h' }).click()
    await expect(page).toHaveURL('/log?range=24h')
    await expect.poll(() => queries.at(-1)?.query['start_timestamp']).toBe(String(nowSeconds - 86_400))
    await page.clock.setFixedTime(now + 60_000)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.poll(() => queries.at(-1)?.query['start_timestamp']).toBe(String(nowSeconds - 86_400 + 60))
    await page.getByRole('group', { name: 'Time range' }).getByRole('button', { name: 'All' }).click()
    await expect(page).toHaveURL('/log')
  })

  test('changes with the type at once, and Back restores it', async ({ page, gateway }) => {
    await gateway.ask('logs', [
      logRow(gateway.root, { type: 1, content: 'a code was redeemed' }),
      logRow(gateway.root, { type: 2, model_name: 'gpt-4o' }),
    ])
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    await expect(rows(page)).toHaveCount(3)
    await page.getByRole('combobox', { name: /^Type/ }).click()
    await expect(page.getByRole('option')).toHaveText(['All', 'Top-up', 'Consume', 'Admin', 'System'])
    await page.getByRole('option', { name: 'Top-up' }).click()
    await expect(rows(page)).toHaveCount(2)
    await expect(page).toHaveURL('/log?type=1')
    await page.goBack()
    await expect(rows(page)).toHaveCount(3)
  })
})

test.describe('the total', () => {
  test('is hidden until it is requested, and then follows the filters', async ({ page, gateway }) => {
    await gateway.ask('logs', [
      logRow(gateway.root, { model_name: 'gpt-4o', quota: 600_000, prompt_tokens: 12_000, completion_tokens: 345 }),
      logRow(gateway.root, { model_name: 'other', quota: 400_000, prompt_tokens: 5 }),
    ])
    await signIn(page, gateway, gateway.root)
    const queries = queriesOf(page)
    await page.goto('/log')
    await expect(rows(page)).toHaveCount(3)
    expect(queries.map(({ path }) => path)).toEqual(['/api/log/'])
    await page.getByRole('button', { name: 'Show the total' }).click()
    await expect(page.getByText('$2.00')).toBeVisible()
    await expect(page.getByText('12.3k tokens')).toBeVisible()
    await addFilter(page, 'Model name', 'gpt-4o')
    await expect(page.getByRole('status').getByText('$1.20')).toBeVisible()
    await expect(rows(page)).toHaveCount(2)
    const [list, stat] = ['/api/log/', '/api/log/stat'].map((path) => queries.findLast((query) => query.path === path)?.query ?? {})
    expect({ p: '0', size: '10', ...stat }).toEqual(list)
    await page.getByRole('button', { name: 'Hide the total' }).click()
    await expect(page.getByText('Total cost')).toBeVisible()
    await expect(page.getByText('0 tokens')).toBeHidden()
  })
})

test.describe('the table', () => {
  test('shows administrators all columns of the specification, beside each other in every design', async ({ page, gateway }) => {
    const row = logRow(gateway.root, {
      created_at: nowSeconds,
      token_name: 'nightly-evaluation-of-all-models',
      model_name: 'qwen3-235b-a22b-thinking-2507',
      channel_id: 123,
      prompt_tokens: 123_456,
      completion_tokens: 12_345,
      quota: 123_456,
      content: 'qwen3-235b-a22b-thinking-2507 0.35 × group 1',
    })
    await gateway.ask('logs', [{ ...row, username: 'dariusz.wisniewski' }])
    await page.setViewportSize({ width: 1440, height: 900 })
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    await expect(heads(page)).toHaveText([
      'Time',
      'Channel',
      'User',
      'Token',
      'Type',
      'Model',
      'Prompt',
      'Completion',
      'Quota',
      'Detail',
      'Actions',
    ])
    const table = page.getByRole('region', { name: 'Table: Logs' })
    for (const design of ['default', 'berry', 'air']) {
      await page.evaluate((chosen) => {
        document.documentElement.dataset['design'] = chosen
      }, design)
      expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    }
  })

  test('shows other users neither channel nor user, and only their own rows', async ({ page, gateway }) => {
    const user = await gateway.ask('user', {})
    await gateway.ask('logs', [logRow(gateway.root, { content: 'of root' }), logRow(user, { content: 'of the user', channel_id: 3 })])
    await signIn(page, gateway, user, 1)
    await page.goto('/log')
    await expect(heads(page)).toHaveText(['Time', 'Token', 'Type', 'Model', 'Prompt', 'Completion', 'Quota', 'Detail', 'Actions'])
    await expect(rows(page)).toHaveCount(2)
    await page.getByRole('button', { name: /^Details/ }).click()
    await expect(page.getByRole('dialog')).toContainText('of the user')
    await expect(page.getByRole('dialog').getByText('Channel', { exact: true })).toHaveCount(0)
  })

  test('shows times, abbreviated counts and small amounts, and blanks instead of 0', async ({ page, gateway }) => {
    const created_at = nowSeconds
    await gateway.ask('logs', [
      logRow(gateway.root, { created_at, type: 4, content: 'nothing in it' }),
      logRow(
        { id: 1, username: 'a-name-of-more-than-15' },
        { created_at, channel_id: 12, token_name: 'ci', model_name: 'gpt-4o', prompt_tokens: 12_345, completion_tokens: 9_999, quota: 617 },
      ),
    ])
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    const full = rows(page).nth(1)
    await expect(full.getByRole('rowheader')).toHaveText('2026-11-21 11:00:00')
    await expect(full.getByRole('cell')).toHaveText([
      '12',
      /a-name-of-mo\.\.\./,
      'ci',
      'Consume',
      'gpt-4o',
      '12.3k',
      '9999',
      '$0.001234',
      '',
      '',
    ])
    await expect(full.getByTitle('a-name-of-more-than-15')).toBeVisible()
    await expect(rows(page).nth(2).getByRole('cell')).toHaveText(['', 'root', '', 'System', '', '', '', '', 'nothing in it', ''])
  })

  test('shows quota instead of dollars if the server is set so', async ({ page, gateway }) => {
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'DisplayInCurrencyEnabled', value: 'false' } })
    await gateway.ask('logs', [logRow(gateway.root, { quota: 1_500_000 })])
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    await expect(page.getByRole('cell', { name: '1.5M' })).toBeVisible()
  })

  test('appends pages, sorts what is loaded, and keeps both in the address', async ({ page, gateway }) => {
    await gateway.ask('logs', busyLog(gateway.root, 35, nowSeconds))
    await signIn(page, gateway, gateway.root)
    const queries = queriesOf(page)
    await page.goto('/log')
    await expect(rows(page)).toHaveCount(11)
    for (const number of [2, 3, 4]) await page.getByRole('button', { name: `Page ${number}`, exact: true }).click()
    await expect(rows(page)).toHaveCount(6)
    await expect(page.getByRole('button', { name: 'Page 5' })).toHaveCount(0)
    expect(queries.map(({ query }) => query['p'] ?? 'after')).toEqual(['0', 'after', 'after', 'after'])
    for (const direction of ['ascending', 'descending']) {
      await page.getByRole('button', { name: 'Prompt' }).click()
      await expect(page.getByRole('columnheader', { name: 'Prompt' })).toHaveAttribute('aria-sort', direction)
    }
    await expect(page).toHaveURL(/sort=-prompt/)
    const texts = await rows(page).getByRole('cell').allTextContents()
    const values = texts.flatMap((text) => (/^\d+\.\dk$/.test(text) ? [Number.parseFloat(text)] : []))
    expect(values.length).toBeGreaterThan(3)
    expect(values).toEqual([...values].sort((a, b) => b - a))
  })

  test('loads each further row once while new rows arrive', async ({ page, gateway }) => {
    const numbered = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        logRow(gateway.root, { created_at: nowSeconds - 100 + from + index, content: `row ${from + index}` }),
      )
    await gateway.ask('logs', numbered(1, 25))
    await signIn(page, gateway, gateway.root)
    await page.goto('/log?type=2')
    const visibleRows = async () => (await rows(page).allTextContents()).flatMap((text) => /row (\d+)/.exec(text)?.[1] ?? [])
    await expect(rows(page).nth(1)).toContainText('row 25')
    const seen = await visibleRows()
    await gateway.ask('logs', numbered(26, 7))
    await page.getByRole('button', { name: 'Page 2', exact: true }).click()
    await expect(rows(page).nth(1)).toContainText('row 15')
    seen.push(...(await visibleRows()))
    await page.getByRole('button', { name: 'Page 3', exact: true }).click()
    await expect(rows(page).nth(1)).toContainText('row 5')
    seen.push(...(await visibleRows()))
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => String(25 - index)))
  })

  test('opens a page from the address in one call, however far it is', async ({ page, gateway }) => {
    await gateway.ask('logs', busyLog(gateway.root, 135, nowSeconds))
    await signIn(page, gateway, gateway.root)
    const queries = queriesOf(page)
    await page.goto('/log?page=13')
    await expect(page.getByRole('button', { name: 'Page 13', exact: true })).toHaveAttribute('aria-current', 'page')
    await page.getByRole('button', { name: 'Page 14', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Page 14', exact: true })).toHaveAttribute('aria-current', 'page')
    await page.goBack()
    await page.getByRole('button', { name: 'Page 12', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Page 12', exact: true })).toHaveAttribute('aria-current', 'page')
    expect(queries.map(({ query }) => [query['p'] ?? 'after', query['size']])).toEqual([
      ['12', '10'],
      ['after', '10'],
      ['11', '10'],
    ])
  })

  test('opens the first page instead of one behind the end', async ({ page, gateway }) => {
    await gateway.ask('logs', busyLog(gateway.root, 25, nowSeconds))
    await signIn(page, gateway, gateway.root)
    const queries = queriesOf(page)
    await page.goto('/log?page=100')
    await expect(rows(page)).toHaveCount(11)
    await expect(page).toHaveURL('/log')
    expect(queries.map(({ query }) => query['p'])).toEqual(['99', '0'])
  })

  test('has as many rows as the user chose, in one call, also after a reload', async ({ page, gateway }) => {
    await gateway.ask('logs', busyLog(gateway.root, 75, nowSeconds))
    await signIn(page, gateway, gateway.root)
    await page.goto('/log?page=2')
    await expect(rows(page)).toHaveCount(11)
    const queries = queriesOf(page)
    await page.getByRole('combobox', { name: 'Rows per page' }).click()
    await page.getByRole('option', { name: '50', exact: true }).click()
    await expect(rows(page)).toHaveCount(51)
    await expect(page).toHaveURL('/log')
    await page.reload()
    await expect(rows(page)).toHaveCount(51)
    await page.getByRole('button', { name: 'Page 2', exact: true }).click()
    await expect(rows(page)).toHaveCount(26)
    expect(queries.map(({ query }) => [query['p'] ?? 'after', query['size']])).toEqual([
      ['0', '50'],
      ['0', '50'],
      ['after', '50'],
    ])
  })

  test('shows an error if the first load fails, with a retry', async ({ page, gateway }) => {
    await gateway.ask('logs', [logRow(gateway.root)])
    await signIn(page, gateway, gateway.root)
    await page.route('**/api/log/?*', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto('/log')
    await expectToast(page, 'internal server error, contact the administrator')
    await expect(page.getByText('This list could not be loaded')).toBeVisible()
    await page.unroute('**/api/log/?*')
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(rows(page)).toHaveCount(2)
  })

  test('clears filters that match nothing with one click', async ({ page, gateway }) => {
    await gateway.ask('logs', [logRow(gateway.root)])
    await signIn(page, gateway, gateway.root)
    await page.goto('/log?token=nobody&type=2&range=7d')
    await expect(page.getByText('No results found.')).toBeVisible()
    await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click()
    await expect(page).toHaveURL('/log')
    await expect(rows(page)).toHaveCount(2)
    await expect(page.getByRole('button', { name: /^Remove filter/ })).toHaveCount(0)
  })
})

test.describe('the details of a row', () => {
  test('show every field, open by keyboard and return the focus', async ({ page, gateway }) => {
    await gateway.ask('logs', [
      logRow(gateway.root, {
        channel_id: 12,
        token_name: 'ci',
        model_name: 'gpt-4o',
        upstream_model: 'gpt-4o-2024-11-20',
        quota: 617,
        prompt_tokens: 12_345,
        completion_tokens: 678,
        cached_tokens: 1_024,
        content: 'model 1.25 × group 1',
        request_id: 'req-123',
        elapsed_ms: 2_340,
        first_byte_ms: 450,
        is_stream: 1,
        attempts: 2,
        end_reason: 'client_gone',
        estimated: 1,
        detail: JSON.stringify({
          charges: [
            ['prompt', 11_321, 0.015],
            ['cached', 1_024, 0.0075],
            ['audioMs', 1_500, 0.05],
          ],
          asked: ['anthropic', 'messages'],
          failed: [
            {
              ...{
                channel: 7,
                name: 'first',
                address: 'https://vendor.example/v1/messages',
                status: 529,
                kind: 'overloaded',
                message: 'Overloaded',
              },
              ...{ start_time: 3, elapsed_time: 210 },
            },
          ],
        }),
      }),
    ])
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    await expect(rows(page)).toHaveCount(2)
    await page.keyboard.press('j')
    await expect(rows(page).nth(1)).toBeFocused()
    await page.keyboard.press('Enter')
    const sheet = page.getByRole('dialog', { name: /Log entry/ })
    for (const [term, value] of [
      ['User', 'root'],
      ['Token', 'ci'],
      ['Model', 'gpt-4o'],
      ['Upstream model', 'gpt-4o-2024-11-20'],
      ['Channel', '12'],
      ['Request ID', 'req-123'],
      ['Quota', '$0.001234 = 617'],
      ['Prompt', '12,345'],
      ['Cached', '1,024'],
      ['Completion', '678'],
      ['Token count', 'counted locally'],
      ['Outcome', 'Client disconnected'],
      ['Attempts', '2'],
      ['Protocol', 'Anthropic: messages'],
      ['Streamed', 'Yes'],
      ['First byte', '450 ms'],
      ['Duration', '2.34 s'],
      ['Input tokens', '11,321 × 0.015 = 169.815'],
      ['Cached input tokens', '1,024 × 0.0075 = 7.68'],
      ['Audio seconds', '1.5 × 50 = 75'],
    ] as const) {
      const line = sheet.locator('dl > div').filter({ has: page.getByText(term, { exact: true }) })
      await expect(line.locator('dd')).toContainText(value)
    }
    const attempts = sheet.getByRole('region', { name: 'Timeline' }).getByRole('listitem')
    await expect(attempts.first()).toHaveText(/first \(7\)210 ms.*529 overloaded.*Overloaded/)
    await expect(attempts.last()).toHaveText(/Channel 12 responded2\.13 sFirst byte after 450 ms/)
    await expect(sheet).toContainText('model 1.25 × group 1')
    await page.keyboard.press('Escape')
    await expect(sheet).toBeHidden()
    await expect(rows(page).nth(1).locator(':focus')).toHaveCount(1)
  })

  test('open by a click on the row, are in the address, and close with Back', async ({ page, gateway }) => {
    await gateway.ask('logs', [logRow(gateway.root, { content: 'the row' })])
    await signIn(page, gateway, gateway.root)
    await page.goto('/log?type=2')
    const sheet = page.getByRole('dialog', { name: /Log entry/ })
    await page.getByRole('cell', { name: 'the row' }).click()
    await expect(sheet).toContainText('the row')
    await expect(page).toHaveURL(/\?type=2&row=\d+$/)
    await page.goBack()
    await expect(sheet).toBeHidden()
    await page.goForward()
    await expect(sheet).toContainText('the row')
    await page.getByRole('button', { name: 'Close' }).click()
    await expect(page).toHaveURL('/log?type=2')
    await page.getByRole('cell', { name: 'the row' }).click()
    await expect(sheet).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL('/log?type=2')
    await page.getByRole('cell', { name: 'the row' }).selectText()
    await page.getByRole('cell', { name: 'the row' }).dispatchEvent('click')
    await expect(sheet).toBeHidden()
  })

  test('of a row that is not loaded open by a link, which other accounts cannot use', async ({ page, gateway }) => {
    await gateway.ask('logs', [logRow(gateway.root, { content: 'of root', created_at: 5 }), ...busyLog(gateway.root, 30, nowSeconds)])
    // Holds: the list has the one row that is so old.
    const [{ id }] = (await gateway.api('/api/log/?end_timestamp=9')) as [{ readonly id: number }]
    await signIn(page, gateway, gateway.root)
    const queries = queriesOf(page)
    await page.goto(`/log?row=${id}`)
    const sheet = page.getByRole('dialog', { name: `Log entry ${id}` })
    await expect(sheet).toContainText('of root')
    expect(queries.map(({ path }) => path)).toEqual(['/api/log/', `/api/log/${id}`])
    await sheet.getByRole('button', { name: 'Close' }).click()
    await expect(page).toHaveURL('/log')
    const user = await gateway.ask('user', {})
    await signIn(page, gateway, user, 1)
    await page.goto(`/log?row=${id}`)
    await expect(sheet).toContainText('Log entry not found')
    await expect(sheet).not.toContainText('of root')
  })
})

test('a cell is copied by its button, and the row with the focus by the keys of copying', async ({ page, context, gateway }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  const content = 'a long detail of this request that its column cuts at every width that a screen has, because it goes on and on'
  await gateway.ask('logs', [logRow(gateway.root, { token_name: 'ci', model_name: 'gpt-4o', quota: 500_000, content })])
  await signIn(page, gateway, gateway.root)
  await page.goto('/log')
  const row = rows(page).nth(1)
  // The button is there a moment before it is seen. Until then it takes no click, which would be meant for the row.
  const visibility = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        new MutationObserver((_, observer) => {
          const button = document.querySelector('[data-cell-copy]')
          if (button === null) return
          observer.disconnect()
          resolve(getComputedStyle(button).visibility)
        }).observe(document.body, { childList: true, subtree: true })
      }),
  )
  await row.getByText(content).hover()
  expect(await visibility).toBe('hidden')
  await page.getByRole('button', { name: 'Copy: Detail' }).click()
  await expectToast(page, 'Copied to the clipboard')
  expect(await clipboard()).toBe(content)
  await expect(page.getByRole('dialog', { name: /Log entry/ })).toBeHidden()
  await page.mouse.move(0, 0)
  await expect(page.getByRole('button', { name: /^Copy: / })).toBeHidden()
  await row.focus()
  await page.keyboard.press('Control+c')
  await expect.poll(clipboard).toMatch(/^\d{4}-\d\d-\d\d [\d:]+\t.*root\tci\tConsume\tgpt-4o\t.*\$1\.00\ta long detail .* on and on$/)
})

test('a value of a row can be used as a filter', async ({ page, gateway }) => {
  await gateway.ask('logs', [
    logRow(gateway.root, { model_name: 'gpt-4o', token_name: 'ci' }),
    logRow(gateway.root, { model_name: 'other', token_name: 'ci' }),
  ])
  await signIn(page, gateway, gateway.root)
  await page.goto('/log')
  await page
    .getByRole('button', { name: /^Details/ })
    .last()
    .click()
  await page.getByRole('button', { name: 'Show only Model gpt-4o' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page).toHaveURL('/log?model=gpt-4o')
  await expect(rows(page)).toHaveCount(2)
  await expect(chip(page, 'Model name: gpt-4o')).toBeVisible()
})

test('a row leads to its token, channel and account, and their lists lead back to their log', async ({ page, gateway }) => {
  await gateway.api('/api/token/', { method: 'POST', body: { name: 'ci', unlimited_quota: true } })
  const id = await gateway.ask('channel', {})
  await gateway.ask('logs', [logRow(gateway.root, { token_name: 'ci', channel_id: id, model_name: 'gpt-4o' })])
  await signIn(page, gateway, gateway.root)
  const openRow = async () => {
    await page.goto('/log')
    await page.getByRole('button', { name: /^Details/ }).click()
  }
  await openRow()
  await page.getByRole('link', { name: 'Open Token ci' }).click()
  await expect(page).toHaveURL('/token?q=ci')
  await page.getByRole('button', { name: 'More actions for ci' }).click()
  await page.getByRole('menuitem', { name: 'Logs' }).click()
  await expect(page).toHaveURL('/log?token=ci')
  await openRow()
  await page.getByRole('link', { name: `Open Channel ${id}` }).click()
  await expect(page).toHaveURL(`/channel?row=${id}`)
  await expect(page.locator('h1')).toHaveText('Channels')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'More actions for channel0' }).click()
  await page.getByRole('menuitem', { name: 'Logs' }).click()
  await expect(page).toHaveURL(`/log?channel=${id}`)
  await openRow()
  await page.getByRole('link', { name: 'Open User root' }).click()
  await expect(page).toHaveURL('/user?q=root')
})

test.describe('an export', () => {
  test('contains all matching rows, not only the loaded ones, and can be stopped', async ({ page, gateway }) => {
    await gateway.ask('logs', busyLog(gateway.root, 700, nowSeconds))
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    await expect(rows(page)).toHaveCount(11)
    const downloadEvent = page.waitForEvent('download')
    await exportCsv(page)
    const text = await readFile(await (await downloadEvent).path(), 'utf8')
    expect(text.split('\r\n')).toHaveLength(702)
    await page.route('**/api/log/export?*', () => {})
    await exportCsv(page)
    await expect(page.getByText('0 rows…')).toBeVisible()
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect(page.getByRole('button', { name: 'Export', exact: true })).toBeEnabled()
    await expect(page.getByText(/^Error/)).toHaveCount(0)
  })

  test('contains the chosen columns of the filtered rows, marked as UTF-8, without formulas that a spreadsheet would run', async ({
    page,
    gateway,
  }) => {
    await gateway.ask('logs', [
      logRow(gateway.root, { model_name: 'gpt-4o', content: '=1+1', quota: 617, created_at: nowSeconds, token_name: '客服' }),
      logRow(gateway.root, { model_name: 'other', content: 'not wanted' }),
    ])
    await signIn(page, gateway, gateway.root)
    await page.goto('/log?model=gpt-4o')
    await expect(rows(page)).toHaveCount(2)
    await page.getByRole('button', { name: 'Columns' }).click()
    for (const name of ['Channel', 'User', 'Completion']) await page.getByRole('checkbox', { name, exact: true }).click()
    await page.keyboard.press('Escape')
    await page.reload()
    await expect(heads(page)).toHaveText(['Time', 'Token', 'Type', 'Model', 'Prompt', 'Quota', 'Detail', 'Actions'])
    const downloadEvent = page.waitForEvent('download')
    await exportCsv(page)
    const download = await downloadEvent
    expect(download.suggestedFilename()).toBe('log-20261121-110000.csv')
    expect(await readFile(await download.path(), 'utf8')).toBe(
      "\uFEFFTime,Token,Type,Model,Prompt,Quota,Detail\r\n2026-11-21 11:00:00,客服,Consume,gpt-4o,,617,'=1+1\r\n",
    )
  })
})
