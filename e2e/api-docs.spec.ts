import { expectAccessible } from './support/axe.ts'
import { expect, test } from './support/test.ts'

for (const [colorScheme, locale, width] of [
  ['light', 'en-US', 1440],
  ['dark', 'zh-CN', 390],
] as const) {
  test.describe(`the page of the management API, ${colorScheme}, ${locale}, ${width} pixels wide`, () => {
    test.use({ colorScheme, locale, viewport: { width, height: 844 } })

    test('opens a call by keyboard, shows its input and response, fits the window, and passes the checks of axe', async ({ page }) => {
      await page.goto('/api/docs')
      const call = page.locator('details[id="token.create"]')
      await call.locator('summary').focus()
      await page.keyboard.press('Enter')
      await expect(call.getByRole('cell', { name: 'unlimited_quota' }).first()).toBeVisible()
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true
      })
      await expectAccessible(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0)
    })
  })
}
