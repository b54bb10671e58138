import type { Page } from '@playwright/test'
import { makeChannel, channelRow as row, channelRows as rows, writesOf } from './support/channels.ts'
import { hold } from './support/hold.ts'
import { logRow } from './support/log-rows.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

test.beforeEach(async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
})

test.describe('the list of channels', () => {
  test('shows other users that it is for administrators', async ({ page, gateway }) => {
    const user = await gateway.ask('user', {})
    await signIn(page, gateway, user, 1)
    await page.goto('/channel')
    await expect(page.getByText('Administrators only')).toBeVisible()
    await expectToast(page, /permission/)
    await expect(page).toHaveURL('/channel')
  })

  test('shows other users once, though several calls are refused', async ({ page, gateway }) => {
    const user = await gateway.ask('user', {})
    await signIn(page, gateway, user, 1)
    const refused = /\/api\/(?:channel|group|models)/
    let requestCount = 0
    page.on('request', (request) => {
      if (refused.test(request.url())) requestCount += 1
    })
    // Calls that fail within a second are reported once: none gets its response before there are two.
    const response = await hold(page, refused)
    await page.goto('/channel')
    await expect.poll(() => requestCount).toBeGreaterThan(1)
    response()
    await expect(page.getByText('Administrators only')).toBeVisible()
    for (const name of ['New channel', 'Test all', 'Refresh'])
      await expect(page.getByRole('button', { name }).or(page.getByRole('link', { name }))).toHaveCount(0)
    await page.waitForLoadState('networkidle')
    // The bell counts every toast, also those that are gone.
    await expect(page.getByRole('button', { name: 'Notifications, 1 new' })).toBeVisible()
  })

  test('shows type, status, response time and balance as text and in colours', async ({ page, gateway }) => {
    for (const [name, ms, text, tone] of [
      ['never', 0, 'Untested', 'grey'],
      ['quick', 1_000, '1.00 s', 'green'],
      ['fair', 3_000, '3.00 s', 'olive'],
      ['slow', 5_000, '5.00 s', 'yellow'],
      ['too slow', 5_001, '5.00 s', 'red'],
    ] as const) {
      const id = await makeChannel(gateway, name)
      await gateway.ask('channelRow', { id, response_time: ms, test_time: ms === 0 ? 0 : 1_760_000_000, balance: 12.5 })
      await page.goto('/channel')
      await expect(row(page, name).getByText(text)).toBeVisible()
      await expect(
        row(page, name).locator('span', { hasText: text }).locator(`xpath=self::*[contains(@class,'text-${tone}')]`),
      ).toHaveCount(1)
    }
    const heads = page.getByRole('table', { name: 'Channels' }).getByRole('columnheader')
    const facts = ['ID', 'Name', 'Group', 'Type', 'Status', 'Response time']
    const more = ['Balance', 'Priority', 'Test model']
    await expect(heads).toHaveText(['', ...facts, 'Health', ...more, 'Actions'])
    for (const name of [...facts, ...more]) await expect(heads.getByRole('button', { name, exact: true })).toBeVisible()
    await expect(row(page, 'quick')).toContainText('$12.50')
    const other = await makeChannel(gateway, 'of groq', { type: 29 })
    await gateway.ask('channelRow', { id: other, status: 3 })
    const odd = await makeChannel(gateway, 'of nobody')
    await gateway.ask('channelRow', { id: odd, status: 2, type: 99 })
    await page.reload()
    await expect(row(page, 'of groq')).toContainText(/Groq.*Auto-disabled.*not supported/)
    await expect(row(page, 'of nobody')).toContainText(/unknown \(99\).*Disabled/)
  })

  test('shows the explanation of balances and tests until it is dismissed', async ({ page, gateway }) => {
    await page.goto('/channel')
    await expect(page.getByText('No channels yet')).toBeVisible()
    await expect(page.getByText(/its channels show 0/)).toBeHidden()
    await makeChannel(gateway, 'demo')
    await page.reload()
    await expect(page.getByText(/its channels show 0.*gpt-3\.5-turbo if available, otherwise the first model\./)).toBeVisible()
    await expect(row(page, 'demo')).toBeVisible()
    await page.getByRole('button', { name: 'Do not show this again' }).click()
    await expect(page.getByText(/its channels show 0/)).toBeHidden()
    await page.reload()
    await expect(row(page, 'demo')).toBeVisible()
    await expect(page.getByText(/its channels show 0/)).toBeHidden()
    const flags = await page.evaluate(() => Object.entries(localStorage).filter(([key]) => key.startsWith('prompt-')))
    expect(flags.map(([, value]) => value)).toEqual(['true'])
  })

  test('marks those that lose money', async ({ page, gateway }) => {
    const [loser, earner] = [await makeChannel(gateway, 'loser'), await makeChannel(gateway, 'earner')]
    const now = Math.floor(Date.now() / 1000)
    const request = (channel_id: number, cost: number) => logRow(gateway.root, { created_at: now - 60, channel_id, quota: 500_000, cost })
    await gateway.ask('logs', [request(loser, 750_000), request(earner, 250_000)])
    await page.goto('/channel')
    await expect(row(page, 'loser').getByTitle(/the vendor charges \$1\.50, customers were charged \$1\.00/)).toHaveText('Loss')
    await expect(row(page, 'earner')).toBeVisible()
    await expect(row(page, 'earner').getByText('Loss')).toHaveCount(0)
    // The mark stands beside the state, so that the row is as high as all others.
    const heights = await page.locator('[data-row]').evaluateAll((rows) => rows.map((one) => one.getBoundingClientRect().height))
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(4)
  })

  test('finds channels by name', async ({ page, gateway }) => {
    for (const name of ['azure', 'backup']) await makeChannel(gateway, name)
    await page.goto('/channel')
    await expect(rows(page)).toHaveCount(2)
    await page.getByRole('searchbox').fill('back')
    await page.keyboard.press('Enter')
    await expect(rows(page)).toHaveCount(1)
    await expect(row(page, 'backup')).toBeVisible()
  })
})

test.describe('a test of a channel', () => {
  test('uses the chosen model, shows its duration and updates the row', async ({ page, gateway }) => {
    await makeChannel(gateway, 'demo', { models: 'gpt-4o-mini,o3' })
    await page.goto('/channel')
    await page.getByRole('combobox', { name: /Test model of demo/ }).click()
    await page.getByRole('option', { name: 'o3' }).click()
    const testRequest = page.waitForRequest('**/api/channel/test/1?*')
    await page.getByRole('button', { name: /^Test.*demo/ }).click()
    expect(new URL((await testRequest).url()).searchParams.get('model')).toBe('o3')
    await expectToast(page, /Test of demo succeeded: o3 responded in \d+\.\d\d s/)
    await expect(row(page, 'demo')).toContainText(/\d\.\d\d s/)
  })

  test('that fails shows the reason', async ({ page, gateway }) => {
    await makeChannel(gateway, 'demo')
    await gateway.ask('script', [
      [
        { do: 'head', status: 401, headers: { 'content-type': 'application/json' } },
        { do: 'send', bytes: '{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}' },
      ],
    ])
    await page.goto('/channel')
    await page.getByRole('button', { name: /^Test.*demo/ }).click()
    await expectToast(page, /Test failed: /)
    await expect(row(page, 'demo')).toContainText('Untested')
  })
})

test.describe('a priority', () => {
  test('is edited in its cell: Enter saves it once, and only if it changed', async ({ page, gateway }) => {
    await makeChannel(gateway, 'demo', { priority: 3 })
    await page.goto('/channel')
    const cell = page.getByRole('textbox', { name: 'Priority of demo' })
    await expect(cell).toHaveValue('3')
    const writes = writesOf(page)
    await cell.fill('7')
    await cell.press('Enter')
    await expectToast(page, 'Operation completed successfully!')
    for (const text of ['', '7']) {
      await cell.fill(text)
      await cell.blur()
      await expect(cell).toHaveValue('7')
    }
    await cell.fill('9')
    await cell.press('Escape')
    await expect(cell).toHaveValue('7')
    await cell.fill('0')
    await cell.blur()
    await expect
      .poll(() => writes)
      .toEqual([
        ['PUT', { id: 1, priority: 7 }],
        ['PUT', { id: 1, priority: 0 }],
      ])
    await page.reload()
    await expect(cell).toHaveValue('0')
  })

  test('leaves its row where it is until the cell is left', async ({ page, gateway }) => {
    for (const [name, priority] of Object.entries({ low: 1, middle: 5, high: 9 })) await makeChannel(gateway, name, { priority })
    await page.goto('/channel?sort=priority')
    await expect(rows(page)).toHaveCount(3)
    const names = () => page.getByRole('textbox', { name: /^Priority of/ }).evaluateAll((cells) => cells.map((cell) => cell.ariaLabel))
    const before = ['Priority of low', 'Priority of middle', 'Priority of high']
    expect(await names()).toEqual(before)
    const cell = page.getByRole('textbox', { name: 'Priority of low' })
    await cell.fill('7')
    await cell.press('Enter')
    await expectToast(page, 'Operation completed successfully!')
    expect(await names()).toEqual(before)
    await expect(cell).toBeFocused()
    await cell.press('Tab')
    await expect.poll(names).toEqual(['Priority of middle', 'Priority of low', 'Priority of high'])
  })

  test('that the server refuses is reset to the stored one', async ({ page, gateway }) => {
    await makeChannel(gateway, 'demo', { priority: 3 })
    await page.goto('/channel')
    await page.route('**/api/channel/', (route) => route.fulfill({ json: { success: false, message: 'not now' } }))
    const cell = page.getByRole('textbox', { name: 'Priority of demo' })
    await cell.fill('7')
    await cell.press('Enter')
    await expectToast(page, 'not now')
    await expect(cell).toHaveValue('3')
  })
})

test.describe('one channel', () => {
  test('is disabled and enabled, also after the server has disabled it', async ({ page, gateway }) => {
    await makeChannel(gateway, 'on')
    await gateway.ask('channelRow', { id: await makeChannel(gateway, 'auto'), status: 3 })
    await page.goto('/channel')
    const writes = writesOf(page)
    await page.getByRole('button', { name: 'More actions for on' }).click()
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await expect(row(page, 'on')).toContainText('Disabled')
    await page.getByRole('button', { name: 'More actions for auto' }).click()
    await page.getByRole('menuitem', { name: 'Enable' }).click()
    await expect(row(page, 'auto')).toContainText('Enabled')
    expect(writes).toEqual([
      ['PUT', { id: 1, status: 2 }],
      ['PUT', { id: 2, status: 1 }],
    ])
  })

  test('is deleted after a confirmation with its name', async ({ page, gateway }) => {
    await makeChannel(gateway, 'demo')
    await page.goto('/channel')
    const writes = writesOf(page)
    await page.getByRole('button', { name: 'More actions for demo' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('alertdialog', { name: 'Delete channel demo?' }).getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByText('No channels yet')).toBeVisible()
    expect(writes).toEqual([['DELETE', '/api/channel/1/']])
  })
})

const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()
const field = (page: Page, name: RegExp | string) => page.getByRole('textbox', { name })
const models = (page: Page) => page.getByRole('combobox', { name: 'Models' })

test.describe('a new channel', () => {
  test('names missing fields one after the other', async ({ page }) => {
    await page.goto('/channel/add')
    const writes = writesOf(page)
    await page
      .getByRole('button', { name: 'Clear models' })
      .or(page.getByRole('button', { name: 'Add this vendor’s models' }))
      .first()
      .waitFor()
    await save(page)
    await expect(page.getByText('please fill in the channel name and key')).toBeVisible()
    await expect(page.getByText('please select at least one model')).toBeHidden()
    await field(page, /^Name/).fill('demo')
    await field(page, /^Key/).fill('secret')
    await save(page)
    await expect(page.getByText('please select at least one model')).toBeVisible()
    await models(page).fill('gpt-4o')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    const example = JSON.parse((await field(page, 'Model mapping').getAttribute('placeholder')) ?? '')
    expect(example).toEqual({ 'gpt-3.5-turbo-0301': 'gpt-3.5-turbo', 'gpt-4-0314': 'gpt-4', 'gpt-4-32k-0314': 'gpt-4-32k' })
    await field(page, 'Model mapping').fill('{"a":')
    await save(page)
    await expect(page.getByText('model mapping must be valid JSON')).toBeVisible()
    expect(writes).toEqual([])
  })

  test('has a tag, by which the list finds it and which its details show', async ({ page, gateway }) => {
    await makeChannel(gateway, 'other')
    const id = await makeChannel(gateway, 'demo')
    await page.goto(`/channel/edit/${id}`)
    await field(page, 'Tag').fill('North Sea')
    await save(page)
    await expectToast(page, 'channel updated')
    await page.goto('/channel')
    await page.getByRole('searchbox').fill('north')
    await expect(row(page, 'other')).toBeHidden()
    await row(page, 'demo').click()
    await expect(page.getByRole('dialog').getByText('North Sea')).toBeVisible()
  })

  test('is sent normalized: no slash after the address, the default group, priority and weight as numbers', async ({ page, gateway }) => {
    await page.goto('/channel/add')
    const writes = writesOf(page)
    await field(page, /^Name/).fill('demo')
    await field(page, /^Key/).fill('secret')
    await field(page, 'Base URL').fill(`${gateway.upstreamUrl}/`)
    await models(page).fill('gpt-4o, o3')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await field(page, 'Weight').fill('-5')
    await save(page)
    await expectToast(page, 'channel created')
    expect(writes).toEqual([['POST', expect.objectContaining({ type: 1, models: 'gpt-4o,o3', group: 'default', priority: 0, weight: 0 })]])
    expect(await gateway.api('/api/channel/?p=0')).toMatchObject([
      { name: 'demo', base_url: gateway.upstreamUrl, key: '', group: 'default' },
    ])
    await expect(field(page, /^Name/)).toHaveValue('')
    await expect(field(page, /^Name/)).toBeFocused()
  })

  test('is created once for each line of keys', async ({ page, gateway }) => {
    await page.goto('/channel/add')
    await field(page, /^Name/).fill('many')
    await page.getByRole('switch', { name: 'Create several at once' }).click()
    await field(page, /^Keys/).fill('key-one\nkey-two\n\nkey-three\n')
    await expect(page.getByText('3 keys')).toBeVisible()
    await models(page).fill('gpt-4o')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await save(page)
    await expectToast(page, 'channel created')
    expect(await gateway.api('/api/channel/?p=0')).toHaveLength(3)
  })

  test('gets the models of its type when the type is chosen by name', async ({ page }) => {
    await page.goto('/channel/add')
    await page.getByRole('combobox', { name: 'Type' }).click()
    await page.keyboard.type('anthro')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('combobox', { name: 'Type' })).toContainText('Anthropic')
    await expect(page.getByRole('button', { name: /^Remove claude/ }).first()).toBeVisible()
    expect(await page.evaluate(() => JSON.parse(localStorage.getItem('channel_models') ?? '{}')['14'])).toEqual(
      expect.arrayContaining([expect.stringContaining('claude')]),
    )
  })
})

test('a channel is edited without its key, which the server never sends', async ({ page, gateway }) => {
  const id = await makeChannel(gateway, 'demo', { model_mapping: '{"a":"b"}', priority: 4 })
  await page.goto(`/channel/edit/${id}`)
  await expect(field(page, /^Key/)).toHaveValue('')
  await expect(page.getByRole('switch', { name: 'Create several at once' })).toHaveCount(0)
  await expect(field(page, 'Model mapping')).toHaveValue('{\n  "a": "b"\n}')
  await field(page, /^Name/).fill('renamed')
  await save(page)
  await expectToast(page, 'channel updated')
  expect(await gateway.api('/api/channel/?p=0')).toMatchObject([{ name: 'renamed', priority: 4, key: '' }])
  await gateway.api(`/api/channel/test/${id}`)
  expect((await gateway.ask('received', null)).at(-1)?.headers['authorization']).toBe('Bearer upstream-key')
})

test.describe('the picker of models', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `model-${String(index).padStart(4, '0')}`)

  test.beforeEach(async ({ page }) => {
    const data = names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'test' }))
    await page.route('**/api/channel/models', (route) => route.fulfill({ json: { success: true, message: '', data } }))
    await page.goto('/channel/add')
  })

  const selected = (page: Page, count: number) =>
    page.getByRole('region', { name: 'Models' }).getByText(`${count} selected`, { exact: true })

  test('offers a thousand names and renders only visible ones', async ({ page }) => {
    await models(page).click()
    await expect(page.getByRole('option', { name: 'model-0000' })).toBeVisible()
    expect(await page.getByRole('option').count()).toBeLessThan(200)
    await page.keyboard.press('ArrowUp')
    await expect(page.getByRole('option', { name: 'model-0999' })).toBeVisible()
    await models(page).fill('0777')
    // The typed text is first, because names may be unlisted; matches follow.
    await expect(page.getByRole('option')).toHaveText(['Add “0777”', 'model-0777'])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await expect(selected(page, 1)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Remove model-0777' })).toBeVisible()
  })

  test('adds all models, collapses a long selection, and clears it', async ({ page }) => {
    await page.getByRole('button', { name: 'Add all models' }).click()
    await expect(selected(page, 1_000)).toBeVisible()
    expect(await page.getByRole('button', { name: /^Remove / }).count()).toBeLessThan(100)
    await page.getByRole('button', { name: 'Clear models' }).click()
    await expect(selected(page, 0)).toBeVisible()
  })

  test('accepts unlisted names and pasted lists, without duplicates', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    for (const name of ['my-own', 'my-own', '  ']) {
      await models(page).fill(name)
      await page.keyboard.press('Enter')
    }
    await expect(selected(page, 1)).toBeVisible()
    await models(page).fill('')
    await page.evaluate(() => navigator.clipboard.writeText('x,y z\nmodel-0001, my-own'))
    await models(page).press('Control+v')
    await expect(selected(page, 5)).toBeVisible()
  })
})
