import type { Page } from '@playwright/test'
import { expect, expectToast, logIn, logOut, setupLinkOf, test } from './support/test.ts'

test.use({ hasSetupLink: true })

const menu = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name, exact: true }).click()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const create = (page: Page, name: string) => page.getByRole('main').getByRole('link', { name }).first().click()
const field = (page: Page, name: RegExp | string) => page.getByRole('textbox', { name })

async function act(page: Page, row: string, action: string): Promise<void> {
  await button(page, `More actions for ${row}`).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

async function remove(page: Page, row: string): Promise<void> {
  await act(page, row, 'Delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
}

/** Data of a call of the browser's own session. */
async function read<Data>(page: Page, path: string): Promise<Data> {
  return await page.evaluate(async (address) => (await (await fetch(address)).json()).data, path)
}

/** Sends a chat with the key of a token, as a program would. */
async function chat(url: string, key: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello.' }] }),
  })
  return { status: response.status, text: await response.text() }
}

/** Keys that the specification names. */
const specifiedKeys = /^(?:user|status|aff|quota_per_unit|display_in_currency|channel_models|prompt-.+)$/

/** The list shows a change before the server has made it. */
const responseTo = (page: Page, method: string) =>
  page.waitForResponse((response) => response.request().method() === method && response.url().includes('/api/token/'))

test('the whole life of an installation, from the first login to the last deletion', async ({ page, gateway }) => {
  test.slow()
  await test.step('root logs in by the setup link, is warned, and sets a password', async () => {
    await page.goto(setupLinkOf(gateway))
    await button(page, 'Log in as root').click()
    await expect(page).toHaveURL('/user/edit')
    await expectToast(page, 'Set a password immediately')
    await page.getByLabel('New password').fill('a better password')
    await button(page, 'Save').click()
    await expectToast(page, 'user updated')
    await menu(page, 'Home')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('One endpoint for every model')
    await expect(page.getByRole('link', { name: 'Set it now' })).toHaveCount(0)
  })

  await test.step('a channel is added and tested', async () => {
    await menu(page, 'Channels')
    await create(page, 'New channel')
    await field(page, /^Name/).fill('vendor')
    await page.getByLabel(/^Key/).fill('upstream-key')
    await page.getByLabel('Base URL').fill(gateway.upstreamUrl)
    await page.getByRole('combobox', { name: 'Models' }).fill('gpt-4o-mini')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await button(page, 'Save').click()
    await expectToast(page, 'channel created')
    await menu(page, 'Channels')
    await page.getByRole('button', { name: /^Test.*vendor/ }).click()
    await expectToast(page, /Test of vendor succeeded: gpt-4o-mini responded in \d+\.\d\d s/)
  })

  await test.step('an account is created', async () => {
    await menu(page, 'Users')
    await create(page, 'New user')
    await page.getByLabel(/^Username/).fill('ann')
    await page.getByLabel(/^Password/).fill('password of ann')
    await button(page, 'Create').click()
    await expectToast(page, 'user created')
  })

  const code = await test.step('a redemption code is created', async () => {
    await menu(page, 'Redemption codes')
    await create(page, 'New codes')
    await page.getByLabel(/^Name/).fill('welcome')
    await field(page, 'Quota').fill('500000')
    const download = page.waitForEvent('download')
    await button(page, 'Create').click()
    expect((await download).suggestedFilename()).toBe('welcome.txt')
    const codes = page.getByRole('textbox', { name: 'Codes, one per line' })
    await expect(codes).toHaveValue(/^\w{32}\n$/)
    const text = await codes.inputValue()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await logOut(page)
    return text.trim()
  })

  const balance = await test.step('its owner logs in and tops up', async () => {
    await logIn(page, 'ann', 'password of ann')
    await expect(page).toHaveURL('/token')
    const before = (await read<{ readonly quota: number }>(page, '/api/user/self')).quota
    await menu(page, 'Top-up')
    await page.getByLabel('Redemption codes').fill(code)
    await button(page, 'Redeem').click()
    await expectToast(page, 'top-up succeeded')
    await expect(page.getByRole('list', { name: 'Results' }).getByRole('listitem')).toHaveText([/\+\$1\.00/])
    return before + 500_000
  })

  const key = await test.step('and makes a token', async () => {
    await menu(page, 'Tokens')
    await create(page, 'New token')
    await field(page, /^Name/).fill('program')
    await button(page, 'Create token').click()
    await expectToast(page, 'token created')
    const dialog = page.getByRole('dialog', { name: /program/ })
    const key = (await dialog.getByRole('code').textContent()) ?? ''
    await dialog.getByRole('link', { name: 'All tokens' }).click()
    return key
  })

  await test.step('a program asks, and the log has what it cost', async () => {
    const { status, text } = await chat(gateway.url, key)
    expect(status).toBe(200)
    const { usage } = JSON.parse(text)
    await menu(page, 'Logs')
    const row = page.getByRole('table', { name: 'Logs' }).getByRole('row').filter({ hasText: 'gpt-4o-mini' })
    await expect(row).toHaveCount(1)
    await expect(row).toContainText('program')
    const rows = await read<readonly { readonly quota: number; readonly prompt_tokens: number; readonly completion_tokens: number }[]>(
      page,
      '/api/log/self/?type=2',
    )
    expect(rows).toMatchObject([{ prompt_tokens: usage.prompt_tokens, completion_tokens: usage.completion_tokens }])
    // At a ratio of 0.075 for input and four times that for output, rounded up to a whole unit of quota.
    const quota = Math.ceil(usage.prompt_tokens * 0.075 + usage.completion_tokens * 0.3)
    expect(rows[0]?.quota).toBe(quota)
    await expect(row).toContainText(`$0.${String(quota * 2).padStart(6, '0')}`)
    expect(await read(page, '/api/user/self')).toMatchObject({ quota: balance - quota, used_quota: quota, request_count: 1 })
  })

  await test.step('a disabled token is refused, and so is a deleted one', async () => {
    await menu(page, 'Tokens')
    await Promise.all([responseTo(page, 'PUT'), act(page, 'program', 'Disable')])
    await expect(page.getByRole('row').filter({ hasText: 'program' })).toContainText('Disabled')
    expect((await chat(gateway.url, key)).status).toBe(401)
    await Promise.all([responseTo(page, 'PUT'), act(page, 'program', 'Enable')])
    await expect(page.getByRole('row').filter({ hasText: 'program' })).toContainText('Enabled')
    expect((await chat(gateway.url, key)).status).toBe(200)
    await Promise.all([responseTo(page, 'DELETE'), remove(page, 'program')])
    await expect(page.getByRole('row').filter({ hasText: 'program' })).toHaveCount(0)
    expect((await chat(gateway.url, key)).status).toBe(401)
    await logOut(page)
  })

  await test.step('root disables and deletes the channel', async () => {
    await logIn(page, 'root', 'a better password')
    await expect(page).toHaveURL('/token')
    await menu(page, 'Channels')
    await act(page, 'vendor', 'Disable')
    await expect(page.getByRole('row').filter({ hasText: 'vendor' })).toContainText('Disabled')
    await remove(page, 'vendor')
    await expect(page.getByText('No channels yet')).toBeVisible()
  })

  await test.step('every balance is what the ledger says, and the browser keeps only known keys', async () => {
    expect(await gateway.ask('inconsistencies', null)).toEqual([])
    const keys = await page.evaluate(() => Object.keys(localStorage))
    expect(keys).toContain('user')
    expect(keys.filter((name) => !name.startsWith('ui-') && !specifiedKeys.test(name))).toEqual([])
  })
})
