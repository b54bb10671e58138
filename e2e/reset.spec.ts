import type { Page } from '@playwright/test'
import { hold } from './support/hold.ts'
import { serveBotCheck, toOtherServices } from './support/outside-pages.ts'
import { expect, expectToast, test, untilResponse } from './support/test.ts'

test.use({ hasServices: true, tolerated: toOtherServices })

const wait = 'Please retry in a few seconds, Turnstile is checking the user environment!'

/** Sends the form before its bot check has been passed. @returns the calls that ask for a mail, also those that follow */
async function sendTooEarly(page: Page): Promise<readonly string[]> {
  const calls: string[] = []
  page.on('request', (request) => (request.url().includes('/api/reset_password') ? calls.push(request.url()) : undefined))
  await page.goto('/reset')
  await page.getByLabel('Email', { exact: true }).fill('ann@example.com')
  await page.getByRole('button', { name: 'Send reset link' }).click()
  await expect(page.getByRole('main').getByText(wait)).toBeVisible()
  return calls
}

test.describe('a forgotten password', () => {
  test.beforeEach(async ({ gateway, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const ann = await gateway.ask('user', {})
    await gateway.ask('userRow', { id: ann.id, username: 'ann', email: 'ann@example.com' })
  })

  test('is replaced by the link of a mail: one call, the new one copied and shown, and a login with it', async ({ page, gateway }) => {
    await page.goto('/login')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await expect(page).toHaveURL('/reset')
    await page.getByLabel('Email', { exact: true }).fill('ann@example.com')
    await page.keyboard.press('Enter')
    await expectToast(page, 'reset email sent')
    const link = /http\S+\/user\/reset\?\S+/.exec(await gateway.ask('mail', 0))?.[0] ?? ''
    const calls: string[] = []
    page.on('request', (request) => (request.url().endsWith('/api/user/reset') ? calls.push(request.method()) : undefined))
    await page.goto(link)
    await expect(page.getByLabel('Email', { exact: true })).toHaveValue('ann@example.com')
    await expect(page.getByLabel('Email', { exact: true })).toHaveAttribute('readonly', '')
    await expect(page.getByRole('switch', { name: 'Also revoke access tokens' })).toBeChecked()
    await page.getByRole('button', { name: 'Reset password' }).dblclick()
    await expectToast(page, 'new password copied')
    await expect(page.getByText('The password has been reset')).toBeVisible()
    expect(calls).toEqual(['POST'])
    const field = page.getByLabel('New password')
    const password = await field.inputValue()
    expect(password).toHaveLength(20)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(password)
    await expect(field).toHaveAttribute('type', 'password')
    await page.getByRole('button', { name: 'Show password' }).click()
    await expect(field).toHaveAttribute('type', 'text')

    await page.getByRole('main').getByRole('button', { name: 'Log in' }).click()
    await expect(page.getByLabel('Username or email')).toHaveValue('ann@example.com')
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/token')
  })

  test('without a clipboard the new one is shown, selected', async ({ page, gateway }) => {
    await gateway.api('/api/reset_password?email=ann@example.com')
    const link = /http\S+\/user\/reset\?\S+/.exec(await gateway.ask('mail', 0))?.[0] ?? ''
    await page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))
      document.execCommand = () => false
    })
    await page.goto(link)
    await page.getByRole('button', { name: 'Reset password' }).click()
    await expectToast(page, 'Copy the text manually')
    const dialog = page.getByRole('dialog', { name: 'New password' })
    const textbox = dialog.getByRole('textbox', { name: 'New password' })
    await expect(textbox).toBeFocused()
    expect(await page.evaluate(() => document.getSelection()?.toString())).toBe(await textbox.inputValue())
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(page.getByLabel('New password')).not.toHaveValue('')
  })

  test('is sent once in 30 seconds, and only with an address', async ({ page }) => {
    const calls: string[] = []
    page.on('request', (request) => (request.url().includes('/api/reset_password') ? calls.push(new URL(request.url()).search) : undefined))
    await page.clock.install()
    await page.goto('/reset')
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await expect(page.getByText('Enter the email address of your account')).toBeVisible()
    await expect(page.getByLabel('Email', { exact: true })).toBeFocused()
    await expect(page.getByRole('button', { name: 'Send reset link' })).toBeEnabled()
    expect(calls).toEqual([])
    await page.getByLabel('Email', { exact: true }).fill('nobody@example.com')
    await page.clock.pauseAt(Date.now() + 60_000)
    await untilResponse(page, '/api/reset_password', () => page.getByRole('button', { name: 'Send reset link' }).click())
    const again = page.getByRole('button', { name: /^Send again in/ })
    await expect(again).toHaveText('Send again in 30 s')
    await expect(again).toBeDisabled()
    await page.keyboard.press('Enter')
    await page.clock.runFor(29_900)
    await expect(again).toBeDisabled()
    await page.clock.runFor(100)
    await expect(page.getByRole('button', { name: 'Send reset link' })).toBeEnabled()
    expect(calls).toEqual(['?email=nobody%40example.com&turnstile='])
  })

  test('sends nothing before the page knows whether there is a bot check', async ({ page, gateway }) => {
    const response = await hold(page, '**/api/status')
    const calls = await sendTooEarly(page)
    response()
    await expect(page.getByRole('main').getByText(wait)).toHaveCount(0)
    expect(calls).toEqual([])
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await expectToast(page, 'reset email sent')
    await gateway.ask('mail', 0)
  })

  test('needs the bot check if it is on', async ({ page, gateway }) => {
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'TurnstileCheckEnabled', value: 'true' } })
    await serveBotCheck(page)
    const calls = await sendTooEarly(page)
    expect(calls).toEqual([])
    await page.getByRole('button', { name: 'I am human' }).click()
    await page.getByRole('button', { name: 'Send reset link' }).click()
    await expectToast(page, 'reset email sent')
    await gateway.ask('mail', 0)
  })
})

test('a used link is refused with a way to a new one, and can be tried again', async ({ page }) => {
  await page.goto('/user/reset?email=a@b.example&token=123456')
  await page.getByRole('button', { name: 'Reset password' }).click()
  await expect(page.getByLabel('Email', { exact: true })).toHaveAccessibleDescription(/link/)
  await expect(page.getByRole('button', { name: 'Reset password' })).toBeEnabled()
  await page.getByRole('link', { name: 'Request a new link' }).click()
  await expect(page).toHaveURL('/reset')
})

test('a link without its parameters is explained', async ({ page }) => {
  await page.goto('/user/reset?email=a@b.example')
  await expect(page.getByText('This link is incomplete')).toBeVisible()
  await page.getByRole('link', { name: 'Request a new link' }).click()
  await expect(page).toHaveURL('/reset')
})
