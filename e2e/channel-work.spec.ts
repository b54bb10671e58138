import type { Page } from '@playwright/test'
import { json } from '../apps/server/test/fake-upstream.ts'
import { channelRow, makeChannel, writesOf } from './support/channels.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

test.beforeEach(async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

test.describe('the buttons above the list of channels', () => {
  test('test all channels and show the results without a reload', async ({ page, gateway }) => {
    for (const name of ['one', 'two']) await makeChannel(gateway, name)
    await gateway.ask('channelRow', { id: 2, status: 2 })
    await page.goto('/channel')
    await expect(channelRow(page, 'one')).toContainText('Untested')
    const testRequest = page.waitForRequest('**/api/channel/test?*')
    await button(page, 'Test all').click()
    expect(new URL((await testRequest).url()).searchParams.get('scope')).toBe('all')
    await expectToast(page, 'tests started, refresh to see results')
    await expect(channelRow(page, 'one')).toContainText(/\d\.\d\d s/)
    await expect(channelRow(page, 'two')).toContainText(/\d\.\d\d s/)
    await expectToast(page, 'Tests finished: 2 passed, 0 failed')
    await expect(button(page, 'Test all')).toBeEnabled()
  })

  test('test the disabled channels only', async ({ page, gateway }) => {
    for (const name of ['on', 'off']) await makeChannel(gateway, name)
    await gateway.ask('channelRow', { id: 2, status: 2 })
    await page.goto('/channel')
    await button(page, 'Test disabled').click()
    await expectToast(page, 'tests started, refresh to see results')
    await expectToast(page, 'Tests finished: 1 passed, 0 failed')
    await expect(channelRow(page, 'off')).toContainText(/\d\.\d\d s/)
    await expect(channelRow(page, 'on')).toContainText('Untested')
  })

  test('show the progress of a run while it lasts', async ({ page, gateway }) => {
    await makeChannel(gateway, 'one')
    await gateway.ask('script', [[{ do: 'wait', name: 'later' }, ...json({ error: { message: 'no', code: 'invalid_api_key' } }, 401)]])
    await page.goto('/channel')
    await button(page, 'Test all').click()
    await expect(page.getByText('Testing channels: 0 of 1')).toBeVisible()
    await expect(button(page, 'Test disabled')).toBeDisabled()
    await gateway.ask('release', 'later')
    await expectToast(page, 'Tests finished: 0 passed, 1 failed')
    await expect(page.getByText('Testing channels')).toBeHidden()
  })

  test('delete the disabled channels after a question', async ({ page, gateway }) => {
    for (const name of ['on', 'off', 'auto']) await makeChannel(gateway, name)
    await gateway.ask('channelRow', { id: 2, status: 2 })
    await gateway.ask('channelRow', { id: 3, status: 3 })
    await page.goto('/channel')
    const writes = writesOf(page)
    const question = page.getByRole('alertdialog', { name: 'Delete all disabled channels?' })
    await button(page, 'Delete disabled').click()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await button(page, 'Delete disabled').click()
    await question.getByRole('button', { name: 'Delete' }).click()
    await expectToast(page, '2 disabled channels deleted')
    await expect(channelRow(page, 'off')).toHaveCount(0)
    await expect(channelRow(page, 'auto')).toHaveCount(0)
    await expect(channelRow(page, 'on')).toBeVisible()
    expect(writes).toEqual([['DELETE', '/api/channel/disabled']])
  })
})

test.describe('the balance of a channel', () => {
  /** Responses to both calls that the balance needs. */
  const balance = (dollars: number) => Array.from({ length: 2 }, () => json({ hard_limit_usd: dollars, total_usage: 0 }))

  test('is queried from its row, and shown in the unit of its vendor', async ({ page, gateway }) => {
    await makeChannel(gateway, 'demo')
    await gateway.ask('script', balance(12.5))
    await page.goto('/channel')
    await button(page, 'More actions for demo').click()
    await page.getByRole('menuitem', { name: 'Update balance' }).click()
    await expectToast(page, 'balance updated')
    await expect(channelRow(page, 'demo')).toContainText('$12.50')
  })

  test('is queried for all channels whose vendors report it', async ({ page, gateway }) => {
    await makeChannel(gateway, 'demo')
    await makeChannel(gateway, 'of groq', { type: 29 })
    await gateway.ask('script', balance(3))
    await page.goto('/channel')
    await button(page, 'More actions for all channels').click()
    await page.getByRole('menuitem', { name: 'Update all balances' }).click()
    await expectToast(page, 'Balances updated: 1, failed: 0')
    await expect(channelRow(page, 'demo')).toContainText('$3.00')
    await button(page, 'More actions for of groq').click()
    await expect(page.getByRole('menuitem', { name: 'Disable' })).toBeVisible()
    await expect(page.getByRole('menuitem', { name: 'Update balance' })).toHaveCount(0)
  })
})
