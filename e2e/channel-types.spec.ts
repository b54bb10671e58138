import type { Page } from '@playwright/test'
import type { FormOfType } from './support/channel-vendors.ts'
import { channelRow } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { expect, signIn, test } from './support/test.ts'

// Every type as an administrator adds it: chosen in the grid, filled in, tested before it is saved, saved, and seen in the list.

test.beforeEach(async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
})

const field = (page: Page, name: RegExp | string) => page.getByRole('textbox', { name })
const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()

/** Labels of the configuration's members. */
const labels: Readonly<Record<string, RegExp>> = {
  region: /^Region/,
  ak: /^Access key/,
  sk: /^Secret key/,
  user_id: /^User ID/,
  vertex_ai_project_id: /^Project ID/,
  vertex_ai_adc: /^Application credentials/,
}
const configField = (page: Page, name: string) => field(page, labels[name] ?? name)

async function choose(page: Page, name: string): Promise<void> {
  const type = page.getByRole('combobox', { name: 'Type' })
  await type.click()
  await page.getByRole('grid', { name: 'Type' }).getByRole('gridcell', { name, exact: true }).click()
  await expect(type).toContainText(name)
}

async function enterModel(page: Page, model: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Models' }).fill(model)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
}

async function fill(page: Page, gateway: Gateway, form: FormOfType): Promise<void> {
  await choose(page, form.name)
  await field(page, /^Name/).fill(`my ${form.type}`)
  if (form.key !== '') await field(page, /^Key/).fill(form.key)
  for (const [name, value] of Object.entries(form.config)) await configField(page, name).fill(value)
  await field(page, /^Base URL/).fill(gateway.upstreamUrl)
  if (form.type === 43) {
    await field(page, 'Allowed methods').fill('GET')
    await field(page, 'Allowed paths').fill('/')
  }
  if (form.other !== null) await field(page, form.other[0]).fill(form.other[1])
  if (form.model === '') return
  const clear = page.getByRole('button', { name: 'Clear models' })
  if (await clear.isEnabled()) await clear.click()
  await enterModel(page, form.model)
}

async function addOne(page: Page, gateway: Gateway, form: FormOfType): Promise<void> {
  await gateway.ask('vendor', form.type)
  await fill(page, gateway, form)
  await page.getByRole('button', { name: 'Test before saving' }).click()
  await expect(page.getByText(/^(?:Test passed|Test failed)/), form.name).toHaveText(/Test passed: .*responded in \d+\.\d\d s/)
  expect(await gateway.ask('wasAuthorized', null), form.name).toBe(true)
  await save(page)
  await expect(field(page, /^Name/), form.name).toHaveValue('')
}

/** The types of all channels, page by page. */
async function storedTypes(gateway: Gateway, page = 0): Promise<readonly number[]> {
  // Holds: the list of channels has their types.
  const rows = (await gateway.api(`/api/channel/?p=${page}`)) as ReadonlyArray<{ readonly type: number }>
  return rows.length === 0 ? [] : [...rows.map(({ type }) => type), ...(await storedTypes(gateway, page + 1))]
}

const groups = [
  ['global', 'Global'],
  ['china', 'China'],
  ['proxies', 'Proxies'],
  ['media', 'Images, audio and video'],
  ['self_hosted', 'Self-hosted and custom'],
] as const

for (const [group, label] of groups) {
  test(`each type of the group ${label} is filled in, tested, saved and listed`, async ({ page, gateway }) => {
    test.slow()
    const forms = await gateway.ask('forms', group)
    expect(forms.length).toBeGreaterThan(1)
    await page.goto('/channel/add')
    await page.getByRole('combobox', { name: 'Type' }).click()
    const cells = page.getByRole('rowgroup', { name: label }).getByRole('gridcell')
    // Before each name are the letters of its badge.
    await expect(cells).toHaveText(forms.map(({ name }) => new RegExp(`${name.replaceAll('.', '\\.')}$`)))
    await page.keyboard.press('Escape')
    for (const form of forms) await addOne(page, gateway, form)
    expect((await storedTypes(gateway)).toSorted()).toEqual(forms.map(({ type }) => type).toSorted())
    await page.goto('/channel')
    // The newest are on the first page.
    for (const { type, name } of forms.slice(-5)) await expect(channelRow(page, `my ${type}`)).toContainText(name)
  })
}

/** What the specification says of the forms of these types (sections 3 and 5), not read from their records. */
const specified: readonly {
  readonly type: string
  /** Labels of the fields beside name, key and address. */
  readonly fields: readonly RegExp[]
  /** What the field of the key shows; `null`: the form has its parts instead, and takes one key at a time. */
  readonly key: string | null
  /** The default of the further setting. */
  readonly other?: readonly [label: RegExp, shown: string]
}[] = [
  { type: 'AWS', fields: [/^Region/, /^Access key/, /^Secret key/], key: null },
  { type: 'VertexAI', fields: [/^Region/, /^Project ID/, /^Application credentials/], key: null },
  { type: 'Azure OpenAI', fields: [], key: 'Azure API key', other: [/^API version/, '2024-03-01-preview'] },
  { type: 'Baidu Wenxin Qianfan', fields: [], key: 'APIKey|SecretKey' },
  { type: 'iFlytek Spark', fields: [], key: 'APPID|APISecret|APIKey' },
  { type: 'knowledge base FastGPT', fields: [], key: 'APIKey-AppId' },
  { type: 'Tencent Hunyuan', fields: [], key: 'AppId|SecretId|SecretKey' },
  { type: 'Cloudflare', fields: [/^User ID/], key: 'API token' },
  { type: 'Coze', fields: [/^Region/, /^User ID/], key: 'pat_' },
  { type: 'knowledge base AI Proxy', fields: [/^Library ID/], key: 'sk-' },
  { type: 'DeepSeek', fields: [], key: 'sk-' },
]

test('each type of the specification with a key or settings of its own has their fields, and no others', async ({ page }) => {
  await page.goto('/channel/add')
  for (const { type, fields, key, other } of specified) {
    await choose(page, type)
    for (const label of Object.values(labels))
      await expect(field(page, label), type).toHaveCount(fields.some(({ source }) => source === label.source) ? 1 : 0)
    for (const label of fields) await expect(field(page, label), type).toBeVisible()
    await expect(field(page, /^Key/), type).toHaveCount(key === null ? 0 : 1)
    await expect(page.getByRole('switch', { name: 'Create several at once' }), type).toHaveCount(key === null ? 0 : 1)
    if (key !== null) await expect(field(page, /^Key/), type).toHaveAttribute('placeholder', new RegExp(key.replaceAll('|', '\\|')))
    if (other === undefined) continue
    await expect(field(page, other[0]), type).toHaveAttribute('placeholder', other[1])
  }
})

/** Keys and settings that lack something, and what is said of it beside the field. */
const faults: readonly {
  readonly type: string
  readonly key?: string
  readonly config?: Readonly<Record<string, string>>
  readonly base?: string
  readonly at: string
  readonly says: string
}[] = [
  { type: 'OpenAI', at: 'Key', says: 'please fill in the channel name and key' },
  { type: 'OpenAI', key: 'a|b', at: 'Key', says: 'not a key of this vendor' },
  { type: 'Zhipu ChatGLM', key: 'sk-0123', at: 'Key', says: 'id.secret' },
  { type: 'Azure OpenAI', key: 'key', at: 'Base URL', says: 'has no default address' },
  { type: 'Azure OpenAI', key: 'tenant|client', base: 'https://azure.example', at: 'Key', says: 'tenant|client id|client secret' },
  { type: 'Baidu Wenxin Qianfan', key: 'api|', at: 'Key', says: 'APIKey|SecretKey' },
  { type: 'iFlytek Spark', key: 'app|secret', at: 'Key', says: 'APPID|APISecret|APIKey' },
  { type: 'knowledge base FastGPT', key: 'a-key', at: 'Key', says: 'APIKey-AppId' },
  { type: 'Tencent Hunyuan', key: 'app|id', at: 'Key', says: 'AppId|SecretId|SecretKey' },
  { type: 'knowledge base AI Proxy', key: 'sk-1', at: 'Library ID', says: 'needs one more setting: Library ID' },
  { type: 'AWS', config: { region: 'us-east-1', ak: 'ak' }, at: 'Secret key', says: 'please fill in the channel name and key' },
  { type: 'AWS', config: { ak: 'ak', sk: 'sk' }, at: 'Region', says: 'please fill in the channel name and key' },
  {
    type: 'VertexAI',
    config: { region: 'us', vertex_ai_project_id: 'project', vertex_ai_adc: '{' },
    at: 'Application credentials',
    says: 'region|project|{service account as JSON}',
  },
  { type: 'Cloudflare', key: 'token', at: 'User ID', says: 'has placeholders in braces' },
  { type: 'Cloudflare', key: 'token', config: { user_id: 'a/b' }, at: 'User ID', says: 'has placeholders in braces' },
  { type: 'custom channel', at: 'Base URL', says: 'has no default address' },
  { type: 'Suno', key: 'sk-1', at: 'Base URL', says: 'has no default address' },
]

test('a wrong key and a missing setting are reported beside the field, and nothing is saved', async ({ page, gateway }) => {
  test.slow()
  await page.goto('/channel/add')
  for (const { type, key, config = {}, base = '', at, says } of faults) {
    await page.reload()
    await choose(page, type)
    await field(page, /^Name/).fill('demo')
    if (key !== undefined) await field(page, /^Key/).fill(key)
    for (const [name, value] of Object.entries(config)) await configField(page, name).fill(value)
    await field(page, /^Base URL/).fill(base)
    await enterModel(page, 'a-model')
    await save(page)
    const fieldWithError = field(page, new RegExp(`^${at}`))
    await expect(fieldWithError, `${type}: ${at}`).toHaveAccessibleDescription(new RegExp(says.replaceAll(/[|{}]/g, '\\$&')))
    await expect(fieldWithError).toHaveAttribute('aria-invalid', 'true')
  }
  expect(await gateway.api('/api/channel/?p=0')).toEqual([])
})

test('a channel of PixVerse shows the address of its webhook, and keeps the id that it has at the vendor', async ({ page, gateway }) => {
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'ServerAddress', value: 'https://gateway.example.com' } })
  await page.goto('/channel/add')
  await choose(page, 'Pixverse')
  await field(page, /^Name/).fill('films')
  await field(page, /^Key/).fill('sk-1')
  await field(page, /^Webhook ID/).fill('5501')
  await save(page)
  await expect(field(page, /^Name/)).toHaveValue('')
  // Holds: the list of channels has their ids.
  const [{ id }] = (await gateway.api('/api/channel/?p=0')) as readonly [{ readonly id: number }]
  await page.goto(`/channel?row=${id}`)
  const sheet = page.getByRole('dialog', { name: 'films' })
  await expect(sheet.getByText(new RegExp(`^https://gateway\\.example\\.com/v1/channels/${id}/webhook\\?signature=`))).toBeVisible()
  await expect(sheet.getByText('Register this URL with the vendor')).toBeVisible()
  await page.goto(`/channel/edit/${id}`)
  await expect(field(page, /^Webhook ID/)).toHaveValue('5501')
})
