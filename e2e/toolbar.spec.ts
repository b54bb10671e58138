import { expect, signIn, test } from './support/test.ts'

for (const lang of ['en', 'zh']) {
  test(`the tools of each list are one line of a window that is 1440 pixels wide (${lang})`, async ({ page, gateway }) => {
    await page.addInitScript((chosen) => localStorage.setItem('ui-lang', JSON.stringify(chosen)), lang)
    await signIn(page, gateway, gateway.root)
    for (const path of ['/token', '/channel', '/redemption', '/user', '/log', '/task']) {
      await page.goto(path)
      const tools = page.locator('[data-list-tools]')
      await expect(tools).toBeVisible()
      const bottoms = await tools.locator('button, input').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom))
      expect(Math.max(...bottoms) - Math.min(...bottoms), path).toBeLessThan(8)
    }
  })
}
