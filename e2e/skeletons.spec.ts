import type { Page } from '@playwright/test'
import { makeChannel } from './support/channels.ts'
import { hold } from './support/hold.ts'
import { expect, signIn, test } from './support/test.ts'

// While a page is read, it has the shape that it will have: nothing moves when the response comes.

/** Where the heading and the card below it begin, and how high the card is. */
const places = (page: Page) =>
  page.evaluate(() => {
    const heading = document.querySelector('main h1')?.getBoundingClientRect()
    const card = document.querySelector('main .rounded-md.border')?.getBoundingClientRect()
    return { heading: heading?.top ?? 0, card: card?.top ?? 0, height: card?.height ?? 0 }
  })

/** Sizes of letters differ by less. */
const movedMax = 4

for (const { size, viewport, isMobile } of [
  { size: 'a desktop', viewport: { width: 1440, height: 900 }, isMobile: false },
  { size: 'a phone', viewport: { width: 390, height: 844 }, isMobile: true },
]) {
  test.describe(`on ${size}`, () => {
    test.use({ viewport, isMobile, hasTouch: isMobile })

    test('the page about the installation keeps its shape, and its text from the last visit', async ({ page, gateway }) => {
      const release = await hold(page, '**/api/about')
      await page.goto('/about')
      await expect(page.locator('main [aria-busy=true]')).toBeVisible()
      const before = await places(page)
      release()
      await expect(page.getByRole('link', { name: /documentation|API/i }).last()).toBeVisible()
      await expect(page.locator('main [aria-busy=true]')).toHaveCount(0)
      const after = await places(page)
      expect(Math.abs(after.heading - before.heading)).toBeLessThan(1)
      expect(Math.abs(after.card - before.card)).toBeLessThan(movedMax)
      expect(Math.abs(after.height - before.height)).toBeLessThan(movedMax)
      await page.unroute('**/api/about')
      await gateway.api('/api/option/', { method: 'PUT', body: { key: 'About', value: '<p>Who we are</p>' } })
      await page.reload()
      await expect(page.getByText('Who we are')).toBeVisible()
      await hold(page, '**/api/about')
      await page.reload()
      await expect(page.getByText('Who we are')).toBeVisible()
    })

    test('the list of models keeps its shape', async ({ page, gateway }) => {
      await makeChannel(gateway, 'demo')
      await signIn(page, gateway, gateway.root)
      const release = await hold(page, '**/api/model/**')
      await page.goto('/model')
      await expect(page.locator('main [aria-busy=true]')).toBeVisible()
      const before = await places(page)
      release()
      await expect(page.getByText('gpt-4o-mini').first()).toBeVisible()
      const after = await places(page)
      expect(Math.abs(after.heading - before.heading)).toBeLessThan(1)
      expect(Math.abs(after.card - before.card)).toBeLessThan(movedMax)
    })

    test('the status page keeps its shape', async ({ page, gateway }) => {
      await makeChannel(gateway, 'demo')
      await gateway.api('/api/option/', { method: 'PUT', body: { key: 'StatusPageEnabled', value: 'true' } })
      await signIn(page, gateway, gateway.root)
      const release = await hold(page, '**/api/model/status')
      await page.goto('/status')
      await expect(page.locator('main [aria-busy=true]')).toBeVisible()
      const before = await places(page)
      release()
      await expect(page.getByText('gpt-4o-mini').first()).toBeVisible()
      const after = await places(page)
      expect(Math.abs(after.heading - before.heading)).toBeLessThan(1)
      expect(Math.abs(after.card - before.card)).toBeLessThan(movedMax)
      expect(Math.abs(after.height - before.height)).toBeLessThan(movedMax)
    })

    test('the playground keeps its prompt where it will be', async ({ page, gateway }) => {
      await makeChannel(gateway, 'demo')
      await gateway.ask('tokens', { owner: gateway.root, names: ['lab'] })
      await signIn(page, gateway, gateway.root)
      const release = await hold(page, '**/api/token/*')
      await page.goto('/playground')
      await expect(page.locator('main [aria-busy=true]')).toBeVisible()
      const before = await places(page)
      release()
      await expect(page.getByRole('textbox', { name: 'Prompt', exact: true })).toBeVisible()
      const after = await places(page)
      expect(Math.abs(after.heading - before.heading)).toBeLessThan(1)
      // The prompt stands at the end of the page, as its placeholder did.
      expect(Math.abs(after.card + after.height - before.card - before.height)).toBeLessThan(movedMax)
    })

    test('the sums of the dashboard keep their shape', async ({ page, gateway }) => {
      await makeChannel(gateway, 'demo')
      await signIn(page, gateway, gateway.root)
      const release = await hold(page, '**/api/log/**')
      await page.goto('/dashboard')
      await expect(page.getByRole('list', { name: 'Summary' })).toBeVisible()
      const before = await places(page)
      release()
      await expect(page.getByRole('list', { name: 'Summary' }).getByText('$0.00')).toBeVisible()
      const after = await places(page)
      expect(Math.abs(after.card - before.card)).toBeLessThan(movedMax)
      expect(Math.abs(after.height - before.height)).toBeLessThan(movedMax)
    })
  })
}

/** Notes when the first element of a selector comes and goes, by the page's own clock. */
async function noteLife(page: Page, selector: string): Promise<void> {
  await page.evaluate((target) => {
    const { dataset } = document.documentElement
    new MutationObserver(() => {
      const isThere = document.querySelector(target) !== null
      if (isThere) dataset['came'] ??= String(Date.now())
      else if (dataset['came'] !== undefined) dataset['went'] ??= String(Date.now())
    }).observe(document.body, { childList: true, subtree: true, attributes: true })
  }, selector)
}

const timeOf = (page: Page, name: 'came' | 'went') =>
  page.evaluate((key) => Number(document.documentElement.dataset[key] ?? Number.NaN), name)

/** Moves the page's clock on in small steps until something holds. */
async function runUntil(page: Page, check: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await page.clock.runFor(10)
    await check()
  }).toPass({ intervals: [0] })
}

test.describe('an indicator of loading', () => {
  for (const { what, path, held, selector, fromMs } of [
    // The page before stays at first; a placeholder is there at once, and its grey appears as late.
    { what: 'page', path: '/log', held: '/static/js/log-page-*.js', selector: '[data-page-loading]', fromMs: 150 },
    { what: 'text', path: '/about', held: '/api/about', selector: 'main [aria-busy=true]', fromMs: 0 },
  ] as const) {
    test(`of a ${what} is not shown for a short wait, and stays long enough to be seen`, async ({ page, gateway }) => {
      await page.clock.install()
      await signIn(page, gateway, gateway.root)
      await page.goto('/playground')
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      const release = await hold(page, `**${held}`)
      await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000)
      await noteLife(page, selector)
      const begin = await page.evaluate(() => Date.now())
      await page.locator(`nav a[href="${path}"]`).first().dispatchEvent('click')
      await runUntil(page, async () => expect(await timeOf(page, 'came')).not.toBeNaN())
      expect((await timeOf(page, 'came')) - begin).toBeGreaterThanOrEqual(fromMs)
      // Until its grey is visible.
      await page.clock.runFor(200 - fromMs)
      release()
      await runUntil(page, async () => expect(await timeOf(page, 'went')).not.toBeNaN())
      expect((await timeOf(page, 'went')) - (await timeOf(page, 'came'))).toBeGreaterThanOrEqual(450 - fromMs)
    })
  }
})
