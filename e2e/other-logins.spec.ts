import type { Page } from '@playwright/test'
import { agreeAt, serveBotCheck, toOtherServices } from './support/outside-pages.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

test.use({ hasServices: true, tolerated: toOtherServices })

const octocat = { id: '583231', login: 'octocat', name: 'The Octocat' }

const storedUser = (page: Page) => page.evaluate(() => localStorage.getItem('user'))

for (const provider of ['github', 'lark'] as const) {
  const label = { github: 'Continue with GitHub', lark: 'Continue with Lark' }[provider]

  test(`${provider} logs in within the same tab, by a state of the server, and home follows`, async ({ page, gateway }) => {
    const authorization = await agreeAt(page, gateway, { provider, person: octocat })
    const calls: string[] = []
    page.on('request', (request) => (request.url().includes(`/api/oauth/${provider}`) ? calls.push(request.method()) : undefined))
    await page.goto('/login')
    await page.getByRole('button', { name: label }).click()
    await expect(page).toHaveURL('/')
    await expectToast(page, 'Login successful!')
    expect(authorization.address?.searchParams.get('state')).toMatch(/^\w{22}$/)
    expect(authorization.address?.searchParams.get('code_challenge_method')).toBe('S256')
    if (provider === 'github') expect(authorization.address?.searchParams.get('scope')).toBe('user:email')
    else expect(authorization.address?.searchParams.get('redirect_uri')).toBe(`${gateway.url}/oauth/lark`)
    expect(calls).toEqual(['GET'])
    expect(JSON.parse((await storedUser(page)) ?? '').username).toMatch(new RegExp(`^${provider}_`))
    expect(page.context().pages()).toHaveLength(1)

    await page.goto('/login')
    await expect(page.getByRole('button', { name: label })).toContainText('last used')
  })
}

test('the buttons are shown only for what the status offers', async ({ page, gateway }) => {
  const set = (key: string, value: string) => gateway.api('/api/option/', { method: 'PUT', body: { key, value } })
  await set('GitHubOAuthEnabled', 'false')
  await set('WeChatAuthEnabled', 'false')
  await page.goto('/login')
  await expect(page.getByRole('button', { name: /^Continue with/ })).toHaveText(['Continue with Lark'])
  await set('LarkClientId', '')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Continue with/ })).toHaveCount(0)
})

test('without a state of the server the page stays and says so', async ({ page }) => {
  await page.route('**/api/oauth/state?*', (route) => route.fulfill({ json: { success: true, message: '', data: '' } }))
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await expectToast(page, 'Could not start this login')
  await expect(page).toHaveURL('/login')
  await expect(page.getByRole('button', { name: 'Continue with GitHub' })).toBeEnabled()
})

test('WeChat asks for the code under its image, and home follows', async ({ page, gateway }) => {
  await gateway.ask('wechatCode', { code: '12 34&5', id: 'wechat-ann' })
  await page.clock.install()
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with WeChat' }).click()
  const dialog = page.getByRole('dialog', { name: 'Continue with WeChat' })
  await expect(dialog.getByRole('img', { name: 'QR code of the WeChat account' })).toHaveAttribute('src', `${gateway.url}/logo.png`)
  await expect(dialog.getByText('valid for three minutes')).toBeVisible()
  await expect(dialog.getByLabel('Verification code')).toBeFocused()
  await page.clock.runFor(60_000)
  await expect(dialog.getByText(/Valid for up to (?:2:00|1:5\d) more/)).toBeVisible()
  await page.clock.runFor(121_000)
  await expect(dialog.getByText('The code has expired', { exact: false })).toBeVisible()

  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Enter the code from WeChat')).toBeVisible()
  await dialog.getByLabel('Verification code').fill('12 34&5')
  const call = page.waitForRequest('**/api/oauth/wechat?*')
  await page.keyboard.press('Enter')
  expect(new URL((await call).url()).search).toBe('?code=12+34%265')
  await expect(page).toHaveURL('/')
  await expectToast(page, 'Login successful!')
})

test('after a wrong code the dialog keeps it, says why, and asks for the bot check if it is on', async ({ page, gateway }) => {
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'TurnstileCheckEnabled', value: 'true' } })
  await gateway.ask('wechatCode', { code: '777777', id: 'wechat-bob' })
  await serveBotCheck(page)
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with WeChat' }).click()
  const dialog = page.getByRole('dialog', { name: 'Continue with WeChat' })
  await expect(dialog.getByRole('button', { name: 'I am human' })).toHaveCount(0)
  await dialog.getByLabel('Verification code').fill('000000')
  await dialog.getByRole('button', { name: 'Log in' }).click()
  await expect(dialog.getByLabel('Verification code')).toHaveAccessibleDescription(/WeChat/)
  await expect(dialog.getByLabel('Verification code')).toHaveValue('000000')
  await dialog.getByLabel('Verification code').fill('777777')
  await dialog.getByRole('button', { name: 'I am human' }).click()
  await dialog.getByRole('button', { name: 'Log in' }).click()
  await expect(page).toHaveURL('/')
})

test.describe('a callback', () => {
  for (const path of ['/oauth/github', '/oauth/lark'] as const) {
    test(`${path} of a signed-in account binds the service and opens the settings`, async ({ page, gateway }) => {
      const provider = path === '/oauth/github' ? 'github' : 'lark'
      const ann = await gateway.ask('user', {})
      await signIn(page, gateway, ann, 1)
      await page.goto('/about-nothing')
      const state = await page.evaluate(async () => (await (await fetch('/api/oauth/state')).json()).data)
      const code = await gateway.ask('oauthCode', { provider, person: octocat, challenge: '' })
      await page.goto(`${path}?${new URLSearchParams({ code, state })}`)
      await expect(page).toHaveURL('/setting')
      await expectToast(page, /linked/)
      expect(await gateway.api('/api/user/self', { as: ann })).toMatchObject({ [`${provider}_id`]: octocat.id })
    })
  }

  test('whose message is bind opens the settings, whatever data comes with it', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.route('**/api/oauth/github?*', (route) => route.fulfill({ json: { success: true, message: 'bind', data: '' } }))
    await page.goto('/oauth/github?code=c&state=s')
    await expect(page).toHaveURL('/setting')
    await expectToast(page, 'GitHub linked')
    expect(JSON.parse((await storedUser(page)) ?? '')).toMatchObject({ username: gateway.root.username })
  })

  test('that the server refuses is sent once, and the settings follow with its message', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    const calls: string[] = []
    page.on('request', (request) => (request.url().includes('/api/oauth/github') ? calls.push(request.url()) : undefined))
    await page.goto('/oauth/github?code=1e5&state=007')
    await expect(page).toHaveURL('/setting')
    await expectToast(page, /Start again/)
    expect(calls.map((url) => new URL(url).search)).toEqual(['?code=1e5&state=007'])
  })

  test('of a visitor that the server refuses ends at the login with its message', async ({ page }) => {
    await page.goto('/oauth/lark?code=c&state=s')
    await expect(page).toHaveURL('/login')
    await expectToast(page, /Start again/)
  })

  test('without a response is tried again once, two seconds later, and then the settings follow', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    // Measured in the page, because a busy machine reports calls late.
    await page.addInitScript(() => {
      const callTimesMs: number[] = []
      const send = window.fetch
      const fetch = (...call: Parameters<typeof send>) => {
        if (String(call[0]).includes('/oauth/github?')) callTimesMs.push(performance.now())
        return send(...call)
      }
      Object.assign(window, { sentAtMs: callTimesMs, fetch })
    })
    let calls = 0
    await page.route('**/api/oauth/github?*', (route) => {
      calls += 1
      return calls === 1 ? route.abort() : route.fulfill({ status: 502, body: 'bad gateway' })
    })
    await page.goto('/oauth/github?code=c&state=s')
    await expect(page.getByRole('main').getByRole('status')).toHaveText('Error, retry 1...')
    await expect(page).toHaveURL('/setting')
    await expectToast(page, /Error/)
    expect(calls).toBe(2)
    const [first = 0, second = 0] = await page.evaluate<number[]>('sentAtMs')
    expect(second - first).toBeGreaterThanOrEqual(2_000)
  })

  test('with the refusal of the service says why at once, in words of the console only, and sends nothing', async ({ page }) => {
    const calls: string[] = []
    page.on('request', (request) => (request.url().includes('/api/oauth/') ? calls.push(request.url()) : undefined))
    for (const [error, text] of [
      ['access_denied', 'Access was denied at GitHub. Log in again and approve it.'],
      ['redirect_uri_mismatch', /^GitHub rejected the login request\..*\(redirect_uri_mismatch\)/],
      ['Call+0800+1234', 'GitHub could not log you in. Try again.'],
    ] as const) {
      await page.goto(`/oauth/github?error=${error}&error_description=Call+0800+1234&state=s`)
      await expect(page.getByRole('alert')).toHaveText(text)
      await expect(page.getByText('0800')).toHaveCount(0)
    }
    await page.getByRole('main').getByRole('link', { name: 'Back' }).click()
    await expect(page).toHaveURL('/login')
    await page.goto('/oauth/lark')
    await expect(page.getByRole('alert')).toContainText('no authorization code')
    expect(calls).toEqual([])
  })

  test('can be left while it waits', async ({ page }) => {
    await page.route('**/api/oauth/github?*', () => undefined)
    await page.goto('/oauth/github?code=c&state=s')
    await expect(page.getByRole('main').getByRole('status')).toHaveText('Please wait…')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await expect(page).toHaveURL('/login')
  })
})
