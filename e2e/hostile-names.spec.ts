import type { Page } from '@playwright/test'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { logRow } from './support/log-rows.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

// Names that mean ill for the page around them: markup, a mark that turns what follows, a character of control, and no place to break.

test.use({ tolerated: /./ })
test.beforeEach(() => test.slow())

const beginning = '<b>x</b>\u202Eturned'
const hostile = `${beginning}\u0007\u200B${'w'.repeat(200)}`
/** What is shown of it where it stands in a sentence. */
const plain = hostile.replace('\u202E', '')

const now = Math.floor(Date.now() / 1000)

interface RowIds {
  readonly user: number
  readonly channel: number
  readonly token: number
  readonly redemption: number
  readonly log: number
}

/** One row of each kind with the name; two models, so that a channel's test model can be chosen. */
async function fill(gateway: Gateway): Promise<RowIds> {
  const user = await gateway.ask('user', {})
  await gateway.ask('userRow', {
    id: user.id,
    username: hostile,
    display_name: hostile,
    groups: hostile,
    email: hostile,
    github_id: hostile,
  })
  const channel = await makeChannel(gateway, 'a name that may be stored')
  const models = `${hostile},gpt-4o-mini`
  await gateway.ask('channelRow', { id: channel, name: hostile, groups: `default,${hostile}`, models })
  // A channel is read again when it is changed by a call.
  await gateway.api('/api/channel/', { method: 'PUT', body: { id: channel, priority: 1 } })
  const [token = 0] = await gateway.ask('tokens', { owner: gateway.root, names: [hostile] })
  await gateway.ask('tokenRow', { id: token, models })
  await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'a name', quota: 1_000, count: 1 } })
  // Holds: the list contains the new code, as its first row.
  const [code] = (await gateway.api('/api/redemption/?p=0')) as readonly { readonly id: number }[]
  const redemption = code?.id ?? 0
  await gateway.ask('redemptionRow', { id: redemption, name: hostile })
  const row = { created_at: now - 60, token_name: hostile, model_name: hostile, upstream_model: hostile, content: hostile, quota: 500 }
  await gateway.ask('logs', [logRow({ id: user.id, username: hostile }, { ...row, channel_id: channel, request_id: hostile })])
  const task = { userId: gateway.root.id, channelId: channel, kind: 'videos', state: 'failed', quota: 0, createdAt: now - 60 } as const
  await gateway.ask('tasks', [{ ...task, model: hostile, prompt: hostile, error: { code: 'failed', message: hostile } }])
  // Holds: the list contains the row, as its newest request.
  const [entry] = (await gateway.api('/api/log/?p=0&type=2')) as readonly { readonly id: number }[]
  return { user: user.id, channel, token, redemption, log: entry?.id ?? 0 }
}

/** What the page shows, also in its fields. */
const visibleText = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(({ value }) => value)
    return [document.body.textContent, ...fields].join(' ')
  })

/** What the names have done to the page. */
const faults = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const problems: string[] = []
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) {
      const wide = [...document.querySelectorAll('main *')].filter((element) => element.getBoundingClientRect().right > clientWidth).at(-1)
      problems.push(`the page is ${scrollWidth} wide instead of ${clientWidth}: ${wide?.outerHTML.slice(0, 200)}`)
    }
    if ([...document.querySelectorAll('b')].some(({ textContent }) => textContent === 'x'))
      problems.push('markup of a name became an element')
    const isInline = (element: Element): boolean => {
      const { display, unicodeBidi } = getComputedStyle(element)
      return /^(?:inline|contents)$/.test(display) && !/isolate|plaintext/.test(unicodeBidi)
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = node.textContent ?? ''
      if (!text.includes('\u202E')) continue
      const parent = node.parentElement
      if (parent === null || !parent.checkVisibility()) continue
      let box: Element = parent
      while (isInline(box) && box.parentElement !== null) box = box.parentElement
      const range = document.createRange()
      range.setStartAfter(node)
      range.setEnd(box, box.childNodes.length)
      const after = text.replace(/^.*\u202E\S*/su, '') + range.toString()
      if (after.trim() !== '') problems.push(`turned after a name: ${after.slice(0, 60)} in ${box.outerHTML.slice(0, 200)}`)
    }
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const isCut = element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).textOverflow === 'ellipsis'
      if (!isCut || element.matches('input') || !element.checkVisibility() || !element.textContent.includes('wwwwwwwwww')) continue
      const title = element.closest('[title]')?.getAttribute('title') ?? element.querySelector('[title]')?.getAttribute('title') ?? ''
      if (!title.includes('w'.repeat(200))) problems.push(`cut without a way to read it: ${element.outerHTML.slice(0, 200)}`)
    }
    return problems
  })

/** Opens a page, waits until it shows the name, and expects that everything around it is as before. */
async function expectConsistent(page: Page, path: string, expected = beginning): Promise<void> {
  await page.goto(path)
  // The page may still be loading: the time limit of the test ends the wait.
  await expect.poll(() => visibleText(page), { timeout: 0 }).toContain(expected)
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  expect.soft(await faults(page), path).toEqual([])
}

for (const { size, viewport, isMobile } of [
  { size: 'a desktop', viewport: { width: 1440, height: 900 }, isMobile: false },
  { size: 'a phone', viewport: { width: 390, height: 844 }, isMobile: true },
]) {
  test.describe(`on ${size}`, () => {
    test.use({ viewport, isMobile, hasTouch: isMobile })

    test('names of all kinds change nothing beside them, and can be read whole', async ({ page, gateway }) => {
      const ids = await fill(gateway)
      await signIn(page, gateway, gateway.root)
      const lists = [
        ['/channel', ids.channel],
        ['/token', ids.token],
        ['/redemption', ids.redemption],
        ['/user', ids.user],
        ['/log', ids.log],
        ['/task', 1],
      ] as const
      for (const [path, row] of lists) {
        await expectConsistent(page, path)
        await expectConsistent(page, `${path}?row=${row}`)
        await expect.soft(page.getByRole('dialog'), path).toContainText(hostile)
      }
      for (const [path, row] of lists.slice(0, 4)) await expectConsistent(page, `${path}/edit/${row}`)
      for (const group of ['model', 'channel', 'user', 'token']) await expectConsistent(page, `/dashboard?group=${group}`)
      await expectConsistent(page, '/model')
      await expectConsistent(page, `/model?name=${encodeURIComponent(hostile)}`)
      await expectConsistent(page, '/channel/route?model=gpt-4o-mini')
      await expectConsistent(page, `/log?token=${encodeURIComponent(hostile)}`)
    })

    test('names where they are chosen, searched and mentioned', async ({ page, gateway }) => {
      const { user } = await fill(gateway)
      const own = `${hostile}1`
      await gateway.ask('userRow', { id: gateway.root.id, username: own, display_name: own, email: own, github_id: own })
      await gateway.ask('userRow', { id: user, username: `${hostile}2`, inviter_id: gateway.root.id })
      const root = { id: gateway.root.id, username: own }
      const topUp = { type: 1, content: hostile, created_at: now - 30, quota: 500 }
      await gateway.ask('logs', [logRow(root, topUp), logRow(root, { created_at: now - 60, model_name: hostile, served: 0 })])
      await gateway.api('/api/option/', { method: 'PUT', body: { key: 'StatusPageEnabled', value: 'true' } })
      await gateway.api('/api/log/series')
      await expectConsistent(page, '/status')
      await signIn(page, gateway, gateway.root)
      for (const path of ['/topup', '/user/edit', '/setting?tab=personal', '/setting?tab=operations', '/status?span=hours']) {
        await expectConsistent(
          page,
          path,
          path === '/setting?tab=operations' ? 'Retries' : path.includes('personal') ? plain.slice(0, 12) : beginning,
        )
      }
      // A phone has the choices in a sheet.
      await expectConsistent(page, `/playground?model=${encodeURIComponent(hostile)}`, isMobile ? 'Playground' : beginning)
      for (const picker of await page.locator('main').getByRole('combobox').filter({ visible: true }).all()) {
        await picker.click()
        await expect.soft(page.getByRole('option').first()).toBeVisible()
        expect.soft(await faults(page), 'a list of the playground').toEqual([])
        await page.keyboard.press('Escape')
      }
      await expectConsistent(page, '/token')
      await page.locator('header [aria-keyshortcuts]').click()
      await page.locator('[data-palette] input').fill('turned')
      await expect(page.getByRole('option').filter({ hasText: 'turned' })).not.toHaveCount(0)
      expect.soft(await faults(page), 'the palette').toEqual([])
    })

    test('questions and messages about a name', async ({ page, gateway }) => {
      const { token } = await fill(gateway)
      await signIn(page, gateway, gateway.root)
      await expectConsistent(page, `/token?row=${token}`)
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^More actions/ })
        .click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await expect(page.getByRole('alertdialog')).toContainText(plain)
      expect(await faults(page)).toEqual([])
      await page.goto('/channel')
      await gateway.ask('script', [
        [
          { do: 'head', status: 400, headers: { 'content-type': 'application/json' } },
          { do: 'send', bytes: JSON.stringify({ error: { message: hostile, type: 'invalid_request_error', code: null } }) },
        ],
      ])
      await page.getByRole('button', { name: /^Test.*turned/ }).click()
      await expectToast(page, '<b>x</b>turned')
      expect(await faults(page)).toEqual([])
    })
  })
}
