import type { Page } from '@playwright/test'
import { expectAccessible } from './support/axe.ts'
import type { Gateway } from './support/gateway.ts'
import { expect, expectToast, signIn, test, writesOf } from './support/test.ts'

const rows = (page: Page) => page.getByRole('table', { name: 'Manage users' }).locator('tbody').getByRole('row')
const row = (page: Page, name: string) => rows(page).filter({ hasText: name })

async function makeUser(gateway: Gateway, username: string): Promise<void> {
  await gateway.api('/api/user/', { method: 'POST', body: { username, display_name: '', password: 'long-enough' } })
}

async function openMenuOf(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `More actions for ${name}` }).click()
}

/** From the list of messages, because a message disappears soon. */
async function undo(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Notifications,/ }).click()
  await page.getByRole('dialog', { name: 'Recent notifications' }).getByRole('button', { name: 'Undo' }).first().click()
  await page.keyboard.press('Escape')
}

test.beforeEach(async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
})

test('a search asks the server each time, and an empty one loads the list again', async ({ page }) => {
  const calls: string[] = []
  const isList = (address: string) => /^\/api\/user\/(?:search)?$/.test(new URL(address).pathname)
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (isList(request.url())) calls.push([pathname, searchParams.get('keyword') ?? ''].join(' ').trim())
  })
  await page.clock.install()
  await page.goto('/user')
  await expect(rows(page)).toHaveCount(1)
  // Otherwise a slow machine could make the pause between text and key long enough for a search of its own.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000)
  const search = page.getByRole('searchbox')
  for (const text of ['  ', ' root ', 'root', '']) {
    const responded = page.waitForResponse((response) => isList(response.url()))
    await search.fill(text)
    await search.press('Enter')
    await responded
  }
  expect(calls).toEqual(['/api/user/', '/api/user/', '/api/user/search root', '/api/user/search root', '/api/user/'])
})

test('long names are cut, groups are tags, and the row of root has no action on its standing', async ({ page, gateway }) => {
  await makeUser(gateway, 'abcdefghijklmnop')
  await gateway.api('/api/user/', { method: 'PUT', body: { id: 2, group: 'vip,default', quota: 1_250_000 } })
  await page.goto('/user')
  await expect(page.getByRole('heading', { name: 'Manage users' })).toBeVisible()
  await expect(row(page, 'abcdefghijklmnop')).toContainText(/abcdefghijkl\.\.\./)
  await expect(row(page, 'abcdefghijklmnop')).toContainText(/default.*vip.*\$2\.50.*\$0\.00.*0.*User.*Activated/)
  await expect(row(page, 'root')).toContainText('Super admin')
  await openMenuOf(page, 'root')
  for (const name of ['Promote', 'Demote', 'Disable', 'Delete']) await expect(page.getByRole('menuitem', { name })).toBeDisabled()
})

test('promote, demote, disable, enable and delete go to one call, and the row takes its response', async ({ page, gateway }) => {
  await makeUser(gateway, 'ann')
  await page.goto('/user')
  const writes = writesOf(page)
  const choose = async (action: string, isConfirmed: boolean) => {
    await openMenuOf(page, 'ann')
    await page.getByRole('menuitem', { name: action, exact: true }).click()
    if (isConfirmed) await page.getByRole('alertdialog').getByRole('button', { name: action }).click()
  }
  await choose('Promote', true)
  await expect(row(page, 'ann')).toContainText('Administrator')
  await choose('Demote', true)
  await expect(row(page, 'ann')).not.toContainText('Administrator')
  await choose('Disable', true)
  await expect(row(page, 'ann')).toContainText('Banned')
  await choose('Enable', false)
  await expect(row(page, 'ann')).toContainText('Activated')
  await choose('Delete', true)
  await expect(row(page, 'ann')).toHaveCount(0)
  await expectToast(page, 'Operation completed successfully!')
  expect(writes).toEqual(
    ['promote', 'demote', 'disable', 'enable', 'delete'].map((action) => [
      ...['POST', '/api/user/manage'],
      { username: 'ann', action, ...(['promote', 'disable'].includes(action) && { revoke_access_tokens: true }) },
    ]),
  )
})

test('deleting and renaming others asks for the password when the login is more than ten minutes ago', async ({ page, gateway }) => {
  for (const name of ['ann', 'ben', 'cat', 'dan']) await makeUser(gateway, name)
  const admin = await gateway.ask('user', { role: 10, password: 'the right password' })
  await signIn(page, gateway, admin, 10)
  const question = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  const confirm = async () => {
    await expect(question.getByLabel('Password', { exact: true })).toBeFocused()
    await page.keyboard.type('the right password')
    await page.keyboard.press('Enter')
    await expect(question).toBeHidden()
  }
  const remove = () => page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()

  await gateway.ask('agedSessions', admin.id)
  await page.goto('/user')
  await openMenuOf(page, 'ann')
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
  await remove()
  await confirm()
  await expect(row(page, 'ann')).toHaveCount(0)

  await gateway.ask('agedSessions', admin.id)
  for (const name of ['ben', 'cat']) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  await page.getByRole('region', { name: 'Actions for selected rows' }).getByRole('button', { name: 'Delete' }).click()
  await remove()
  await confirm()
  for (const name of ['ben', 'cat']) await expect(row(page, name)).toHaveCount(0)

  await gateway.ask('agedSessions', admin.id)
  await row(page, 'dan').getByRole('link', { name: 'Edit' }).click()
  await expect(page.getByLabel('Your current password')).toHaveCount(0)
  await page.getByLabel('Username').fill('daniel')
  await page.getByLabel('Your current password').fill('the right password')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, /updated/i)
  await page.goto('/user')
  await expect(row(page, 'daniel')).toBeVisible()
})

test('what ends the sessions of an account asks whether its access tokens are revoked too, and begins with yes', async ({
  page,
  gateway,
}) => {
  await makeUser(gateway, 'ann')
  await page.goto('/user')
  const writes = writesOf(page)
  const question = page.getByRole('alertdialog')
  const choice = question.getByRole('switch', { name: 'Also revoke access tokens' })
  const disable = async () => {
    await openMenuOf(page, 'ann')
    await page.getByRole('menuitem', { name: 'Disable' }).click()
  }
  await disable()
  await expect(choice).toBeChecked()
  await expect(question.getByRole('button', { name: 'Disable' })).toBeFocused()
  await choice.click()
  await page.keyboard.press('Escape')
  await expect(question).toBeHidden()
  await disable()
  await expect(choice).toBeChecked()
  await choice.click()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Disable' }).click()
  await expect(row(page, 'ann')).toContainText('Banned')
  expect(writes).toEqual([['POST', '/api/user/manage', { username: 'ann', action: 'disable', revoke_access_tokens: false }]])
  await page.goto('/user/edit/2')
  await page.getByLabel('New password').fill('another good password')
  const inForm = page.getByRole('switch', { name: 'Also revoke access tokens' })
  await expect(inForm).toBeChecked()
  await inForm.click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, /updated/i)
  expect(writes.at(-1)).toEqual(['PUT', '/api/user/', expect.objectContaining({ id: 2, revoke_access_tokens: false })])
})

test('the access tokens of an account of a lower role are listed in its sheet, and revoked there', async ({ page, gateway }) => {
  const ann = await gateway.ask('user', {})
  await gateway.api('/api/access_token/', {
    method: 'POST',
    as: ann,
    body: { name: 'reports', scopes: ['log:read', 'token:keys'], expired_time: -1 },
  })
  const token = await gateway.api('/api/user/token', { as: ann })
  await page.goto(`/user?row=${ann.id}`)
  const sheet = page.getByRole('dialog', { name: ann.username })
  await expect(sheet.getByText('Logs: read · View token keys')).toBeVisible()
  await expect(sheet.getByText('Full access to the account')).toBeVisible()
  await sheet.getByRole('button', { name: 'Revoke reports' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(sheet.getByText('View token keys')).toHaveCount(0)
  await sheet.getByRole('button', { name: 'Revoke System access token' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(sheet.getByText('No access tokens.')).toBeVisible()
  await expect(gateway.api('/api/user/self', { as: { ...ann, headers: { authorization: String(token) } } })).rejects.toThrow()
})

test('the server is queried for the sort order, also of a search', async ({ page, gateway }) => {
  for (const [index, name] of ['ann', 'anna', 'ben'].entries()) {
    await makeUser(gateway, name)
    await gateway.api('/api/user/', { method: 'PUT', body: { id: index + 2, quota: [500, 900, 700][index] } })
  }
  await page.goto('/user')
  await expect(rows(page)).toHaveCount(4)
  await page.getByRole('combobox', { name: 'Sort' }).click()
  await page.getByRole('option', { name: 'by balance' }).click()
  await expect(page).toHaveURL('/user?order=quota')
  await page.getByRole('searchbox').fill('ann')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/user?order=quota&q=ann')
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).first()).toContainText('anna')
  await page.getByRole('searchbox').fill('nobody')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No results found.')).toBeVisible()
})

test('an account is created, and empty fields send nothing', async ({ page }) => {
  await page.goto('/user/add')
  const writes = writesOf(page)
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByLabel(/^Username/)).toBeFocused()
  expect(writes).toEqual([])
  await page.getByLabel(/^Username/).fill('carl')
  await page.getByLabel(/^Password/).fill('long-enough')
  await page.getByRole('button', { name: 'Create' }).click()
  await expectToast(page, 'user created')
  await expect(page.getByLabel(/^Username/)).toHaveValue('')
  expect(writes).toEqual([['POST', '/api/user/', { username: 'carl', display_name: '', password: 'long-enough' }]])
  await page.getByLabel(/^Username/).fill('carl')
  await page.getByLabel(/^Password/).fill('long-enough')
  await page.getByRole('button', { name: 'Create' }).click()
  await expectToast(page, /already|taken/i)
  await expect(page.getByLabel(/^Username/)).toHaveValue('carl')
  // The refusal is shown beside the field that it is about.
  await expect(page.getByLabel(/^Username/)).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel(/^Username/)).toBeFocused()
})

test('an edit sends what changed, and the balance as a difference to what the form showed', async ({ page, gateway }) => {
  await makeUser(gateway, 'ann')
  await page.goto('/user/edit/2')
  const writes = writesOf(page)
  await expect(page.getByLabel('New password')).toHaveValue('')
  await expect(page.getByText('at least 8 characters')).toBeVisible()
  for (const label of ['Email', 'GitHub', 'WeChat']) await expect(page.getByLabel(label)).not.toBeEditable()
  // The saved row is read again, and that response comes after more was typed.
  let typed = () => {}
  const isTyped = new Promise<void>((resolve) => {
    typed = resolve
  })
  await page.route('**/api/user/2', async (route) => {
    const response = await route.fetch()
    await isTyped
    await route.fulfill({ response })
  })
  const isRead = page.waitForRequest('**/api/user/2')
  await page.getByLabel('Balance').fill('500')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'user updated')
  await isRead
  await page.getByLabel('Balance').fill('600')
  typed()
  await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled()
  await expect(page.getByLabel('Balance')).toHaveValue('600')
  await page.unroute('**/api/user/2')
  // The account spends while the form stays open.
  await gateway.api('/api/user/', { method: 'PUT', body: { id: 2, quota: 400 } })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByLabel('Balance')).toHaveValue('500')
  expect(writes).toEqual([
    ['PUT', '/api/user/', { id: 2, quota: 500, quota_was: 0, form_id: expect.any(String) }],
    ['PUT', '/api/user/', { id: 2, quota: 600, quota_was: 500, form_id: expect.any(String) }],
  ])
})

test('a lost login method is removed after a question', async ({ page, gateway }) => {
  await makeUser(gateway, 'ann')
  await gateway.ask('userRow', { id: 2, github_id: '4711' })
  await page.goto('/user/edit/2')
  const writes = writesOf(page)
  await expect(page.getByLabel('GitHub')).toHaveValue('4711')
  await page.getByRole('button', { name: 'Unlink', exact: true }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('Unlink GitHub from ann?')
  await expect(question.locator(':focus')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'GitHub' })).toHaveValue('')
  expect(writes).toEqual([['POST', '/api/user/unbind', { id: 2, way: 'github' }]])
})

test('quota is added from the list, with a note', async ({ page, gateway }) => {
  await makeUser(gateway, 'ann')
  await page.goto('/user')
  const writes = writesOf(page)
  await page.getByRole('button', { name: 'Add credit ann' }).click()
  await page.getByRole('button', { name: '+$5.00' }).click()
  await page.getByLabel('Note').fill('thanks')
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await expectToast(page, 'Credit added')
  await expect(row(page, 'ann')).toContainText('$5.00')
  const form_id: unknown = expect.stringMatching(/^\w{32}$/)
  expect(writes).toEqual([['POST', '/api/topup', { user_id: 2, quota: 2_500_000, remark: 'thanks', form_id }]])
  await page.reload()
  await expect(row(page, 'ann')).toContainText('$5.00')
})

test('an addition to a balance that is refused says so in its dialog, and one whose response is lost is added once', async ({
  page,
  gateway,
}) => {
  await makeUser(gateway, 'ann')
  await page.goto('/user')
  await page.getByRole('button', { name: 'Add credit ann' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add credit to ann' })
  await page.route('**/api/topup', (route) => route.fulfill({ json: { success: false, message: 'too much', field: 'quota' } }))
  await dialog.getByRole('button', { name: '+$5.00' }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByRole('textbox', { name: 'Amount' })).toHaveAccessibleDescription(/too much/)
  await page.unroute('**/api/topup')

  await page.route('**/api/topup', async (route) => {
    await route.fetch()
    await route.abort('connectionreset')
  })
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText(/it is added only once/)).toBeVisible()
  await expect(dialog.getByRole('textbox', { name: 'Amount' })).toBeDisabled()
  await page.unroute('**/api/topup')
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await expectToast(page, 'Credit added')
  await page.reload()
  await expect(row(page, 'ann')).toContainText('$5.00')
})

test('other users see that the page is for administrators', async ({ page, gateway }) => {
  await signIn(page, gateway, await gateway.ask('user', {}), 1)
  for (const path of ['/user', '/user/add', '/user/edit/1']) {
    await page.goto(path)
    await expect(page.getByText('Administrators only')).toBeVisible()
  }
})

test('the server filters by role, status and group', async ({ page, gateway }) => {
  for (const name of ['ann', 'ben', 'cora']) await makeUser(gateway, name)
  await gateway.api('/api/user/', { method: 'PUT', body: { id: 2, group: 'vip' } })
  await gateway.api('/api/user/manage', { method: 'POST', body: { username: 'ben', action: 'disable' } })
  await page.goto('/user')
  const choose = async (facet: string, option: string) => {
    await page.getByRole('combobox', { name: new RegExp(`^${facet}: `) }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await choose('Role', 'User')
  await expect(rows(page)).toHaveCount(3)
  await choose('Status', 'Banned')
  await expect(rows(page)).toHaveCount(1)
  await expect(row(page, 'ben')).toBeVisible()
  await choose('Groups', 'vip')
  await expect(page.getByText('Nothing matches these filters.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await expect(rows(page)).toHaveCount(4)
  await page.goto('/user?group=vip')
  await expect(rows(page)).toHaveCount(1)
  await expect(row(page, 'ann')).toBeVisible()
})

test('groups and balance are edited in the row, each with Undo, and groups of many at once', async ({ page, gateway }) => {
  for (const name of ['ann', 'ben']) await makeUser(gateway, name)
  await gateway.api('/api/user/', { method: 'PUT', body: { id: 2, quota: 500_000 } })
  await page.goto('/user')
  const writes = writesOf(page)
  await page.getByRole('button', { name: 'Balance of ann: $1.00' }).click()
  await page.getByRole('textbox', { name: 'Balance of ann' }).fill('2.5')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Balance of ann: $2.50' })).toBeFocused()
  await undo(page)
  await expect(page.getByRole('button', { name: 'Balance of ann: $1.00' })).toBeVisible()
  await page.getByRole('button', { name: 'Balance of ann: $1.00' }).click()
  await page.getByRole('textbox', { name: 'Balance of ann' }).fill('9')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Balance of ann: $1.00' })).toBeFocused()
  expect(writes).toMatchObject([
    ['PUT', '/api/user/', { id: 2, quota: 1_250_000, quota_was: 500_000 }],
    ['PUT', '/api/user/', { id: 2, quota: 500_000, quota_was: 1_250_000 }],
  ])
  await page.getByRole('button', { name: 'Groups of ann: default' }).click()
  const dialog = page.getByRole('dialog', { name: 'Groups of ann' })
  await dialog.getByRole('combobox', { name: 'Groups' }).fill('vip')
  await page.getByRole('option', { name: 'vip', exact: true }).click()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await expect(row(page, 'ann')).toContainText(/default.*vip/)
  for (const name of ['ann', 'ben']) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  await page.getByRole('button', { name: 'Set groups' }).click()
  const many = page.getByRole('dialog', { name: 'Groups of 2 selected rows' })
  await many.getByRole('combobox', { name: 'Groups' }).fill('svip')
  await page.getByRole('option', { name: 'svip', exact: true }).click()
  await page.keyboard.press('Escape')
  await many.getByRole('button', { name: 'Apply' }).click()
  await expectToast(page, '2 done')
  expect(await gateway.api('/api/user/?p=0')).toMatchObject([{ group: 'default,svip' }, { group: 'default,svip' }, { username: 'root' }])
})

test('a row opens its sheet, whose address is a link, and whose actions are those of the row', async ({ page, gateway }) => {
  await makeUser(gateway, 'ann')
  await page.goto('/user')
  await row(page, 'ann').getByText('Activated').click()
  await expect(page).toHaveURL('/user?row=2')
  const sheet = page.getByRole('dialog', { name: 'ann' })
  await expect(sheet).toContainText(/Email.*not linked/)
  const more = sheet.getByRole('button', { name: 'More actions for ann' })
  await more.click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click()
  await expect(sheet).toContainText('Banned')
  await more.click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(sheet).toBeHidden()
  await expect(row(page, 'ann')).toHaveCount(0)
  await page.goto('/user?row=1')
  await page.getByRole('dialog', { name: 'root' }).getByRole('link', { name: 'Show logs' }).click()
  await expect(page).toHaveURL('/log?user=root')
})
