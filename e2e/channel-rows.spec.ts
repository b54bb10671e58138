import type { Page } from '@playwright/test'
import { json } from '../apps/server/test/fake-upstream.ts'
import { makeChannel, channelRow as row, channelRows as rows, writesOf } from './support/channels.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

test.beforeEach(async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
})

const choose = async (page: Page, filter: RegExp, option: string) => {
  await page.getByRole('combobox', { name: filter }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

const menuItem = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `More actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('channels are filtered by status, type and group, and the filters are in the address', async ({ page, gateway }) => {
  await makeChannel(gateway, 'one', { group: 'default,vip' })
  await makeChannel(gateway, 'two', { type: 36, group: 'vip' })
  await makeChannel(gateway, 'three', { type: 36 })
  await gateway.ask('channelRow', { id: 2, status: 3 })
  await page.goto('/channel')
  await expect(rows(page)).toHaveCount(3)
  await choose(page, /^Type: /, 'DeepSeek')
  await expect(rows(page)).toHaveCount(2)
  await choose(page, /^Status: /, 'Auto-disabled')
  await expect(rows(page)).toHaveCount(1)
  await expect(page).toHaveURL(/type=36/)
  await expect(page).toHaveURL(/status=3/)
  await page.reload()
  await expect(row(page, 'two')).toBeVisible()
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rows(page)).toHaveCount(3)
  await choose(page, /^Group: /, 'vip')
  await expect(rows(page)).toHaveCount(2)
  await page.goto('/channel?status=2&q=one')
  await expect(page.getByText('No results found.')).toBeVisible()
})

test('a click on a row opens its sheet, whose state is in the address; controls in the row keep their own effect', async ({
  page,
  gateway,
}) => {
  await makeChannel(gateway, 'demo', { model_mapping: '{"a":"b"}', models: 'gpt-4o,o3' })
  await makeChannel(gateway, 'other')
  await page.goto('/channel')
  const sheet = page.getByRole('dialog', { name: 'demo' })
  await page.getByRole('textbox', { name: 'Priority of demo' }).click()
  await page.getByRole('checkbox', { name: 'Select demo' }).click()
  await expect(sheet).toBeHidden()
  await row(page, 'demo').getByText('demo', { exact: true }).click()
  await expect(sheet.getByText('gpt-4o, o3')).toBeVisible()
  await expect(sheet).toContainText('{"a":"b"}')
  await expect(page).toHaveURL(/row=1/)
  await page.goBack()
  await expect(sheet).toBeHidden()
  await page.goto('/channel?row=1&q=other')
  await expect(sheet.getByText('gpt-4o, o3')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/row=/)
})

test('the sheet is opened by keyboard, and shows the balance that the vendor reports in its own unit', async ({ page, gateway }) => {
  await makeChannel(gateway, 'demo', { type: 36 })
  await page.goto('/channel')
  await expect(row(page, 'demo')).toContainText('not supported')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const sheet = page.getByRole('dialog', { name: 'demo' })
  await gateway.ask('script', [json({ is_available: true, balance_infos: [{ currency: 'CNY', total_balance: '7.5' }] })])
  await sheet.getByRole('button', { name: 'Update balance' }).click()
  await expectToast(page, 'balance updated')
  await expect(sheet).toContainText(/7\.5.*in the vendor’s unit/)
})

test('the last tests are shown as a line, and one by one in the sheet', async ({ page, gateway }) => {
  await makeChannel(gateway, 'demo')
  await gateway.ask('script', [json({ error: { message: 'no such key' } }, 401)])
  await page.goto('/channel')
  const press = page.getByRole('button', { name: /^Test.*demo/ })
  await press.click()
  await expect(page.getByRole('img', { name: 'The last test failed' })).toBeVisible()
  await press.click()
  await expect(page.getByRole('img', { name: /^1 of 2 tests passed; median \d+\.\d\d s/ })).toBeVisible()
  await row(page, 'demo').getByText('demo', { exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'demo' })).toContainText(/Failed: .*no such key/)
})

test('a channel that somebody else has deleted leaves the list when it is tested', async ({ page, gateway }) => {
  await makeChannel(gateway, 'kept')
  const id = await makeChannel(gateway, 'gone')
  await page.goto('/channel')
  await expect(row(page, 'gone')).toBeVisible()
  await gateway.api(`/api/channel/${id}`, { method: 'DELETE' })
  await page.getByRole('button', { name: /^Test.*gone/ }).click()
  await expectToast(page, 'Channel not found')
  await expect(row(page, 'gone')).toHaveCount(0)
  await expect(row(page, 'kept')).toBeVisible()
})

test('a channel is duplicated without its key', async ({ page, gateway }) => {
  await makeChannel(gateway, 'demo', { priority: 7, models: 'gpt-4o,o3', headers: '{"X-Team":"blue"}' })
  await page.goto('/channel')
  await menuItem(page, 'demo', 'Duplicate')
  await expect(page.getByRole('textbox', { name: /^Name/ })).toHaveValue('demo copy')
  const writes = writesOf(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('please fill in the channel name and key')).toBeVisible()
  expect(writes).toEqual([])
  await page.getByRole('textbox', { name: /^Key/ }).fill('another-key')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'channel created')
  expect(await gateway.api('/api/channel/?p=0')).toMatchObject([
    { name: 'demo copy', priority: 7, models: 'gpt-4o,o3', base_url: gateway.upstreamUrl },
    { name: 'demo' },
  ])
})

test('a channel gets a new key, and keeps everything else', async ({ page, gateway }) => {
  const id = await makeChannel(gateway, 'demo')
  await page.goto('/channel')
  await menuItem(page, 'demo', 'New key')
  const dialog = page.getByRole('dialog', { name: 'New key for demo' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Enter the new key')).toBeVisible()
  await page.route('**/api/channel/', (route) => route.fulfill({ json: { success: false, message: 'not this key' } }), { times: 1 })
  await dialog.getByRole('textbox', { name: /^Key/ }).fill(' fresh-key ')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'not this key')
  await expect(dialog.getByText('not this key')).toBeVisible()
  const writes = writesOf(page)
  await dialog.locator('form').evaluate((form: HTMLFormElement) => {
    form.requestSubmit()
    form.requestSubmit()
  })
  await expectToast(page, 'Key of demo replaced')
  expect(writes).toEqual([['PUT', { id, key: 'fresh-key' }]])
  await gateway.api(`/api/channel/test/${id}`)
  expect((await gateway.ask('received', null)).at(-1)?.headers['authorization']).toBe('Bearer fresh-key')
})

test('groups and priority are set for many channels at once', async ({ page, gateway }) => {
  for (const name of ['one', 'two']) await makeChannel(gateway, name, { group: 'default' })
  await makeChannel(gateway, 'three', { group: 'default,vip' })
  await page.goto('/channel')
  for (const name of ['one', 'two']) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  await page.getByRole('button', { name: 'Set priority' }).click()
  const priority = page.getByRole('dialog', { name: 'Priority of 2 channels' })
  await priority.getByRole('textbox', { name: 'Priority' }).fill('9')
  await priority.getByRole('button', { name: 'Apply' }).click()
  await expectToast(page, '2 done')
  await expect(page.getByRole('textbox', { name: 'Priority of one' })).toHaveValue('9')
  await page.getByRole('checkbox', { name: 'Select one' }).click()
  await page.getByRole('button', { name: 'Set groups' }).click()
  const groups = page.getByRole('dialog', { name: 'Groups of 1 selected row' })
  await groups.getByRole('combobox', { name: 'Groups' }).fill('vip')
  await page.getByRole('option', { name: 'vip', exact: true }).click()
  await page.keyboard.press('Escape')
  await groups.getByRole('button', { name: 'Apply' }).click()
  await expectToast(page, '1 done')
  expect(await gateway.api('/api/channel/?p=0')).toMatchObject([
    { name: 'three', group: 'default,vip', priority: 0 },
    { name: 'two', group: 'default', priority: 9 },
    { name: 'one', group: 'default,vip', priority: 9 },
  ])
})

test('chosen models are tested, their results arrive one by one, and only those that passed are kept', async ({ page, gateway }) => {
  await makeChannel(gateway, 'demo', { models: 'good,bad,unasked' })
  await page.goto('/channel')
  await menuItem(page, 'demo', 'Test models')
  const sheet = page.getByRole('dialog', { name: 'Test models of demo' })
  await sheet.getByRole('checkbox', { name: 'unasked' }).click()
  const waits = { do: 'wait', name: 'later' } as const
  await gateway.ask('script', [
    [waits, ...json({ error: { message: 'no such model' } }, 404)],
    [waits, ...json({ error: { message: 'no such model' } }, 404)],
  ])
  await sheet.getByRole('button', { name: 'Test 2 models' }).click()
  await expect(sheet.getByText('Testing…')).toHaveCount(2)
  await gateway.ask('release', 'later')
  await expect(sheet.getByText('0 passed, 2 failed')).toBeVisible()
  await expect(sheet.getByText(/no such model/).first()).toBeVisible()
  await sheet.getByRole('checkbox', { name: 'bad' }).click()
  await sheet.getByRole('button', { name: 'Test 1 model' }).click()
  await expect(sheet.getByText('1 passed, 0 failed')).toBeVisible()
  await sheet.getByRole('button', { name: 'Keep only the 1 that passed' }).click()
  await expectToast(page, 'Operation completed successfully!')
  expect(await gateway.api('/api/channel/1')).toMatchObject({ models: 'good' })
})

for (const width of [1280, 1440]) {
  test(`all columns fit beside the actions in a window of ${width} pixels, also with long names`, async ({ page, gateway }) => {
    const name = 'Azure OpenAI in Sweden Central, second subscription'
    await makeChannel(gateway, name, { models: 'gpt-4o-mini-2024-07-18,gpt-4o', group: 'default,vip,svip', type: 14 })
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/channel')
    const table = page.getByRole('region', { name: 'Table: Channels' })
    await expect(table.getByRole('row', { name })).toBeVisible()
    expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  })
}
