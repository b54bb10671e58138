import type { Page } from '@playwright/test'
import type { Gateway } from './support/gateway.ts'
import { expect, signIn, test, toast } from './support/test.ts'

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')

async function put(gateway: Gateway, key: string, value: string): Promise<void> {
  await gateway.api('/api/option/', { method: 'PUT', body: { key, value } })
}

/** Another site, whose every page says hello. */
async function openSite(page: Page, origin: string): Promise<void> {
  await page.context().route(`${origin}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<p>hello from there</p>' }))
}

/** Contrast of the text of an element with what is behind it. */
async function contrastOf(page: Page, text: string): Promise<number> {
  return await page.getByText(text, { exact: true }).evaluate((element) => {
    const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (color: string) => {
      const [r = 0, g = 0, b = 0] = channels(color).map((value) =>
        value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
      )
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    let at: Element | null = element
    while (at !== null && channels(getComputedStyle(at).backgroundColor)[3] === 0) at = at.parentElement
    const [low = 0, high = 0] = [getComputedStyle(element).color, getComputedStyle(at ?? element).backgroundColor]
      .map(luminance)
      .sort((a, b) => a - b)
    return (high + 0.05) / (low + 0.05)
  })
}

/** Stops the clock of a page a second from now. */
async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000)
}

const scrollsOutside = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight > document.documentElement.clientHeight)

test.describe('the home page', () => {
  test.describe('of another site', () => {
    test.use({ tolerated: /elsewhere: https:\/\/home\.example|Framing 'https:\/\/home\.example/ })

    test('is framed between top bar and footer, without a second scrollbar and without our rights', async ({ page, gateway }) => {
      await openSite(page, 'https://home.example')
      await put(gateway, 'HomePageContent', ' https://home.example/start?a=1&b=2 ')
      await page.goto('/')
      const frame = page.locator('iframe')
      await expect(frame).toHaveAttribute('src', 'https://home.example/start?a=1&b=2')
      await expect(frame).toHaveAttribute('title', 'Home: page of another site')
      await expect(frame).toHaveAttribute('referrerpolicy', 'no-referrer')
      const sandbox = (await frame.getAttribute('sandbox'))?.split(' ') ?? []
      expect(sandbox).toContain('allow-scripts')
      expect(sandbox.filter((right) => right.startsWith('allow-top-navigation'))).toEqual([])
      await expect(page.frameLocator('iframe').getByText('hello from there')).toBeVisible()
      expect(await scrollsOutside(page)).toBe(false)
      const box = await frame.boundingBox()
      const top = await page.getByRole('banner').boundingBox()
      const bottom = await page.getByRole('contentinfo').boundingBox()
      expect([box?.y, box?.width]).toEqual([top?.height, 1440])
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(bottom?.y)
    })

    test('that was set after the console was opened needs a reload, which the page offers', async ({ page, gateway }) => {
      await openSite(page, 'https://home.example')
      await page.goto('/about')
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('About')
      await put(gateway, 'HomePageContent', 'https://home.example/')
      await menuOf(page).filter({ hasText: 'Home' }).click()
      await page.getByRole('status').getByRole('button', { name: 'Reload' }).click()
      await expect(page.frameLocator('iframe').getByText('hello from there')).toBeVisible()
    })

    test('that does not respond is named after eight seconds', async ({ page, gateway }) => {
      await page.context().route('https://home.example/**', () => undefined)
      await put(gateway, 'HomePageContent', 'https://home.example/')
      await page.clock.install()
      await page.goto('/')
      await expect(page.locator('iframe')).toBeVisible()
      await stopClock(page)
      const hint = page.getByText('This page is slow to load.')
      await expect(hint).toHaveCount(0)
      await page.clock.runFor(7_000)
      await expect(hint).toBeVisible()
      await expect(page.getByRole('link', { name: 'Open in a new tab' })).toHaveAttribute('href', 'https://home.example/')
    })

    test.afterEach(({ page }) => page.context().unrouteAll({ behavior: 'ignoreErrors' }))
  })

  test.describe('that an administrator wrote', () => {
    // The browser reports handlers that it blocked while the sanitizer parses them.
    test.use({ tolerated: /inline event handler violates/ })

    test('shows its Markdown and HTML, without what could run', async ({ page, gateway }) => {
      await put(gateway, 'HomePageContent', '# Welcome\n\n- **one**\n- [two](https://example.com/)\n\n<b onclick="window.hit=1">three</b>')
      await page.goto('/')
      const main = page.getByRole('main')
      await expect(main.getByRole('heading', { name: 'Welcome' })).toBeVisible()
      await expect(main.getByRole('listitem')).toHaveText(['one', 'two'])
      await expect(main.getByRole('link', { name: 'two' })).toHaveAttribute('rel', /noopener/)
      await main.getByText('three').click()
      expect(await page.evaluate(() => 'hit' in window)).toBe(false)
    })

    test('is shown at once at the next visit, and replaced when it has changed', async ({ page, gateway }) => {
      await put(gateway, 'HomePageContent', 'Welcome to **ours**')
      await page.goto('/')
      await expect(page.getByText('Welcome to ours')).toBeVisible()
      await put(gateway, 'HomePageContent', 'Something **new**')
      let response = () => {}
      const held = new Promise<void>((resolve) => {
        response = resolve
      })
      await page.route('**/api/home_page_content', async (route) => {
        await held
        await route.continue()
      })
      await page.reload()
      await expect(page.getByText('Welcome to ours')).toBeVisible()
      response()
      await expect(page.getByText('Something new')).toBeVisible()
    })

    test('can be read in the dark theme whatever colours it has', async ({ page, gateway }) => {
      const texts = [
        '<p>plain</p>',
        '<p style="color: #333">dark letters</p>',
        '<div style="background: #fff"><p>own paper</p></div>',
        '<font color="navy">old letters</font>',
        '<p style="color: #eee; background: #111">own night</p>',
      ]
      await put(gateway, 'HomePageContent', texts.join('\n'))
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.goto('/')
      for (const text of ['plain', 'dark letters', 'own paper', 'old letters', 'own night']) {
        expect([text, (await contrastOf(page, text)) >= 4.5]).toEqual([text, true])
      }
      await put(gateway, 'HomePageContent', '<p>plain</p><p style="color: #6fd694">green letters</p>')
      await page.reload()
      await expect(page.getByText('green letters')).toHaveCSS('color', 'rgb(111, 214, 148)')
      await expect(page.locator('.stored-html')).not.toHaveAttribute('data-theme')
      expect(await contrastOf(page, 'plain')).toBeGreaterThan(10)
    })

    test('follows a change of the theme', async ({ page, gateway }) => {
      await put(gateway, 'HomePageContent', '<p style="color: #333">dark letters</p>')
      await page.goto('/')
      const text = page.locator('.stored-html')
      await expect(text).toBeVisible()
      await expect(text).not.toHaveAttribute('data-theme')
      await page.emulateMedia({ colorScheme: 'dark' })
      await expect(text).toHaveAttribute('data-theme', 'light')
      await page.emulateMedia({ colorScheme: 'light' })
      await expect(text).not.toHaveAttribute('data-theme')
    })
  })

  test('that cannot be loaded shows how to start', async ({ page }) => {
    await page.route('**/api/home_page_content', (route) => route.abort())
    await page.goto('/')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('One endpoint for every model')
    await expect(toast(page, /Error/)).toHaveCount(0)
  })
})

test.describe('the notice', () => {
  for (const path of ['/login', '/about', '/no/such']) {
    test(`is shown when a visit begins at ${path}`, async ({ page, gateway }) => {
      await put(gateway, 'Notice', 'Maintenance **tonight**')
      await page.goto(path)
      await expect(page.locator('[data-kind=notice]')).toContainText('Maintenance tonight')
      await expect(page.locator('[data-kind=notice] strong')).toHaveText('tonight')
    })
  }

  test('stays until it is closed, and is shown once for each content', async ({ page, gateway }) => {
    await put(gateway, 'Notice', 'Maintenance **tonight**')
    await page.clock.install()
    await page.goto('/about')
    const notice = page.locator('[data-kind=notice]')
    await expect(notice).toBeVisible()
    await page.clock.runFor(60_000)
    await expect(notice).toBeVisible()
    await notice.getByRole('button', { name: 'Close notification' }).click()
    await page.clock.runFor(1_000)
    await expect(notice).toHaveCount(0)
    const responded = page.waitForResponse('**/api/notice')
    await page.reload()
    await responded
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(notice).toHaveCount(0)
    await put(gateway, 'Notice', 'Maintenance is over')
    await page.reload()
    await expect(notice).toContainText('Maintenance is over')
    expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('notice')))).toEqual(['ui-notice'])
  })

  test('can be read again in the list of notifications', async ({ page, gateway }) => {
    await put(gateway, 'Notice', 'Maintenance **tonight**')
    await signIn(page, gateway, gateway.root)
    await page.goto('/token')
    const notice = page.locator('[data-kind=notice]')
    await notice.getByRole('button', { name: 'Close notification' }).click()
    await expect(notice).toHaveCount(0)
    await page.getByRole('button', { name: 'Notifications, 1 new' }).click()
    await expect(page.getByRole('dialog').locator('strong')).toHaveText('tonight')
  })

  test('that is an address is a link', async ({ page, gateway }) => {
    await put(gateway, 'Notice', 'https://status.example/?a=1&b=2')
    await page.goto('/about')
    const link = page.locator('[data-kind=notice]').getByRole('link')
    await expect(link).toHaveAttribute('href', 'https://status.example/?a=1&b=2')
    await expect(link).toHaveAttribute('rel', /noopener/)
  })
})

test.describe('the page about the installation', () => {
  test('says what it is until an administrator writes it, and shows administrators where', async ({ page, gateway }) => {
    await page.goto('/about')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('About')
    await expect(page.getByText(`${gateway.url}/v1`, { exact: true })).toBeVisible()
    await expect(page.getByText('Administrators can replace this page.')).toBeVisible()
    await signIn(page, gateway, gateway.root)
    await page.goto('/about')
    await expect(page.getByText('set About in Settings > Other')).toBeVisible()
    const docs = await page.getByRole('link', { name: 'Management API' }).getAttribute('href')
    expect((await fetch(`${gateway.url}${docs}`)).status).toBe(200)
  })

  test('shows what an administrator wrote', async ({ page, gateway }) => {
    await put(gateway, 'About', '## Who we are\n\n| a | b |\n| - | - |\n| 1 | 2 |')
    await page.goto('/about')
    await expect(page.getByRole('heading', { name: 'Who we are' })).toBeVisible()
    await expect(page.getByRole('cell')).toHaveText(['1', '2'])
  })

  test('says that it cannot be loaded, and why, and tries again', async ({ page }) => {
    await page.route('**/api/about', (route) => route.fulfill({ status: 500, json: { success: false, message: 'broken' } }))
    await page.goto('/about')
    await expect(page.getByText('Could not load this content')).toBeVisible()
    await expect(page.getByText('internal server error, contact the administrator')).toBeVisible()
    await page.unroute('**/api/about')
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByText('is a gateway to AI models')).toBeVisible()
  })

  test.describe('of another site', () => {
    test.use({ tolerated: /elsewhere: https:\/\/about\.example/ })

    test('is framed, with a link that opens it in a new tab', async ({ page, gateway }) => {
      await openSite(page, 'https://about.example')
      await put(gateway, 'About', 'https://about.example/us')
      await page.goto('/about')
      await expect(page.frameLocator('iframe').getByText('hello from there')).toBeVisible()
      await expect(page.getByText('about.example', { exact: true })).toBeVisible()
      const opened = page.context().waitForEvent('page')
      await page.getByRole('link', { name: 'Open in a new tab' }).click()
      expect((await opened).url()).toBe('https://about.example/us')
      expect(await scrollsOutside(page)).toBe(false)
    })
  })
})

test.describe('the chat', () => {
  test.use({ tolerated: /elsewhere: https:\/\/chat\.example|Refused to display 'https:\/\/chat\.example/ })

  test('has no page for visitors and no item in the menu until an administrator sets its address', async ({ page }) => {
    await page.goto('/chat')
    await expect(page.getByText('No chat is configured')).toBeVisible()
    await expect(page.locator('iframe')).toHaveCount(0)
    await expect(menuOf(page).filter({ hasText: 'Chat' })).toHaveCount(0)
  })

  test('is the second item of the menu and a frame of 85 % of the window', async ({ page, gateway }) => {
    await openSite(page, 'https://chat.example')
    await put(gateway, 'ChatLink', 'https://chat.example/#/?x=1')
    await page.goto('/')
    await expect(menuOf(page).nth(1)).toHaveText('Chat')
    await menuOf(page).nth(1).click()
    await expect(page).toHaveURL('/chat')
    const frame = page.locator('iframe')
    await expect(frame).toHaveAttribute('src', 'https://chat.example/#/?x=1')
    await expect(frame).toHaveAttribute('sandbox', /allow-scripts/)
    await expect(page.frameLocator('iframe').getByText('hello from there')).toBeVisible()
    expect((await frame.boundingBox())?.height).toBeCloseTo(900 * 0.85, 0)
    await page.setViewportSize({ width: 800, height: 600 })
    expect((await frame.boundingBox())?.height).toBeCloseTo(600 * 0.85, 0)
    await expect(page.getByRole('link', { name: 'Open in a new tab' })).toHaveAttribute('href', 'https://chat.example/#/?x=1')
  })

  test('that stays empty is explained after eight seconds, because browsers do not reveal that a site refuses frames', async ({
    page,
    gateway,
  }) => {
    await page
      .context()
      .route('https://chat.example/**', (route) =>
        route.fulfill({ contentType: 'text/html', headers: { 'x-frame-options': 'DENY' }, body: 'refused' }),
      )
    await put(gateway, 'ChatLink', 'https://chat.example/')
    await page.clock.install()
    await page.goto('/chat')
    await expect(page.locator('iframe')).toBeVisible()
    await stopClock(page)
    const hint = page.getByText('The site may not allow embedding.')
    await expect(hint).toHaveCount(0)
    await page.clock.runFor(7_000)
    await expect(hint).toBeVisible()
  })
})
