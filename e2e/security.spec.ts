import type { Page } from '@playwright/test'
import { appCode } from '../apps/server/test/app-code.ts'
import { expectAccessible } from './support/axe.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Browsers know passkeys at host names only. */
const atName = (address: string): string => address.replace('127.0.0.1', 'localhost')

async function logIn(page: Page, { username, password }: { readonly username: string; readonly password: string }): Promise<void> {
  await page.getByLabel('Username or email').fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account menu of/ }).press('Enter')
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await expectToast(page, 'Logout successful!')
}

/** A device that verifies its owner, as Chromium's developer tools make it. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}

test.describe('an authenticator app', () => {
  test('is set up by image or secret, gives recovery codes once, and is required at the next login', async ({ page, gateway }) => {
    const ann = await gateway.ask('user', { password: 'the right password' })
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=security')
    const part = section(page, 'Two-factor authentication')
    await part.getByRole('button', { name: 'Set up' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' })
    const image = dialog.getByRole('img', { name: 'QR code with the secret of this account' })
    await expect(image).toBeVisible()
    // Many cameras do not read a code that is light on dark.
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
    await expect(image.locator('rect')).toHaveCSS('fill', 'rgb(255, 255, 255)')
    await expect(image.locator('path')).toHaveCSS('fill', 'rgb(0, 0, 0)')
    await page.emulateMedia({ colorScheme: 'light' })
    const secret = (await dialog.locator('code').textContent()) ?? ''
    expect(secret).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/)
    await expectAccessible(page)
    await dialog.getByLabel('Code from the app').fill('000000')
    await page.keyboard.press('Enter')
    await expect(dialog.getByLabel('Code from the app')).toHaveAccessibleDescription(/incorrect/)
    await dialog.getByLabel('Code from the app').fill(appCode(secret, Date.now()))
    await page.keyboard.press('Enter')
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    await expect(codes.getByRole('listitem')).toHaveCount(10)
    const recovery = (await codes.getByRole('listitem').first().textContent()) ?? ''
    await codes.getByRole('button', { name: 'Done' }).click()
    await expect(part.getByText('10 codes are left.')).toBeVisible()

    await logOut(page)
    await page.goto('/login')
    await logIn(page, ann)
    await expect(page.getByLabel('Code')).toBeFocused()
    await expectAccessible(page)
    await page.getByLabel('Code').fill('000000')
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Code')).toHaveAccessibleDescription(/incorrect/)
    await page.getByLabel('Code').fill(appCode(secret, Date.now() + 30_000))
    await page.keyboard.press('Enter')
    await expectToast(page, 'Login successful!')
    await expect(page).toHaveURL('/token')
    expect(recovery).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/)
  })
})

test.describe('a passkey', () => {
  test.use({ tolerated: /^elsewhere: http:\/\/localhost:/ })

  test('is added, logs in without a password, is the second factor of a login, and is removed', async ({ page, gateway }) => {
    const ann = await gateway.ask('user', { password: 'the right password' })
    await addAuthenticator(page)
    await page.goto(atName(`${gateway.url}/login`))
    await logIn(page, ann)
    await expect(page).toHaveURL(/\/token$/)
    await page.goto(atName(`${gateway.url}/setting?tab=security`))
    const part = section(page, 'Passkeys')
    await part.getByRole('button', { name: 'Add passkey' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add passkey' })
    await dialog.getByLabel('Name').fill('Test device')
    await page.keyboard.press('Enter')
    await expectToast(page, 'Passkey added')
    await expect(part.getByText('Test device', { exact: true })).toBeVisible()

    await logOut(page)
    await page.goto(atName(`${gateway.url}/login`))
    await page.getByRole('button', { name: 'Log in with a passkey' }).click()
    await expect(page).toHaveURL(/\/token$/)

    await page.goto(atName(`${gateway.url}/setting?tab=security`))
    await section(page, 'Two-factor authentication').getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('dialog', { name: 'Recovery codes' }).getByRole('button', { name: 'Done' }).click()
    await logOut(page)
    await page.goto(atName(`${gateway.url}/login`))
    await logIn(page, ann)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await expect(page).toHaveURL(/\/token$/)

    await page.goto(atName(`${gateway.url}/setting?tab=security`))
    await part.getByRole('button', { name: 'Remove Test device' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await expect(part.getByText('No passkeys yet.')).toBeVisible()
    await expect(section(page, 'Two-factor authentication').getByText('off', { exact: true })).toBeVisible()
  })

  test('is not offered at an address without a name', async ({ page, gateway }) => {
    await page.goto('/login')
    await expect(page.getByRole('button', { name: 'Log in', exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Log in with a passkey' })).toHaveCount(0)
    const ann = await gateway.ask('user', {})
    await signIn(page, gateway, ann, 1)
    await page.goto('/setting?tab=security')
    await expect(section(page, 'Passkeys').getByText('Passkeys can’t be added here.', { exact: false })).toBeVisible()
  })
})

test('the sessions are listed with the present one marked, and the others are ended', async ({ page, gateway }) => {
  const ann = await gateway.ask('user', { password: 'the right password' })
  await page.goto('/login')
  await logIn(page, ann)
  await expect(page).toHaveURL('/token')
  await page.goto('/setting?tab=security')
  const part = section(page, 'Active sessions')
  await expect(part.getByRole('listitem')).toHaveCount(2)
  await expect(part.getByRole('listitem').first()).toContainText('this session')
  await expect(part.getByRole('listitem').first()).toContainText('Chrome')
  await expectAccessible(page)
  await part.getByRole('button', { name: 'Log out all others' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Log out all others' }).click()
  await expectToast(page, '1 session logged out')
  await expect(part.getByRole('listitem')).toHaveCount(1)
})

test('a personal access token is made with scopes, shown once, works as far as they go, and is removed', async ({ page, gateway }) => {
  const ann = await gateway.ask('user', {})
  await signIn(page, gateway, ann, 1)
  await page.goto('/setting?tab=security')
  const part = section(page, 'Personal access tokens')
  await part.getByRole('button', { name: 'New token' }).click()
  const dialog = page.getByRole('dialog', { name: 'New token' })
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(dialog.getByText('Enter a name')).toBeVisible()
  await dialog.getByLabel('Name').fill('reports')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await expect(dialog.getByText('Choose the permissions of the token')).toBeVisible()
  // The name stands beside the choice once, and what makes the token stays in sight.
  await expect(dialog.getByRole('combobox', { name: 'Logs', exact: true })).toHaveText('No access')
  const make = dialog.getByRole('button', { name: 'Create token' })
  await expect(make).toBeInViewport()
  // The title and the foot reach to the edges of the dialog, so that nothing of the form is seen beside them.
  const [box, foot] = [await dialog.boundingBox(), await make.locator('..').boundingBox()]
  const bottomOf = (of: typeof box) => (of?.y ?? 0) + (of?.height ?? 0)
  expect(Math.abs(bottomOf(box) - bottomOf(foot))).toBeLessThan(3)
  await dialog.getByRole('combobox', { name: 'Logs', exact: true }).click()
  await page.getByRole('option', { name: 'Read', exact: true }).click()
  // What leads to money or lasting access is chosen by itself, and says so.
  const keys = dialog.getByRole('switch', { name: 'View token keys' })
  await expect(keys).not.toBeChecked()
  await expect(keys).toHaveAccessibleDescription(/can spend your balance/)
  await expect(dialog.getByRole('switch')).toHaveCount(1)
  await keys.click()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const tokenDialog = page.getByRole('dialog', { name: 'New personal access token' })
  const token = (await tokenDialog.locator('code').textContent()) ?? ''
  expect(token).toMatch(/^slp_\w{43}$/)
  await tokenDialog.getByRole('button', { name: 'Done' }).click()
  await expect(part.getByText('Logs: read · View token keys')).toBeVisible()
  const as = { ...ann, headers: { authorization: `Bearer ${token}` } }
  expect(await gateway.api('/api/log/self/?p=0', { as })).toEqual(expect.any(Array))
  await expect(gateway.api('/api/token/?p=0', { as })).rejects.toThrow('token:read')
  await part.getByRole('button', { name: 'Revoke reports' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(part.getByText('No personal access tokens yet.')).toBeVisible()
})
