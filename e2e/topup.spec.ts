import type { Page } from '@playwright/test'
import type { Gateway } from './support/gateway.ts'
import { hold } from './support/hold.ts'
import { logRow } from './support/log-rows.ts'
import { expect, expectToast, signIn, test, toast } from './support/test.ts'

const unit = 500_000

/** Creates codes worth a dollar each. */
async function codes(gateway: Gateway, count: number): Promise<readonly string[]> {
  // Holds: the call returns the codes.
  return (await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'spring', quota: unit, count } })) as readonly string[]
}

const field = (page: Page) => page.getByLabel('Redemption codes')
const balance = (page: Page) => page.getByRole('region', { name: 'Balance' })
const results = (page: Page) => page.getByRole('list', { name: 'Results' }).getByRole('listitem')
const history = (page: Page) => page.getByRole('region', { name: 'History' }).getByRole('listitem')

async function open(page: Page, gateway: Gateway, quota = 2 * unit) {
  const user = await gateway.ask('user', { quota })
  await signIn(page, gateway, user, 1)
  await page.goto('/topup')
  await expect(balance(page)).toContainText('$')
  return user
}

/** The codes that the page sends from now on. */
function collectKeys(page: Page): readonly string[] {
  const keys: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') keys.push(request.postDataJSON().key)
  })
  return keys
}

test('an empty field is refused beside it, and nothing is sent', async ({ page, gateway }) => {
  await open(page, gateway)
  const keys = collectKeys(page)
  await field(page).fill(' - \n')
  await page.getByRole('button', { name: 'Redeem' }).click()
  await expect(page.getByText('please enter the top-up code')).toBeVisible()
  await expect(field(page)).toBeFocused()
  await expect(field(page)).toHaveAttribute('aria-invalid', 'true')
  expect(keys).toEqual([])
})

test('a code that is sent twice at once is redeemed once', async ({ page, gateway }) => {
  await open(page, gateway)
  const keys = collectKeys(page)
  const [code = ''] = await codes(gateway, 1)
  await field(page).fill(code)
  await field(page).evaluate((element: HTMLTextAreaElement) => {
    element.form?.requestSubmit()
    element.form?.requestSubmit()
  })
  await expectToast(page, 'top-up succeeded')
  await expect(balance(page)).toContainText('$3.00')
  await expect(results(page)).toHaveText([/\+\$1\.00/])
  expect(keys).toEqual([code])
})

test('a code adds its quota to the balance and to the history, and leaves the field', async ({ page, gateway }) => {
  await open(page, gateway)
  await expect(balance(page)).toContainText('$2.00')
  await expect(page.getByText('No top-ups yet')).toBeVisible()
  const [code = ''] = await codes(gateway, 1)
  await field(page).fill(`  ${code.slice(0, 8)}-${code.slice(8)} `)
  await field(page).press('Enter')
  await expectToast(page, 'top-up succeeded')
  await expect(balance(page)).toContainText('$3.00')
  await expect(field(page)).toHaveValue('')
  await expect(results(page)).toHaveText([/\+\$1\.00/])
  await expect(history(page)).toHaveText([/\(spring\).*\+\$1\.00/])
})

test('the button is busy while a code is sent, and sends it once', async ({ page, gateway }) => {
  await open(page, gateway)
  const keys = collectKeys(page)
  const response = await hold(page, '**/api/user/topup')
  const [code = ''] = await codes(gateway, 1)
  await field(page).fill(code)
  const button = page.getByRole('button', { name: 'Redeem' })
  await button.click()
  await expect(button).toHaveAttribute('aria-busy', 'true')
  await field(page).press('Enter')
  response()
  await expectToast(page, 'top-up succeeded')
  await expect(button).not.toHaveAttribute('aria-busy')
  expect(keys).toEqual([code])
})

test('a refused code stays in the field, with the reason beside it', async ({ page, gateway }) => {
  await open(page, gateway)
  await field(page).fill('no such code')
  await page.getByRole('button', { name: 'Redeem' }).click()
  await expectToast(page, 'This top-up code is not valid')
  await expect(field(page)).toHaveValue('no such code')
  await expect(field(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(page.locator('form').getByText('This top-up code is not valid').first()).toBeVisible()
})

test('of several codes each has its result, and only those that were not redeemed stay', async ({ page, gateway }) => {
  await open(page, gateway)
  const [first = '', second = ''] = await codes(gateway, 2)
  await field(page).fill(`${first}\nwrong\n - ${second}\n${first}\n`)
  await page.getByRole('button', { name: 'Redeem' }).click()
  await expect(results(page)).toHaveText([/\+\$1\.00/, /^wrong.*This top-up code is not valid/, /\+\$1\.00/])
  await expectToast(page, '2 done, 1 failed')
  await expect(field(page)).toHaveValue('wrong')
  await expect(balance(page)).toContainText('$4.00')
})

test('twenty codes are redeemed at once, and more are refused before anything is sent', async ({ page, gateway }) => {
  await open(page, gateway)
  const all = await codes(gateway, 21)
  const keys = collectKeys(page)
  await field(page).fill(all.join('\n'))
  await page.getByRole('button', { name: 'Redeem' }).click()
  await expect(page.getByText('At most 20 codes can be redeemed at once')).toBeVisible()
  expect(keys).toEqual([])
  await field(page).fill(all.slice(1).join('\n'))
  await page.getByRole('button', { name: 'Redeem' }).click()
  await expectToast(page, 'top-up succeeded')
  await expect(balance(page)).toContainText('$22.00')
  expect(keys).toEqual(all.slice(1))
})

test('a lost response is named as such, the page shows what happened, and sending again does no harm', async ({ page, gateway }) => {
  await open(page, gateway)
  const [first = '', second = ''] = await codes(gateway, 2)
  await page.route('**/api/user/topup', async (route) => {
    // The server redeems the code, but its response does not arrive.
    await route.fetch()
    await route.abort()
  })
  await field(page).fill(`${first}\n${second}`)
  await page.getByRole('button', { name: 'Redeem' }).click()
  await expectToast(page, 'request failed')
  await expect(results(page)).toHaveText([/No response received/, /not redeemed yet/])
  await expect(balance(page)).toContainText('$3.00')
  await expect(history(page)).toHaveCount(1)
  await page.unroute('**/api/user/topup')
  await page.getByRole('button', { name: 'Redeem' }).click()
  await expect(results(page)).toHaveText([/already been used/, /\+\$1\.00/])
  await expect(balance(page)).toContainText('$4.00')
})

test('a server that asks to wait gets no further code', async ({ page, gateway }) => {
  await open(page, gateway)
  await page.route('**/api/user/topup', (route) => route.fulfill({ status: 429, json: { success: false, message: 'wait' } }))
  const keys = collectKeys(page)
  await field(page).fill('one\ntwo')
  await page.getByRole('button', { name: 'Redeem' }).click()
  await expectToast(page, 'too many requests, try later')
  await expect(results(page)).toHaveText([/not redeemed yet/, /not redeemed yet/])
  await expect(field(page)).toHaveValue('one\ntwo')
  expect(keys).toEqual(['one'])
})

test('without a top-up link the button says so', async ({ page, gateway }) => {
  await open(page, gateway)
  await page.getByRole('button', { name: 'Top up' }).click()
  await expectToast(page, 'the super admin has not set a top-up link')
})

test('the top-up link is opened with its own query, the account and a new transaction', async ({ page, gateway }) => {
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'TopUpLink', value: 'https://shop.example/buy?a=1#codes' } })
  await page.context().route('https://shop.example/**', (route) => route.fulfill({ body: 'shop' }))
  const user = await open(page, gateway)
  const visit = async () => {
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Top up' }).click()
    const shop = await opened
    await shop.waitForURL('https://shop.example/**')
    expect(await shop.evaluate(() => window.opener)).toBeNull()
    return new URL(shop.url())
  }
  const first = await visit()
  expect(first.origin + first.pathname + first.hash).toBe('https://shop.example/buy#codes')
  expect(Object.fromEntries(first.searchParams)).toEqual({
    a: '1',
    username: user.username,
    user_id: String(user.id),
    transaction_id: expect.stringMatching(/^[\da-f]{32}$/),
  })
  expect((await visit()).searchParams.get('transaction_id')).not.toBe(first.searchParams.get('transaction_id'))
})

test('the balance says how long it lasts at the rate of the last seven days', async ({ page, gateway }) => {
  const user = await gateway.ask('user', { quota: 9 * unit })
  const now = Math.floor(Date.now() / 1000)
  const day = 86_400
  const use = (daysAgo: number, quota: number) => logRow(user, { created_at: now - daysAgo * day, quota, model_name: 'gpt-4o' })
  await gateway.ask('logs', [use(20, 50 * unit), use(6, 3 * unit), use(1, 4 * unit)])
  await signIn(page, gateway, user, 1)
  await page.goto('/topup')
  await expect(balance(page)).toContainText('Lasts about 9 days at your 7-day average')
  await expect(balance(page).getByRole('status')).toHaveCount(0)
})

test('a low balance has a warning, and an empty one says that requests are refused', async ({ page, gateway }) => {
  const user = await gateway.ask('user', { quota: unit })
  await gateway.ask('logs', [logRow(user, { created_at: Math.floor(Date.now() / 1000) - 3_600, quota: 7 * unit, model_name: 'gpt-4o' })])
  await signIn(page, gateway, user, 1)
  await page.goto('/topup')
  await expect(balance(page)).toContainText('about 1 day at your 7-day average')
  await expect(balance(page)).toContainText('Your balance is low.')
  await page.route('**/api/user/self', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    await route.fulfill({ response, json: { ...body, data: { ...body.data, quota: 0 } } })
  })
  await page.reload()
  await expect(balance(page)).toContainText('Your balance is used up')
})

test('the history is of the own account and leads to the log', async ({ page, gateway }) => {
  const other = await gateway.ask('user', {})
  await gateway.ask('logs', [
    logRow({ id: gateway.root.id, username: 'root' }, { type: 1, quota: unit, content: 'mine' }),
    logRow(other, { type: 1, quota: unit, content: 'of somebody else' }),
  ])
  await signIn(page, gateway, gateway.root)
  await page.goto('/topup')
  await expect(history(page)).toHaveText([/mine/])
  await page.getByRole('link', { name: 'View all in log' }).click()
  await expect(page).toHaveURL(/\/log\?type=1&user=/)
})

test('a history that cannot be loaded says so and tries again', async ({ page, gateway }) => {
  await page.route('**/api/log/self/?*', (route) => route.abort())
  await open(page, gateway)
  await expect(page.getByText('Could not load this content')).toBeVisible()
  await expect(toast(page, /Error/)).toHaveCount(0)
  await page.unroute('**/api/log/self/?*')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('No top-ups yet')).toBeVisible()
})
