import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Gateway, GatewayHost } from './support/gateway.ts'
import { expect, expectToast, test } from './support/test.ts'

// A console that a real nginx publishes below a path. nginx responds with 404 outside of the path, and a missing file fails the test.

/** The pages are those of nginx, not of the server itself; those of the OpenID provider ask for a font. */
test.use({ tolerated: /^elsewhere: (?:http:\/\/127\.0\.0\.1:\d+|https:\/\/fonts\.googleapis\.com)\// })

const path = '/tools/sluice'

/** nginx is in a folder that is not on the path of every account. */
const hasNginx = `${process.env['PATH']}${delimiter}/usr/sbin`.split(delimiter).some((folder) => existsSync(join(folder, 'nginx')))
if (!hasNginx) console.log('No nginx here: the console below a path is not tried behind a proxy.')

const proxies = [
  { name: 'that passes the path on', basePath: path, removesPath: false, namesPath: false },
  { name: 'that removes the path', basePath: path, removesPath: true, namesPath: false },
  { name: 'that removes the path and names it', basePath: '', removesPath: true, namesPath: true },
] as const

async function logIn(page: Page, gateway: Gateway): Promise<void> {
  await page.getByLabel('Username or email').fill(gateway.root.username)
  await page.getByLabel('Password', { exact: true }).fill(gateway.root.password)
  await page.keyboard.press('Enter')
}

/** Closes the server. A page that still loads something would find it gone. */
async function leave(page: Page, gateway: Gateway): Promise<void> {
  await page.goto('about:blank')
  await gateway.close()
}

for (const { name, basePath, removesPath, namesPath } of hasNginx ? proxies : []) {
  test(`the console works behind a proxy ${name}`, async ({ page, host }) => {
    const gateway = await host.open({ basePath, isBehindProxy: true })
    try {
      const url = await gateway.ask('publish', { path, removesPath, namesPath })
      const outside: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:')) outside.push(request.url())
      })

      await page.goto(`${url}/token?p=1`)
      await expect(page).toHaveURL(`${url}/login`)
      await logIn(page, gateway)
      await expect(page).toHaveURL(/\/tools\/sluice\/token/)
      await page.reload()
      await expect(page.getByRole('heading', { name: 'Tokens', level: 1 })).toBeVisible()
      const [cookie] = await page.context().cookies()
      expect(cookie).toMatchObject({ path, httpOnly: true, sameSite: 'Strict' })
      expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => !key.startsWith('/tools/sluice:')))).toEqual([])
      expect(await page.locator('link[rel=icon]').evaluate((link) => (link as HTMLLinkElement).href)).toBe(`${url}/favicon.svg`)

      await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Channels' }).click()
      await expect(page).toHaveURL(`${url}/channel`)
      await page.goBack()
      await expect(page).toHaveURL(/\/tools\/sluice\/token/)
      await page.goto(`${url}/setting?tab=system`)
      await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
      await page.goto(`${url}/about`)
      await expect(page.getByRole('main')).toContainText(`${url}/v1`)
      const [docs] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: /API/ }).first().click()])
      await expect(docs).toHaveURL(`${url}/api/docs`)
      const [document] = await Promise.all([docs.waitForResponse(/openapi\.json/), docs.getByRole('link').first().click()])
      expect(document.status()).toBe(200)

      await page.evaluate(() => fetch('/tools/sluice/api/user/logout'))
      await page.goto(`${url}/log`)
      await expect(page).toHaveURL(/\/tools\/sluice\/login/)
      expect(outside).toEqual([])
    } finally {
      await leave(page, gateway)
    }
  })
}

async function logInAtProvider(page: Page, host: GatewayHost): Promise<void> {
  const gateway = await host.open({ basePath: path, isBehindProxy: true })
  try {
    const url = await gateway.ask('publish', { path, removesPath: true, namesPath: false })
    await page.route('https://fonts.googleapis.com/**', (route) => route.abort())
    await gateway.ask('openIdProvider', 'Company')
    await page.goto(`${url}/login`)
    await page.getByRole('button', { name: 'Continue with Company' }).click()
    await page.getByPlaceholder('Enter any login').fill('ann')
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await expectToast(page, 'Login successful!')
    await expect(page).toHaveURL(`${url}/`)
  } finally {
    await leave(page, gateway)
  }
}

if (hasNginx) test('a login at an OpenID provider returns to the path', ({ page, host }) => logInAtProvider(page, host))

test('a console that is opened at the server itself goes to its path', async ({ page, host }) => {
  const gateway = await host.open({ basePath: path })
  try {
    await page.goto(`${gateway.url}/login?expired=true`)
    await expect(page).toHaveURL(new RegExp(`^${gateway.url}${path}/login`))
    await logIn(page, gateway)
    await expect(page).toHaveURL(/\/tools\/sluice\/token/)
  } finally {
    await leave(page, gateway)
  }
})
