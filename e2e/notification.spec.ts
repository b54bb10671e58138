import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { expectAccessible } from './support/axe.ts'
import { makeChannel } from './support/channels.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

const rules = (page: Page) => page.getByRole('region', { name: 'Notification rules', exact: true })
const history = (page: Page) => page.getByRole('region', { name: 'History', exact: true })

/** A receiver of webhooks. */
async function startReceiver() {
  const signatures: string[] = []
  let status = 200
  const server = createServer((request, response) => {
    signatures.push(String(request.headers['x-sluice-signature']))
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Holds: it listens on a port.
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    signatures,
    response(next: number) {
      status = next
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

test('a rule is made with a webhook, tested, changed and deleted, and its history stays', async ({ page, gateway }) => {
  const receiver = await startReceiver()
  await signIn(page, gateway, gateway.root)
  await page.goto('/setting?tab=notification')
  await expect(rules(page).getByText('No rules yet.')).toBeVisible()
  await expect(history(page).getByText('Nothing sent yet.')).toBeVisible()
  await rules(page).getByRole('button', { name: 'New rule' }).click()
  const dialog = page.getByRole('dialog', { name: 'New rule' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Enter a name for the rule')).toBeVisible()
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await expectAccessible(page)
  await dialog.getByLabel('Name').fill('Failures')
  await dialog.getByRole('combobox', { name: 'Notify me when' }).click()
  await page.getByRole('option', { name: 'Requests fail' }).click()
  await dialog.getByLabel('Failure rate at or above (%)').fill('20')
  await dialog.getByRole('combobox', { name: 'Send to' }).click()
  await page.getByRole('option', { name: 'Webhook' }).click()
  await dialog.getByLabel('Webhook URL').fill(`${receiver.origin}/hook`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  const secret = page.getByRole('dialog', { name: 'Signing secret' })
  await expect(dialog).toBeHidden()
  await expect(secret.getByText(/^whsec_[0-9A-Za-z]{43}$/)).toBeVisible()
  await secret.getByRole('button', { name: 'Done' }).click()

  const item = rules(page).getByRole('listitem')
  await expect(item).toContainText('Failure rate reaches 20 % over 1 hour')
  await expect(item).toContainText(`To ${receiver.origin}`)
  await item.getByRole('button', { name: 'Test Failures' }).click()
  await expectToast(page, 'Test sent')
  await expect(history(page).getByRole('listitem')).toContainText('This is a test of the notification rule "Failures".')
  expect(receiver.signatures[0]).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
  receiver.response(500)
  await item.getByRole('button', { name: 'Test Failures' }).click()
  await expectToast(page, 'The test failed: The webhook returned status 500')
  await expect(history(page).getByRole('listitem').first()).toContainText('failed')
  await expectAccessible(page)

  await item.getByRole('button', { name: 'Edit Failures' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit rule' })
  await expect(edit.getByText(`Leave empty to keep the stored URL at ${receiver.origin}.`)).toBeVisible()
  await edit.getByLabel('Failure rate at or above (%)').fill('0')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit.getByText('Enter a percentage from 1 to 100')).toBeVisible()
  await edit.getByLabel('Failure rate at or above (%)').fill('30')
  await edit.getByRole('switch', { name: 'Enabled' }).click()
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(item).toContainText('Failure rate reaches 30 %')
  await expect(item).toContainText('off')
  await item.getByRole('button', { name: 'Delete Failures' }).click()
  await page.getByRole('alertdialog', { name: 'Delete “Failures”?' }).getByRole('button', { name: 'Delete' }).click()
  await expect(rules(page).getByText('No rules yet.')).toBeVisible()
  await expect(history(page).getByRole('listitem')).toHaveCount(2)
  await receiver.close()
})

test('a rule about failures watches one model or one channel', async ({ page, gateway }) => {
  const id = await makeChannel(gateway, 'azure', { models: 'gpt-4o' })
  await signIn(page, gateway, gateway.root)
  await page.goto('/setting?tab=notification')
  const make = async (name: string, limit: string) => {
    await rules(page).getByRole('button', { name: 'New rule' }).click()
    const dialog = page.getByRole('dialog', { name: 'New rule' })
    await dialog.getByLabel('Name', { exact: true }).fill(name)
    await dialog.getByRole('combobox', { name: 'Notify me when' }).click()
    await page.getByRole('option', { name: 'Requests fail' }).click()
    await dialog.getByRole('combobox', { name: 'Scope', exact: true }).click()
    await page.getByRole('option', { name: limit }).click()
    await dialog.getByLabel('Failure rate at or above (%)').fill('20')
    return dialog
  }
  const ofModel = await make('one model', 'One model')
  await ofModel.getByRole('button', { name: 'Save' }).click()
  await expect(ofModel.getByText('Enter a model name')).toBeVisible()
  await ofModel.getByLabel('Model', { exact: true }).fill('gpt-4o')
  await expectAccessible(page)
  await ofModel.getByRole('button', { name: 'Save' }).click()
  await expect(rules(page).getByText('Failure rate of model gpt-4o reaches 20 % over 1 hour')).toBeVisible()
  const ofChannel = await make('one channel', 'One channel')
  await ofChannel.getByLabel('Channel ID').fill(String(id))
  await expect(ofChannel.getByLabel('Channel ID')).toHaveAccessibleDescription('azure')
  await ofChannel.getByLabel('Channel ID').fill('999')
  await ofChannel.getByRole('button', { name: 'Save' }).click()
  await expect(ofChannel.getByText('Channel not found')).toBeVisible()
  await ofChannel.getByLabel('Channel ID').fill(String(id))
  await ofChannel.getByRole('button', { name: 'Save' }).click()
  await expect(rules(page).getByText(`Failure rate of channel azure (#${id}) reaches 20 % over 1 hour`)).toBeVisible()
})

test('users are offered what is about their own account, and see why a rule is refused', async ({ page, gateway }) => {
  const ann = await gateway.ask('user', { password: 'the right password' })
  await signIn(page, gateway, ann, 1)
  await page.goto('/setting?tab=notification')
  await rules(page).getByRole('button', { name: 'New rule' }).click()
  const dialog = page.getByRole('dialog', { name: 'New rule' })
  await dialog.getByLabel('Name').fill('Low')
  await dialog.getByRole('combobox', { name: 'Notify me when' }).click()
  await expect(page.getByRole('option')).toHaveText(['The balance is low', 'Daily spend is high'])
  await page.keyboard.press('Escape')
  await dialog.getByLabel('Below').fill('5')
  await dialog.getByRole('combobox', { name: 'Send to' }).click()
  await page.getByRole('option', { name: 'Webhook' }).click()
  await dialog.getByLabel('Webhook URL').fill('http://10.0.0.1/')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Only administrators can send to private network addresses')).toBeVisible()
})

test('a failed read says so and is tried again', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.route('**/api/notification/**', (route) => route.abort())
  await page.goto('/setting?tab=notification')
  await expect(rules(page).getByRole('button', { name: 'Retry' })).toBeVisible()
  await page.unroute('**/api/notification/**')
  await rules(page).getByRole('button', { name: 'Retry' }).click()
  await expect(rules(page).getByText('No rules yet.')).toBeVisible()
})
