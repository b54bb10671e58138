import { expectAccessible } from './support/axe.ts'
import { expect, signIn, test } from './support/test.ts'

const pages = [
  { path: '/login', isOpen: true },
  { path: '/', isOpen: true },
  { path: '/no/such', isOpen: true },
  { path: '/', isOpen: false },
  { path: '/user/edit', isOpen: false },
]

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme })
    for (const { path, isOpen } of pages) {
      test(`${path} has no barrier that axe knows, ${isOpen ? 'for visitors' : 'logged in'}`, async ({ page, gateway }) => {
        if (!isOpen) await signIn(page, gateway, gateway.root)
        await page.goto(path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await page.waitForLoadState('networkidle')
        await expectAccessible(page)
      })
    }
  })
}
