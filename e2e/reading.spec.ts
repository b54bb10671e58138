import { expect, settle, signIn, test } from './support/test.ts'

test.beforeEach(async ({ page, gateway }) => {
  await gateway.api('/api/token/', { method: 'POST', body: { name: 'production-api', remain_quota: 500_000 } })
  await signIn(page, gateway, gateway.root)
})

test('wider spacing of the text hides nothing of a form and a list', async ({ page }) => {
  for (const path of ['/token', '/token/add', '/channel/add', '/setting?tab=personal']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('[data-row], form input, section h2').first()).toBeVisible()
    await page.evaluate(() => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }')
      document.adoptedStyleSheets.push(sheet)
    })
    await settle(page)
    const cut = await page.evaluate(() => {
      const all = [...document.querySelectorAll('h1, h2, label, legend, dt, th, button, p')]
      return all
        .filter(
          (element) =>
            element.checkVisibility() && element.closest('.sr-only, .truncate') === null && element.querySelector('.truncate') === null,
        )
        .filter((element) => getComputedStyle(element).overflow !== 'visible')
        .filter((element) => element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1)
        .map((element) => element.outerHTML.slice(0, 100))
    })
    expect([path, cut]).toEqual([path, []])
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0)
  }
})

test('a cut text that is read from right to left shows its beginning', async ({ page, gateway }) => {
  const name = 'رمز الوصول لفريق البحث والتطوير في المكتب الرئيسي بمدينة برلين'
  await gateway.api('/api/token/', { method: 'POST', body: { name, remain_quota: 1 } })
  await page.setViewportSize({ width: 1024, height: 900 })
  await page.goto('/token')
  const cell = page.locator('[data-row] th bdi').filter({ hasText: name }).last()
  await expect(cell).toBeVisible()
  const isShown = await cell.evaluate((element) => {
    const first = document.createRange()
    first.setStart(element.firstChild ?? element, 0)
    first.setEnd(element.firstChild ?? element, 1)
    const [letter, box] = [first.getBoundingClientRect(), element.getBoundingClientRect()]
    return element.scrollWidth > element.clientWidth && letter.left >= box.left - 1 && letter.right <= box.right + 1
  })
  expect(isShown).toBe(true)
})

test('reduced motion ends every movement at once, and forced colours keep borders and focus', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' })
  await page.goto('/token')
  await page.getByRole('button', { name: 'More actions for production-api' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(page.getByRole('alertdialog')).toBeVisible()
  const slow = await page.evaluate(() =>
    [...document.querySelectorAll('body, body *')].flatMap((element) => {
      const { transitionDuration, animationDuration } = getComputedStyle(element)
      const isSlow = `${transitionDuration}, ${animationDuration}`.split(', ').some((duration) => Number.parseFloat(duration) > 0.001)
      return isSlow ? [element.outerHTML.slice(0, 100)] : []
    }),
  )
  expect(slow).toEqual([])
  const cancel = page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' })
  await page.keyboard.press('Shift+Tab')
  await expect(cancel).toBeFocused()
  await expect(cancel).toHaveCSS('outline-style', 'solid')
  await expect(cancel).toHaveCSS('outline-width', '2px')
  for (const name of ['Cancel', 'Delete']) {
    await expect(page.getByRole('alertdialog').getByRole('button', { name })).toHaveCSS('border-style', 'solid')
  }
  await page.keyboard.press('Escape')
  await expect(page.getByRole('searchbox')).toHaveCSS('border-style', 'solid')
})
