import type { Page } from '@playwright/test'
import { serveBotCheck, toOtherServices } from './support/outside-pages.ts'
import { expect, expectToast, test, untilResponse } from './support/test.ts'

test.use({ hasServices: true })

/** The bodies and queries of the calls whose path has this end. */
function callsTo(page: Page, path: string): readonly { readonly query: string; readonly body: unknown }[] {
  const calls: { readonly query: string; readonly body: unknown }[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname === path) calls.push({ query: url.search, body: request.postDataJSON() })
  })
  return calls
}

interface Typed {
  readonly username?: string
  readonly password?: string
  readonly again?: string
}

async function fillIn(page: Page, { username = 'ann', password = 'a good password', again }: Typed = {}): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(again ?? password)
}

const submit = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Register' }).click()

test('the code of an invitation is stored and sent, and the login follows with the name filled in', async ({ page, gateway }) => {
  const code = String(await gateway.api('/api/user/aff'))
  const calls = callsTo(page, '/api/user/register')
  await page.goto(`/register?aff=${code}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('aff'))).toBe(code)
  await page.getByRole('main').getByRole('link', { name: 'Log in' }).click()
  await page.getByRole('main').getByRole('link', { name: 'Register' }).click()
  await fillIn(page, { username: ' ann ' })
  await submit(page)
  await expect(page).toHaveURL('/login')
  await expectToast(page, 'Registration successful!')
  await expect(page.getByLabel('Username or email')).toHaveValue('ann')
  expect(calls).toMatchObject([
    { query: '?turnstile=', body: { username: 'ann', password: 'a good password', password2: 'a good password', aff_code: code } },
  ])
  await page.getByLabel('Password', { exact: true }).fill('a good password')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/token')
  const [ann] = (await gateway.api('/api/user/search?keyword=ann')) as readonly { readonly inviter_id: number }[]
  expect(ann?.inviter_id).toBe(gateway.root.id)
})

test('nothing is sent before name and passwords are right', async ({ page }) => {
  const calls = callsTo(page, '/api/user/register')
  await page.goto('/register')
  await expect(page.getByLabel('Username')).toHaveAttribute('placeholder', 'at most 12 characters')
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('placeholder', '8 to 20 characters')
  for (const label of ['Email', 'Verification code']) await expect(page.getByLabel(label)).toHaveCount(0)
  await expect(page.getByText('bot check')).toHaveCount(0)
  for (const label of ['Password', 'Confirm password'])
    await expect(page.getByLabel(label, { exact: true })).toHaveAttribute('autocomplete', 'new-password')
  await submit(page)
  await expect(page.getByText('Enter a username')).toBeVisible()
  await expect(page.getByText('Enter a password')).toBeVisible()
  await expect(page.getByLabel('Username')).toBeFocused()
  await fillIn(page, { password: 'seven77' })
  await submit(page)
  await expect(page.getByText('Password length must not be less than 8')).toBeVisible()
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
  await fillIn(page, { again: 'another password' })
  await submit(page)
  await expect(page.getByText('The two passwords entered do not match')).toBeVisible()
  await expect(page.getByLabel('Confirm password')).toBeFocused()
  expect(calls).toEqual([])
})

test('a longer name than the hint says is accepted, and the strength of the password is shown', async ({ page }) => {
  await page.goto('/register')
  await fillIn(page, { username: 'a-name-of-more-than-twelve', password: 'password' })
  await expect(page.getByText('Weak')).toBeVisible()
  await fillIn(page, { username: 'a-name-of-more-than-twelve', password: 'correct horse battery staple' })
  await expect(page.getByText('Strong')).toBeVisible()
  await submit(page)
  await expect(page).toHaveURL('/login')
})

test('a refusal of the server stands beside its field, and the form keeps what was typed', async ({ page }) => {
  await page.goto('/register')
  await fillIn(page, { username: 'root' })
  await submit(page)
  const username = page.getByLabel('Username')
  await expect(username).toHaveAttribute('aria-invalid', 'true')
  await expect(username).toBeFocused()
  await expectToast(page, 'username')
  await expect(page.getByRole('main').getByRole('alert')).toHaveCount(0)
  await expect(page.getByLabel('Confirm password')).toHaveValue('a good password')
  await username.fill('ann')
  await expect(username).not.toHaveAttribute('aria-invalid', 'true')
  await submit(page)
  await expect(page).toHaveURL('/login')
})

test('an address is proved by the code of a mail, which can be sent again after 30 seconds', async ({ page, gateway }) => {
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'EmailVerificationEnabled', value: 'true' } })
  const calls = callsTo(page, '/api/verification')
  await page.clock.install()
  await page.goto('/register')
  await fillIn(page)
  await page.getByRole('button', { name: 'Send code' }).click()
  await expect(page.getByRole('button', { name: 'Send code' })).toBeEnabled()
  expect(calls).toEqual([])

  await page.getByLabel('Email', { exact: true }).fill('ann@example.com')
  await page.clock.pauseAt(Date.now() + 60_000)
  await untilResponse(page, '/api/verification', () => page.getByRole('button', { name: 'Send code' }).click())
  const again = page.getByRole('button', { name: /^Resend in \d+ s$/ })
  await expect(again).toHaveText('Resend in 30 s')
  await expect(again).toBeDisabled()
  const mail = await gateway.ask('mail', 0)
  expect(calls.map(({ query }) => query)).toEqual(['?email=ann%40example.com&turnstile='])
  await page.clock.runFor(29_000)
  await expect(again).toHaveText('Resend in 1 s')
  await page.clock.runFor(1_000)
  await expect(page.getByRole('button', { name: 'Send code' })).toBeEnabled()
  await page.clock.resume()
  await expectToast(page, 'Verification code sent successfully, please check your email!')

  await submit(page)
  await expect(page.getByText('Enter the code from your email')).toBeVisible()
  await page.getByLabel('Verification code').fill(/\b\d{6}\b/.exec(mail)?.[0] ?? '')
  await submit(page)
  await expect(page).toHaveURL('/login')
  const [ann] = (await gateway.api('/api/user/search?keyword=ann')) as readonly { readonly email: string }[]
  expect(ann?.email).toBe('ann@example.com')
})

test.describe('with the bot check', () => {
  test.use({ tolerated: toOtherServices })

  test('nothing is sent before it is passed, and each call gets a token of its own', async ({ page, gateway }) => {
    const set = (key: string) => gateway.api('/api/option/', { method: 'PUT', body: { key, value: 'true' } })
    await set('TurnstileCheckEnabled')
    await set('EmailVerificationEnabled')
    await serveBotCheck(page)
    const calls = callsTo(page, '/api/user/register')
    const mails = callsTo(page, '/api/verification')
    await page.goto('/register')
    const widget = page.getByRole('button', { name: 'I am human' })
    await expect(widget).toHaveAttribute('data-sitekey', 'site-key')
    await fillIn(page)
    await page.getByLabel('Email', { exact: true }).fill('ann@example.com')
    await page.getByLabel('Verification code').fill('123456')
    const wait = 'Please retry in a few seconds, Turnstile is checking the user environment!'
    await submit(page)
    await expect(page.getByRole('main').getByText(wait)).toBeVisible()
    await page.getByRole('button', { name: 'Send code' }).click()
    await expectToast(page, wait)
    await expect(page.getByRole('button', { name: 'Send code' })).toBeEnabled()
    expect([...calls, ...mails]).toEqual([])

    await widget.click()
    await page.getByRole('button', { name: 'Send code' }).click()
    const code = /\b\d{6}\b/.exec(await gateway.ask('mail', 0))?.[0] ?? ''
    await page.getByLabel('Verification code').fill(code)
    await submit(page)
    await expect(page.getByRole('main').getByText(wait)).toBeVisible()
    expect(calls).toEqual([])
    await widget.click()
    await submit(page)
    await expect(page).toHaveURL('/login')
    expect(calls.map(({ query }) => query)).toEqual([expect.stringMatching(/^\?turnstile=good-/)])
    expect(calls[0]?.body).not.toHaveProperty('turnstile')
  })

  test('a script that does not load is said, and can be tried again', async ({ page, gateway }) => {
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'TurnstileCheckEnabled', value: 'true' } })
    const script = 'https://challenges.cloudflare.com/**'
    await page.route(script, (route) => route.abort())
    await page.goto('/register')
    await expect(page.getByText('The bot check could not be loaded')).toBeVisible()
    await page.unroute(script)
    await serveBotCheck(page)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByRole('button', { name: 'I am human' })).toBeVisible()
  })
})

test('a closed registration is explained, and no link leads to it', async ({ page, gateway }) => {
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'RegisterEnabled', value: 'false' } })
  await page.goto('/register')
  await expect(page.getByText('Registration is closed')).toBeVisible()
  await expect(page.getByLabel('Username')).toHaveCount(0)
  await page.goto('/login')
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Register' })).toHaveCount(0)
})

test('visitors find login and registration at the top of every page', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('banner').getByRole('link', { name: 'Register' }).click()
  await expect(page).toHaveURL('/register')
  await page.getByRole('banner').getByRole('link', { name: 'Log in' }).click()
  await expect(page).toHaveURL('/login')
})
