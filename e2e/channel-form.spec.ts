import type { Page } from '@playwright/test'
import { damagedSeal } from '../apps/server/test/damaged-seal.ts'
import { json } from '../apps/server/test/fake-upstream.ts'
import { makeChannel, writesOf } from './support/channels.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

test.beforeEach(async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
})

const field = (page: Page, name: RegExp | string) => page.getByRole('textbox', { name })
const models = (page: Page) => page.getByRole('combobox', { name: 'Models' })
const modelList = (...ids: readonly string[]) => json({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) })

test('the type of a channel is chosen in a grid of groups, by name, by arrow keys or with the pointer', async ({ page }) => {
  await page.goto('/channel/add')
  const type = page.getByRole('combobox', { name: 'Type' })
  await type.click()
  const grid = page.getByRole('grid', { name: 'Type' })
  for (const group of ['Global', 'China', 'Proxies', 'Self-hosted and custom'])
    await expect(grid.getByText(group, { exact: true })).toBeVisible()
  await grid.getByRole('gridcell', { name: 'DeepSeek' }).click()
  await expect(type).toContainText('DeepSeek')
  await type.click()
  await page.keyboard.type('custom')
  await expect(grid.getByRole('gridcell')).toHaveCount(1)
  await page.keyboard.press('Enter')
  await expect(type).toContainText('custom channel')
})

test('the form has only the fields that the type uses, and asks for a key only where one is needed', async ({ page, gateway }) => {
  await page.goto('/channel/add')
  await expect(field(page, 'Key (required)')).toBeVisible()
  await expect(field(page, 'Other')).toHaveCount(0)
  await page.getByRole('combobox', { name: 'Type' }).click()
  await page.keyboard.type('custom')
  await page.keyboard.press('Enter')
  await expect(field(page, 'Key')).toBeVisible()
  await expect(field(page, 'Key (required)')).toHaveCount(0)
  await expect(field(page, 'Base URL (required)')).toBeVisible()
  const id = await makeChannel(gateway, 'demo', { other: 'kept' })
  await page.goto(`/channel/edit/${id}`)
  await expect(field(page, 'Other')).toHaveValue('kept')
})

test('a channel is tested before it is saved', async ({ page, gateway }) => {
  await page.goto('/channel/add')
  const test = page.getByRole('button', { name: 'Test before saving' })
  await field(page, /^Key/).fill('typed-key')
  await field(page, 'Base URL').fill(gateway.upstreamUrl)
  await models(page).fill('gpt-4o')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await gateway.ask('script', [json({ error: { message: 'no such key' } }, 401)])
  await test.click()
  await expect(page.getByText(/Test failed: .*no such key/)).toBeVisible()
  await test.click()
  await expect(page.getByText(/Test passed: gpt-4o responded in \d+\.\d\d s/)).toBeVisible()
  expect((await gateway.ask('received', null)).at(-1)?.headers['authorization']).toBe('Bearer typed-key')
  expect(await gateway.api('/api/channel/?p=0')).toEqual([])
})

test('the models of the vendor are compared with those of the channel before they are taken', async ({ page, gateway }) => {
  const id = await makeChannel(gateway, 'demo', { models: 'gpt-4o,old-model' })
  await page.goto(`/channel/edit/${id}`)
  await gateway.ask('script', [modelList('gpt-4o', 'new-one', 'new-two')])
  await page.getByRole('button', { name: 'Fetch from vendor' }).click()
  const dialog = page.getByRole('dialog', { name: 'Models at the vendor' })
  await expect(dialog.getByText('1 model of the vendor is already in this channel')).toBeVisible()
  await dialog.getByRole('checkbox', { name: '2 new' }).click()
  await dialog.getByRole('checkbox', { name: 'new-two' }).click()
  await dialog.getByRole('checkbox', { name: 'old-model' }).click()
  await dialog.getByRole('button', { name: 'Apply changes (+1, −1)' }).click()
  await expect(dialog).toBeHidden()
  const writes = writesOf(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'channel updated')
  expect(writes).toEqual([['PUT', expect.objectContaining({ models: 'gpt-4o,new-one' })]])
})

test('a model without a price gets one in the form, and a refused price says why beside it', async ({ page, gateway }) => {
  await page.goto('/channel/add')
  await models(page).fill('llama-of-ours')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  const prices = page.getByRole('region', { name: 'Models without a price' })
  const choose = async (name: string) => {
    await prices.getByRole('combobox', { name: 'Price of llama-of-ours' }).click()
    await page.getByRole('option', { name, exact: true }).click()
  }
  const save = prices.getByRole('button', { name: 'Set price' })
  await choose('Same as another model')
  await expect(save).toBeDisabled()
  const like = prices.getByRole('textbox', { name: 'Model' })
  await like.fill('nothing-known')
  await save.click()
  await expect(like).toHaveAccessibleDescription(/nothing-known/)
  await expect(like).toHaveValue('nothing-known')
  // The refusal below the field moves no button.
  expect((await save.boundingBox())?.y).toBe((await like.boundingBox())?.y)
  await choose('Price')
  await field(page, 'Input price ($ per 1M tokens)').fill('3')
  await field(page, 'Output price ($ per 1M tokens)').fill('15')
  await save.click()
  await expectToast(page, 'Price of llama-of-ours saved')
  await expect(prices).toHaveCount(0)
  expect(await gateway.api('/api/channel/unpriced?models=llama-of-ours')).toEqual([])
})

test('the model mapping is edited as a grid or as JSON, and both show the same; content of the key’s account is turned on', async ({
  page,
  gateway,
}) => {
  const id = await makeChannel(gateway, 'demo', { model_mapping: '{"a":"b"}' })
  await page.goto(`/channel/edit/${id}`)
  await page.getByRole('button', { name: 'Grid', exact: true }).click()
  await expect(field(page, 'Requested model 1')).toHaveValue('a')
  await page.getByRole('button', { name: 'Add a line' }).click()
  await field(page, 'Requested model 2').fill('c')
  await field(page, 'Model at the vendor 2').fill('d')
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  await expect(field(page, 'Model mapping')).toHaveValue('{\n  "a": "b",\n  "c": "d"\n}')
  await field(page, 'Model mapping').fill('{"e": "f"}')
  await page.getByRole('button', { name: 'Grid', exact: true }).click()
  await expect(field(page, 'Requested model 1')).toHaveValue('e')
  await expect(field(page, 'Requested model 2')).toHaveCount(0)
  await field(page, 'Model at the vendor 1').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('model mapping must be valid JSON')).toBeVisible()
  await page.getByRole('button', { name: 'Remove line 1' }).click()
  // Requests may name what the vendor keeps for the key once this is turned on.
  await page.getByText('Advanced', { exact: true }).click()
  const content = page.getByRole('switch', { name: 'Allow vendor-stored objects (files, caches, prompts)' })
  await expect(content).not.toBeChecked()
  await content.click()
  await field(page, 'Allowed parameters and tools').fill('preset, provider.order')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'channel updated')
  expect(await gateway.api(`/api/channel/${id}`)).toMatchObject({
    model_mapping: '',
    content_of_key: true,
    allowed_members: 'preset,provider.order',
  })
  // What the channel costs: a part of the list prices, and prices of its own.
  await page.goto(`/channel/edit/${id}`)
  await page.getByText('Costs', { exact: true }).click()
  await page.getByRole('button', { name: 'Fill in list prices' }).click()
  await expect(field(page, 'Purchase prices')).toHaveValue(/"gpt-4o-mini": \{\s+"ratio": 0.075/)
  await field(page, 'Purchase prices').fill('{"gpt-4o": 5}')
  await field(page, 'Cost factor').fill('0.8')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Cost prices must be a JSON object that maps models to price fields')).toBeVisible()
  await field(page, 'Purchase prices').fill('{"gpt-4o": {"ratio": 1}}')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'channel updated')
  expect(await gateway.api(`/api/channel/${id}`)).toMatchObject({ cost_factor: 0.8, cost_prices: '{"gpt-4o": {"ratio": 1}}' })
})

test('a channel that cannot be read with the master key is mended by a new key', async ({ page, gateway }) => {
  const id = await makeChannel(gateway, 'lost', { models: 'gpt-4o-mini' })
  await gateway.ask('channelRow', { id, key_sealed: damagedSeal, config_sealed: damagedSeal, settings_sealed: damagedSeal })
  await page.goto(`/channel/edit/${id}`)
  await expect(page.getByText('Some stored values of this channel cannot be read with this master key.')).toBeVisible()
  await field(page, /^Key/).fill('sk-new')
  await page.getByRole('button', { name: 'Save' }).click()
  await expectToast(page, 'channel updated')
  await expect(page.getByText('Some stored values of this channel cannot be read with this master key.')).toHaveCount(0)
  expect(await gateway.api(`/api/channel/${id}`)).toMatchObject({ unreadable: [] })
  await gateway.ask('script', [json({ id: 'x', object: 'chat.completion', choices: [] })])
  await page.goto('/channel')
  await expect(page.getByRole('row', { name: /lost/ })).not.toContainText('Unreadable')
})
