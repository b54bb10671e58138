import type { Page } from '@playwright/test'
import { expect, expectToast, signIn, test } from './support/test.ts'

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')

/** Changes members of the response of `/api/status`. */
async function changeStatus(page: Page, change: Readonly<Record<string, unknown>>): Promise<void> {
  await page.route('**/api/status', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    await route.fulfill({ response, json: { ...body, data: { ...body.data, ...change } } })
  })
}

test.describe('the menu', () => {
  test('shows administrators every page in the specified order', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/')
    await expect(menuOf(page)).toHaveText([
      'Home',
      'Channels',
      'Tokens',
      'Redemption codes',
      'Top-up',
      'Users',
      'Logs',
      'Settings',
      'Docs',
      'Dashboard',
      'Models',
      'Playground',
      'Tasks',
    ])
  })

  test('shows other users no page of administrators', async ({ page, gateway }) => {
    await signIn(page, gateway, await gateway.ask('user', {}), 1)
    await page.goto('/')
    await expect(menuOf(page)).toHaveText([
      'Home',
      'Tokens',
      'Top-up',
      'Logs',
      'Settings',
      'Docs',
      'Dashboard',
      'Models',
      'Playground',
      'Tasks',
    ])
  })

  test('shows visitors the pages that need no login', async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('banner').getByRole('link', { name: 'Log in' })).toBeVisible()
    await expect(menuOf(page)).toHaveText(['Home', 'Docs'])
    await menuOf(page).last().click()
    await expect(page).toHaveURL('/about')
  })

  test('marks the current page', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/log')
    await expect(page.getByRole('link', { name: 'Logs' })).toHaveAttribute('aria-current', 'page')
  })
})

test.describe('an unknown address', () => {
  test('shows an error inside the frame', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/no/such')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page does not exist')
    await expect(page.getByText('Please check that your browser address is correct')).toBeVisible()
    await menuOf(page).filter({ hasText: 'Home' }).click()
    await expect(page).toHaveURL('/')
  })
})

test.describe('home', () => {
  test('shows visitors how to start, with the address of this server', async ({ page, gateway }) => {
    await page.goto('/')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('One endpoint for every model')
    await expect(page.getByText(`${gateway.url}/v1`, { exact: true })).toBeVisible()
    await page.getByRole('link', { name: 'Log in to create one' }).click()
    await expect(page).toHaveURL('/login')
  })

  test('shows users their account and models', async ({ page, gateway }) => {
    await gateway.ask('channel', { models: 'gpt-4o,gpt-4o-mini' })
    const user = await gateway.ask('user', { quota: 1_234_500 })
    await signIn(page, gateway, user, 1)
    await page.goto('/')
    const card = page.getByRole('region', { name: 'Overview' })
    await expect(card).toContainText('$2.47')
    await expect(card).toContainText(/Available models\s*2/)
    await expect(card).toContainText('v0.6.8')
  })

  test('shows the sample in several languages', async ({ page, gateway }) => {
    await page.goto('/')
    for (const language of ['Python', 'Node', 'curl']) {
      await page.getByRole('button', { name: language }).click()
      await expect(page.locator('pre')).toContainText(`${gateway.url}/v1`)
    }
  })
})

test.describe('the own account', () => {
  test('can be renamed, keeps its password if the field is empty, and the change is confirmed', async ({ page, gateway }) => {
    const user = await gateway.ask('user', { password: 'the old password' })
    await signIn(page, gateway, user, 1)
    await page.goto('/user/edit')
    await expect(page.getByLabel('New password', { exact: true })).toHaveValue('')
    for (const label of ['Groups', 'Group', 'Balance', 'Quota']) await expect(page.getByRole('main').getByLabel(label)).toHaveCount(0)
    await page.getByLabel('Display name').fill('Ann')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectToast(page, 'user updated')
    await expect(page.getByRole('button', { name: 'Account menu of Ann' })).toBeVisible()
    await gateway.api('/api/user/login', { method: 'POST', body: { username: user.username, password: 'the old password' } })
  })

  test('shows an error next to a short password and sends nothing', async ({ page, gateway }) => {
    await signIn(page, gateway, await gateway.ask('user', {}), 1)
    let putCount = 0
    page.on('request', (request) => {
      if (request.method() === 'PUT') putCount += 1
    })
    await page.goto('/user/edit')
    await expect(page.getByText('at least 8 characters')).toBeVisible()
    await page.getByLabel('New password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByLabel('New password', { exact: true })).toHaveAttribute('aria-invalid', 'true')
    await expect(page.getByText('Password length must not be less than 8')).toBeVisible()
    expect(putCount).toBe(0)
  })

  test('shows the server’s error if a name is taken', async ({ page, gateway }) => {
    await signIn(page, gateway, await gateway.ask('user', {}), 1)
    await page.goto('/user/edit')
    await page.getByLabel('Username').fill('root')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectToast(page, /taken|already/i)
  })
})

test.describe('the footer', () => {
  // The browser reports handlers that it blocked while the sanitizer parses them.
  test.use({ tolerated: /inline event handler violates/ })

  test('shows version and licence', async ({ page }) => {
    await page.goto('/')
    await expect(page.getByRole('contentinfo')).toContainText('v0.6.8')
    await expect(page.getByRole('contentinfo')).toContainText('MIT')
  })

  test('shows the text of an administrator without scripts', async ({ page, gateway }) => {
    const value = '<b>ours</b><a href="https://example.com/">more</a><img src=x onerror="window.hit=1"><script>window.hit=1</script>'
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'Footer', value } })
    await changeStatus(page, { footer_html: value.replace('<img src=x ', '<img src="/logo.png" onload="window.hit=1" ') })
    await page.goto('/')
    const footer = page.getByRole('contentinfo')
    await expect(footer.getByText('ours')).toBeVisible()
    await expect(footer.getByRole('link', { name: 'more' })).toHaveAttribute('rel', /noopener/)
    await expect(footer.getByRole('img').or(footer.locator('img'))).toHaveJSProperty('complete', true)
    expect(await page.evaluate(() => 'hit' in window)).toBe(false)
  })
})

test.describe('name and logo', () => {
  test('are the built-in ones until others are set', async ({ page }) => {
    await page.goto('/')
    await expect(page).toHaveTitle(/ · Sluice$/)
    await expect(page.getByRole('banner').locator('img')).toHaveAttribute('src', '/logo.png')
  })

  test('are the stored ones afterwards', async ({ page, gateway }) => {
    const logo = `${gateway.url}/logo.png?own`
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'SystemName', value: 'Acme models' } })
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'Logo', value: logo } })
    await page.goto('/')
    await expect(page).toHaveTitle(/ · Acme models$/)
    await expect(page.getByRole('banner')).toContainText('Acme models')
    await expect(page.getByRole('banner').locator('img')).toHaveAttribute('src', logo)
    await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', logo)
  })
})

test.describe('the server status', () => {
  test('is stored under the keys that compatible consoles read', async ({ page }) => {
    await page.goto('/')
    const read = () => page.evaluate(() => ['status', 'quota_per_unit', 'display_in_currency'].map((key) => localStorage.getItem(key)))
    await expect.poll(read).toEqual([expect.stringContaining('"version":"v0.6.8"'), '500000', 'true'])
  })

  for (const [version, isTold] of [
    ['v0.6.9', true],
    ['v0.6.8', false],
    ['v0.0.0', false],
  ] as const) {
    test(`of version ${version} ${isTold ? 'shows a note about Shift+F5' : 'shows no note'}`, async ({ page }) => {
      await changeStatus(page, { version })
      const response = page.waitForResponse('**/api/status')
      await page.goto('/')
      await response
      await expect(page.getByText(`Version${version}`)).toBeVisible()
      if (isTold) return await expectToast(page, /Shift\+F5/)
      // The region of messages loads after the page; it would show the note when it has.
      await expect(page.getByLabel('Notifications', { exact: true })).toBeAttached()
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
      await expect(page.locator('html')).not.toHaveAttribute('data-toasts', /Shift\+F5/)
    })
  }

  test('that cannot be loaded shows an error, and the login works without it', async ({ page, gateway }) => {
    await page.route('**/api/status', (route) => route.abort())
    await page.goto('/login')
    await expectToast(page, 'cannot connect to the server normally')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Log in to Sluice')
    await page.getByLabel('Username or email').fill('root')
    await page.getByLabel('Password', { exact: true }).fill(gateway.root.password)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/token')
  })
})

test.describe('language', () => {
  test('changes without reloading the page and without losing typed text', async ({ page }) => {
    await page.goto('/login')
    await page.getByLabel('Username or email').fill('half typed')
    await page.evaluate(() => Object.assign(window, { sameDocument: true }))
    await page.getByRole('button', { name: 'Language' }).press('Enter')
    await page.getByRole('menuitemradio', { name: '中文' }).click()
    await expect(page.locator('html')).toHaveAttribute('lang', 'zh')
    await expect(page.getByRole('button', { name: '登录' })).toBeVisible()
    await expect(page.locator('input[name=username]')).toHaveValue('half typed')
    expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true)
    await page.reload()
    await expect(page.locator('html')).toHaveAttribute('lang', 'zh')
  })

  test('is also sent to the server, whose messages follow it', async ({ page }) => {
    await page.addInitScript(() => localStorage.setItem('ui-lang', '"zh"'))
    await page.goto('/login')
    await page.locator('input[name=username]').fill('root')
    await page.locator('input[name=password]').fill('wrong')
    await page.keyboard.press('Enter')
    await expect(
      page.locator('input[name=username], input[name=password]').and(page.locator('[aria-invalid=true]')),
    ).toHaveAccessibleDescription(/[一-鿿]/)
  })
})

test.describe('theme', () => {
  const theme = (page: Page) => page.evaluate(() => document.documentElement.dataset['theme'])

  test('follows the system until one is chosen', async ({ page }) => {
    await page.goto('/')
    expect(await theme(page)).toBe('light')
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => theme(page)).toBe('dark')
    await page.getByRole('button', { name: 'Theme' }).press('Enter')
    await page.getByRole('menuitemradio', { name: 'Light' }).click()
    await expect.poll(() => theme(page)).toBe('light')
    expect(await page.evaluate(() => localStorage.getItem('ui-theme'))).toBe('"light"')
  })

  test('is set before the first paint', async ({ page }) => {
    await page.addInitScript(() => localStorage.setItem('ui-theme', '"dark"'))
    // Without any of our scripts except the inline one.
    await page.route('**/static/js/**', (route) => route.abort())
    await page.goto('/')
    expect(await theme(page)).toBe('dark')
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark')
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe('rgb(14, 17, 22)')
  })
})

test.describe('the height of rows', () => {
  const heightOfRow = (page: Page) =>
    page
      .locator('[data-row] td')
      .first()
      .evaluate((cell) => cell.getBoundingClientRect().height)

  test('can be chosen beside the theme, and is kept', async ({ page, gateway }) => {
    await gateway.api('/api/token/', { method: 'POST', body: { name: 'one', remain_quota: 1 } })
    await signIn(page, gateway, gateway.root)
    await page.goto('/token')
    expect(await heightOfRow(page)).toBe(32)
    const menu = page.getByRole('button', { name: 'Theme' })
    await menu.press('Enter')
    await expect(page.getByRole('menuitemradio', { name: 'Compact' })).toBeChecked()
    await page.getByRole('menuitemradio', { name: 'Comfortable' }).click()
    await expect.poll(() => heightOfRow(page)).toBe(40)
    await page.reload()
    await expect.poll(() => heightOfRow(page)).toBe(40)
    await page.setViewportSize({ width: 1000, height: 800 })
    await page.getByRole('button', { name: 'Theme' }).press('Enter')
    await page.getByRole('menuitemradio', { name: 'Compact' }).click()
    await expect.poll(() => heightOfRow(page)).toBe(32)
  })
})

test.describe('the design that an administrator chose', () => {
  test.use({ storedOptions: { Theme: 'berry' } })

  test('is in the first paint, light and dark, with its accent, radius and height of rows', async ({ page, gateway }) => {
    await page.emulateMedia({ colorScheme: 'dark' })
    // Without any of our scripts except the inline one.
    await page.route('**/static/js/**', (route) => route.abort())
    await page.goto('/login')
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    expect(await ground()).toBe('rgb(20, 12, 19)')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.unroute('**/static/js/**')
    await gateway.api('/api/token/', { method: 'POST', body: { name: 'one', remain_quota: 1 } })
    // Another design counts from the next start on.
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'Theme', value: 'air' } })
    await signIn(page, gateway, gateway.root)
    await page.goto('/token')
    expect(await ground()).toBe('rgb(250, 245, 248)')
    await expect(page.getByRole('link', { name: 'New token' })).toHaveCSS('background-color', 'rgb(138, 38, 120)')
    await expect(page.getByRole('link', { name: 'New token' })).toHaveCSS('border-radius', '8px')
    await expect(page.getByRole('complementary')).toHaveCSS('background-color', 'rgb(58, 21, 53)')
    await expect(page.locator('[data-row] td').first()).toHaveCSS('height', '40px')
  })
})

test.describe('storage', () => {
  test('with invalid content breaks no page', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    // Any file of the site has the same storage, without the page's code.
    await page.goto('/logo.png')
    await page.evaluate(() => {
      for (const key of ['status', 'quota_per_unit', 'display_in_currency', 'ui-theme', 'ui-lang', 'ui-columns:log', 'ui-columns:token'])
        localStorage.setItem(key, '{"broken')
    })
    await page.goto('/user/edit')
    await expect(page.getByLabel('Username')).toHaveValue('root')
  })

  test('with another user object is not a login', async ({ page }) => {
    await page.goto('/logo.png')
    await page.evaluate(() => localStorage.setItem('user', '{"broken'))
    await page.goto('/token')
    await expect(page).toHaveURL('/login')
  })

  test('that is disabled does not prevent login and navigation', async ({ page, gateway }) => {
    await page.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('denied', 'SecurityError')
        },
      })
    })
    await page.goto('/login')
    await page.getByLabel('Username or email').fill('root')
    await page.getByLabel('Password', { exact: true }).fill(gateway.root.password)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/token')
    await menuOf(page).filter({ hasText: 'Logs' }).click()
    await expect(page).toHaveURL('/log')
  })
})

test.describe('a page whose code cannot be loaded', () => {
  test.use({ tolerated: /dynamically imported module/ })

  test('says so in plain words if not even the texts of the frame come', async ({ page }) => {
    await page.route('**/static/js/en-*.js', (route) => route.abort())
    await page.goto('/login')
    const words = page.getByText('The console could not be loaded. Please reload the page.')
    await expect(words).toBeAttached()
    await expect(words).toBeHidden()
    // It appears after ten seconds.
    await page.evaluate(() => {
      for (const animation of document.getAnimations()) animation.finish()
    })
    await expect(words).toBeVisible()
    await page.unroute('**/static/js/en-*.js')
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(words).toHaveCount(0)
  })

  test('shows an error and works after a reload', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/')
    await page.route('**/static/js/log-page-*.js', (route) => route.abort())
    await menuOf(page).filter({ hasText: 'Logs' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Loading chunk failed')
    await expect(menuOf(page)).not.toHaveCount(0)
    await page.unroute('**/static/js/log-page-*.js')
    await page.getByRole('button', { name: 'Reload' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Logs')
  })
})

test.describe('a page whose code comes late', () => {
  for (const order of ['is asked for before the click', 'is asked for by the click'])
    test(`says that it is loading, if it ${order}`, async ({ page, gateway }) => {
      await signIn(page, gateway, gateway.root)
      await page.goto('/user/edit')
      let response = () => {}
      const held = new Promise<void>((resolve) => {
        response = resolve
      })
      const scriptRequest = page.waitForRequest('**/static/js/log-page-*.js')
      await page.route('**/static/js/log-page-*.js', async (route) => {
        await held
        await route.continue()
      })
      const link = menuOf(page).filter({ hasText: 'Logs' })
      if (order.includes('before')) {
        // Pointing at the link asks for the page.
        await link.hover()
        await scriptRequest
        await link.click()
      } else await link.dispatchEvent('click')
      await expect(page.getByRole('status').filter({ hasText: 'Loading page...' })).toBeVisible()
      response()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Logs')
      await expect(page.getByText('Loading page...')).toHaveCount(0)
    })
})

test.describe('without a network', () => {
  test('a banner says that the page may be out of date', async ({ page, context }) => {
    await page.goto('/about')
    const banner = page.getByText('You are offline. This page may be out of date.')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(banner).toHaveCount(0)
    await context.setOffline(true)
    await expect(banner).toBeVisible()
    await context.setOffline(false)
    await expect(banner).toHaveCount(0)
  })
})

test.describe('an unexpected response', () => {
  test.use({ tolerated: /TypeError/ })

  test('breaks only the page that requested it', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.route('**/api/log/?*', (route) => route.fulfill({ json: { success: true, message: '', data: [null] } }))
    await page.goto('/log')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Unexpected Application Error!')
    await menuOf(page).filter({ hasText: 'Home' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('One endpoint for every model')
  })

  test('that is no JSON is shown as unreadable', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.route('**/api/token/?*', (route) => route.fulfill({ status: 200, body: '<html>a proxy says hello</html>' }))
    await page.goto('/token')
    await expectToast(page, 'Error: Could not read the server response')
  })
})

test.describe('a menu of the frame', () => {
  test('opens after the pointer was on it for 50 ms and closes after it was away for 70 ms', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.clock.install()
    await page.goto('/')
    const trigger = page.getByRole('button', { name: 'Language' })
    await expect(trigger).toBeVisible()
    await page.clock.pauseAt(Date.now() + 60_000)
    const isOpen = async () => (await trigger.getAttribute('aria-expanded')) === 'true'
    await trigger.hover()
    await page.clock.runFor(40)
    expect(await isOpen()).toBe(false)
    await page.clock.runFor(20)
    await expect.poll(isOpen).toBe(true)
    await page.clock.runFor(500)
    await page.mouse.move(400, 700, { steps: 5 })
    await page.clock.runFor(60)
    expect(await isOpen()).toBe(true)
    await page.clock.runFor(20)
    await expect.poll(isOpen).toBe(false)
  })
})
