import type { Page } from '@playwright/test'
import type { Gateway } from './support/gateway.ts'
import { hold } from './support/hold.ts'
import { expect, expectToast, signIn, test, writesOf } from './support/test.ts'

const rows = (page: Page) => page.getByRole('table', { name: 'Tokens' }).locator('tbody').getByRole('row')
const row = (page: Page, name: string) => rows(page).filter({ has: page.getByRole('rowheader', { name, exact: true }) })

interface CreatedToken {
  readonly id: number
  readonly key: string
  readonly name: string
}

async function makeToken(gateway: Gateway, name: string, more: object = {}): Promise<CreatedToken> {
  const row = await gateway.api('/api/token/', { method: 'POST', body: { name, remain_quota: 500_000, ...more } })
  // Holds: the call returns the new row.
  return row as CreatedToken
}

const heads = (page: Page) => page.getByRole('table', { name: 'Tokens' }).getByRole('columnheader')

const noLimits = { requests_per_minute: 0, tokens_per_minute: 0, requests_at_once: 0, quota_per_day: 0, quota_per_month: 0 }

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

test.describe('the list of tokens', () => {
  test('explains what a token is while it is empty', async ({ page }) => {
    await page.goto('/token')
    await expect(page.getByText('No tokens yet')).toBeVisible()
    await page.getByRole('main').getByRole('link', { name: 'New token' }).last().click()
    await expect(page).toHaveURL('/token/add')
  })

  test('shows amounts abbreviated or as money, and every status as text', async ({ page, gateway }) => {
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'DisplayInCurrencyEnabled', value: 'false' } })
    const seeds = [
      { name: 'small', remain_quota: 9_999, used_quota: 12_345, status: 1 },
      { name: 'large', remain_quota: 1_500_000, used_quota: 2_000_000_000, status: 2 },
      { name: 'expired', remain_quota: 0, used_quota: 0, status: 3 },
      { name: 'exhausted', remain_quota: 0, used_quota: 0, status: 4 },
      { name: 'odd', remain_quota: 0, used_quota: 0, status: 9 },
      { name: 'free', remain_quota: 0, used_quota: 0, status: 1, unlimited_quota: true },
    ]
    for (const { used_quota, status, ...fields } of seeds) {
      const { id } = await makeToken(gateway, fields.name, fields)
      await gateway.ask('tokenRow', { id, used_quota, status })
    }
    await page.goto('/token')
    await expect(heads(page)).toHaveText(['', 'Name', 'Status', 'Key', 'Used', 'Remaining', 'Created', 'Expires', 'Actions'])
    await expect(row(page, 'small')).toContainText(/Enabled.*12\.3k.*9999.*never/)
    await expect(row(page, 'large')).toContainText(/Disabled.*2\.0B.*1\.5M/)
    await expect(row(page, 'expired')).toContainText('Expired')
    await expect(row(page, 'exhausted')).toContainText('Exhausted')
    await expect(row(page, 'odd')).toContainText('Unknown status')
    await expect(row(page, 'free')).toContainText('Unlimited')
    await gateway.api('/api/option/', { method: 'PUT', body: { key: 'DisplayInCurrencyEnabled', value: 'true' } })
    await page.reload()
    await expect(row(page, 'large')).toContainText(/\$4,000\.00.*\$3\.00/)
  })

  test('loads each further page once, and acts on the right row of a later page', async ({ page, gateway }) => {
    for (let number = 1; number <= 23; number += 1) await makeToken(gateway, `token ${number}`)
    const pages: string[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname === '/api/token/' && request.method() === 'GET')
        pages.push(searchParams.get('p') ?? `after ${searchParams.get('after')}`)
    })
    await page.goto('/token')
    await expect(rows(page)).toHaveCount(10)
    await page.getByRole('button', { name: 'Page 2' }).click()
    await expect(rows(page)).toHaveCount(10)
    await page.getByRole('button', { name: 'Page 3' }).click()
    await expect(rows(page)).toHaveCount(3)
    await expect(page.getByRole('button', { name: 'Page 4' })).toHaveCount(0)
    expect(pages).toEqual(['0', 'after 14', 'after 4'])
    await page.getByRole('button', { name: 'Page 2' }).click()
    await expect(row(page, 'token 8')).toBeVisible()
    const writes = writesOf(page)
    await openMenuOf(page, 'token 8')
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await expect(row(page, 'token 8')).toContainText('Disabled')
    expect(writes).toEqual([['PUT', '/api/token/?status_only=true', { id: 8, status: 2 }]])
    expect(pages).toEqual(['0', 'after 14', 'after 4'])
  })

  test('sorts by the server and by columns', async ({ page, gateway }) => {
    for (const [name, remain_quota] of [
      ['b', 300],
      ['a', 100],
      ['c', 200],
    ] as const)
      await makeToken(gateway, name, { remain_quota })
    await page.goto('/token')
    await expect(rows(page).getByRole('rowheader')).toHaveText(['c', 'a', 'b'])
    await page.getByRole('combobox', { name: /^Sort/ }).click()
    await page.getByRole('option', { name: 'by remaining quota' }).click()
    await expect(page).toHaveURL(/order=remain_quota/)
    await expect(rows(page).getByRole('rowheader')).toHaveText(['b', 'c', 'a'])
    const name = page.getByRole('columnheader', { name: /^Name/ })
    await name.getByRole('button').click()
    await expect(name).toHaveAttribute('aria-sort', 'ascending')
    await expect(rows(page).getByRole('rowheader')).toHaveText(['a', 'b', 'c'])
    await name.getByRole('button').click()
    await expect(rows(page).getByRole('rowheader')).toHaveText(['c', 'b', 'a'])
    await name.getByRole('button').click()
    await expect(name).not.toHaveAttribute('aria-sort')
    await expect(rows(page).getByRole('rowheader')).toHaveText(['b', 'c', 'a'])
    await gateway.ask('tokenRow', { id: 2, used_quota: 7 })
    await page.getByRole('combobox', { name: /^Sort/ }).click()
    await page.getByRole('option', { name: 'by used quota' }).click()
    await expect(page).toHaveURL('/token?order=used_quota')
    await expect(rows(page).getByRole('rowheader')).toHaveText(['a', 'c', 'b'])
  })

  test('searches for the trimmed text, and shows all rows after it is cleared', async ({ page, gateway }) => {
    for (const name of ['demo', 'other']) await makeToken(gateway, name)
    await page.goto('/token')
    await expect(rows(page)).toHaveCount(2)
    const search = page.getByRole('searchbox')
    await page.keyboard.press('/')
    await expect(search).toBeFocused()
    const searchRequest = page.waitForRequest('**/api/token/search?*')
    await search.fill(' demo ')
    await page.keyboard.press('Enter')
    expect(new URL((await searchRequest).url()).searchParams.get('keyword')).toBe('demo')
    await expect(rows(page)).toHaveCount(1)
    await expect(page).toHaveURL('/token?q=demo')
    await search.fill('100% & more')
    await page.keyboard.press('Enter')
    await expect(page.getByText('No results found.')).toBeVisible()
    await expect(page.getByText('Nothing matches “100% & more”.')).toBeVisible()
    await page.getByRole('main').getByRole('button', { name: 'Clear search' }).last().click()
    await expect(rows(page)).toHaveCount(2)
    await expect(page).toHaveURL('/token')
    await page.getByRole('combobox', { name: /^Status: / }).click()
    await page.getByRole('option', { name: 'Enabled', exact: true }).click()
    await expect(page).toHaveURL('/token?status=1')
    await search.fill('demo')
    await search.press('Enter')
    await expect(page).toHaveURL('/token?status=1&q=demo')
    await page.goBack()
    await expect(page).toHaveURL('/token')
    await expect(search).toHaveValue('')
  })

  test('columns are hidden, moved and put back, and stay so', async ({ page, gateway }) => {
    await makeToken(gateway, 'demo')
    await page.goto('/token')
    const first = ['', 'Name', 'Status', 'Key', 'Used', 'Remaining', 'Created', 'Expires', 'Actions']
    await expect(heads(page)).toHaveText(first)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Key', exact: true }).click()
    await page.getByRole('button', { name: 'Move Used up' }).click()
    await page.getByRole('button', { name: 'Move Used up' }).click()
    await page.keyboard.press('Escape')
    const chosen = ['', 'Name', 'Used', 'Status', 'Remaining', 'Created', 'Expires', 'Actions']
    await expect(heads(page)).toHaveText(chosen)
    await page.reload()
    await expect(heads(page)).toHaveText(chosen)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset' }).click()
    await expect(heads(page)).toHaveText(first)
  })

  test('shows placeholder rows only while its rows take long', async ({ page, gateway }) => {
    await makeToken(gateway, 'demo')
    let release = () => {}
    const hold = () => {
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      return page.route('**/api/token/?*', async (route) => {
        await held
        await route.fallback()
      })
    }
    await hold()
    await page.clock.install()
    await page.goto('/user/edit')
    await expect(page.getByLabel('Username')).toBeVisible()
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000)
    await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Tokens' }).click()
    const waiting = page.getByText('Working…', { exact: true })
    await expect(page.getByRole('searchbox')).toBeVisible()
    await page.clock.runFor(100)
    await expect(waiting).toBeHidden()
    await page.clock.runFor(100)
    await expect(waiting).toBeVisible()
    release()
    await page.clock.resume()
    await expect(row(page, 'demo')).toBeVisible()
    await expect(waiting).toHaveCount(0)
    // Later calls keep the rows that are there.
    await page.unrouteAll()
    await hold()
    await page.getByRole('button', { name: 'Refresh' }).click()
    const region = page.getByRole('region', { name: 'Table: Tokens' })
    await expect(region).toHaveAttribute('aria-busy', 'true')
    await expect(row(page, 'demo')).toBeVisible()
    release()
    await expect(region).toHaveAttribute('aria-busy', 'false')
  })
})

test.describe('copying', () => {
  test('copies the key and the links of chat clients', async ({ page, gateway, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { key } = await makeToken(gateway, 'demo')
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
    await page.goto('/token')
    await page
      .getByRole('button', { name: /^Copy.*demo/ })
      .last()
      .click()
    await expectToast(page, 'Copied to the clipboard')
    expect(await clipboard()).toBe(`sk-${key}`)
    const settings = encodeURIComponent(JSON.stringify({ key: `sk-${key}`, url: gateway.url }))
    const server = encodeURIComponent(gateway.url)
    for (const [name, link] of [
      ['NextChat', `https://app.nextchat.dev/#/?settings=${settings}`],
      ['AMA', `ama://set-api-key?server=${server}&key=sk-${key}`],
      ['OpenCat', `opencat://team/join?domain=${server}&token=sk-${key}`],
    ] as const) {
      await openMenuOf(page, 'demo')
      await page.getByRole('menuitem', { name, exact: true }).click()
      await expect.poll(clipboard).toBe(link)
    }
  })

  test('that the browser refuses puts the text selected into the search box', async ({ page, gateway }) => {
    const { key } = await makeToken(gateway, 'demo')
    await page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))
      document.execCommand = () => false
    })
    await page.goto('/token')
    await page
      .getByRole('button', { name: /^Copy.*demo/ })
      .last()
      .click()
    await expectToast(page, /Copy the text manually/)
    const search = page.getByRole('searchbox')
    await expect(search).toHaveValue(`sk-${key}`)
    await expect(search).toBeFocused()
    const selected = await search.evaluate((input) =>
      input instanceof HTMLInputElement ? (input.selectionEnd ?? 0) - (input.selectionStart ?? 0) : 0,
    )
    expect(selected).toBe(`sk-${key}`.length)
  })
})

test.describe('one token', () => {
  test('is disabled and enabled, and stays unchanged if the server refuses', async ({ page, gateway }) => {
    await makeToken(gateway, 'demo')
    await page.goto('/token')
    const writes = writesOf(page)
    await openMenuOf(page, 'demo')
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await expect(row(page, 'demo')).toContainText('Disabled')
    await openMenuOf(page, 'demo')
    await page.getByRole('menuitem', { name: 'Enable' }).click()
    await expect(row(page, 'demo')).toContainText('Enabled')
    expect(writes).toEqual([
      ['PUT', '/api/token/?status_only=true', { id: 1, status: 2 }],
      ['PUT', '/api/token/?status_only=true', { id: 1, status: 1 }],
    ])
    await page.route('**/api/token/?status_only=true', (route) => route.fulfill({ json: { success: false, message: 'not now' } }))
    await openMenuOf(page, 'demo')
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await expectToast(page, 'not now')
    await expect(row(page, 'demo')).toContainText('Enabled')
  })

  test('gets its former status back by Undo, in the message and in the list of messages', async ({ page, gateway }) => {
    await makeToken(gateway, 'demo')
    await page.goto('/token')
    const writes = writesOf(page)
    const disable = async () => {
      await openMenuOf(page, 'demo')
      await page.getByRole('menuitem', { name: 'Disable' }).click()
      await expect(row(page, 'demo')).toContainText('Disabled')
    }
    await disable()
    await page.getByLabel('Notifications', { exact: true }).getByRole('button', { name: 'Undo' }).click()
    await expect(row(page, 'demo')).toContainText('Enabled')
    await disable()
    await page.getByRole('button', { name: /^Notifications,/ }).click()
    await page.getByRole('dialog', { name: 'Recent notifications' }).getByRole('button', { name: 'Undo' }).first().click()
    await page.keyboard.press('Escape')
    await expect(row(page, 'demo')).toContainText('Enabled')
    expect(writes).toEqual([2, 1, 2, 1].map((status) => ['PUT', '/api/token/?status_only=true', { id: 1, status }]))
  })

  test('is deleted after a confirmation with its name; the focus moves to the next row', async ({ page, gateway }) => {
    for (const name of ['third', 'second', 'first']) await makeToken(gateway, name)
    await page.goto('/token')
    const writes = writesOf(page)
    await openMenuOf(page, 'second')
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete token second?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await expect(question).toBeHidden()
    expect(writes).toEqual([])
    await openMenuOf(page, 'second')
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await expect(question.getByRole('button', { name: 'Delete' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(rows(page)).toHaveCount(2)
    await expectToast(page, 'Operation completed successfully!')
    expect(writes).toEqual([['DELETE', '/api/token/2/']])
    await expect(row(page, 'third')).toBeFocused()
  })

  for (const action of ['Disable', 'Delete']) {
    test(`that somebody else has deleted disappears when it is acted on: ${action}`, async ({ page, gateway }) => {
      await makeToken(gateway, 'kept')
      const { id } = await makeToken(gateway, 'gone')
      await page.goto('/token')
      await expect(row(page, 'gone')).toBeVisible()
      await gateway.api(`/api/token/${id}/`, { method: 'DELETE' })
      await openMenuOf(page, 'gone')
      await page.getByRole('menuitem', { name: action }).click()
      if (action === 'Delete') await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
      await expect(row(page, 'gone')).toHaveCount(0)
      await expect(row(page, 'kept')).toBeVisible()
      await expectToast(page, 'Token not found')
    })
  }
})

test.describe('many tokens', () => {
  test('are disabled together, and refused ones stay selected with the reason', async ({ page, gateway }) => {
    for (const name of ['one', 'two', 'three']) await makeToken(gateway, name)
    await page.goto('/token')
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).click()
    const bar = page.getByRole('region', { name: 'Actions for selected rows' })
    await expect(bar).toContainText('3 selected')
    await page.route('**/api/token/?status_only=true', (route) =>
      route.request().postDataJSON().id === 2 ? route.fulfill({ json: { success: false, message: 'not this one' } }) : route.fallback(),
    )
    await bar.getByRole('button', { name: 'Disable' }).click()
    await expect(bar).toContainText('2 done, 1 failed')
    await expect(bar).toContainText('not this one')
    await expect(bar).toContainText('1 selected')
    await expect(row(page, 'one')).toContainText('Disabled')
    await expect(row(page, 'two')).toContainText('Enabled')
    await page.unrouteAll()
    await bar.getByRole('button', { name: 'Retry failed' }).click()
    await expect(row(page, 'two')).toContainText('Disabled')
    await expect(bar).toBeHidden()
  })

  test('that somebody else has deleted meanwhile are named and dropped, and only the others are tried again', async ({ page, gateway }) => {
    for (const name of ['one', 'two', 'three']) await makeToken(gateway, name)
    await page.goto('/token')
    await page.getByRole('checkbox', { name: 'Select all loaded rows' }).click()
    const bar = page.getByRole('region', { name: 'Actions for selected rows' })
    await expect(bar).toContainText('3 selected')
    await gateway.api('/api/token/1/', { method: 'DELETE' })
    await page.route('**/api/token/?status_only=true', (route) =>
      route.request().postDataJSON().id === 2 ? route.fulfill({ json: { success: false, message: 'not this one' } }) : route.fallback(),
    )
    await bar.getByRole('button', { name: 'Disable' }).click()
    await expect(bar).toContainText('1 done, 2 failed')
    await expect(bar.getByRole('listitem').filter({ hasText: 'no longer exists' })).toContainText(/^one /)
    await expect(bar).toContainText('1 selected')
    await expect(row(page, 'one')).toHaveCount(0)
    await page.unrouteAll()
    const writes = writesOf(page)
    await bar.getByRole('button', { name: 'Retry failed' }).click()
    await expect(row(page, 'two')).toContainText('Disabled')
    await expect(bar).toBeHidden()
    expect(writes).toEqual([['PUT', '/api/token/?status_only=true', { id: 2, status: 2 }]])
    await page.getByRole('checkbox', { name: 'Select three', exact: true }).click()
    await gateway.api('/api/token/3/', { method: 'DELETE' })
    await bar.getByRole('button', { name: 'Enable' }).click()
    await expect(bar).toContainText('no longer exists')
    await expect(row(page, 'three')).toHaveCount(0)
    await expect(bar.getByRole('button', { name: 'Retry failed' })).toHaveCount(0)
  })

  test('are selected in a range and over pages, until another search', async ({ page, gateway }) => {
    const names = Array.from({ length: 12 }, (_, index) => `token ${index + 1}`)
    await gateway.ask('tokens', { owner: gateway.root, names })
    await page.goto('/token')
    const bar = page.getByRole('region', { name: 'Actions for selected rows' })
    const select = (name: string, modifiers: readonly 'Shift'[] = []) =>
      page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click({ modifiers: [...modifiers] })
    await select('token 12')
    await select('token 9', ['Shift'])
    await expect(bar).toContainText('4 selected')
    await expect(page.getByRole('status').filter({ hasText: '4 selected' })).toHaveCount(1)
    await page.getByRole('button', { name: 'Page 2' }).click()
    await select('token 1')
    await expect(bar).toContainText('5 selected')
    await page.getByRole('searchbox').fill('token')
    await page.keyboard.press('Enter')
    await expect(bar).toBeHidden()
    await expect(page.getByRole('checkbox', { name: 'Select token 12', exact: true })).not.toBeChecked()
  })
})

test.describe('a new token', () => {
  /** The page's stopped clock in Unix seconds. Close to the server's clock, which refuses an expiry in the past. */
  let nowSeconds: number

  test.beforeEach(async ({ page }) => {
    nowSeconds = Math.ceil(Date.now() / 1000)
    await page.clock.setFixedTime(nowSeconds * 1000)
    await page.goto('/token/add')
  })

  const create = (page: Page) => page.getByRole('button', { name: 'Create token' }).click()
  const nameField = (page: Page) => page.getByRole('textbox', { name: /^Name/ })

  test('makes one token if the form is sent again before the page shows the first request', async ({ page }) => {
    const writes = writesOf(page)
    await nameField(page).fill('once')
    await page.locator('form').evaluate((form: HTMLFormElement) => {
      form.requestSubmit()
      form.requestSubmit()
    })
    await expectToast(page, 'token created')
    expect(writes).toHaveLength(1)
    await page.goto('/token')
    await expect(row(page, 'once')).toHaveCount(1)
  })

  test('has default limits, needs a name, and is the first of the list', async ({ page, gateway }) => {
    await makeToken(gateway, 'older')
    const writes = writesOf(page)
    await expect(page.getByRole('textbox', { name: 'Quota' })).toHaveValue('500000')
    await expect(page.getByText('Never expires.')).toBeVisible()
    await expect(page.getByRole('switch', { name: 'Unlimited quota' })).not.toBeChecked()
    await create(page)
    await expect(nameField(page)).toBeFocused()
    await expect(nameField(page)).toHaveAttribute('aria-invalid', 'true')
    expect(writes).toEqual([])
    await nameField(page).fill('newer')
    await create(page)
    await expectToast(page, 'token created')
    expect(writes).toEqual([
      [
        'POST',
        '/api/token/',
        {
          name: 'newer',
          remain_quota: 500_000,
          unlimited_quota: false,
          expired_time: -1,
          models: '',
          subnet: '',
          own_work_only: false,
          ...noLimits,
        },
      ],
    ])
    await page.getByRole('button', { name: 'Create another' }).click()
    await expect(nameField(page)).toHaveValue('')
    await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Tokens' }).click()
    await expect(rows(page).getByRole('rowheader')).toHaveText(['newer', 'older'])
  })

  for (const [button, seconds] of [
    ['1 month', 30 * 86_400],
    ['1 day', 86_400],
    ['1 hour', 3_600],
    ['1 minute', 60],
    ['Never', null],
  ] as const) {
    test(`expires ${button === 'Never' ? 'never' : `${button} from now`} at the press of a button`, async ({ page }) => {
      const writes = writesOf(page)
      await nameField(page).fill('short-lived')
      await page.getByRole('button', { name: button, exact: true }).click()
      await create(page)
      await expectToast(page, 'token created')
      expect(writes).toEqual([
        ['POST', '/api/token/', expect.objectContaining({ expired_time: seconds === null ? -1 : nowSeconds + seconds })],
      ])
    })
  }

  test('with an invalid expiry is refused next to the field', async ({ page }) => {
    const writes = writesOf(page)
    await nameField(page).fill('demo')
    await page.getByRole('textbox', { name: 'Expires at' }).fill('tomorrow')
    await create(page)
    await expect(page.getByText('expiry time format error')).toBeVisible()
    expect(writes).toEqual([])
  })

  for (const typed of ['9007199254740992', '99999999999999999999', '1.5', '-1']) {
    test(`with a quota of ${typed} is refused with the range that it may have`, async ({ page }) => {
      const writes = writesOf(page)
      await nameField(page).fill('demo')
      await page.getByRole('textbox', { name: 'Quota' }).fill(typed)
      await create(page)
      await expect(page.getByText('Quota must be an integer from 0 to 9007199254740991')).toBeVisible()
      await expect(page.getByRole('textbox', { name: 'Quota' })).toHaveValue(typed)
      expect(writes).toEqual([])
    })
  }

  test('without limit has its quota field disabled', async ({ page }) => {
    await page.getByRole('switch', { name: 'Unlimited quota' }).click()
    await expect(page.getByRole('textbox', { name: 'Quota' })).toBeDisabled()
  })

  test('shows the value of its quota in money, and takes money as well', async ({ page }) => {
    const quota = page.getByRole('textbox', { name: 'Quota', exact: true })
    await expect(page.getByText('$1.00', { exact: true })).toBeVisible()
    await expect(page.getByText('All tokens share your balance.', { exact: false })).toBeVisible()
    await page.getByRole('button', { name: 'Enter amount in dollars' }).first().click()
    await expect(quota).toHaveValue('1')
    await quota.fill('2.5')
    await expect(page.getByText('1,250,000', { exact: true })).toBeVisible()
    await page.getByLabel(/^Name/).fill('in dollars')
    const writes = writesOf(page)
    await page.getByRole('button', { name: 'Create' }).click()
    await expectToast(page, 'token created')
    expect(writes).toEqual([['POST', '/api/token/', expect.objectContaining({ remain_quota: 1_250_000 })]])
  })

  test('can be restricted to models and subnets; a wrong subnet is marked', async ({ page, gateway }) => {
    await gateway.ask('channel', { models: 'gpt-4o,gpt-4o-mini,o3' })
    await page.reload()
    const writes = writesOf(page)
    await nameField(page).fill('demo')
    const models = page.getByRole('combobox', { name: 'Models' })
    await models.fill('mini')
    await page.getByRole('option', { name: 'gpt-4o-mini' }).click()
    await models.fill('o3')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    const subnets = page.getByRole('textbox', { name: 'Allowed IP addresses' })
    await subnets.fill('10.0.0.0/8,10.0.0.300/8 ')
    await create(page)
    await expect(page.getByText('10.0.0.300/8 is not a valid subnet')).toBeVisible()
    await expect(subnets).toBeFocused()
    expect(writes).toEqual([])
    await page.getByRole('button', { name: 'Remove 10.0.0.300/8' }).click()
    await subnets.fill('1.2.3.4/32')
    await create(page)
    await expectToast(page, 'token created')
    expect(writes).toEqual([
      ['POST', '/api/token/', expect.objectContaining({ models: 'gpt-4o-mini,o3', subnet: '10.0.0.0/8,1.2.3.4/32' })],
    ])
  })

  test('can have limits, which are collapsed at first', async ({ page }) => {
    const writes = writesOf(page)
    const perMinute = page.getByRole('textbox', { name: 'Requests per minute' })
    await expect(perMinute).toBeHidden()
    await page.getByRole('heading', { name: 'Limits' }).click()
    await perMinute.fill('-1')
    await page.getByRole('textbox', { name: 'Quota per day' }).fill('500000')
    await nameField(page).fill('demo')
    await create(page)
    await expect(page.getByText('The limit must be an integer of at least 0')).toBeVisible()
    expect(writes).toEqual([])
    await perMinute.fill('60')
    await create(page)
    await expectToast(page, 'token created')
    expect(writes).toEqual([
      ['POST', '/api/token/', expect.objectContaining({ requests_per_minute: 60, requests_at_once: 0, quota_per_day: 500_000 })],
    ])
  })

  test('with unsaved input is left only after a confirmation', async ({ page }) => {
    await nameField(page).fill('half')
    await page.getByRole('navigation').getByRole('link', { name: 'Logs' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Stay' }).click()
    await expect(nameField(page)).toHaveValue('half')
    const dialogEvent = page.waitForEvent('dialog')
    const reloaded = page.reload({ timeout: 1_000 }).catch(() => null)
    const dialog = await dialogEvent
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    await reloaded
    await expect(nameField(page)).toHaveValue('half')
    await page.getByRole('navigation').getByRole('link', { name: 'Logs' }).click()
    await question.getByRole('button', { name: 'Leave' }).click()
    await expect(page).toHaveURL('/log')
  })
})

test.describe('a page that is left while a save runs', () => {
  /** Goes back, and completes the save once the question is shown. */
  async function leaveWhileSaving(page: Page, save: string): Promise<void> {
    let release = (): void => undefined
    const isResponded = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api/token/', async (route) => {
      if (route.request().method() === 'GET') return route.fallback()
      const response = await route.fetch()
      await isResponded
      await route.fulfill({ response })
    })
    await page.getByRole('button', { name: save }).click()
    await page.goBack()
    await expect(page.getByRole('alertdialog', { name: 'Leave without saving?' })).toBeVisible()
    release()
  }

  test('asks no more once it is saved', async ({ page, gateway }) => {
    const { id } = await makeToken(gateway, 'demo')
    await page.goto('/token')
    await row(page, 'demo').getByRole('link', { name: 'Edit demo' }).click()
    await expect(page).toHaveURL(`/token/edit/${id}`)
    await page.getByRole('textbox', { name: /^Name/ }).fill('renamed')
    await leaveWhileSaving(page, 'Save')
    await expectToast(page, 'token updated')
    await expect(page.getByRole('alertdialog')).toBeHidden()
    await expect(page).toHaveURL('/token')
    await expect(row(page, 'renamed')).toBeVisible()
  })

  test('shows the key of a new token first', async ({ page }) => {
    await page.goto('/token')
    await page.getByRole('link', { name: 'New token' }).first().click()
    await page.getByRole('textbox', { name: /^Name/ }).fill('demo')
    await leaveWhileSaving(page, 'Create token')
    await expect(page.getByRole('alertdialog')).toBeHidden()
    await expect(page.getByRole('dialog', { name: 'Token “demo” created' })).toContainText('sk-')
    await expect(page).toHaveURL('/token/add')
  })
})

test('a token form shows all fields of the token, and sends only changed ones', async ({ page, gateway }) => {
  const later = Date.UTC(2099, 10, 18, 10, 1, 30) / 1000
  const { id } = await makeToken(gateway, 'demo', {
    remain_quota: 700,
    models: 'gone-model',
    subnet: '10.0.0.0/8',
    expired_time: later,
  })
  await page.goto(`/token/edit/${id}`)
  const writes = writesOf(page)
  await expect(page.getByRole('textbox', { name: 'Quota' })).toHaveValue('700')
  await expect(page.getByText('gone-model')).toBeVisible()
  await expect(page.getByText('10.0.0.0/8', { exact: true })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Expires at' })).toHaveValue('2099-11-18 11:01:30')
  await page.getByRole('textbox', { name: /^Name/ }).fill('renamed')
  await page.keyboard.press('Control+s')
  await expectToast(page, 'token updated')
  expect(writes).toEqual([['PUT', '/api/token/', { id, name: 'renamed', shown: { name: 'demo' } }]])
})

test('a form is filled with what is stored when it opens, not with what was read before', async ({ page, gateway }) => {
  const { id } = await makeToken(gateway, 'old')
  await page.goto(`/token/edit/${id}`)
  const field = page.getByRole('textbox', { name: /^Name/ })
  await expect(field).toHaveValue('old')
  await page.getByRole('link', { name: 'Cancel' }).click()
  const edit = page.getByRole('link', { name: 'Edit old' })
  await expect(edit).toBeVisible()
  await gateway.api('/api/token/', { method: 'PUT', body: { id, name: 'new' } })
  const release = await hold(page, `**/api/token/${id}`)
  const rowRequest = page.waitForRequest(`**/api/token/${id}`)
  await edit.click()
  await rowRequest
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Edit token')
  await expect(field).toHaveCount(0)
  release()
  await expect(field).toHaveValue('new')
})

test('pointing at a list in the menu loads its rows, and opening it shows them without another call', async ({ page, gateway }) => {
  await makeToken(gateway, 'ready')
  await page.goto('/about')
  const lists: string[] = []
  page.on('request', (request) => (/\/api\/token\/\?/.test(request.url()) ? lists.push(request.url()) : undefined))
  const link = page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Tokens' })
  const loaded = page.waitForResponse(/\/api\/token\/\?/)
  await link.hover()
  await loaded
  await link.click()
  await expect(page.getByRole('row', { name: /ready/ })).toBeVisible()
  await page.waitForLoadState('networkidle')
  expect(lists).toHaveLength(1)
})

test('a replaced key needs a confirmation, is shown once with a button that copies it, and the old one is refused', async ({
  page,
  gateway,
}) => {
  const { id, key } = await makeToken(gateway, 'leaked')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/token')
  await openMenuOf(page, 'leaked')
  await page.getByRole('menuitem', { name: 'Replace key' }).click()
  const writes = writesOf(page)
  await page.getByRole('alertdialog', { name: 'Replace the key of leaked?' }).getByRole('button', { name: 'Replace key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Token “leaked” has a new key' })
  await expect(dialog.getByRole('button', { name: 'Copy key' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expectToast(page, 'Copied to the clipboard')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toMatch(/^sk-[0-9A-Za-z]{48}$/)
  expect(copied).not.toBe(`sk-${key}`)
  expect(writes).toEqual([['POST', `/api/token/${id}/key`, {}]])
  const statusWith = async (used: string) =>
    (await page.request.get(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${used}` } })).status()
  expect([await statusWith(`sk-${key}`), await statusWith(copied)]).toEqual([401, 200])
})

test('a row opens its sheet with all its facts, and leads to its log', async ({ page, gateway }) => {
  await makeToken(gateway, 'notebook', { models: 'gpt-4o,o3', subnet: '10.0.0.0/8', requests_per_minute: 60 })
  await page.goto('/token')
  await row(page, 'notebook').getByText('Enabled').click()
  await expect(page).toHaveURL('/token?row=1')
  const sheet = page.getByRole('dialog', { name: 'notebook' })
  await expect(sheet).toContainText(/gpt-4o, o3.*10\.0\.0\.0\/8.*Requests per minute.*60/)
  await sheet.getByRole('button', { name: 'More actions for notebook' }).click()
  await expect(page.getByRole('group', { name: 'Copy link for' }).getByRole('menuitem', { name: 'AMA' })).toBeVisible()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await expect(sheet).toContainText('Disabled')
  await page.goBack()
  await expect(sheet).toBeHidden()
  await row(page, 'notebook').focus()
  await page.keyboard.press('Enter')
  await sheet.getByRole('link', { name: 'Show logs' }).click()
  await expect(page).toHaveURL('/log?token=notebook')
})

test('the server filters by status, and the remaining quota is edited in the row, with Undo', async ({ page, gateway }) => {
  await makeToken(gateway, 'on')
  const { id } = await makeToken(gateway, 'off')
  await gateway.api('/api/token/?status_only=true', { method: 'PUT', body: { id, status: 2 } })
  await page.goto('/token')
  await page.getByRole('combobox', { name: 'Status: All' }).click()
  await page.getByRole('option', { name: 'Disabled' }).click()
  await expect(page).toHaveURL('/token?status=2')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rows(page)).toHaveCount(2)
  const writes = writesOf(page)
  await page.getByRole('button', { name: 'Remaining quota of on: $1.00' }).click()
  await page.getByRole('textbox', { name: 'Remaining quota of on' }).fill('3')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Remaining quota of on: $3.00' })).toBeFocused()
  await undo(page)
  await expect(page.getByRole('button', { name: 'Remaining quota of on: $1.00' })).toBeVisible()
  expect(writes).toEqual([
    ['PUT', '/api/token/', { id: 1, remain_quota: 1_500_000, remain_quota_was: 500_000 }],
    ['PUT', '/api/token/', { id: 1, remain_quota: 500_000, remain_quota_was: 1_500_000 }],
  ])
})

test('the page of a token that does not exist says so, and leads back to the list', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  await page.goto('/token/edit/999')
  await expect(page.getByText('Could not load this content')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Retry' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Back to the list' }).click()
  await expect(page).toHaveURL('/token')
})
