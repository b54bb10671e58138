import type { Page } from '@playwright/test'
import type { Gateway } from './support/gateway.ts'
import { hold } from './support/hold.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

/** Opens a tab of the settings as root and notes every option that the page saves. */
async function openTab(page: Page, gateway: Gateway, tab: string): Promise<readonly unknown[]> {
  const saved: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'PUT' && new URL(request.url()).pathname === '/api/option/') saved.push(request.postDataJSON())
  })
  await signIn(page, gateway, gateway.root)
  await page.goto(`/setting?tab=${tab}`)
  await expect(page.locator('form').first()).toBeVisible()
  return saved
}

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const option = (page: Page, key: string) => page.locator(`[data-option="${key}"]`)
const field = (page: Page, key: string) => option(page, key).locator('input, textarea').first()

async function stored(gateway: Gateway, key: string): Promise<string | undefined> {
  // Holds: the contract's row of this call.
  const rows = (await gateway.api('/api/option/')) as readonly { readonly key: string; readonly value: string }[]
  return rows.find((row) => row.key === key)?.value
}

const set = (gateway: Gateway, key: string, value: string, as = gateway.root) =>
  gateway.api('/api/option/', { method: 'PUT', body: { key, value }, as })

test.describe('switches', () => {
  test('are saved at once, as true and false', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    const toggle = page.getByRole('switch', { name: 'Log usage' })
    await toggle.click()
    await expect(toggle).not.toBeChecked()
    await expectToast(page, 'Settings saved')
    await toggle.click()
    await expect(toggle).toBeChecked()
    await expect.poll(() => stored(gateway, 'LogConsumeEnabled')).toBe('true')
    expect(saved).toEqual([
      { key: 'LogConsumeEnabled', value: 'false' },
      { key: 'LogConsumeEnabled', value: 'true' },
    ])
  })

  test('that are pressed while another is saved follow in their order', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    const held: Array<() => void> = []
    await page.route('**/api/option/', async (route) => {
      if (route.request().method() === 'PUT' && held.length === 0) await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    const toggle = page.getByRole('switch', { name: 'Log usage' })
    const other = page.getByRole('switch', { name: 'Show amounts in dollars' })
    const before = await other.getAttribute('aria-checked')
    await toggle.click()
    await expect.poll(() => held.length).toBe(1)
    await other.click()
    await toggle.click()
    await expect(toggle).toBeChecked()
    await expect(other).not.toHaveAttribute('aria-checked', before ?? '')
    held[0]?.()
    await expect
      .poll(() => saved)
      .toEqual([
        { key: 'LogConsumeEnabled', value: 'false' },
        { key: 'DisplayInCurrencyEnabled', value: String(before !== 'true') },
        { key: 'LogConsumeEnabled', value: 'true' },
      ])
    await expect.poll(() => stored(gateway, 'LogConsumeEnabled')).toBe('true')
    await expect(toggle).toBeChecked()
  })

  test('that the server refuses show what is in force, with the reason beside them', async ({ page, gateway }) => {
    await openTab(page, gateway, 'system')
    const toggle = page.getByRole('switch', { name: 'GitHub login and registration' })
    await toggle.click()
    await expect(option(page, 'GitHubOAuthEnabled').getByRole('alert')).toContainText('Fill in GitHubClientId, GitHubClientSecret')
    await expectToast(page, /Fill in GitHubClientId, GitHubClientSecret/)
    await expect(option(page, 'GitHubOAuthEnabled')).toContainText('Currently active: off')
    await expect(toggle).not.toBeChecked()
    expect(await stored(gateway, 'GitHubOAuthEnabled')).toBe('false')
  })

  test('ask before the login by password is switched off', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'system')
    const toggle = page.getByRole('switch', { name: 'Password login' })
    const dialog = page.getByRole('alertdialog')
    await toggle.click()
    await expect(dialog).toContainText('Users without another login method, including admins, could no longer log in by password.')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(toggle).toBeChecked()
    expect(saved).toEqual([])
    await toggle.click()
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await expect(toggle).not.toBeChecked()
    await expect.poll(() => stored(gateway, 'PasswordLoginEnabled')).toBe('false')
    // Switching it on again asks nothing.
    await toggle.click()
    await expect.poll(() => stored(gateway, 'PasswordLoginEnabled')).toBe('true')
  })
})

test.describe('the button of a section', () => {
  test('saves only what changed, one call each, and no other section', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    const quota = section(page, 'Quota')
    await expect(quota.getByRole('button', { name: 'Save' })).toBeDisabled()
    await field(page, 'RetryTimes').fill('5')
    await field(page, 'QuotaForNewUser').fill('250000')
    await expect(option(page, 'QuotaForNewUser')).toContainText('= $0.50')
    await field(page, 'QuotaForInviter').fill('10')
    await field(page, 'QuotaForInviter').fill('0')
    await field(page, 'QuotaForInvitee').fill('7')
    await expect(quota).toContainText('2 unsaved changes')
    await quota.getByRole('button', { name: 'Save' }).click()
    await expectToast(page, 'Settings saved')
    await expect(quota).toContainText('No changes')
    expect(saved).toEqual([
      { key: 'QuotaForNewUser', value: '250000' },
      { key: 'QuotaForInvitee', value: '7' },
    ])
    await expect(section(page, 'General')).toContainText('1 unsaved change')
    expect(await stored(gateway, 'RetryTimes')).toBe('3')
  })

  test('saves once if it is pressed twice, and keeps what is typed meanwhile', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    let response = () => {}
    const mayResponse = new Promise<void>((resolve) => {
      response = resolve
    })
    await page.route('**/api/option/', async (route) => {
      if (route.request().method() === 'PUT') await mayResponse
      await route.fallback()
    })
    await field(page, 'RetryTimes').fill('5')
    await section(page, 'General')
      .locator('form')
      .evaluate((form: HTMLFormElement) => {
        form.requestSubmit()
        form.requestSubmit()
      })
    await field(page, 'RetryTimes').fill('6')
    response()
    await expectToast(page, 'Settings saved')
    await expect(section(page, 'General')).toContainText('1 unsaved change')
    await expect(field(page, 'RetryTimes')).toHaveValue('6')
    expect(saved).toEqual([{ key: 'RetryTimes', value: '5' }])
  })

  test('has a review with both values, and a way back', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    await field(page, 'RetryTimes').fill('9')
    const general = section(page, 'General')
    await general.getByRole('button', { name: 'Review' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('Retries')
    await expect(dialog).toContainText('Before: 3')
    await expect(dialog).toContainText('After: 9')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await general.getByRole('button', { name: 'Discard' }).click()
    await expect(field(page, 'RetryTimes')).toHaveValue('3')
    await field(page, 'RetryTimes').fill('4')
    await general.getByRole('button', { name: 'Review' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => stored(gateway, 'RetryTimes')).toBe('4')
    expect(saved).toHaveLength(1)
  })

  test('refuses what is no number, and focuses that field', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    await field(page, 'TopUpLink').fill('https://shop.example')
    await field(page, 'RetryTimes').fill('-1')
    await field(page, 'RetryTimes').press('Enter')
    await expect(option(page, 'RetryTimes')).toContainText('Enter a whole number of at least 0')
    await expect(field(page, 'RetryTimes')).toBeFocused()
    expect(saved).toEqual([])
    await expect(field(page, 'RetryTimes')).toHaveAttribute('min', '0')
    await expect(field(page, 'RetryTimes')).toHaveAttribute('step', '1')
    await expect(field(page, 'QuotaPerUnit')).toHaveAttribute('step', '0.01')
  })

  test('keeps what was typed where the server refuses it, and says what is still in force', async ({ page, gateway }) => {
    await set(gateway, 'SMTPServer', 'mail.example')
    await set(gateway, 'EmailVerificationEnabled', 'true')
    await openTab(page, gateway, 'system')
    await field(page, 'SMTPServer').fill('')
    await field(page, 'SMTPFrom').fill('gateway@example.com')
    await section(page, 'SMTP').getByRole('button', { name: 'Save' }).click()
    await expect(option(page, 'SMTPServer')).toContainText('SMTPServer cannot be empty while EmailVerificationEnabled is enabled')
    await expectToast(page, 'SMTPServer cannot be empty while EmailVerificationEnabled is enabled')
    await expect(option(page, 'SMTPServer')).toContainText('Currently active: mail.example')
    await expect(field(page, 'SMTPServer')).toHaveValue('')
    await expect(field(page, 'SMTPServer')).toBeFocused()
    expect(await stored(gateway, 'SMTPFrom')).toBe('gateway@example.com')
    await expect(section(page, 'SMTP')).toContainText('1 unsaved change')
  })

  test('says after a lost connection whether the value was saved', async ({ page, gateway }) => {
    await openTab(page, gateway, 'operations')
    await page.route('**/api/option/', async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback()
      await route.fetch()
      await route.abort('connectionreset')
    })
    await field(page, 'RetryTimes').fill('6')
    await field(page, 'RetryTimes').press('Enter')
    await expectToast(page, 'The connection was lost, but this was saved.')
    await expect(section(page, 'General')).toContainText('No changes')
    await page.unrouteAll()
    await page.route('**/api/option/', (route) => (route.request().method() === 'PUT' ? route.abort('connectionreset') : route.fallback()))
    await field(page, 'RetryTimes').fill('7')
    await field(page, 'RetryTimes').press('Enter')
    await expect(option(page, 'RetryTimes')).toContainText('The connection was lost before this was saved. Save again.')
    await expectToast(page, /Error: /)
    await expect(field(page, 'RetryTimes')).toHaveValue('7')
    expect(await stored(gateway, 'RetryTimes')).toBe('6')
  })

  test('saves by Ctrl+S the section that has the focus', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    await field(page, 'QuotaForNewUser').fill('1')
    await field(page, 'RetryTimes').fill('2')
    await field(page, 'RetryTimes').press('Control+s')
    await expectToast(page, 'Settings saved')
    expect(saved).toEqual([{ key: 'RetryTimes', value: '2' }])
  })
})

test.describe('the values of the system', () => {
  test('lose the slash at the end of an address, and an empty port is not saved', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'system')
    for (const [name, key] of [
      ['General', 'ServerAddress'],
      ['WeChat server', 'WeChatServerAddress'],
      ['Message pusher', 'MessagePusherAddress'],
    ] as const) {
      await field(page, key).fill('https://host.example/')
      await section(page, name).getByRole('button', { name: 'Save' }).click()
      await expect(field(page, key)).toHaveValue('https://host.example')
      await expect(section(page, name)).toContainText('No changes')
    }
    await field(page, 'SMTPPort').fill('')
    await expect(field(page, 'SMTPPort')).toHaveAttribute('placeholder', '587')
    await field(page, 'SMTPAccount').fill('me')
    await section(page, 'SMTP').getByRole('button', { name: 'Save' }).click()
    await expect(section(page, 'SMTP')).toContainText('No changes')
    expect(saved).toEqual([
      { key: 'ServerAddress', value: 'https://host.example' },
      { key: 'WeChatServerAddress', value: 'https://host.example' },
      { key: 'MessagePusherAddress', value: 'https://host.example' },
      { key: 'SMTPAccount', value: 'me' },
    ])
  })

  test('send a secret only when it was typed, and remove it only on purpose', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'system')
    const github = section(page, 'GitHub OAuth')
    await expect(field(page, 'GitHubClientSecret')).toHaveAttribute('placeholder', 'Not set')
    await field(page, 'GitHubClientId').fill('client')
    await field(page, 'GitHubClientSecret').fill('x')
    await field(page, 'GitHubClientSecret').fill('')
    await github.getByRole('button', { name: 'Save' }).click()
    await expect(github).toContainText('No changes')
    await field(page, 'GitHubClientSecret').fill('s3cret')
    await github.getByRole('button', { name: 'Save' }).click()
    await expect(field(page, 'GitHubClientSecret')).toHaveAttribute('placeholder', 'Set. Type to replace')
    await expect(field(page, 'GitHubClientSecret')).toHaveValue('')
    await github.getByRole('button', { name: 'Remove the stored value' }).click()
    await expect(github).toContainText('1 unsaved change')
    await github.getByRole('button', { name: 'Save' }).click()
    await expect(field(page, 'GitHubClientSecret')).toHaveAttribute('placeholder', 'Not set')
    expect(saved).toEqual([
      { key: 'GitHubClientId', value: 'client' },
      { key: 'GitHubClientSecret', value: 's3cret' },
      { key: 'GitHubClientSecret', value: '', clear: true },
    ])
  })

  test('ask for a secret again when it would go to another server', async ({ page, gateway }) => {
    await set(gateway, 'MessagePusherAddress', 'https://push.example')
    await set(gateway, 'MessagePusherToken', 'token')
    await openTab(page, gateway, 'system')
    await field(page, 'MessagePusherAddress').fill('https://other.example')
    await section(page, 'Message pusher').getByRole('button', { name: 'Save' }).click()
    await expect(option(page, 'MessagePusherToken')).toContainText('entered for another server')
    await field(page, 'MessagePusherToken').fill('new')
    await section(page, 'Message pusher').getByRole('button', { name: 'Save' }).click()
    await expect(option(page, 'MessagePusherToken')).not.toContainText('entered for another server')
  })

  test('list the allowed domains as chips: each once, and never an empty one', async ({ page, gateway }) => {
    await set(gateway, 'EmailDomainWhitelist', 'example.com')
    const saved = await openTab(page, gateway, 'system')
    const domains = section(page, 'Email domain whitelist')
    for (const domain of ['example.com', ' ', 'example.org']) {
      await field(page, 'EmailDomainWhitelist').fill(domain)
      await field(page, 'EmailDomainWhitelist').press('Enter')
      if (domain !== 'example.org') await expect(domains.getByRole('button', { name: 'Save' })).toBeDisabled()
    }
    await expect(domains.getByRole('listitem')).toHaveText(['example.com', 'example.org'])
    await domains.getByRole('button', { name: 'Save' }).click()
    await expect(domains).toContainText('No changes')
    expect(saved).toEqual([{ key: 'EmailDomainWhitelist', value: 'example.com,example.org' }])
  })

  test('name options that are pending super-admin approval, and who changed each last', async ({ page, gateway }) => {
    const admin = await gateway.ask('user', { role: 10 })
    await set(gateway, 'SMTPServer', 'mail.example', admin)
    await set(gateway, 'SMTPFrom', 'root@example.com')
    await openTab(page, gateway, 'system')
    await expect(option(page, 'SMTPServer')).toContainText('Pending super-admin approval')
    await expect(option(page, 'SMTPServer')).toContainText(`Changed by ${admin.username}`)
    await expect(option(page, 'SMTPFrom')).toContainText('Changed by root')
    await expect(option(page, 'SMTPFrom')).not.toContainText('Pending super-admin approval')
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await expect(option(page, 'SMTPServer')).not.toContainText('Pending super-admin approval')
  })
})

test.describe('ratios', () => {
  test('must be valid JSON, and only the changed ones are saved', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    const ratios = section(page, 'Ratios')
    await field(page, 'GroupRatio').fill('{"default": 1,}')
    await ratios.getByRole('button', { name: 'Save' }).click()
    await expect(option(page, 'GroupRatio')).toContainText('Group ratio is not a valid JSON string')
    expect(saved).toEqual([])
    await field(page, 'GroupRatio').fill('{"default": 1, "vip": 0.5}')
    await ratios.getByRole('button', { name: 'Save' }).click()
    await expect(ratios).toContainText('No changes')
    expect(saved).toEqual([{ key: 'GroupRatio', value: '{"default": 1, "vip": 0.5}' }])
  })

  test('are edited in a table in both units, in sync with their JSON', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    const table = page.getByRole('region', { name: 'Model prices' })
    await page.getByRole('searchbox', { name: 'Filter models' }).fill('gpt-4o-mini')
    const row = table.locator('tr[data-model="gpt-4o-mini"]')
    const cell = (column: string) => row.getByRole('textbox', { name: `${column} of gpt-4o-mini`, exact: true })
    await expect(cell('Input $/1M')).toHaveValue('0.15')
    await expect(cell('Output $/1M')).toHaveValue('0.6')
    await cell('Input $/1M').fill('0.3')
    await cell('Input $/1M').press('Enter')
    await expect(cell('Input ratio')).toHaveValue('0.15')
    await expect(cell('Output $/1M')).toHaveValue('0.6')
    await expect(field(page, 'ModelRatio')).toHaveValue(/"gpt-4o-mini": 0\.15,/)
    await expect(field(page, 'CompletionRatio')).toHaveValue(/"gpt-4o-mini": 2,/)
    await section(page, 'Ratios').getByRole('button', { name: 'Review', exact: true }).click()
    await expect(page.getByRole('dialog').getByRole('row')).toContainText(['gpt-4o-mini', 'gpt-4o-mini'].map((name) => new RegExp(name)))
    await page.keyboard.press('Escape')
    const json = JSON.parse(await field(page, 'ModelRatio').inputValue())
    await field(page, 'ModelRatio').fill(JSON.stringify({ ...json, 'GPT-4o-mini': 3 }))
    await expect(table.getByRole('textbox', { name: 'Input $/1M of GPT-4o-mini', exact: true })).toHaveValue('6')
    await section(page, 'Ratios').getByRole('button', { name: 'Save' }).click()
    await expect(section(page, 'Ratios')).toContainText('No changes')
    expect(saved).toHaveLength(2)
    expect(JSON.parse((await stored(gateway, 'ModelRatio')) ?? '')).toMatchObject({ 'gpt-4o-mini': 0.15, 'GPT-4o-mini': 3 })
  })

  test('fit their column in the table, and are whole while they are edited', async ({ page, gateway }) => {
    await openTab(page, gateway, 'operations')
    await page.getByRole('searchbox', { name: 'Filter models' }).fill('qwen-plus-latest')
    await expect(page.getByRole('textbox', { name: 'Reasoning ratio of qwen-plus-latest', exact: true })).toHaveValue('10')
    await page.getByRole('searchbox', { name: 'Filter models' }).fill('kimi-k3')
    const cell = page.getByRole('textbox', { name: 'Input ratio of kimi-k3', exact: true })
    await expect(cell).toHaveValue('1.4286')
    await cell.focus()
    await expect(cell).toHaveValue('1.4285714')
    await cell.press('Tab')
    await expect(cell).toHaveValue('1.4286')
    await expect(section(page, 'Ratios')).toContainText('No changes')
  })

  test('are converted at a new rate, and changed ones are saved at the rate before', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    await expect(field(page, 'ModelRatio')).toHaveValue(/"kimi-k3": 1\.4285714,/)
    const json = JSON.parse(await field(page, 'ModelRatio').inputValue())
    await field(page, 'YuanPerDollar').fill('6.4')
    await field(page, 'ModelRatio').fill(JSON.stringify({ ...json, 'gpt-4o-mini': 0.3 }))
    await section(page, 'Ratios').getByRole('button', { name: 'Save' }).click()
    await expect(section(page, 'Ratios')).toContainText('No changes')
    expect(saved).toMatchObject([{ key: 'ModelRatio' }, { key: 'YuanPerDollar', value: '6.4' }])
    await expect(field(page, 'ModelRatio')).toHaveValue(/"gpt-4o-mini": 0\.3,/)
    await expect(field(page, 'ModelRatio')).toHaveValue(/"kimi-k3": 1\.5625,/)
  })

  test('have factors of models and of channel types in the table, in sync with their JSON', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    const ratios = section(page, 'Ratios')
    await page.getByRole('searchbox', { name: 'Filter models' }).fill('gpt-4o-mini')
    const factor = (name: string) => ratios.getByRole('textbox', { name: `Factor of ${name}`, exact: true })
    await factor('gpt-4o-mini').fill('1.2')
    await factor('gpt-4o-mini').press('Enter')
    await expect(field(page, 'RetailRatio')).toHaveValue(/"gpt-4o-mini": 1\.2/)
    await ratios.getByRole('button', { name: 'Channel types', exact: true }).click()
    await page.getByRole('searchbox', { name: 'Filter models' }).fill('aws')
    await expect(ratios.locator('tr[data-type]')).toHaveCount(1)
    await factor('AWS').fill('1.1')
    await factor('AWS').press('Enter')
    await expect(field(page, 'ChannelTypeRatio')).toHaveValue(/"33": 1\.1/)
    await field(page, 'ChannelTypeRatio').fill('{"33": 1.5}')
    await expect(factor('AWS')).toHaveValue('1.5')
    await ratios.getByRole('button', { name: 'Save' }).click()
    await expect(ratios).toContainText('No changes')
    expect(saved).toMatchObject([{ key: 'ChannelTypeRatio' }, { key: 'RetailRatio' }])
    await factor('AWS').fill('')
    await factor('AWS').press('Enter')
    await ratios.getByRole('button', { name: 'Save' }).click()
    await expect(ratios).toContainText('No changes')
    expect(JSON.parse((await stored(gateway, 'ChannelTypeRatio')) ?? '')).toEqual({})
  })

  test('by channel type must name types that exist', async ({ page, gateway }) => {
    const saved = await openTab(page, gateway, 'operations')
    const ratios = section(page, 'Ratios')
    await field(page, 'ChannelTypeRatio').fill('{"999": 1.1}')
    await ratios.getByRole('button', { name: 'Save' }).click()
    await expect(option(page, 'ChannelTypeRatio')).toContainText('contains an unknown channel type: 999')
    await field(page, 'ChannelTypeRatio').fill('{"33": 1.1}')
    await field(page, 'RetailRatio').fill('{"gpt-5": 1.2}')
    await ratios.getByRole('button', { name: 'Save' }).click()
    await expect(ratios).toContainText('No changes')
    expect(saved.slice(1)).toEqual([
      { key: 'ChannelTypeRatio', value: '{"33": 1.1}' },
      { key: 'RetailRatio', value: '{"gpt-5": 1.2}' },
    ])
  })

  test('fit into the width of their table', async ({ page, gateway }) => {
    await openTab(page, gateway, 'operations')
    const table = page.getByRole('region', { name: 'Model prices' })
    await expect(table.locator('tr[data-model]').first()).toBeVisible()
    const { inner, outer } = await table.evaluate(({ scrollWidth, clientWidth }) => ({ inner: scrollWidth, outer: clientWidth }))
    expect(inner).toBeLessThanOrEqual(outer)
    await table.scrollIntoViewIfNeeded()
    await expect(table.getByRole('button', { name: /^Remove/ }).first()).toBeInViewport({ ratio: 1 })
  })

  test('draw only the visible rows of the table', async ({ page, gateway }) => {
    await openTab(page, gateway, 'operations')
    const table = page.getByRole('region', { name: 'Model prices' })
    await expect(table.locator('tr[data-model]').first()).toBeVisible()
    await expect(section(page, 'Ratios')).toContainText(/\d{3,} models/)
    expect(await table.locator('tr[data-model]').count()).toBeLessThan(60)
    await table.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
    await expect(table.locator('tr[data-model^="z"], tr[data-model^="y"], tr[data-model^="x"]').first()).toBeVisible()
  })

  test('are pasted for many models, and shown for models without a price', async ({ page, gateway }) => {
    await gateway.ask('channel', { models: 'my-model,gpt-4o' })
    await openTab(page, gateway, 'operations')
    const table = page.getByRole('region', { name: 'Model prices' })
    await page.getByRole('button', { name: 'Models without a price' }).click()
    await expect(table.locator('tr[data-model]')).toHaveCount(1)
    await expect(table.locator('tr[data-model="my-model"]')).toBeVisible()
    await page.getByRole('button', { name: 'Paste prices' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('my-model 1 4\nbroken')
    await expect(dialog).toContainText('Could not read line 2.')
    await dialog.getByRole('textbox').fill('my-model 1 4\nother-model,2,2')
    await dialog.getByRole('button', { name: 'Import 2 models' }).click()
    await section(page, 'Ratios').getByRole('button', { name: 'Save' }).click()
    await expect(section(page, 'Ratios')).toContainText('No changes')
    expect(JSON.parse((await stored(gateway, 'ModelRatio')) ?? '')).toMatchObject({ 'my-model': 0.5, 'other-model': 1 })
    await expect(table).toContainText('All models of your channels have a price.')
  })
})

test.describe('the log', () => {
  test('is cleaned before a time that is thirty days ago at first', async ({ page, gateway }) => {
    await openTab(page, gateway, 'operations')
    const time = page.getByLabel('Delete entries before')
    const days = (Date.now() - new Date(`${(await time.inputValue()).replace(' ', 'T')}+01:00`).getTime()) / 86_400_000
    expect(Math.abs(days - 30)).toBeLessThan(0.1)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('alertdialog')
    await expect(dialog).toContainText(await time.inputValue())
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expectToast(page, '0 logs cleaned')
  })

  test('says why it could not be cleaned', async ({ page, gateway }) => {
    await openTab(page, gateway, 'operations')
    await page.route('**/api/log/?*', (route) =>
      route.request().method() === 'DELETE' ? route.fulfill({ json: { success: false, message: 'the disk is full' } }) : route.fallback(),
    )
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await expectToast(page, 'log cleanup failed: the disk is full')
  })
})

test.describe('with services', () => {
  test.use({ hasServices: true })

  test('a test mail goes to the own address, and a test message to the pusher', async ({ page, gateway }) => {
    await gateway.ask('userRow', { id: gateway.root.id, email: 'root@example.com' })
    await openTab(page, gateway, 'system')
    await page.getByRole('button', { name: 'Send me a test email' }).click()
    await expectToast(page, 'Test email sent to root@example.com')
    expect(await gateway.ask('mail', 0)).toContain('Your mail server works.')
    await page.getByRole('button', { name: 'Send test message' }).click()
    await expectToast(page, 'Test message sent')
    expect(await gateway.ask('pushed', null)).toContain('test message')
    await field(page, 'SMTPAccount').fill('changed')
    await expect(page.getByRole('button', { name: 'Send me a test email' })).toBeDisabled()
  })

  test('a newer release is shown with its notes', async ({ page, gateway }) => {
    await openTab(page, gateway, 'other')
    await page.getByRole('button', { name: 'Check for update' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('Version v0.7.0 is available')
    await expect(dialog.locator('strong')).toHaveText('Faster')
    await expect(dialog.locator('script')).toHaveCount(0)
  })

  test('the same release is up to date', async ({ page, gateway }) => {
    await gateway.ask('nextRelease', { tag_name: 'v0.6.8', body: '' })
    await openTab(page, gateway, 'other')
    await page.getByRole('button', { name: 'Check for update' }).click()
    await expectToast(page, 'Up to date: v0.6.8 is the latest version')
  })
})

test.describe('other settings', () => {
  test('say that no release feed is set', async ({ page, gateway }) => {
    await openTab(page, gateway, 'other')
    await expect(page.getByRole('button', { name: 'Check for update' })).toBeDisabled()
    await expect(page.getByText('RELEASES_URL')).toBeVisible()
  })

  test('preview a text while it is typed, sanitised', async ({ page, gateway }) => {
    await openTab(page, gateway, 'other')
    await field(page, 'Notice').fill('**Hello** <img src=x onerror="window.hacked=1"> <script>window.hacked=1</script>')
    const preview = option(page, 'Notice').locator('[data-preview]')
    await expect(preview.locator('strong')).toHaveText('Hello')
    await expect(preview.locator('script, [onerror]')).toHaveCount(0)
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
    await field(page, 'HomePageContent').fill('https://example.com/page')
    await expect(option(page, 'HomePageContent')).toContainText('Shows https://example.com/page in a frame.')
    await field(page, 'Footer').fill('*not markdown*')
    await expect(option(page, 'Footer').locator('[data-preview]')).toHaveText('*not markdown*')
  })

  test('take a theme for the next start, and a name at once', async ({ page, gateway }) => {
    await openTab(page, gateway, 'other')
    await option(page, 'Theme').getByRole('combobox').click()
    await page.getByRole('option', { name: 'Berry' }).click()
    await field(page, 'SystemName').fill('My Gateway')
    await section(page, 'Appearance').getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('link', { name: 'My Gateway' })).toBeVisible()
    await expect(option(page, 'Theme')).toContainText('Takes effect after the server restarts.')
    await expect(option(page, 'Theme')).toContainText('Current value: Default.')
    expect(await stored(gateway, 'Theme')).toBe('berry')
  })
})

test.describe('finding an option', () => {
  test('an address leads to a section or an option', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    await page.goto('/setting?tab=system#turnstile')
    await expect(section(page, 'Bot check')).toBeInViewport()
    await page.goto('/setting?tab=system#SMTPFrom')
    await expect(field(page, 'SMTPFrom')).toBeFocused()
    await expect(field(page, 'SMTPFrom')).toBeInViewport()
  })

  test('the search finds options of every tab and goes to them', async ({ page, gateway }) => {
    await openTab(page, gateway, 'operations')
    const search = page.getByRole('searchbox', { name: 'Search settings' })
    await search.fill('smtp port')
    await search.press('Enter')
    await expect(page).toHaveURL(/tab=system#SMTPPort$/)
    await expect(field(page, 'SMTPPort')).toBeFocused()
    await search.fill('priceRules')
    await page.getByRole('link', { name: /Price rules/ }).click()
    await expect(field(page, 'PriceRules')).toBeFocused()
  })
})

test('a tab is filled with what is stored when it opens, not with what was read before', async ({ page, gateway }) => {
  await openTab(page, gateway, 'operations')
  const before = await field(page, 'RetryTimes').inputValue()
  const tabs = page.getByRole('navigation', { name: 'Settings sections' })
  await tabs.getByRole('link', { name: 'Personal' }).click()
  await expect(section(page, 'Login methods')).toBeVisible()
  await set(gateway, 'RetryTimes', String(Number(before) + 1))
  const response = await hold(page, '**/api/option/')
  await tabs.getByRole('link', { name: 'Operations' }).click()
  await expect(page.locator('main [aria-busy=true]').first()).toBeVisible()
  await expect(field(page, 'RetryTimes')).toHaveCount(0)
  response()
  await expect(field(page, 'RetryTimes')).toHaveValue(String(Number(before) + 1))
})

test.describe('unsaved values', () => {
  test('outlive a change of the tab, and prompt before the page is left', async ({ page, gateway }) => {
    await openTab(page, gateway, 'operations')
    await field(page, 'RetryTimes').fill('8')
    const tabs = page.getByRole('navigation', { name: 'Settings sections' })
    await tabs.getByRole('link', { name: 'System' }).click()
    await expect(section(page, 'SMTP')).toBeVisible()
    await tabs.getByRole('link', { name: 'Operations (unsaved changes)' }).click()
    await expect(field(page, 'RetryTimes')).toHaveValue('8')
    await page.getByRole('link', { name: 'Tokens' }).click()
    const dialog = page.getByRole('alertdialog')
    await expect(dialog).toContainText('Leave without saving?')
    await dialog.getByRole('button', { name: 'Stay' }).click()
    await expect(page).toHaveURL(/\/setting/)
    await page.getByRole('link', { name: 'Tokens' }).click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await expect(page).toHaveURL(/\/token/)
  })
})

test.describe('a session that ends in another tab', () => {
  test('does not lose typed values, which only their account gets back, without secrets', async ({ page, gateway }) => {
    await openTab(page, gateway, 'system')
    await field(page, 'SMTPFrom').fill('typed@example.com')
    await field(page, 'SMTPToken').fill('typed-secret')
    const drafts = () => page.evaluate(() => JSON.stringify(Object.entries(localStorage).filter(([key]) => key.startsWith('ui-draft:'))))
    await expect.poll(drafts).toContain('typed@example.com')
    expect(await drafts()).not.toContain('typed-secret')
    await page.evaluate(() => localStorage.removeItem('user'))
    await page.getByRole('link', { name: 'Tokens' }).click()
    await expect(page).toHaveURL(/login/)
    await page.evaluate((id) => localStorage.setItem('user', JSON.stringify({ id, role: 100 })), gateway.root.id)
    await page.goto('/setting?tab=system')
    await expect(field(page, 'SMTPFrom')).toHaveValue('typed@example.com')
    await expect(field(page, 'SMTPToken')).toHaveValue('')
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await expect(field(page, 'SMTPFrom')).toHaveValue('')
    await expect.poll(drafts).toBe('[]')
  })
})

test.describe('who may see them', () => {
  test('an administrator sees four tabs, an ordinary user one', async ({ page, gateway }) => {
    const admin = await gateway.ask('user', { role: 10 })
    await signIn(page, gateway, admin, 10)
    await page.goto('/setting')
    const tabs = page.getByRole('navigation', { name: 'Settings sections' })
    await expect(tabs.getByRole('link')).toHaveText(['Personal', 'Security', 'Notifications', 'Operations', 'System', 'Other'])
    await tabs.getByRole('link', { name: 'Operations' }).click()
    await expect(field(page, 'RetryTimes')).toHaveValue('3')
  })

  test('an ordinary user sees that the other tabs are for administrators', async ({ page, gateway }) => {
    const user = await gateway.ask('user', {})
    await signIn(page, gateway, user, 1)
    await page.goto('/setting?tab=system')
    await expect(page.getByText('Administrators only')).toBeVisible()
    await expect(page.getByRole('navigation', { name: 'Settings sections' }).getByRole('link')).toHaveText([
      'Personal',
      'Security',
      'Notifications',
    ])
  })

  test('a server that shows options to root only is queried, and its reason shown', async ({ page, gateway }) => {
    const admin = await gateway.ask('user', { role: 10 })
    await signIn(page, gateway, admin, 10)
    await page.route('**/api/option/', (route) => route.fulfill({ json: { success: false, message: 'only for root' } }))
    await page.goto('/setting?tab=system')
    await expect(page.getByText('only for root').first()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible()
  })
})
