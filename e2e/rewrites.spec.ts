import { makeChannel } from './support/channels.ts'
import { logRow } from './support/log-rows.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

// Which changes of requests a channel allows, and where a log entry shows those that were made.

test('a kind of rewriting is switched off in the form, and the sheet of the channel names it', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  const id = await makeChannel(gateway, 'plain', {})
  await page.goto(`/channel/edit/${id}`)
  await page.getByText('Advanced', { exact: true }).click()
  const kinds = page.getByRole('group', { name: 'Request rewriting' })
  await expect(kinds.getByRole('checkbox', { checked: true })).toHaveCount(10)
  // The text beside a box belongs to it.
  await kinds.getByText('Shortens or replaces names that the vendor rejects.').click()
  await kinds.getByRole('checkbox', { name: 'Files and images' }).click()
  await expect(kinds.getByRole('checkbox', { name: 'Tool names' })).not.toBeChecked()
  await kinds.getByRole('checkbox', { name: 'Tool names' }).press('Space')
  await expect(kinds.getByRole('checkbox', { checked: false })).toHaveCount(1)
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'channel updated')
  expect(await gateway.api(`/api/channel/${id}`)).toMatchObject({ rewrites_off: 'files' })
  await page.goto(`/channel?row=${id}`)
  await expect(page.getByRole('dialog').getByText('Request rewriting turned off')).toBeVisible()
  await expect(page.getByRole('dialog').getByText('Files and images', { exact: true })).toBeVisible()
})

test('a log entry shows what was changed in its request, as text, and nothing where nothing was', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  const root = { id: gateway.root.id, username: 'root' }
  const now = Math.floor(Date.now() / 1000)
  const hostile = '<img src=x onerror=alert(1)>\u202eאבג -> img_1x9'
  const changed = [
    ['tool_names', hostile],
    ['parameters', 'logit_bias'],
    ['parameters', 'temperature: 1.7 -> 1'],
    ['of a newer server', 'something'],
  ]
  await gateway.ask('logs', [
    logRow(root, { created_at: now - 60, model_name: 'changed', detail: JSON.stringify({ charges: [], changed }) }),
    logRow(root, { created_at: now - 30, model_name: 'unchanged', detail: '' }),
  ])
  await page.goto('/log')
  await page.getByRole('row', { name: /\bchanged/ }).click()
  const section = page.getByRole('region', { name: 'Request rewrites' })
  await expect(section.getByText('Parameters')).toBeVisible()
  await expect(section.getByText('temperature: 1.7 -> 1')).toBeVisible()
  await expect(section.getByText(hostile)).toBeVisible()
  await expect(section.getByText('something')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.getByRole('row', { name: /unchanged/ }).click()
  await expect(page.getByRole('dialog').getByText('unchanged').first()).toBeVisible()
  await expect(section).toHaveCount(0)
})
