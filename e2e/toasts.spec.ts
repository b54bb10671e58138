import type { Page, Route } from '@playwright/test'
import { expect, signIn, test, toast } from './support/test.ts'

/** Saves the account while the server gives this response. */
async function save(page: Page, response: (route: Route) => Promise<void>): Promise<void> {
  await page.route('**/api/user/self', (route) => (route.request().method() === 'PUT' ? response(route) : route.fallback()))
  await page.getByRole('button', { name: 'Save' }).click()
}

const says = (status: number, body: Readonly<Record<string, unknown>>) => (route: Route) => route.fulfill({ status, json: body })

const toasts = (page: Page) => page.getByLabel('Notifications', { exact: true }).locator('[data-kind]')

test.beforeEach(async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.clock.install()
  await page.goto('/user/edit')
})

/** Stops the clock, so that only the test advances it. */
async function stopTime(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: 'Save' })).toBeVisible()
  await page.clock.pauseAt(Date.now() + 60_000)
}

const stepMs = 20

/** Advances the clock in small steps until this number of toasts is visible. */
async function expectToasts(page: Page, count: number): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.clock.runFor(stepMs)
        return await toasts(page).count()
      },
      { intervals: [stepMs] },
    )
    .toBe(count)
}

/** Expects a toast to be visible until shortly before this time, and gone shortly after. */
async function expectToLast(page: Page, ms: number): Promise<void> {
  await expectToasts(page, 1)
  await page.clock.runFor(ms - 100)
  await expect(toasts(page)).toHaveCount(1)
  await expect(toasts(page)).not.toHaveAttribute('data-ending-style')
  await page.clock.runFor(200)
  // A remaining toast is already fading.
  await expect(toasts(page).and(page.locator(':not([data-ending-style])'))).toHaveCount(0)
  await expectToasts(page, 0)
}

const outcomes = [
  { name: 'a refusal', status: 200, body: { success: false, message: 'not like this' }, kind: 'error', text: 'not like this' },
  { name: '429', status: 429, body: { success: false, message: 'slow' }, kind: 'error', text: 'too many requests, try later' },
  { name: '500', status: 500, body: {}, kind: 'error', text: 'internal server error, contact the administrator' },
  { name: '405', status: 405, body: {}, kind: 'info', text: 'demo site only, no server' },
  { name: 'any other status', status: 418, body: { message: 'a teapot' }, kind: 'error', text: 'Error: a teapot' },
  { name: 'a status without a message', status: 502, body: {}, kind: 'error', text: 'Error: HTTP 502' },
] as const

for (const { name, status, body, kind, text } of outcomes) {
  test(`${name} is shown as ${kind}: ${text}`, async ({ page }) => {
    await save(page, says(status, body))
    await expect(toasts(page)).toHaveAttribute('data-kind', kind)
    await expect(toast(page, text)).toBeVisible()
  })
}

test('a missing response is shown as an error', async ({ page }) => {
  await save(page, (route) => route.abort())
  await expect(toasts(page)).toHaveAttribute('data-kind', 'error')
  await expect(toast(page, /^Error: ./)).toBeVisible()
})

test('success stays 1.5 seconds', async ({ page }) => {
  await stopTime(page)
  await save(page, says(200, { success: true, message: '', data: null }))
  await expectToLast(page, 1_500)
})

test('info stays 3 seconds', async ({ page }) => {
  await stopTime(page)
  await save(page, says(405, {}))
  await expectToLast(page, 3_000)
})

test('an error stays 5 seconds', async ({ page }) => {
  await stopTime(page)
  await save(page, says(500, {}))
  await expectToLast(page, 5_000)
})

test('a toast stays while the pointer is on it', async ({ page }) => {
  await stopTime(page)
  await save(page, says(200, { success: true, message: '', data: null }))
  await expectToasts(page, 1)
  await toasts(page).hover()
  await page.clock.runFor(5_000)
  await expect(toasts(page)).toHaveCount(1)
  await page.mouse.move(0, 0)
  await page.clock.runFor(2_000)
  await expectToasts(page, 0)
})

test('a toast stays while it has the focus, and while another window is in front', async ({ page }) => {
  await stopTime(page)
  await save(page, says(200, { success: true, message: '', data: null }))
  await expectToasts(page, 1)
  await page.evaluate(() => dispatchEvent(new Event('blur')))
  await page.clock.runFor(5_000)
  await expect(toasts(page)).toHaveCount(1)
  await page.keyboard.press('F6')
  await page.evaluate(() => dispatchEvent(new Event('focus')))
  await expect(page.getByLabel('Notifications', { exact: true })).toBeFocused()
  await page.clock.runFor(5_000)
  await expect(toasts(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Save' }).focus()
  await page.clock.runFor(2_000)
  await expectToasts(page, 0)
})

test('a toast can be closed at once', async ({ page }) => {
  await stopTime(page)
  await save(page, says(500, {}))
  await expectToasts(page, 1)
  await toasts(page).hover()
  await page.getByLabel('Close notification').click()
  await page.clock.runFor(500)
  await expectToasts(page, 0)
})

test('earlier toasts can be read again behind the bell', async ({ page }) => {
  await save(page, says(500, {}))
  await expect(toasts(page)).toHaveCount(1)
  await page.clock.runFor(6_000)
  await expect(toasts(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Notifications, 1 new' }).click()
  await expect(page.getByRole('dialog', { name: 'Recent notifications' })).toContainText('internal server error, contact the administrator')
})

test('the same words once more replace the toast that is still there, and stay their whole time', async ({ page }) => {
  await stopTime(page)
  await save(page, says(500, {}))
  await expectToasts(page, 1)
  await page.clock.runFor(3_000)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('button', { name: 'Notifications, 2 new' })).toBeVisible()
  await page.clock.runFor(500)
  // The first one is fading.
  const staying = toasts(page).and(page.locator(':not([data-ending-style])'))
  await expect(staying).toHaveCount(1)
  // By now the first one would be gone.
  await page.clock.runFor(3_000)
  await expect(staying).toHaveCount(1)
  await page.clock.runFor(2_000)
  await expectToasts(page, 0)
  await page.getByRole('button', { name: 'Notifications, 2 new' }).click()
  await expect(page.getByRole('dialog', { name: 'Recent notifications' }).getByText('internal server error')).toHaveCount(2)
})

for (const { width, place } of [
  { width: 600, place: 'the top centre' },
  { width: 601, place: 'the corner' },
]) {
  test(`toasts are in ${place} of a window ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 })
    await save(page, says(500, {}))
    const box = await toasts(page).boundingBox()
    if (box === null) throw new Error('the toast has no box')
    const fromCentre = box.x + box.width / 2 - (await page.evaluate(() => document.documentElement.clientWidth)) / 2
    // Below the bar, whose buttons stay free.
    const bar = await page.locator('header').first().boundingBox()
    const isBelowBar = bar !== null && box.y >= bar.y + bar.height
    expect(place === 'the corner' ? box.y > 600 && fromCentre > 50 : isBelowBar && box.y < 100 && Math.abs(fromCentre) <= 1).toBe(true)
  })
}
