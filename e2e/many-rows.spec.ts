import { expect, expectToast, signIn, test } from './support/test.ts'

const count = 100_000

test('a list of a hundred thousand rows is paged, selected, searched and opened at any page', async ({ page, gateway }) => {
  test.slow()
  await gateway.ask('manyTokens', { owner: gateway.root, count })
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (/^\/api\/token\/(?:search)?$/.test(pathname) && request.method() === 'GET') calls.push(search)
  })
  await signIn(page, gateway, gateway.root)
  await page.goto('/token')
  const rows = page.locator('[data-row]')
  await expect(rows).toHaveCount(10)
  await expect(rows.first()).toContainText(`token ${count}`)
  await expect(page.getByText('Showing 10, more available')).toBeVisible()
  // The next page is requested by the last row, so that rows which are added meanwhile move nothing.
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(rows.first()).toContainText(`token ${count - 10}`)
  expect(calls.at(-1)).toMatch(/after=\d+/)
  // Selected rows stay selected on the next page, and are counted.
  await rows.first().getByRole('checkbox').click()
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(rows.first()).toContainText(`token ${count - 20}`)
  await rows.first().getByRole('checkbox').click()
  const bar = page.getByRole('region', { name: 'Actions for selected rows' })
  await expect(bar).toContainText('2 selected')
  await page.getByRole('checkbox', { name: 'Select all loaded rows' }).click()
  await expect(bar).toContainText('30 selected')
  await bar.getByRole('button', { name: 'Disable', exact: true }).click()
  await expectToast(page, /30 done/)
  await expect(rows.filter({ hasText: 'Disabled' })).toHaveCount(10)
  // A page that is far from the first is opened by its number.
  await page.goto('/token?page=9999')
  await expect(rows).toHaveCount(10)
  await expect(rows.first()).toContainText('token 20')
  await page.goto('/token?page=10002')
  await expect(page).toHaveURL('/token')
  await expect(rows).toHaveCount(10)
  await page.getByRole('searchbox').fill('token 77777')
  await page.keyboard.press('Enter')
  await expect(rows).toHaveCount(1)
  await rows.first().getByText('token 77777', { exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'token 77777' })).toBeVisible()
})
