import type { Page } from '@playwright/test'
import { expect, expectToast, logIn, setupLinkOf, signIn, test, toast } from './support/test.ts'

/** Records every call of the management API from now on, as `METHOD path`. */
function callsOf(page: Page): readonly string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) calls.push(`${request.method()} ${pathname}`)
  })
  return calls
}

const storedUser = (page: Page) => page.evaluate(() => localStorage.getItem('user'))

const expiredText = 'Not logged in or login expired, please log in again'

test.describe('logging in', () => {
  test('with the right password stores the user, shows a message and opens the tokens', async ({ page, gateway }) => {
    const calls = callsOf(page)
    await page.goto('/login')
    await logIn(page, gateway.root.username, gateway.root.password)
    await expect(page).toHaveURL('/token')
    await expectToast(page, 'Login successful!')
    expect(JSON.parse((await storedUser(page)) ?? '')).toMatchObject({ username: 'root', role: 100 })
    expect(calls.filter((call) => call.startsWith('POST'))).toEqual(['POST /api/user/login'])
  })

  test('with a wrong password shows the server’s message and stores nothing', async ({ page }) => {
    await page.goto('/login')
    await logIn(page, 'root', 'not the password')
    await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/wrong|password/i)
    await expectToast(page, /password/i)
    await expect(page.getByLabel('Username or email')).toHaveValue('root')
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
    await page.keyboard.type('x')
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue('x')
    await expect(page).toHaveURL('/login')
    expect(await storedUser(page)).toBeNull()
  })

  test('sends nothing until both fields are filled, and focuses the first empty one', async ({ page }) => {
    const calls = callsOf(page)
    await page.goto('/login')
    await expect(page.getByLabel('Username or email')).toHaveAttribute('autocomplete', 'username')
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('autocomplete', 'current-password')
    await page.getByRole('button', { name: 'Log in' }).click()
    await expect(page.getByLabel('Username or email')).toBeFocused()
    await page.getByLabel('Username or email').fill('root')
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
    expect(calls.filter((call) => call.startsWith('POST'))).toEqual([])
  })

  test('sends one request however often Enter is pressed', async ({ page, gateway }) => {
    const calls = callsOf(page)
    await page.goto('/login')
    await logIn(page, gateway.root.username, gateway.root.password)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/token')
    expect(calls.filter((call) => call.startsWith('POST'))).toHaveLength(1)
  })

  test('sends one request if the form is sent again before the page shows the first', async ({ page, gateway }) => {
    const calls = callsOf(page)
    await page.goto('/login')
    await page.getByLabel('Username or email').fill(gateway.root.username)
    await page.getByLabel('Password', { exact: true }).fill(gateway.root.password)
    await page.locator('form').evaluate((form: HTMLFormElement) => {
      form.requestSubmit()
      form.requestSubmit()
    })
    await expect(page).toHaveURL('/token')
    expect(calls.filter((call) => call.startsWith('POST'))).toHaveLength(1)
  })
})

test.describe('with the built-in first password', () => {
  test.use({ keepsDefaultPassword: true })

  test('a login opens the account and shows a warning for ten seconds', async ({ page }) => {
    await page.clock.install()
    await page.goto('/login')
    await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible()
    // From now on only the test advances the clock, so that a slow machine does not use up the ten seconds.
    await page.clock.pauseAt(Date.now() + 60_000)
    await logIn(page, 'root', '123456')
    const warning = toast(page, 'Change the default password immediately')
    const isWarned = async () => {
      await page.clock.runFor(20)
      return await warning.isVisible()
    }
    await expect.poll(isWarned, { intervals: [20] }).toBe(true)
    await expect(page).toHaveURL('/user/edit')
    await page.clock.runFor(9_000)
    await expect(warning).toBeVisible()
    await page.clock.runFor(1_500)
    await expect(warning).toBeHidden()
  })

  test('every other page shows a reminder with a link to the account', async ({ page }) => {
    await page.goto('/login')
    await logIn(page, 'root', '123456')
    await expect(page).toHaveURL('/user/edit')
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click()
    await page.getByRole('link', { name: 'Change it now' }).click()
    await expect(page).toHaveURL('/user/edit')
  })
})

test.describe('the setup link', () => {
  test.use({ hasSetupLink: true })

  test('sends its secret when the button is pressed, opens the account, and is no longer in the history', async ({ page, gateway }) => {
    const calls = callsOf(page)
    await page.goto(setupLinkOf(gateway))
    await expect(page.getByRole('button', { name: 'Log in as root' })).toBeVisible()
    expect(calls.filter((call) => call.startsWith('POST'))).toEqual([])
    await page.getByRole('button', { name: 'Log in as root' }).click()
    await expect(page).toHaveURL('/user/edit')
    await expectToast(page, 'Set a password immediately')
    await expect(page.getByRole('main')).toContainText('This account has no password')
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click()
    await page.getByRole('link', { name: 'Set it now' }).click()
    await expect(page).toHaveURL('/user/edit')
    await page.goBack()
    await page.goBack()
    await expect(page).not.toHaveURL(/setup/)
  })

  test('works until a password is set, and says how to get a new one afterwards', async ({ page, gateway }) => {
    const link = setupLinkOf(gateway)
    for (const password of ['', 'a password of root']) {
      await page.goto('about:blank')
      await page.goto(link)
      await page.getByRole('button', { name: 'Log in as root' }).click()
      await expect(page).toHaveURL('/user/edit')
      await expect(page.getByLabel('New password')).toBeVisible()
      if (password === '') continue
      await page.getByLabel('New password').fill(password)
      await page.getByRole('button', { name: 'Save' }).click()
      await expectToast(page, 'user updated')
      await expect(toast(page, 'Set a password immediately')).toBeHidden({ timeout: 2_000 })
    }
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('button', { name: 'Log in as root' }).click()
    await expect(page.getByRole('main')).toContainText('admin setup-link')
    await page.goto('about:blank')
    await page.goto(link.split('#')[0] ?? '')
    await expect(page.getByRole('main')).toContainText('This link is incomplete')
    await expect(page.getByRole('button', { name: 'Log in as root' })).toHaveCount(0)
  })
})

test.describe('the guard', () => {
  for (const path of [
    '/channel',
    '/channel/add',
    '/channel/edit/1',
    '/token',
    '/token/add',
    '/token/edit/1',
    '/redemption',
    '/redemption/add',
    '/redemption/edit/1',
    '/user',
    '/user/add',
    '/user/edit',
    '/user/edit/1',
    '/topup',
    '/log',
    '/task',
    '/task/add',
    '/setting',
  ]) {
    test(`sends visitors of ${path} to the login without calls for data`, async ({ page }) => {
      const calls = callsOf(page)
      await page.goto(path)
      await expect(page).toHaveURL('/login')
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect.poll(() => calls.toSorted()).toEqual(['GET /api/notice', 'GET /api/status'])
    })
  }

  test('leaves the menu alone while a link is pointed at, and acts when it is pressed', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/token')
    const link = page.getByRole('link', { name: 'Logs' })
    await expect(link).toBeVisible()
    await page.evaluate(() => localStorage.removeItem('user'))
    const calls = callsOf(page)
    await link.hover()
    await expect(page.getByRole('link', { name: 'Tokens', exact: true })).toBeVisible()
    await link.click()
    await expect(page).toHaveURL('/login')
    expect(calls.filter((call) => call.includes('/log/'))).toEqual([])
  })

  test('remembers the whole address', async ({ page, gateway }) => {
    await page.goto('/log?type=2')
    await logIn(page, gateway.root.username, gateway.root.password)
    await expect(page).toHaveURL('/log?type=2')
  })

  test('does not redirect to an address in a parameter of the login page', async ({ page, gateway }) => {
    await page.goto('/login?from=//evil.test&redirect=https://evil.test')
    await logIn(page, gateway.root.username, gateway.root.password)
    await expect(page).toHaveURL('/token')
  })
})

test.describe('a session that the server has ended', () => {
  test('opens the login, shows one message and deletes the stored user', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.context().clearCookies()
    const expired = page.waitForURL('/login?expired=true')
    await page.goto('/user/edit')
    await expired
    await expect(page.getByText(expiredText)).toHaveCount(1)
    expect(await storedUser(page)).toBeNull()
    await expect(page).toHaveURL('/login')
    await page.reload()
    await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible()
    await expect(page.getByText(expiredText)).toBeHidden()
  })

  test('shows its message at the login too, which still leads back to the page before it', async ({ page, gateway }) => {
    await page.goto('/log')
    await page.route('**/api/user/login', (route) => route.fulfill({ status: 401, json: { success: false, message: '' } }))
    await logIn(page, gateway.root.username, gateway.root.password)
    await page.waitForURL('/login?expired=true')
    await expect(page.getByText(expiredText)).toHaveCount(1)
    await expect(page).toHaveURL('/login')
    await expect(page.getByText(expiredText)).toHaveCount(1)
    await page.unroute('**/api/user/login')
    await logIn(page, gateway.root.username, gateway.root.password)
    await expect(page).toHaveURL('/log')
  })

  test('returns to the same page after a login', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.context().clearCookies()
    await page.goto('/user/edit')
    await expect(page).toHaveURL(/\/login/)
    await logIn(page, gateway.root.username, gateway.root.password)
    await expect(page).toHaveURL('/user/edit')
  })

  test('shows one message if several calls are refused together', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.context().clearCookies()
    // Home loads the account and its models at the same time.
    await page.goto('/')
    await expect(page).toHaveURL(/\/login/)
    await expect(page.getByText(expiredText)).toHaveCount(1)
    await page.goBack()
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('One endpoint for every model')
  })
})

test('logging out ends the session on the server, shows a message and closes the guarded pages', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/user/edit')
  // Opened by keyboard: pointing at it opens it too, and the click after that would close it.
  await page.getByRole('button', { name: 'Account menu of root' }).press('Enter')
  const response = page.waitForResponse('**/api/user/logout')
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  expect((await response).request().method()).toBe('GET')
  await expectToast(page, 'Logout successful!')
  await expect(page).toHaveURL('/login')
  expect(await storedUser(page)).toBeNull()
  await page.goto('/token')
  await expect(page).toHaveURL('/login')
  await expect(gateway.api('/api/user/self')).rejects.toThrow()
})
