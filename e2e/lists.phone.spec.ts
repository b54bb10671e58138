import { busyLog, logRow } from './support/log-rows.ts'
import { expect, expectToast, settle, signIn, test } from './support/test.ts'

test('log entries are cards with a button for the details', async ({ page, gateway }) => {
  await gateway.ask('logs', [logRow(gateway.root, { model_name: 'gpt-4o', token_name: 'ci', quota: 1_000_000, content: 'in full' })])
  await signIn(page, gateway, gateway.root)
  await page.goto('/log')
  const card = page.getByRole('list', { name: 'Logs' }).getByRole('listitem')
  await expect(card).toHaveCount(1)
  await expect(card).toContainText(/Consume.*gpt-4o.*\$2\.00.*ci/)
  await card.getByRole('button', { name: /^Details/ }).tap()
  await expect(page.getByRole('dialog')).toContainText('in full')
})

test('log filters are in a sheet, and those that are set are chips that open their field', async ({ page, gateway }) => {
  await gateway.ask('logs', busyLog(gateway.root, 5, 1_760_000_000))
  await signIn(page, gateway, gateway.root)
  await page.goto('/log')
  await page.getByRole('button', { name: 'Filters', exact: true }).tap()
  await page.getByRole('dialog').getByLabel('Token name').fill('ci')
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).tap()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page).toHaveURL('/log?token=ci')
  await page.getByRole('button', { name: 'Token name: ci' }).tap()
  await expect(page.getByRole('dialog', { name: 'Token name' }).getByLabel('Token name')).toHaveValue('ci')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).tap()
  await page.getByRole('button', { name: 'Remove the filter Token name' }).tap()
  await expect(page).toHaveURL('/log')
})

test('a token card has its main action as a button and the others in a sheet', async ({ page, gateway }) => {
  await gateway.api('/api/token/', { method: 'POST', body: { name: 'demo', remain_quota: 500_000 } })
  await signIn(page, gateway, gateway.root)
  await page.goto('/token')
  const card = page.getByRole('list', { name: 'Tokens' }).getByRole('listitem')
  await expect(card).toContainText(/demo.*Enabled/)
  await card.getByRole('button', { name: 'More actions for demo' }).tap()
  await page.getByRole('dialog', { name: 'demo' }).getByRole('button', { name: 'Disable' }).tap()
  await expect(card).toContainText('Disabled')
  await expectToast(page, 'Operation completed successfully!')
})

for (const path of ['/token', '/channel', '/log']) {
  test(`${path} with rows does not scroll sideways, even in a window of 320 pixels`, async ({ page, gateway }) => {
    await gateway.ask('logs', busyLog(gateway.root, 20, 1_760_000_000))
    const long = 'a-rather-long-name-that-somebody-gave-it-without-any-blank'
    await gateway.api('/api/token/', { method: 'POST', body: { name: long, remain_quota: 500_000 } })
    const body = { name: long, type: 1, key: 'key', base_url: gateway.upstreamUrl, models: 'gpt-4o', group: 'default,vip,svip' }
    await gateway.api('/api/channel/', { method: 'POST', body })
    await signIn(page, gateway, gateway.root)
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 })
      await page.goto(path)
      await expect(page.locator('[data-row]').first()).toBeVisible()
      await settle(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
  })
}
