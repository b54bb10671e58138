import type { Page } from '@playwright/test'
import { agreeAt, serveBotCheck, toOtherServices } from './support/outside-pages.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

test.use({ hasServices: true, tolerated: toOtherServices })

const sixDigits = /\b\d{6}\b/

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Makes both ways of copying fail. */
const denyClipboard = (page: Page) =>
  page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))
    document.execCommand = () => false
  })

test('the settings of an ordinary user have the personal tab only, with a link to the own account', async ({ page, gateway }) => {
  const ann = await gateway.ask('user', {})
  await signIn(page, gateway, ann, 1)
  await page.goto('/')
  await page.getByRole('navigation').getByRole('link', { name: 'Settings' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings')
  await expect(page.getByRole('navigation', { name: 'Settings sections' }).getByRole('link')).toHaveText([
    'Personal',
    'Security',
    'Notifications',
  ])
  await section(page, 'Account').getByRole('link', { name: 'Edit personal info' }).click()
  await expect(page).toHaveURL('/user/edit')
})

test.describe('the system access token', () => {
  test('is copied, shown once, and works', async ({ page, gateway, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const ann = await gateway.ask('user', {})
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=personal')
    const part = section(page, 'System access token')
    await expect(part.getByText('not for model API requests', { exact: false })).toBeVisible()
    const call = page.waitForRequest('**/api/user/token')
    await part.getByRole('button', { name: 'Generate system access token' }).click()
    expect((await call).method()).toBe('GET')
    await expectToast(page, 'token reset and copied')
    const token = await page.evaluate(() => navigator.clipboard.readText())
    await expect(part.getByText(token, { exact: true })).toBeVisible()
    const as = { ...ann, headers: { authorization: `Bearer ${token}` } }
    expect(await gateway.api('/api/user/self', { as })).toMatchObject({ username: ann.username })
  })

  test('says when it was made and used last, and can be revoked', async ({ page, gateway }) => {
    const ann = await gateway.ask('user', {})
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=personal')
    const part = section(page, 'System access token')
    await expect(part.getByText('No system access token.')).toBeVisible()
    const token = String(await gateway.api('/api/user/token', { as: ann }))
    const as = { ...ann, headers: { authorization: token } }
    await page.reload()
    await expect(part.getByText(/^Created .*Never used\.$/)).toBeVisible()
    await gateway.api('/api/user/self', { as })
    await page.reload()
    await expect(part.getByText(/^Created .*Last used /)).toBeVisible()
    await part.getByRole('button', { name: 'Revoke System access token' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await expect(part.getByText('No system access token.')).toBeVisible()
    await expect(gateway.api('/api/user/self', { as })).rejects.toThrow('Invalid')
  })

  test('needs the password after ten minutes; without a clipboard a dialog shows it selected', async ({ page, gateway }) => {
    const ann = await gateway.ask('user', { password: 'the right password' })
    await gateway.ask('agedSessions', ann.id)
    await denyClipboard(page)
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=personal')
    await page.getByRole('button', { name: 'Generate system access token' }).click()
    const question = page.getByRole('dialog', { name: 'Confirm that it’s you' })
    await expect(question.getByLabel('Password', { exact: true })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(question.getByText('Enter your password', { exact: true })).toBeVisible()
    await page.keyboard.type('a wrong password')
    await page.keyboard.press('Enter')
    await expect(question.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/password/i)
    await page.keyboard.type('the right password')
    await page.keyboard.press('Enter')
    await expectToast(page, 'Copy the text manually')
    const textbox = page.getByRole('dialog', { name: 'System access token' }).getByRole('textbox')
    await expect(textbox).toHaveValue(/^\w{43}$/)
    await expect(textbox).toBeFocused()
    expect(await page.evaluate(() => document.getSelection()?.toString())).toBe(await textbox.inputValue())
  })
})

test.describe('invitations', () => {
  test('copy the link, and list who came by it and what it earned', async ({ page, gateway, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const ann = await gateway.ask('user', {})
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=personal')
    const part = section(page, 'Invitations')
    await expect(part.getByText('Nobody has registered with your link yet.')).toBeVisible()
    await part.getByRole('button', { name: 'Copy invite link' }).click()
    await expectToast(page, 'invite link copied')
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(link).toMatch(new RegExp(`^${gateway.url}/register\\?aff=\\w{8}$`))

    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'QuotaForInviter', value: '70' } })
    const aff_code = new URL(link).searchParams.get('aff')
    for (let number = 1; number <= 12; number += 1) {
      const body = { username: `invited-${number}`, password: 'a good password', aff_code }
      await gateway.api('/api/user/register', { method: 'POST', body })
    }
    await page.reload()
    await expect(part.getByText('12 users registered with your link.', { exact: false })).toBeVisible()
    const rows = part.getByRole('table', { name: 'Invited users' }).locator('tbody tr')
    await expect(rows).toHaveCount(10)
    await expect(rows.first()).toContainText('invited-12')
    await part.getByRole('button', { name: 'Show more' }).click()
    await expect(rows).toHaveCount(12)
    await expect(rows.last()).toContainText('invited-1')
    await expect(part.getByRole('button', { name: 'Show more' })).toHaveCount(0)
  })

  test('show the link selected if the clipboard fails', async ({ page, gateway }) => {
    const ann = await gateway.ask('user', {})
    await denyClipboard(page)
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=personal')
    await page.getByRole('button', { name: 'Copy invite link' }).click()
    await expect(page.getByRole('dialog', { name: 'Invitation link' }).getByRole('textbox')).toHaveValue(/\/register\?aff=\w{8}$/)
  })
})

test.describe('sign-in methods', () => {
  const octocat = { id: '583231', login: 'octocat', name: 'The Octocat' }

  test('GitHub is bound at its own page and unlinked after a question', async ({ page, gateway }) => {
    const ann = await gateway.ask('user', {})
    await agreeAt(page, gateway, { provider: 'github', person: octocat })
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=personal')
    const part = section(page, 'Login methods')
    await part.getByRole('button', { name: 'Link GitHub', exact: true }).click()
    await expect(page).toHaveURL('/setting')
    await expectToast(page, 'GitHub linked')
    await expect(part.getByRole('listitem').filter({ hasText: 'GitHub' })).toContainText('linked')
    expect(await gateway.api('/api/user/self', { as: ann })).toMatchObject({ github_id: octocat.id })

    await part.getByRole('button', { name: 'Unlink GitHub' }).click()
    const question = page.getByRole('alertdialog', { name: 'Unlink GitHub?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await gateway.api('/api/user/self', { as: ann })).toMatchObject({ github_id: octocat.id })
    await part.getByRole('button', { name: 'Unlink GitHub' }).click()
    await question.getByRole('button', { name: 'Unlink' }).click()
    await expectToast(page, 'Operation completed successfully!')
    await expect(part.getByRole('button', { name: 'Link GitHub', exact: true })).toBeVisible()
    expect(await gateway.api('/api/user/self', { as: ann })).toMatchObject({ github_id: '' })
  })

  test('WeChat is bound by a code', async ({ page, gateway }) => {
    const ann = await gateway.ask('user', {})
    await gateway.ask('wechatCode', { code: '424242', id: 'wechat-ann' })
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=personal')
    await page.getByRole('button', { name: 'Link WeChat', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Link WeChat', exact: true })
    await expect(dialog.getByText('valid for three minutes', { exact: false })).toBeVisible()
    await dialog.getByLabel('Verification code').fill('424242')
    const call = page.waitForRequest('**/api/oauth/wechat/bind?*')
    await dialog.getByRole('button', { name: 'Link' }).click()
    expect(new URL((await call).url()).search).toBe('?code=424242')
    await expectToast(page, 'messaging-app bound')
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('button', { name: 'Unlink WeChat' })).toBeVisible()
  })

  test('an address is bound by the code of a mail, after the bot check, and can be changed', async ({ page, gateway }) => {
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'TurnstileCheckEnabled', value: 'true' } })
    await serveBotCheck(page)
    const ann = await gateway.ask('user', {})
    const calls: string[] = []
    page.on('request', (request) =>
      /\/api\/(?:verification|oauth\/email)/.test(request.url()) ? calls.push(new URL(request.url()).pathname) : undefined,
    )
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=personal')
    await page.getByRole('button', { name: 'Link Email', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Link an email address' })
    await dialog.getByRole('button', { name: 'Send code' }).click()
    await expect(dialog.getByRole('button', { name: 'Send code' })).toBeEnabled()
    await dialog.getByLabel('Email').fill('ann@example.com')
    await dialog.getByRole('button', { name: 'Send code' }).click()
    await expectToast(page, 'please retry in a few seconds, the bot check is verifying')
    await dialog.getByRole('button', { name: 'Link' }).click()
    await expect(dialog.getByText('Enter the code from the email')).toBeVisible()
    expect(calls).toEqual([])

    await dialog.getByRole('button', { name: 'I am human' }).click()
    await dialog.getByRole('button', { name: 'Send code' }).click()
    await expect(dialog.getByRole('button', { name: /^Resend in/ })).toBeDisabled()
    await expectToast(page, 'email code sent')
    await dialog.getByLabel('Verification code').fill(sixDigits.exec(await gateway.ask('mail', 0))?.[0] ?? '')
    await dialog.getByRole('button', { name: 'Link' }).click()
    await expectToast(page, 'email bound')
    await expect(dialog).toBeHidden()
    await expect(section(page, 'Login methods').getByText('ann@example.com')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Change Email' })).toBeVisible()
    expect(calls).toEqual(['/api/verification', '/api/oauth/email/bind'])
  })

  test('need a new login after ten minutes; an account without a password by its service', async ({ page, gateway }) => {
    const authorization = await agreeAt(page, gateway, { provider: 'lark', person: { id: 'ou_1', login: 'ann', name: 'Ann' } })
    await page.goto('/login')
    await page.getByRole('button', { name: 'Continue with Lark' }).click()
    await expect(page).toHaveURL('/')
    expect(authorization.address).not.toBeNull()
    const { id } = JSON.parse((await page.evaluate(() => localStorage.getItem('user'))) ?? '{}')
    await gateway.ask('agedSessions', id)
    await page.goto('/setting?tab=personal')
    await page.getByRole('button', { name: 'Link GitHub', exact: true }).click()
    const question = page.getByRole('dialog', { name: 'Confirm that it’s you' })
    await expect(question.getByLabel('Password', { exact: true })).toHaveCount(0)
    await question.getByRole('button', { name: 'Log in again' }).click()
    await expect(page).toHaveURL('/login')
    await page.getByRole('button', { name: 'Continue with Lark' }).click()
    await expect(page).toHaveURL('/')

    // Lark is the only way to log in to this account.
    await page.goto('/setting?tab=personal')
    await page.getByRole('button', { name: 'Unlink Lark' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Unlink' }).click()
    await expectToast(page, 'This is the only login method of this account')
    await expect(page.getByRole('button', { name: 'Unlink Lark' })).toBeVisible()
  })

  test('that the server does not offer are hidden', async ({ page, gateway }) => {
    for (const [key, value] of Object.entries({ GitHubOAuthEnabled: 'false', WeChatAuthEnabled: 'false', LarkClientId: '' }))
      await gateway.api('/api/option/', { method: 'PUT', body: { key, value } })
    await signIn(page, gateway, await gateway.ask('user', {}), 1)
    await page.goto('/setting?tab=personal')
    await expect(section(page, 'Login methods').getByRole('button')).toHaveText(['Link'])
  })
})

test.describe('deleting the own account', () => {
  test('needs the password after ten minutes', async ({ page, gateway }) => {
    const ann = await gateway.ask('user', { password: 'the right password' })
    await gateway.ask('agedSessions', ann.id)
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=personal')
    await section(page, 'Delete account').getByRole('button', { name: 'Delete account' }).click()
    const question = page.getByRole('dialog', { name: 'Confirm that it’s you' })
    await question.getByLabel('Password', { exact: true }).fill('the right password')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: `Delete the account ${ann.username}?` })
    await dialog.getByRole('textbox').fill(ann.username)
    await page.keyboard.press('Enter')
    await expectToast(page, 'account deleted')
  })

  test('needs the exact username, and ends at the login', async ({ page, gateway }) => {
    const ann = await gateway.ask('user', {})
    const calls: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (request.method() === 'DELETE' || pathname.endsWith('/logout')) calls.push(`${request.method()} ${pathname}`)
    })
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=personal')
    await section(page, 'Delete account').getByRole('button', { name: 'Delete account' }).click()
    const dialog = page.getByRole('dialog', { name: `Delete the account ${ann.username}?` })
    await expect(dialog.getByRole('textbox')).toBeFocused()
    await page.keyboard.type(ann.username.toUpperCase())
    await page.keyboard.press('Enter')
    await expect(dialog.getByText('please enter your account name to confirm deletion')).toBeVisible()
    expect(calls).toEqual([])
    await dialog.getByRole('textbox').fill(ann.username)
    await dialog.getByRole('button', { name: 'Delete account' }).click()
    await expect(page).toHaveURL('/login')
    await expectToast(page, 'account deleted')
    expect(calls).toEqual(['DELETE /api/user/self', 'GET /api/user/logout'])
    expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull()
    await expect(gateway.api('/api/user/self', { as: ann })).rejects.toThrow()
  })

  test('is not offered to root', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/setting?tab=personal')
    await expect(section(page, 'Delete account').getByRole('button', { name: 'Delete account' })).toBeDisabled()
    await expect(page.getByText('The root account cannot be deleted.')).toBeVisible()
  })
})

test('an account of another service gets its first password by the code of a mail, after the bot check', async ({ page, gateway }) => {
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'TurnstileCheckEnabled', value: 'true' } })
  await serveBotCheck(page)
  await agreeAt(page, gateway, { provider: 'github', person: { id: '583231', login: 'octocat', name: 'The Octocat' } })
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await expect(page).toHaveURL('/')
  const { id, username } = await page.evaluate(() => JSON.parse(localStorage.getItem('user') ?? '{}'))
  await gateway.ask('userRow', { id, email: 'octocat@example.com' })
  await page.goto('/user/edit')
  await page.getByLabel('New password').fill('a good password')
  await page.getByRole('button', { name: 'Send code' }).click()
  await expectToast(page, 'Please retry in a few seconds, Turnstile is checking the user environment!')
  await page.getByRole('button', { name: 'I am human' }).click()
  await page.getByRole('button', { name: 'Send code' }).click()
  await expectToast(page, 'Verification code sent successfully, please check your email!')
  await page.getByLabel('Code from your email').fill(sixDigits.exec(await gateway.ask('mail', 0))?.[0] ?? '')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'user updated')
  const login = { method: 'POST', body: { username, password: 'a good password' } } as const
  expect(await gateway.api('/api/user/login', login)).toMatchObject({ id })
})
