import type { Page } from '@playwright/test'
import { askModel, dialog, type Shot, wrongField } from './shots.ts'

// Forms, dialogs and charts of the console with something in them, for its screenshots.

const press = (page: Page, name: RegExp) => page.getByRole('button', { name }).first().click()
const choose = async (page: Page, label: RegExp, option: RegExp): Promise<void> => {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}
const section = (page: Page, name: RegExp) => page.getByRole('region', { name })
const usage = (page: Page) => section(page, /^(?:Usage|用量)$/)

const settingsSheet = (page: Page) => page.getByRole('dialog', { name: /^(?:Settings|设置)$/ })

/** Opens the settings of the playground, which are a sheet in a narrow window. */
const openSettings = async (page: Page): Promise<void> => {
  const tool = page.locator('main').getByRole('button', { name: /^(?:Settings|设置)$/ })
  await page.getByRole('textbox', { name: /^(?:Prompt|提示词)$/ }).waitFor()
  if (await tool.isVisible()) await tool.click()
}

const closeSettings = async (page: Page): Promise<void> => {
  if (!(await settingsSheet(page).isVisible())) return
  await page.keyboard.press('Escape')
  await settingsSheet(page).waitFor({ state: 'hidden' })
}

/** Adds a model beside the first, with settings of its own. */
const compareModels = async (page: Page): Promise<void> => {
  await openSettings(page)
  await page.getByRole('textbox', { name: /^(?:System prompt|系统提示词)$/ }).fill('Answer in one sentence.')
  await press(page, /^(?:Compare with another model|与另一模型对比)$/)
  await press(page, /^(?:Model|模型) 2$/)
  await page.getByRole('switch').first().click()
}

const fillVariables = async (page: Page): Promise<void> => {
  await openSettings(page)
  await page.getByRole('textbox', { name: /^(?:System prompt|系统提示词)$/ }).fill('Be {{tone}}.')
  await closeSettings(page)
  await page.getByRole('textbox', { name: /^(?:Prompt|提示词)$/ }).fill('Write to {{name}} about {{subject}}.')
  await page.getByRole('textbox', { name: 'name', exact: true }).fill('王小明')
}

const savePrompts = async (page: Page): Promise<void> => {
  await fillVariables(page)
  await press(page, /^(?:Prompts|提示词)$/)
  const name = page.getByRole('dialog').getByRole('textbox')
  for (const text of ['Letter', '客服回复', 'Summary of a meeting for those who were not there, in at most ten sentences']) {
    await name.fill(text)
    await name.press('Enter')
    await page.getByRole('dialog').getByRole('listitem').filter({ hasText: text }).waitFor()
  }
}

const newRule = async (page: Page): Promise<void> => {
  await press(page, /^(?:New rule|新建规则)$/)
  const form = page.getByRole('dialog')
  await form.getByRole('textbox').first().fill('Failures of gpt-4o')
  await choose(page, /^(?:Notify me when|通知条件)$/, /^(?:Requests fail|请求失败)$/)
  await choose(page, /^(?:Scope|范围)$/, /^(?:One model|一个模型)$/)
  await form.getByRole('textbox').nth(1).fill('gpt-4o')
  await choose(page, /^(?:Send to|发送到)$/, /^Webhook$/)
}

/** Browsers know passkeys at host names only. */
const atName = async (page: Page): Promise<void> => {
  const cookies = await page.context().cookies()
  const url = page.url().replace('127.0.0.1', 'localhost')
  await page.context().addCookies(cookies.map(({ name, value }) => ({ name, value, url })))
  await page.goto(url)
}

export const filledMoments: readonly Shot[] = [
  { name: 'rule-new', path: '/setting?tab=notification', act: newRule, shows: dialog },
  {
    name: 'rule-errors',
    path: '/setting?tab=notification',
    act: async (page) => {
      await newRule(page)
      await page.locator(`${dialog} form button[type=submit]`).click()
    },
    shows: wrongField,
  },
  {
    name: 'app-new',
    path: '/setting?tab=security',
    act: async (page) => {
      await section(page, /^(?:Two-factor authentication|两步验证)$/)
        .getByRole('button', { name: /^(?:Set up|设置)$/ })
        .click()
      await page.locator(`${dialog} input`).first().fill('000000')
    },
    shows: dialog,
  },
  {
    name: 'passkey-new',
    path: '/setting?tab=security',
    act: async (page) => {
      await atName(page)
      await press(page, /^(?:Add passkey|添加通行密钥)$/)
      await page.locator(`${dialog} input`).first().fill('MacBook Pro')
    },
    shows: dialog,
  },
  {
    name: 'access-token-new',
    path: '/setting?tab=security',
    act: async (page) => {
      await section(page, /^(?:Personal access tokens|个人访问令牌)$/)
        .getByRole('button', { name: /^(?:New token|新建令牌)$/ })
        .click()
      await page.locator(`${dialog} input`).first().fill('nightly report')
    },
    shows: dialog,
  },
  {
    name: 'channel-history',
    path: '/channel?row=9',
    act: (page) => press(page, /^(?:History|修改历史)$/),
    shows: `${dialog} li`,
  },
  {
    name: 'option-history',
    path: '/setting?tab=system',
    act: (page) =>
      page
        .locator('[data-option=EmailDomainWhitelist]')
        .getByRole('button', { name: /^(?:History|修改历史)/ })
        .click(),
    shows: `${dialog} li`,
  },
  { name: 'log-duration', path: '/log?duration=elapsed_32000' },
  { name: 'dashboard-compared', path: '/dashboard?range=7d&compare=before' },
  { name: 'dashboard-running', path: '/dashboard?range=7d&sum=running&metric=quota&group=user' },
  {
    name: 'dashboard-table',
    path: '/dashboard?range=7d&compare=before&metric=cost',
    act: (page) =>
      usage(page)
        .getByRole('button', { name: /(?:as a table|表格)/ })
        .click(),
    shows: 'table',
  },
  {
    name: 'dashboard-zone',
    path: '/dashboard',
    act: async (page) => {
      await page.getByRole('combobox', { name: /^(?:Time zone|时区)/ }).click()
      await page.getByRole('combobox', { name: /^(?:Search|搜索)$/ }).fill('as')
    },
    shows: '[role=option]',
  },
  {
    name: 'dashboard-dates',
    path: '/dashboard?zone=Asia%2FShanghai',
    act: async (page) => {
      await press(page, /^(?:Custom range|自定义时间)$/)
      const [start, end] = [page.locator(`${dialog} input`).first(), page.locator(`${dialog} input`).nth(1)]
      await start.fill('2026-11-20')
      await end.fill('2026-11-19')
      await end.press('Enter')
    },
    shows: wrongField,
  },
  {
    name: 'dashboard-losses',
    path: '/dashboard?range=30d',
    act: (page) => section(page, /^(?:Usage by Model|按模型统计的用量)$/).evaluate((part) => part.scrollIntoView({ block: 'start' })),
  },
  {
    name: 'dashboard-board',
    path: '/dashboard?range=30d',
    act: (page) => section(page, /^(?:Channels|渠道状态)$/).evaluate((part) => part.scrollIntoView({ block: 'end' })),
  },
  {
    name: 'dashboard-middle',
    path: '/dashboard?range=30d',
    act: (page) => section(page, /^(?:Durations|耗时分布)$/).evaluate((part) => part.scrollIntoView({ block: 'start' })),
  },
  { name: 'playground-variables', path: '/playground?model=gpt-4o-mini', act: fillVariables },
  { name: 'playground-own', path: '/playground?model=gpt-4o-mini', act: compareModels },
  {
    name: 'playground-compared',
    path: '/playground?model=gpt-4o-mini',
    act: async (page) => {
      await compareModels(page)
      await closeSettings(page)
      await askModel(page)
    },
    shows: '[data-answer]',
  },
  { name: 'playground-prompts', path: '/playground?model=gpt-4o-mini', act: savePrompts },
  {
    name: 'channel-price-refused',
    path: '/channel/add',
    act: async (page) => {
      const refusal = { success: false, message: 'llama-of-ours: 400 Bad Request', field: 'price' }
      await page.route('**/api/channel/price', (route) => route.fulfill({ json: refusal }))
      const models = page.getByRole('combobox', { name: /^(?:Models|模型)$/ })
      await models.fill('llama-of-ours')
      await models.press('Enter')
      await page.keyboard.press('Escape')
      const prices = section(page, /^(?:Models without a price|没有价格的模型)$/)
      await prices.getByRole('button', { name: /^(?:Set price|设置价格)$/ }).click()
      await prices.scrollIntoViewIfNeeded()
    },
    shows: wrongField,
  },
]
