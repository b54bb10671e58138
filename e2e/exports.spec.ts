import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { officeTasks } from './support/office-tasks.ts'
import { expect, signIn, test } from './support/test.ts'

/** Exports the list of the page, and reads the file. */
async function exported(page: Page, choice: 'CSV' | 'JSON') {
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const downloadEvent = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: new RegExp(`^${choice}`) }).click()
  const download = await downloadEvent
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

const rows = (page: Page) => page.getByRole('table').locator('tbody').getByRole('row')

test('the file of tokens has all that match the search, in the shown columns, and no keys', async ({ page, gateway }) => {
  const keys: string[] = []
  for (let number = 1; number <= 12; number++) {
    const body = { name: `ci ${number}`, remain_quota: 500_000, expired_time: -1, unlimited_quota: false, models: '', subnet: '' }
    // Holds: the call returns the token.
    keys.push(((await gateway.api('/api/token/', { method: 'POST', body })) as { readonly key: string }).key)
  }
  await gateway.api('/api/token/', { method: 'POST', body: { name: 'other', remain_quota: 5, unlimited_quota: true } })
  await signIn(page, gateway, gateway.root)
  await page.goto('/token?q=ci')
  await expect(rows(page)).toHaveCount(10)
  await page.getByRole('button', { name: 'Columns' }).click()
  for (const name of ['Used', 'Created']) await page.getByRole('checkbox', { name, exact: true }).click()
  await page.keyboard.press('Escape')
  const { name, text } = await exported(page, 'CSV')
  expect(name).toMatch(/^token-\d{8}-\d{6}\.csv$/)
  const lines = text.split('\r\n')
  expect(lines[0]).toBe('\uFEFFName,Status,Remaining,Expires')
  expect(lines[1]).toBe('ci 12,Enabled,500000,never')
  expect(lines).toHaveLength(14)
  const json = await exported(page, 'JSON')
  expect(json.name).toMatch(/\.json$/)
  expect(JSON.parse(json.text)).toHaveLength(12)
  for (const key of keys) expect(text + json.text).not.toContain(key)
})

test('the file of channels has those of the filters, in the language of the console', async ({ page, gateway }) => {
  const channel = { type: 1, key: 'sk-secret-of-the-vendor', models: 'gpt-4o', group: 'vip' }
  await gateway.api('/api/channel/', { method: 'POST', body: { ...channel, name: '主渠道' } })
  await gateway.api('/api/channel/', { method: 'POST', body: { ...channel, name: 'other', group: 'default' } })
  await signIn(page, gateway, gateway.root)
  await page.addInitScript(() => localStorage.setItem('ui-lang', '"zh"'))
  await page.goto('/channel?group=vip')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: '导出', exact: true }).click()
  const downloadEvent = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: /^CSV/ }).click()
  const text = await readFile(await (await downloadEvent).path(), 'utf8')
  expect(text).toMatch(/^\uFEFFID,名称,分组,类型,状态,响应时间,/)
  expect(text).toMatch(/\r\n\d+,主渠道,vip,OpenAI,已启用,/)
  expect(text).not.toContain('secret')
  expect(text.split('\r\n')).toHaveLength(3)
})

test('the file of redemption codes has the codes too, and that of accounts no secrets', async ({ page, gateway }) => {
  const codes = await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'spring', quota: 5, count: 3 } })
  await signIn(page, gateway, gateway.root)
  await page.goto('/redemption')
  await expect(rows(page)).toHaveCount(3)
  const { text } = await exported(page, 'CSV')
  expect(text).toMatch(/^\uFEFFID,Name,Status,Quota,Created,Redeemed,Expires,Code\r\n/)
  // Holds: the call returns the codes.
  for (const code of codes as readonly string[]) expect(text).toContain(`,not yet redeemed,never,${code}\r\n`)
  await page.goto('/user')
  await expect(rows(page)).toHaveCount(1)
  const users = JSON.parse((await exported(page, 'JSON')).text)
  expect(users).toMatchObject([{ username: 'root', role: 100 }])
  expect(users[0]).not.toHaveProperty('password')
})

test('the file of tasks has those of the filters, whole prompts and all columns that are shown', async ({ page, gateway }) => {
  await gateway.api('/api/channel/', { method: 'POST', body: { name: 'films', type: 48, key: 'k', models: 'sora-2', group: 'default' } })
  await gateway.ask('tasks', officeTasks([gateway.root], 1, 1_760_000_000))
  await signIn(page, gateway, gateway.root)
  await page.goto('/task?state=failed')
  // The rows that stand for them while they are loaded have no text.
  await expect(rows(page).first()).toContainText('Failed')
  const visibleCount = await rows(page).count()
  const { name, text } = await exported(page, 'CSV')
  expect(name).toMatch(/^task-\d{8}-\d{6}\.csv$/)
  const lines = text.split('\r\n')
  expect(lines[0]).toBe('\uFEFFPrompt,Status,Type,Model,User,Channel,Cost,Created,Task ID,Error')
  expect(lines).toHaveLength(visibleCount + 2)
  for (const line of lines.slice(1, -1)) expect(line).toMatch(/,Failed,(?:Video|Song|Image),.*,root,films,0,/)
  await page.goto('/task')
  await expect(rows(page).first()).toBeVisible()
  const all: readonly object[] = JSON.parse((await exported(page, 'JSON')).text)
  expect(all.length).toBeGreaterThan(visibleCount)
  for (const row of all) expect(row).not.toHaveProperty('results')
})

test('a refused export is reported, and the list can be exported again', async ({ page, gateway }) => {
  await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'spring', quota: 5, count: 1 } })
  await signIn(page, gateway, gateway.root)
  await page.goto('/redemption')
  await expect(rows(page)).toHaveCount(1)
  await page.route('**/api/redemption/export?*', (route) => route.fulfill({ json: { success: false, message: 'not now' } }))
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: /^JSON/ }).click()
  await expect(page.getByLabel('Notifications', { exact: true }).getByText('not now')).toBeVisible()
  await page.unrouteAll()
  expect((await exported(page, 'JSON')).text).toContain('spring')
})
