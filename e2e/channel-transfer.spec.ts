import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expectAccessible } from './support/axe.ts'
import { channelRow, channelRows, makeChannel, writesOf } from './support/channels.ts'
import { expect, expectToast, settle, signIn, test } from './support/test.ts'

test.beforeEach(async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
})

const sheetOf = (page: Page) => page.getByRole('dialog', { name: 'Import channels' })

const importIntoEmptyList = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Import channels', exact: true }).click()

async function openFromMenu(page: Page, name: 'Export channels' | 'Import channels') {
  await page.getByRole('button', { name: 'More actions for all channels' }).click()
  await page.getByRole('menuitem', { name }).click()
  return page.getByRole('dialog', { name })
}

/** Presses "Export" in the dialog, and reads the file. */
async function exported(page: Page) {
  const download = page.waitForEvent('download')
  await page.getByRole('dialog', { name: 'Export channels' }).getByRole('button', { name: 'Export', exact: true }).click()
  return await readFile(await (await download).path(), 'utf8')
}

const choose = (page: Page, text: string) =>
  sheetOf(page)
    .locator('input[type=file]')
    .setInputFiles({ name: 'channels.json', mimeType: 'application/json', buffer: Buffer.from(text) })

test('channels are exported without keys, those of the filters or the selected ones', async ({ page, gateway }) => {
  await makeChannel(gateway, 'basic')
  await makeChannel(gateway, 'special', { group: 'vip' })
  await page.goto('/channel?group=vip')
  await expect(channelRows(page)).toHaveCount(1)
  await openFromMenu(page, 'Export channels')
  const filtered = await exported(page)
  await expectToast(page, '1 channel exported')
  expect(JSON.parse(filtered)).toMatchObject({ sluice: 'channels', version: 1, channels: [{ name: 'special', group: 'vip' }] })
  expect(filtered).not.toContain('upstream-key')
  await page.goto('/channel')
  await channelRow(page, 'basic').getByRole('checkbox').click()
  await page.getByRole('region', { name: 'Actions for selected rows' }).getByRole('button', { name: 'Export channels' }).click()
  expect(JSON.parse(await exported(page)).channels.map(({ name }: { readonly name: string }) => name)).toEqual(['basic'])
})

test('root exports channels with their keys, and another server imports them', async ({ page, gateway }) => {
  const id = await makeChannel(gateway, 'with key')
  await page.goto('/channel')
  const dialog = await openFromMenu(page, 'Export channels')
  await dialog.getByRole('switch', { name: 'Include keys' }).click()
  const text = await exported(page)
  expect(JSON.parse(text)).toMatchObject({ channels: [{ name: 'with key', key: 'upstream-key' }] })
  await gateway.api(`/api/channel/${id}/`, { method: 'DELETE' })
  await page.reload()
  await importIntoEmptyList(page)
  await choose(page, text)
  await sheetOf(page).getByRole('button', { name: 'Import 1 channel' }).click()
  await expect(sheetOf(page)).toContainText('1 channel imported.')
  await sheetOf(page).getByRole('button', { name: 'Close' }).last().click()
  await expect(channelRow(page, 'with key')).toContainText('Enabled')
})

test('an import is previewed row by row, leaves out what is unticked, and is undone', async ({ page, gateway }) => {
  await makeChannel(gateway, 'known')
  const rows = ['fresh', 'known', 'unwanted', 'bad'].map((name) => ({
    ...{ id: 1, name, type: 1, key: '', status: 1, models: 'gpt-4o', group: 'default', config: '' },
    base_url: name === 'bad' ? 'ftp://host' : null,
  }))
  await page.goto('/channel')
  await openFromMenu(page, 'Import channels')
  await choose(page, JSON.stringify({ success: true, message: '', data: rows }))
  const table = sheetOf(page).getByRole('table', { name: 'Channels in the file' })
  const rowOf = (name: string) => table.getByRole('row').filter({ has: page.getByText(name, { exact: true }) })
  await expect(rowOf('fresh')).toContainText('New')
  await expect(rowOf('fresh')).toContainText('has no key, so it is imported as disabled')
  await expect(rowOf('known')).toContainText('Same name exists')
  await expect(rowOf('bad')).toContainText('The base URL must start with http:// or https://')
  await expect(rowOf('bad').getByRole('checkbox')).toBeDisabled()
  await expect(rowOf('known').getByRole('checkbox')).not.toBeChecked()
  await sheetOf(page).getByRole('button', { name: 'Add as another' }).click()
  await expect(rowOf('known').getByRole('checkbox')).toBeChecked()
  await rowOf('unwanted').getByRole('checkbox').click()
  const writes = writesOf(page)
  await sheetOf(page).getByRole('button', { name: 'Import 2 channels' }).click()
  await expect(sheetOf(page)).toContainText('2 channels imported.')
  expect(writes).toHaveLength(1)
  expect(await gateway.api('/api/channel/?p=0')).toMatchObject([
    { name: 'fresh', status: 2 },
    { name: 'known', status: 2 },
    { name: 'known', status: 1 },
  ])
  await sheetOf(page).getByRole('button', { name: 'Undo' }).click()
  await expectToast(page, '2 imported channels deleted')
  await page.keyboard.press('Escape')
  await expect(channelRows(page)).toHaveCount(1)
})

test('a file that is not one of channels is refused beside the field, and what was pasted stays', async ({ page }) => {
  await page.goto('/channel')
  await importIntoEmptyList(page)
  const field = sheetOf(page).getByRole('textbox', { name: 'Or paste its content' })
  for (const [text, fault] of [
    ['', 'Choose a file or paste its content'],
    ['{"a":', 'Not valid JSON: line 1, column 6'],
    ['{"a":1}', 'Not a channel file'],
    ['[]', 'The file contains no channels'],
    ['{"sluice":"channels","version":2,"channels":[{}]}', 'This file has format version 2'],
  ] as const) {
    await field.fill(text)
    await sheetOf(page).getByRole('button', { name: 'Preview' }).click()
    await expect(sheetOf(page)).toContainText(fault)
    await expect(field).toHaveValue(text)
  }
})

test('keys are exported by an older session only after its password', async ({ page, gateway }) => {
  await makeChannel(gateway, 'with key')
  const other = await gateway.ask('user', { password: 'the right password', role: 100 })
  await signIn(page, gateway, other, 100)
  await gateway.ask('agedSessions', other.id)
  await page.goto('/channel')
  const dialog = await openFromMenu(page, 'Export channels')
  await dialog.getByRole('switch', { name: 'Include keys' }).click()
  await dialog.getByRole('button', { name: 'Export', exact: true }).click()
  const question = page.getByRole('dialog', { name: 'Confirm that it’s you' })
  const password = question.getByLabel('Password', { exact: true })
  await expect(password).toBeFocused()
  await expect(dialog).toBeHidden()
  await settle(page)
  await expectAccessible(page)
  await password.fill('a wrong password')
  await question.getByRole('button', { name: 'Confirm' }).click()
  await expect(password).toHaveAccessibleDescription(/password/i)
  const download = page.waitForEvent('download')
  await password.fill('the right password')
  await page.keyboard.press('Enter')
  expect(JSON.parse(await readFile(await (await download).path(), 'utf8'))).toMatchObject({ channels: [{ key: 'upstream-key' }] })
  await expect(question).toBeHidden()
})

test('a long file is imported in parts, stopped after one, and what it imported is undone', async ({ page, gateway }) => {
  await page.goto('/channel')
  await importIntoEmptyList(page)
  const rows = Array.from({ length: 250 }, (_, index) => ({ name: `c${index}`, type: 1, key: 'k', models: 'gpt-4o', group: 'default' }))
  await choose(page, JSON.stringify({ sluice: 'channels', version: 1, channels: rows }))
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/channel/import', async (route) => {
    if (route.request().postDataJSON().dry_run !== true) await released
    await route.continue()
  })
  await sheetOf(page).getByRole('button', { name: 'Import 250 channels' }).click()
  await expect(sheetOf(page).getByRole('status')).toHaveText('Importing 0 of 250')
  await settle(page)
  await expectAccessible(page)
  await sheetOf(page).getByRole('button', { name: 'Stop' }).click()
  release()
  // The last rows of the file come first, and the part on its way is brought to its end.
  await expect(sheetOf(page)).toContainText('The import stopped early: stopped')
  await expect(sheetOf(page)).toContainText('50 channels imported.')
  expect(await gateway.api('/api/channel/?p=0&size=1')).toMatchObject([{ name: 'c200' }])
  await settle(page)
  await expectAccessible(page)
  await sheetOf(page).getByRole('button', { name: 'Undo' }).click()
  await expectToast(page, '50 imported channels deleted')
  expect(await gateway.api('/api/channel/?p=0')).toEqual([])
})
