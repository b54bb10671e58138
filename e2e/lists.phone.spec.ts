import { readFile } from 'node:fs/promises'
import { makeChannel } from './support/channels.ts'
import { hold } from './support/hold.ts'
import { busyLog, logRow } from './support/log-rows.ts'
import { expect, expectToast, settle, signIn, test } from './support/test.ts'

test('log entries are cards with a button for the details', async ({ page, gateway }) => {
  await gateway.ask('logs', [logRow(gateway.root, { model_name: 'gpt-4o', token_name: 'ci', quota: 1_000_000, content: 'in full' })])
  await signIn(page, gateway, gateway.root)
  await page.goto('/log')
  const card = page.getByRole('list', { name: 'Logs' }).getByRole('listitem')
  await expect(card).toHaveCount(1)
  await expect(card).toContainText(/Consume.*gpt-4o.*\$2\.00.*ci/)
  await card.getByRole('button', { name: /^Details/ }).tap()
  await expect(page.getByRole('dialog')).toContainText('in full')
})

test('log filters are in a sheet, and those that are set are chips that open their field', async ({ page, gateway }) => {
  await gateway.ask('logs', busyLog(gateway.root, 5, 1_760_000_000))
  await signIn(page, gateway, gateway.root)
  await page.goto('/log')
  await page.getByRole('button', { name: 'Filters', exact: true }).tap()
  await page.getByRole('dialog').getByLabel('Token name').fill('ci')
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).tap()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page).toHaveURL('/log?token=ci')
  await page.getByRole('button', { name: 'Token name: ci' }).tap()
  await expect(page.getByRole('dialog', { name: 'Token name' }).getByLabel('Token name')).toHaveValue('ci')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).tap()
  await page.getByRole('button', { name: 'Remove filter Token name' }).tap()
  await expect(page).toHaveURL('/log')
})

test('a user card cuts a long name, and names its buttons in full', async ({ page, gateway }) => {
  const body = { username: 'abcdefghijklmnop', display_name: '', password: 'long-enough' }
  await gateway.api('/api/user/', { method: 'POST', body })
  await signIn(page, gateway, gateway.root)
  await page.goto('/user')
  const card = page.getByRole('list', { name: 'Manage users' }).getByRole('listitem').first()
  await expect(card.getByText('abcdefghijkl...', { exact: true })).toBeVisible()
  await expect(card.getByRole('heading', { name: 'abcdefghijklmnop' })).toBeVisible()
  await expect(card.getByRole('button', { name: 'More actions for abcdefghijklmnop' })).toBeVisible()
})

test('a token card has its main action as a button and the others in a sheet', async ({ page, gateway }) => {
  await gateway.api('/api/token/', { method: 'POST', body: { name: 'demo', remain_quota: 500_000 } })
  await signIn(page, gateway, gateway.root)
  await page.goto('/token')
  const card = page.getByRole('list', { name: 'Tokens' }).getByRole('listitem')
  await expect(card).toContainText(/demo.*Enabled/)
  await card.getByRole('button', { name: 'More actions for demo' }).tap()
  await page.getByRole('dialog', { name: 'demo' }).getByRole('button', { name: 'Disable' }).tap()
  await expect(card).toContainText('Disabled')
  await expectToast(page, 'Operation completed successfully!')
})

test('cards are selected and acted on with progress, and sorted by any value', async ({ page, gateway }) => {
  for (const [index, name] of ['beta', 'alpha', 'gamma'].entries())
    await gateway.api('/api/token/', { method: 'POST', body: { name, remain_quota: 500_000 * (index + 1) } })
  await signIn(page, gateway, gateway.root)
  await page.goto('/token')
  const cards = page.getByRole('list', { name: 'Tokens' }).getByRole('listitem')
  await expect(cards.getByRole('heading')).toHaveText(['gamma', 'alpha', 'beta'])
  await page.getByRole('combobox', { name: 'Sort: default', exact: true }).tap()
  await page.getByRole('option', { name: 'Name, ascending' }).tap()
  await expect(cards.getByRole('heading')).toHaveText(['alpha', 'beta', 'gamma'])
  await expect(page).toHaveURL('/token?sort=name')
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).tap()
  await page.getByRole('checkbox', { name: 'Select beta' }).tap()
  const bar = page.getByRole('region', { name: 'Actions for selected rows' })
  await expect(bar).toContainText('2 selected')
  const release = await hold(page, '**/api/token/?status_only=true')
  await bar.getByRole('button', { name: 'Disable' }).tap()
  await expect(bar).toContainText('0 / 2')
  release()
  await expectToast(page, '2 done')
  await expect(cards.filter({ hasText: 'Disabled' })).toHaveCount(2)
  await expect(cards.filter({ hasText: 'beta' })).toContainText('Enabled')
})

test('a list is exported from a sheet that chooses the columns of the file', async ({ page, gateway }) => {
  await gateway.api('/api/token/', { method: 'POST', body: { name: 'demo', remain_quota: 500_000 } })
  await signIn(page, gateway, gateway.root)
  await page.goto('/token')
  await page.getByRole('button', { name: 'Export', exact: true }).tap()
  const sheet = page.getByRole('dialog', { name: 'Export' })
  const boxes = sheet.getByRole('checkbox', { checked: true })
  await expect(boxes.first()).toBeVisible()
  const names = await boxes.evaluateAll((elements) => elements.map((box) => box.ariaLabel ?? ''))
  for (const name of names.filter((label) => label !== 'Name' && label !== 'Status'))
    await sheet.getByRole('checkbox', { name, exact: true }).tap()
  const download = page.waitForEvent('download')
  await sheet.getByRole('button', { name: 'CSV (visible columns)' }).tap()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^token-\d{8}-\d{6}\.csv$/)
  const text = await readFile(await file.path(), 'utf8')
  expect(text.replace('\uFEFF', '').trim().split(/\r?\n/)).toEqual(['Name,Status', 'demo,Enabled'])
  await expect(sheet).toBeHidden()
})

test('facets are in a sheet, whose button says how many are set', async ({ page, gateway }) => {
  await gateway.ask('user', { status: 2 })
  await signIn(page, gateway, gateway.root)
  await page.goto('/user')
  await page.getByRole('button', { name: 'Filters', exact: true }).tap()
  const sheet = page.getByRole('dialog', { name: 'Filters' })
  await sheet.getByRole('combobox', { name: 'Status' }).tap()
  await page.getByRole('option', { name: 'Banned' }).tap()
  await sheet.getByRole('button', { name: 'Show results' }).tap()
  await expect(sheet).toBeHidden()
  await expect(page.getByRole('list', { name: 'Manage users' }).getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: 'Filters (1)' }).tap()
  await sheet.getByRole('button', { name: 'Clear filters' }).tap()
  await expect(page).toHaveURL('/user')
})

for (const path of ['/token', '/channel', '/log', '/user', '/redemption']) {
  test(`${path} with rows does not scroll sideways, even in a window of 320 pixels`, async ({ page, gateway }) => {
    await gateway.ask('logs', busyLog(gateway.root, 20, 1_760_000_000))
    const long = 'a-rather-long-name-that-somebody-gave-it-without-any-blank'
    await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'twenty-letters-long', quota: 500, count: 1 } })
    await gateway.api('/api/token/', { method: 'POST', body: { name: long, remain_quota: 500_000 } })
    const body = { name: long, type: 1, key: 'key', base_url: gateway.upstreamUrl, models: 'gpt-4o', group: 'default,vip,svip' }
    await gateway.api('/api/channel/', { method: 'POST', body })
    await signIn(page, gateway, gateway.root)
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 })
      await page.goto(path)
      await expect(page.locator('[data-row]').first()).toBeVisible()
      await settle(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
  })
}

/** As long as names may be, without a place to break them, and one that is written from the right. */
const longModel = `${'unbroken-model-name-'.repeat(4)}end`
const fromTheRight = 'قناة-طويلة-الاسم-بلا-فراغ-بين-كلماتها'

/** What shows that the data of the page has arrived. */
const pagesOfModels = [
  { path: '/model', shows: 'main li' },
  { path: `/model?name=${longModel}`, shows: '[role=dialog] pre' },
  { path: `/channel/route?model=${longModel}`, shows: 'main ol li' },
  { path: `/playground?model=${longModel}`, shows: '[data-answer]' },
]
for (const { path, shows } of pagesOfModels) {
  test(`${path.replace(longModel, 'a long name')} does not scroll sideways in a window of 320 pixels`, async ({ page, gateway }) => {
    await makeChannel(gateway, fromTheRight, { models: `${longModel},gpt-4o` })
    await makeChannel(gateway, 'a-channel-with-a-rather-long-name-without-blanks', { models: longModel, group: 'default,vip' })
    await gateway.ask('tokens', { owner: gateway.root, names: ['a-token-with-a-long-name-no-blank'] })
    await signIn(page, gateway, gateway.root)
    await page.setViewportSize({ width: 320, height: 844 })
    await page.goto(path)
    const prompt = page.getByRole('textbox', { name: 'Prompt', exact: true })
    if (path.startsWith('/playground')) {
      await prompt.fill('https://example.com/an-address-without-blanks-that-is-longer-than-the-window')
      // The keyboard of a touch screen has no Shift+Enter.
      await prompt.press('Enter')
      await expect(prompt).toHaveValue(/\n$/)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
    }
    await expect(page.locator(shows).first()).toBeVisible()
    await settle(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  })
}

test('the settings of security with long names do not scroll sideways in a window of 320 pixels, and show the current tab', async ({
  page,
  gateway,
}) => {
  const name = 'a-program-with-a-long-name-and-no-blank-in-it'.slice(0, 40)
  await signIn(page, gateway, gateway.root)
  await gateway.api('/api/access_token/', {
    method: 'POST',
    body: { name, scopes: ['log:read', 'channel:write', 'user:read'], expired_time: -1 },
  })
  await page.setViewportSize({ width: 320, height: 844 })
  await page.goto('/setting?tab=security')
  await expect(page.getByText(name, { exact: true })).toBeVisible()
  await settle(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  await page.goto('/setting?tab=other')
  await expect(page.getByRole('link', { name: 'Other', exact: true })).toBeInViewport({ ratio: 1 })
})
