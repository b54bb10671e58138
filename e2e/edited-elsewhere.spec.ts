import type { Page } from '@playwright/test'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { expect, expectToast, signIn, test, writesOf } from './support/test.ts'

// Two tabs with the form of one row: what one of them saves is not overwritten by the other without a question.

interface Field {
  readonly label: string
  /** On the wire. */
  readonly name: string
  readonly values: readonly [theirs: string, mine: string]
}

interface Noun {
  readonly noun: string
  readonly make: (gateway: Gateway) => Promise<number>
  readonly saved: string
  readonly fields: readonly [Field, Field]
}

const nouns: readonly Noun[] = [
  {
    noun: 'channel',
    make: (gateway) => makeChannel(gateway, 'before'),
    saved: 'channel updated',
    fields: [
      { label: 'Name', name: 'name', values: ['theirs', 'mine'] },
      { label: 'Priority', name: 'priority', values: ['7', '8'] },
    ],
  },
  {
    noun: 'redemption',
    async make(gateway) {
      await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'before', quota: 1_000, count: 1 } })
      // Holds: the list contains the new code, as its first row.
      const [code] = (await gateway.api('/api/redemption/?p=0')) as readonly { readonly id: number }[]
      return code?.id ?? 0
    },
    saved: 'redemption updated',
    fields: [
      { label: 'Name', name: 'name', values: ['theirs', 'mine'] },
      { label: 'Quota', name: 'quota', values: ['2000', '3000'] },
    ],
  },
  {
    noun: 'user',
    make: async (gateway) => (await gateway.ask('user', {})).id,
    saved: 'user updated',
    fields: [
      { label: 'Display name', name: 'display_name', values: ['theirs', 'mine'] },
      { label: 'Username', name: 'username', values: ['theirs-2', 'mine-2'] },
    ],
  },
  {
    noun: 'token',
    make: async (gateway) => (await gateway.ask('tokens', { owner: gateway.root, names: ['before'] }))[0] ?? 0,
    saved: 'token updated',
    fields: [
      { label: 'Name', name: 'name', values: ['theirs', 'mine'] },
      { label: 'Requests per minute', name: 'requests_per_minute', values: ['60', '30'] },
    ],
  },
]

const fieldOf = (page: Page, { label }: Field) => page.locator('main form').getByRole('textbox', { name: new RegExp(`^${label}`) })
const panel = (page: Page) => page.getByRole('region', { name: 'Someone else changed this in the meantime' })
const save = (page: Page) => page.locator('form button[type=submit]').click()

async function unfold(page: Page): Promise<void> {
  await page.locator('form details').evaluateAll((sections) => sections.forEach((section) => section.setAttribute('open', '')))
}

/** Opens the form of a row here and in a second tab. @returns the second tab */
async function twoTabs(page: Page, path: string): Promise<Page> {
  const second = await page.context().newPage()
  for (const tab of [page, second]) {
    await tab.goto(path)
    await expect(tab.locator('form button[type=submit]')).toBeVisible()
    await unfold(tab)
  }
  return second
}

for (const { noun, make, saved, fields } of nouns) {
  const [first, second] = fields
  const storedOf = async (gateway: Gateway, id: number) => {
    // Holds: a row is an object.
    const row = (await gateway.api(`/api/${noun}/${id}`)) as Readonly<Record<string, unknown>>
    return fields.map(({ name }) => String(row[name]))
  }

  test.describe(`a form of a ${noun} that another tab has saved meanwhile`, () => {
    test('keeps the other fields as they were saved there', async ({ page, gateway }) => {
      await signIn(page, gateway, gateway.root)
      const id = await make(gateway)
      const old = await twoTabs(page, `/${noun}/edit/${id}`)
      await fieldOf(page, first).fill(first.values[0])
      await save(page)
      await expectToast(page, saved)
      await fieldOf(old, second).fill(second.values[1])
      await save(old)
      await expect.poll(() => storedOf(gateway, id)).toEqual([first.values[0], second.values[1]])
      await expect(fieldOf(old, first)).toHaveValue(first.values[0])
    })

    test('asks for each field that both have changed, before it is saved again', async ({ page, gateway }) => {
      await signIn(page, gateway, gateway.root)
      const id = await make(gateway)
      const old = await twoTabs(page, `/${noun}/edit/${id}`)
      for (const field of fields) await fieldOf(page, field).fill(field.values[0])
      await save(page)
      await expectToast(page, saved)
      for (const field of fields) await fieldOf(old, field).fill(field.values[1])
      await save(old)
      await expect(panel(old)).toBeFocused()
      for (const { values } of fields) for (const value of values) await expect(panel(old)).toContainText(value)
      expect(await storedOf(gateway, id)).toEqual([first.values[0], second.values[0]])
      const writes = writesOf(old)
      await old.keyboard.press('Control+s')
      await expect(panel(old)).toBeFocused()
      await panel(old)
        .getByRole('button', { name: `Keep mine: ${first.label}` })
        .click()
      await panel(old)
        .getByRole('button', { name: `Take theirs: ${second.label}` })
        .click()
      await expect(panel(old)).toHaveCount(0)
      await expect(fieldOf(old, first)).toHaveValue(first.values[1])
      await expect(fieldOf(old, second)).toHaveValue(second.values[0])
      expect(writes).toEqual([])
      await save(old)
      await expect.poll(() => storedOf(gateway, id)).toEqual([first.values[1], second.values[0]])
    })
  })
}

test.describe('entries that were typed before somebody else saved', () => {
  const name: Field = { label: 'Name', name: 'name', values: ['theirs', 'mine'] }
  const nameOf = async (gateway: Gateway) => (await gateway.api('/api/token/1')) as { readonly name: string }

  /** Types into the form of a token, and changes the token elsewhere. */
  async function typeAndChange(page: Page, gateway: Gateway): Promise<void> {
    await signIn(page, gateway, gateway.root)
    await gateway.ask('tokens', { owner: gateway.root, names: ['before'] })
    await page.goto('/token/edit/1')
    await fieldOf(page, name).fill('mine')
    await gateway.api('/api/token/', { method: 'PUT', body: { id: 1, name: 'theirs' } })
  }

  test('prompt when they were restored, also after another reload', async ({ page, gateway }) => {
    await typeAndChange(page, gateway)
    const stored = () => page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith('ui-draft:')))
    await expect.poll(stored).toBe(true)
    for (const _ of ['once', 'again']) {
      await page.reload()
      await expect(fieldOf(page, name)).toHaveValue('mine')
      await save(page)
      await expect(panel(page)).toContainText('theirs')
      expect(await nameOf(gateway)).toMatchObject({ name: 'theirs' })
    }
    await panel(page).getByRole('button', { name: 'Keep mine: Name' }).click()
    await save(page)
    await expectToast(page, 'token updated')
    expect(await nameOf(gateway)).toMatchObject({ name: 'mine' })
  })

  test('do not prompt when they were discarded', async ({ page, gateway }) => {
    await typeAndChange(page, gateway)
    await page.reload()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await fieldOf(page, name).fill('anew')
    await save(page)
    await expectToast(page, 'token updated')
    expect(await nameOf(gateway)).toMatchObject({ name: 'anew' })
  })

  test('prompt when the connection was lost while they were saved', async ({ page, gateway }) => {
    await typeAndChange(page, gateway)
    await page.route('**/api/token/', (route) => (route.request().method() === 'PUT' ? route.abort() : route.fallback()))
    await save(page)
    await expect(page.getByText('Saved values differ from yours')).toBeVisible()
    await page.unroute('**/api/token/')
    await save(page)
    await expect(panel(page)).toContainText('theirs')
    expect(await nameOf(gateway)).toMatchObject({ name: 'theirs' })
  })
})

test('what differs in lists and in the configuration is shown, without the rest', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  const models = Array.from({ length: 20 }, (_, nth) => `model-${nth}`)
  const id = await makeChannel(gateway, 'bedrock', { type: 33, key: 'ak|sk|eu-west-1', models: models.join(',') })
  const config = (region: string) => JSON.stringify({ region, ak: 'ak', sk: '' })
  await gateway.api('/api/channel/', { method: 'PUT', body: { id, config: config('eu-west-1') } })
  await page.goto(`/channel/edit/${id}`)
  await page.getByRole('textbox', { name: /^Region/ }).fill('us-east-1')
  await page.getByRole('button', { name: 'Remove model-0' }).click()
  const theirs = { config: config('ap-south-1'), models: models.slice(0, -1).join(',') }
  await gateway.api('/api/channel/', { method: 'PUT', body: { id, ...theirs } })
  await save(page)
  await expect(panel(page)).toContainText('Region: us-east-1')
  await expect(panel(page)).toContainText('Region: ap-south-1')
  await expect(panel(page)).not.toContainText('Access key')
  await expect(panel(page)).toContainText('model-19, and 18 more in both')
  await expect(panel(page)).toContainText('model-0, and 18 more in both')
})
