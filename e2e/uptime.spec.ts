import type { Page } from '@playwright/test'
import { expectAccessible } from './support/axe.ts'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { logRow } from './support/log-rows.ts'
import { expect, signIn, test } from './support/test.ts'

const day = 86_400

async function openStatusPage(gateway: Gateway): Promise<void> {
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'StatusPageEnabled', value: 'true' } })
}

/** Requests of some days, as log rows that are added up. */
async function fill(gateway: Gateway, models = 'gpt-4o,gpt-4o-mini'): Promise<void> {
  await makeChannel(gateway, 'one', { models })
  const now = Math.floor(Date.now() / 1000)
  const row = (daysAgo: number, served: number) =>
    logRow(gateway.root, { created_at: now - daysAgo * day, model_name: 'gpt-4o', served, first_byte_ms: 400 })
  await gateway.ask('logs', [row(0, 1), row(0, 1), row(0, 1), row(0, 0), row(3, 1), row(80, 0)])
  await gateway.api('/api/log/series')
}

const list = (page: Page) => page.getByRole('list', { name: 'Status' })
const rowOf = (page: Page, name: string) => list(page).getByRole('listitem').filter({ hasText: name })
const barsOf = (page: Page, name: string) => page.getByRole('group', { name: new RegExp(`^${name}, `) })

test('visitors see how well each model worked, by the day and by the hour', async ({ page, gateway }) => {
  await fill(gateway)
  await openStatusPage(gateway)
  await page.goto('/')
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await menu.getByRole('link', { name: 'Status' }).click()
  await expect(page).toHaveURL('/status')
  const tops = await menu.getByRole('link').evaluateAll((links) => links.map((link) => link.getBoundingClientRect().top))
  expect(new Set(tops).size).toBe(1)
  await expect(page.getByText('All models are up')).toBeVisible()
  await expect(list(page).getByRole('listitem')).toHaveCount(2)
  await expect(rowOf(page, 'gpt-4o-mini')).toContainText('No requests')
  const bars = barsOf(page, 'gpt-4o')
  await expect(bars).toHaveAccessibleName(/^gpt-4o, 90 days: 66\.66% success/)
  await bars.focus()
  const expectLive = (text: string) => expect(bars.locator('[aria-live]')).toHaveText(new RegExp(`^\\d{4}-\\d{2}-\\d{2} · ${text}$`))
  await page.keyboard.press('End')
  await expectLive('75% success')
  await page.keyboard.press('ArrowLeft')
  await expectLive('No requests')
  for (let press = 0; press < 2; press++) await page.keyboard.press('ArrowLeft')
  await expectLive('100% success')
  await page.keyboard.press('Escape')
  await expect(bars.locator('[aria-live]')).toHaveText('')
  await bars.locator('svg').hover({ position: { x: 2, y: 10 } })
  await expectLive('No requests')
  await expectAccessible(page)
  await page.getByRole('button', { name: '24 hours' }).click()
  await expect(page).toHaveURL('/status?span=hours')
  await expect(barsOf(page, 'gpt-4o')).toHaveAccessibleName(/^gpt-4o, 24 hours: 75% success/)
  await expect(rowOf(page, 'gpt-4o').first()).toContainText('75% success')
  const incidents = page.getByRole('region', { name: 'Incidents' }).getByRole('listitem')
  await expect(incidents).toHaveCount(2)
  await expect(incidents.nth(0)).toContainText('gpt-4o75% successDegraded')
  await expect(incidents.nth(1)).toContainText('gpt-4o0% successUnavailable')
})

test('a model that cannot be served is named first', async ({ page, gateway }) => {
  await fill(gateway)
  const id = await makeChannel(gateway, 'broken', { models: 'lost-model' })
  await gateway.ask('channelRow', { id, status: 3 })
  await openStatusPage(gateway)
  await signIn(page, gateway, gateway.root)
  await page.goto('/status')
  const alert = page.getByRole('alert').filter({ hasText: '1 of 3 models is down' })
  await expect(alert).toContainText('lost-model')
  await expect(rowOf(page, 'lost-model')).toContainText('Unavailable')
})

test('many models can be searched, and the search is in the address', async ({ page, gateway }) => {
  await fill(gateway, ['gpt-4o', ...Array.from({ length: 60 }, (_, index) => `model-${index}`)].join(','))
  await openStatusPage(gateway)
  await page.goto('/status')
  await expect(list(page).getByRole('listitem')).toHaveCount(50)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(list(page).getByRole('listitem')).toHaveCount(61)
  await page.getByRole('searchbox', { name: 'Search models' }).fill('model-59')
  await expect(list(page).getByRole('listitem')).toHaveCount(1)
  await expect(page).toHaveURL('/status?q=model-59')
  await page.getByRole('searchbox', { name: 'Search models' }).fill('nothing')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(list(page).getByRole('listitem')).toHaveCount(61)
})

test('the page says when there are no models, and when it cannot be read', async ({ page, gateway }) => {
  await openStatusPage(gateway)
  await page.goto('/status')
  await expect(page.getByText('There are no models yet')).toBeVisible()
  await page.route('**/api/model/status', (route) => route.fulfill({ status: 500, body: '' }))
  await page.reload()
  await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible()
})

test('the menu has no entry, and the page reveals nothing, unless an option opens it', async ({ page, gateway }) => {
  await fill(gateway)
  await signIn(page, gateway, gateway.root)
  await page.goto('/status')
  await expect(page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Models' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Status' })).toHaveCount(0)
  await expect(list(page)).toHaveCount(0)
})

test('while the page is off, accounts see that it is, and administrators are led to the option', async ({ page, gateway }) => {
  const ann = await gateway.ask('user', {})
  // The page is never requested only to be refused with an error, not even at the first visit.
  const paths: string[] = []
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  await signIn(page, gateway, ann, 1)
  await page.goto('/status')
  await expect(page.getByText('The status page is turned off')).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(paths).not.toContain('/api/model/status')
  await expect(page.getByRole('main').getByRole('link')).toHaveCount(0)
  await signIn(page, gateway, gateway.root)
  await page.goto('/status')
  await expect(page.getByText('The status page is turned off')).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(paths).toContain('/api/status')
  expect(paths).not.toContain('/api/model/status')
  await page.getByRole('main').getByRole('link', { name: 'Open setting' }).click()
  await expect(page.locator('#StatusPageEnabled')).toBeInViewport()
})
