import type { Page } from '@playwright/test'
import { expectAccessible } from './support/axe.ts'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { expect, signIn, test } from './support/test.ts'

async function fill(gateway: Gateway): Promise<void> {
  await makeChannel(gateway, 'one', { models: 'gpt-4o,gpt-4o-mini,whisper-1,text-embedding-3-small,sora-2,dall-e-3' })
  await makeChannel(gateway, 'two', { type: 14, models: 'claude-sonnet-4-20250514,unpriced-thing' })
}

const rows = (page: Page) => page.getByRole('region', { name: 'Models' }).locator('tbody').getByRole('row')
const rowOf = (page: Page, name: string) => rows(page).filter({ has: page.getByRole('button', { name, exact: true }) })

test('models are listed with prices, searched and filtered, and the view is a link', async ({ page, gateway }) => {
  await fill(gateway)
  await signIn(page, gateway, gateway.root)
  await page.goto('/model')
  await expect(rows(page)).toHaveCount(8)
  await expect(rowOf(page, 'gpt-4o')).toContainText('$2.50')
  await expect(rowOf(page, 'gpt-4o')).toContainText('$10')
  await expect(rowOf(page, 'gpt-4o')).toContainText('128k')
  await expect(rowOf(page, 'sora-2')).toContainText('$0.10 / s')
  await expect(rowOf(page, 'gpt-4o')).toContainText('Available')
  await expect(rowOf(page, 'unpriced-thing')).toContainText(/No price\s*Not available/)
  await expectAccessible(page)
  await page.getByRole('searchbox', { name: 'Search models' }).pressSequentially('4o mini')
  await expect(page.getByRole('searchbox', { name: 'Search models' })).toHaveValue('4o mini')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('searchbox', { name: 'Search models' }).fill('')
  await page.getByRole('combobox', { name: /^Sort/ }).click()
  await page.getByRole('option', { name: 'Price, high to low' }).click()
  await expect(page).toHaveURL('/model?sort=-price')
  await expect(rows(page).first()).toContainText('claude-sonnet-4-20250514')
  await page.getByRole('combobox', { name: /^Sort/ }).click()
  await page.getByRole('option', { name: 'Name' }).click()
  await page.getByRole('combobox', { name: /^Type/ }).click()
  await page.getByRole('option', { name: 'Embedding' }).click()
  await expect(rows(page)).toHaveCount(1)
  await expect(page).toHaveURL('/model?kind=embeddings')
  await page.reload()
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Quota', exact: true }).click()
  await expect(rowOf(page, 'text-embedding-3-small')).toContainText('10,000')
})

const choose = async (page: Page, facet: RegExp, option: string) => {
  await page.getByRole('combobox', { name: facet }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

test('models are found by what they take, give and support, and sorted by age and speed', async ({ page, gateway }) => {
  await fill(gateway)
  await signIn(page, gateway, gateway.root)
  await page.goto('/model')
  await choose(page, /^Input/, 'Images')
  await expect(page).toHaveURL('/model?input=image')
  await expect(rows(page).getByRole('rowheader')).toHaveText(['claude-sonnet-4-20250514', 'gpt-4o', 'gpt-4o-mini', 'sora-2'])
  await choose(page, /^Output/, 'Text')
  await expect(rows(page)).toHaveCount(3)
  await choose(page, /^Supports/, 'Tools, Reasoning')
  await expect(page).toHaveURL('/model?input=image&output=text&can=tools-reasoning')
  await expect(rows(page).getByRole('rowheader')).toHaveText(['claude-sonnet-4-20250514'])
  await page.reload()
  await expect(rows(page).getByRole('rowheader')).toHaveText(['claude-sonnet-4-20250514'])
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rows(page)).toHaveCount(8)
  await choose(page, /^Sort/, 'Newest first')
  await expect(page).toHaveURL('/model?sort=-released')
  await expect(rows(page).nth(1)).toContainText('2025-05-22')
  await expectAccessible(page)
  await choose(page, /^Sort/, 'Fastest first byte')
  await expect(page.getByRole('columnheader', { name: 'First byte' })).toBeVisible()
  await rowOf(page, 'gpt-4o').click()
  const sheet = page.getByRole('dialog', { name: 'gpt-4o' })
  await expect(sheet.getByText('Text, Images, Files')).toBeVisible()
  await expect(sheet.getByText('Tools, Structured output')).toBeVisible()
  await expect(sheet.getByText('2024-05-13')).toBeVisible()
})

test('a model has its details, its code, and a way into the playground', async ({ page, gateway }) => {
  await fill(gateway)
  await signIn(page, gateway, gateway.root)
  await page.goto('/model')
  await rowOf(page, 'gpt-4o').click()
  const sheet = page.getByRole('dialog', { name: 'gpt-4o' })
  await expect(sheet.getByText('OpenAI', { exact: true })).toBeVisible()
  await expect(sheet.getByText('$1.25 / 1M')).toBeVisible()
  await expect(sheet.locator('pre')).toContainText('"model": "gpt-4o"')
  await expectAccessible(page)
  await sheet.getByRole('link', { name: 'Try it' }).click()
  await expect(page).toHaveURL(/\/playground\?model=gpt-4o/)
})

test('a model without a price is not offered for a try', async ({ page, gateway }) => {
  await fill(gateway)
  await signIn(page, gateway, gateway.root)
  await page.goto('/model?name=unpriced-thing')
  const sheet = page.getByRole('dialog', { name: 'unpriced-thing' })
  await expect(sheet.getByText('Not available', { exact: true })).toBeVisible()
  await expect(sheet.getByRole('link', { name: 'Try it' })).toHaveCount(0)
})

test('administrators find the first step on the page of models without a channel', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/model')
  await page.getByRole('main').getByRole('link', { name: 'New channel' }).click()
  await expect(page).toHaveURL('/channel/add')
})

test('visitors see the page and its entry in the menu only if an option shows it', async ({ page, gateway }) => {
  await fill(gateway)
  await page.goto('/model')
  await expect(page.getByText('gpt-4o-mini')).toHaveCount(0)
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'PublicModelsEnabled', value: 'true' } })
  await page.goto('/')
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Models' }).click()
  await expect(rowOf(page, 'gpt-4o-mini')).toBeVisible()
  await rowOf(page, 'gpt-4o').click()
  await expect(page.getByRole('dialog', { name: 'gpt-4o' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Try it' })).toHaveCount(0)
})
