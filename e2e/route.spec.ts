import { damagedSeal } from '../apps/server/test/damaged-seal.ts'
import { expectAccessible } from './support/axe.ts'
import { makeChannel } from './support/channels.ts'
import { expect, signIn, test } from './support/test.ts'

test('the channels of a model are listed with their chances, and why others are left out', async ({ page, gateway }) => {
  await makeChannel(gateway, 'heavy', { weight: 3, priority: 1 })
  await makeChannel(gateway, 'light', { weight: 1, priority: 1 })
  await makeChannel(gateway, 'later', {})
  await makeChannel(gateway, 'vip only', { group: 'vip' })
  await signIn(page, gateway, gateway.root)
  await page.goto('/channel')
  await page.getByRole('button', { name: 'More' }).first().click()
  await page.getByRole('menuitem', { name: 'Why this channel?' }).click()
  await expect(page.getByText('Enter a model')).toBeVisible()
  // The button stands in the line of the fields.
  const topOf = async (name: string, role: 'combobox' | 'button') => (await page.getByRole(role, { name }).boundingBox())?.y
  expect(await topOf('Explain', 'button')).toBe(await topOf('Model', 'combobox'))
  await page.getByRole('combobox', { name: 'Model' }).fill('gpt-4o-mini')
  await page.getByRole('button', { name: 'Explain' }).click()
  await expect(page).toHaveURL(/model=gpt-4o-mini/)
  const rows = page.getByRole('list', { name: 'Channels' }).getByRole('listitem')
  await expect(rows).toHaveCount(4)
  await expect(rows.nth(0)).toContainText('heavy')
  await expect(rows.nth(0)).toContainText('75 % first choice')
  await expect(rows.nth(1)).toContainText('25 % first choice')
  await expect(rows.filter({ hasText: 'later' })).toContainText('fallback')
  await expect(rows.filter({ hasText: 'vip only' })).toContainText('Not in the user’s group')
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Username' }).fill('nobody')
  await page.getByRole('button', { name: 'Explain' }).click()
  await expect(page.getByText('Not found')).toBeVisible()
})

test('of many channels the first hundred are listed, all are counted, and the rest is a press away', async ({ page, gateway }) => {
  const keys = (name: string, count: number) => Array.from({ length: count }, (_, index) => `sk-${name}-${index}`).join('\n')
  await makeChannel(gateway, 'many', { key: keys('many', 120), priority: 1 })
  await makeChannel(gateway, 'vip', { key: keys('vip', 30), group: 'vip' })
  await signIn(page, gateway, gateway.root)
  await page.goto('/channel/route?model=gpt-4o-mini')
  const rows = page.getByRole('list', { name: 'Channels' }).getByRole('listitem')
  await expect(rows).toHaveCount(100)
  const counts = page.getByRole('list', { name: 'Count per status' }).getByRole('listitem')
  await expect(counts).toHaveText(['Eligible: 120', 'Not in the user’s group: 30'])
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Show all 150 channels' }).click()
  await expect(rows).toHaveCount(150)
  await expect(page.getByRole('button', { name: /^Show all/ })).toHaveCount(0)
})

for (const [language, text] of [
  ['en', 'Unreadable with this master key'],
  ['zh', '无法用当前主密钥读取'],
] as const)
  test(`a channel whose key cannot be read is listed as such: ${language}`, async ({ page, gateway }) => {
    const id = await makeChannel(gateway, 'sealed elsewhere')
    await gateway.ask('channelRow', { id, key_sealed: damagedSeal })
    // A change is what lets the server read the row again.
    await gateway.api('/api/channel/', { method: 'PUT', body: { id, weight: 2 } })
    await page.addInitScript((chosen) => localStorage.setItem('ui-lang', JSON.stringify(chosen)), language)
    await signIn(page, gateway, gateway.root)
    await page.goto('/channel/route?model=gpt-4o-mini')
    const row = page.getByRole('listitem').filter({ hasText: 'sealed elsewhere' })
    await expect(row).toContainText(text)
    await expectAccessible(page)
  })
