import type { Page } from '@playwright/test'
import { expect, type LargeServer, logIn, test } from './support/large-server.ts'

// Each flow of the console on the data of a large log (`npm run large`): every page shows what is in the log, and none fails or waits for ever.

const asRoot = async (page: Page, server: LargeServer) => await logIn(page, 'root', server.rootPassword)
const asUser = async (page: Page, server: LargeServer) => await logIn(page, server.username, server.userPassword)

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const legend = (page: Page) => region(page, 'Usage').getByRole('list', { name: 'Legend' }).getByRole('button')
const rows = (page: Page) => page.locator('[data-row]')
const card = (page: Page, label: string) => page.getByRole('list', { name: 'Summary' }).getByRole('listitem').filter({ hasText: label })

test('the dashboard of administrators splits all requests, narrows them, and opens the log of a bar', async ({ page, server }) => {
  await asRoot(page, server)
  await page.goto('/dashboard?range=90d')
  await expect(card(page, 'Requests')).toContainText('k')
  await expect(card(page, 'Failed')).toContainText('%')
  await expect(card(page, 'Margin')).toContainText('%')
  await expect(legend(page)).toHaveCount(21)
  for (const group of ['Channel', 'User', 'Token']) {
    await region(page, 'Usage')
      .getByRole('combobox', { name: /^Group by/ })
      .click()
    await page.getByRole('option', { name: group, exact: true }).click()
    await expect(page).toHaveURL(new RegExp(`group=${group.toLowerCase()}`))
    await expect(region(page, `Usage by ${group}`).getByRole('row')).toHaveCount(22)
  }
  await expect(region(page, 'Durations').getByRole('list', { name: 'Legend' })).toBeVisible()
  const board = region(page, 'Channels')
  await expect(board.getByRole('link')).toHaveCount(30)
  await board.getByRole('button', { name: 'Page 2' }).click()
  await expect(board.getByRole('link')).toHaveCount(10)
  await page.goto('/dashboard?range=90d&model=model-3')
  await expect(legend(page)).toHaveCount(1)
  const bars = region(page, 'Usage').getByRole('group', { name: /arrow keys/ })
  await bars.press('End')
  await bars.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/log\?.*model=model-3/)
  await expect(rows(page)).toHaveCount(10)
  await page.goBack()
  await region(page, 'Incomplete and failed requests')
    .getByRole('button', { name: /as a table$/ })
    .click()
  await region(page, 'Incomplete and failed requests')
    .getByRole('button', { name: /^Logs for/ })
    .nth(1)
    .click()
  await expect(page).toHaveURL(/outcome=broken/)
  await expect(rows(page)).not.toHaveCount(0)
})

test('the dashboard has every range, by every property, for every limit, and beside the previous period', async ({ page, server }) => {
  test.setTimeout(5 * 60_000)
  await asRoot(page, server)
  for (const range of ['today', '24h', '7d', '30d', 'month', '90d', '1y'])
    for (const group of ['model', 'channel', 'user', 'token']) {
      await page.goto(`/dashboard?range=${range}&group=${group}&compare=before`)
      await expect(legend(page)).not.toHaveCount(0)
      await expect(region(page, 'Usage').getByText('Previous period').first()).toBeVisible()
      await expect(region(page, 'Durations').getByRole('list', { name: 'Legend' })).toBeVisible()
    }
  for (const limit of ['model=model-3', 'channel=7', 'user=user1', 'token=default', 'model=model-3&channel=7', 'user=user1&token=default'])
    for (const range of ['24h', '90d']) {
      await page.goto(`/dashboard?range=${range}&${limit}&zone=Asia/Shanghai`)
      await expect(card(page, 'Requests')).toContainText(/\d/)
      await expect(legend(page)).not.toHaveCount(0)
    }
})

test('the log is filtered, paged, summed up, opened and watched', async ({ page, server }) => {
  await asRoot(page, server)
  for (const query of [
    '',
    '?type=3',
    '?user=user1',
    '?token=default&channel=7',
    '?model=model-3&outcome=failures',
    '?outcome=client_gone',
  ]) {
    await page.goto(`/log${query}`)
    await expect(rows(page)).toHaveCount(10)
  }
  await page.goto('/log?model=model-3')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page).toHaveURL(/page=2/)
  await expect(rows(page)).toHaveCount(10)
  await page.getByRole('button', { name: /total/i }).first().click()
  await expect(page.getByText(/\$\d/).first()).toBeVisible()
  await rows(page).nth(2).click()
  const sheet = page.getByRole('dialog', { name: /^Log / })
  await expect(sheet.getByText('model-3').first()).toBeVisible()
  await sheet.getByRole('link', { name: 'Why this channel?' }).click()
  await expect(page).toHaveURL(/\/channel\/route\?.*model=model-3/)
  await expect(page.getByRole('list', { name: 'Channels' }).getByRole('listitem')).not.toHaveCount(0)
  await page.goto('/log?model=none')
  await expect(page.getByText('No results found.')).toBeVisible()
})

test('accounts are searched, sorted and changed among a hundred thousand', async ({ page, server }) => {
  await asRoot(page, server)
  await page.goto('/user?q=user77777')
  await expect(rows(page)).toHaveCount(1)
  await page.goto('/user')
  await expect(rows(page)).toHaveCount(10)
  await rows(page).first().click()
  await expect(page.getByRole('dialog').first()).toBeVisible()
})

test('users see their own use, log and tokens only', async ({ page, server }) => {
  await asUser(page, server)
  await page.goto('/dashboard?range=90d&group=token')
  await expect(card(page, 'Requests')).toContainText(/\d/)
  await expect(legend(page)).not.toHaveCount(0)
  await expect(page.getByText('Vendor cost')).toHaveCount(0)
  await page.goto('/log?outcome=failures')
  await expect(rows(page)).not.toHaveCount(0)
  await expect(page.getByText('user2', { exact: true })).toHaveCount(0)
})

test('visitors see the status of every model, its bars and incidents', async ({ page }) => {
  await page.goto('/status')
  const list = page.getByRole('list', { name: 'Status' }).getByRole('listitem')
  await expect(list).toHaveCount(50)
  await expect(list.first()).toContainText('success')
  await page.getByRole('button', { name: '24 hours' }).click()
  await expect(list.first()).toContainText('success')
  await expect(region(page, 'Incidents')).toBeVisible()
})

test('the models are narrowed and sorted by how soon they respond', async ({ page, server }) => {
  await asUser(page, server)
  await page.goto('/model')
  const models = page.getByRole('region', { name: 'Models' }).locator('tbody').getByRole('row')
  await expect(models).toHaveCount(60)
  await page.getByRole('combobox', { name: /^Sort/ }).click()
  await page.getByRole('option', { name: 'Fastest first byte' }).click()
  await expect(page).toHaveURL('/model?sort=speed')
  await expect(models.first()).toContainText(/\d m?s/)
  await page.getByRole('combobox', { name: /^Sort/ }).click()
  await page.getByRole('option', { name: 'Most tokens per second' }).click()
  await expect(models.first()).toContainText(/\d tokens\/s/)
  await page.getByRole('combobox', { name: /^Type/ }).click()
  await page.getByRole('option', { name: 'Chat' }).click()
  await expect(models).not.toHaveCount(0)
})

test('channels that lose money are marked, and a change of one is listed and restored', async ({ page, server }) => {
  await asRoot(page, server)
  const losses = page.waitForResponse((response) => response.url().includes('/api/log/losses'))
  await page.goto('/channel?row=7')
  expect((await losses).status()).toBe(200)
  await page.getByRole('button', { name: 'History' }).click()
  const changes = page.getByRole('dialog', { name: /^History: / }).getByRole('listitem')
  await expect(changes.first()).toContainText('root')
})

test('the dashboard has as many lines as are chosen, and the tokens in and out', async ({ page, server }) => {
  await asRoot(page, server)
  for (const group of ['model', 'user', 'token'])
    for (const lines of [5, 50]) {
      await page.goto(`/dashboard?range=90d&group=${group}&lines=${lines}`)
      await expect(legend(page)).toHaveCount(lines + 1)
      await expect(region(page, 'Input and output tokens').getByRole('list', { name: 'Legend' }).getByRole('button')).toHaveCount(2)
    }
})

test('a model is found, opened, and called in the playground, and its row is in the log', async ({ page, server }) => {
  await asUser(page, server)
  await page.goto('/token/add')
  await page.getByRole('textbox', { name: /^Name/ }).fill('lab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: /lab.* created/ })).toBeVisible()
  await page.goto('/model?q=model-3')
  await page.getByRole('button', { name: 'model-3', exact: true }).click()
  await page.getByRole('dialog', { name: 'model-3' }).getByRole('link', { name: 'Try it' }).click()
  await expect(page).toHaveURL(/\/playground\?model=model-3/)
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Hello?')
  await page.keyboard.press('Enter')
  const response = page.getByRole('region', { name: 'Response from model-3', exact: true })
  await expect(response).toContainText('Hello from upstream')
  await expect(response).toContainText('$')
  await response.getByRole('link', { name: 'Show in log' }).click()
  await expect(page).toHaveURL(/\/log\?request=/)
  await expect(rows(page)).toHaveCount(1)
})

test('a rule of notifications is made and deleted, and an option has a history', async ({ page, server }) => {
  await asRoot(page, server)
  await page.goto('/setting?tab=notification')
  await region(page, 'Notification rules').getByRole('button', { name: 'New rule' }).click()
  const dialog = page.getByRole('dialog', { name: 'New rule' })
  await dialog.getByLabel('Name', { exact: true }).fill('Failures of one model')
  await dialog.getByRole('combobox', { name: 'Notify me when' }).click()
  await page.getByRole('option', { name: 'Requests fail' }).click()
  await dialog.getByRole('combobox', { name: 'Scope', exact: true }).click()
  await page.getByRole('option', { name: 'One model' }).click()
  await dialog.getByLabel('Model', { exact: true }).fill('model-3')
  await dialog.getByLabel('Failure rate at or above (%)').fill('1')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const rule = region(page, 'Notification rules').getByRole('listitem')
  await expect(rule).toContainText('model model-3')
  await rule.getByRole('button', { name: /^Delete/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(rule).toHaveCount(0)
  await page.goto('/setting?tab=other')
  await page.locator('[data-option=SystemName] input').fill('Large')
  await page.keyboard.press('Control+s')
  await page
    .locator('[data-option=SystemName]')
    .getByRole('button', { name: /^History/ })
    .click()
  await expect(page.getByRole('dialog', { name: /^History: / }).getByRole('listitem')).toHaveCount(1)
})

test('sessions and access tokens are listed', async ({ page, server }) => {
  await asRoot(page, server)
  await page.goto('/setting?tab=security')
  await expect(region(page, 'Active sessions').getByRole('listitem')).not.toHaveCount(0)
  await expect(region(page, 'Personal access tokens')).toBeVisible()
})
