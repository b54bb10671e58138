import type { Page } from '@playwright/test'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { officeTasks } from './support/office-tasks.ts'
import { expect, settle, signIn, test } from './support/test.ts'

// The pages that the specification does not have, by keyboard alone and without motion.

test.beforeEach(() => test.slow())

const pages = [
  ...['/playground?model=gpt-4o-mini', '/task', '/task/add', '/model', '/status', '/dashboard', '/channel/route?model=gpt-4o-mini'],
  ...['/setting?tab=notification', '/setting?tab=security'],
]

async function fill(gateway: Gateway): Promise<void> {
  await makeChannel(gateway, 'channel', { models: 'gpt-4o-mini,sora-2' })
  await gateway.ask('tokens', { owner: gateway.root, names: ['mine'] })
  await gateway.ask('tasks', officeTasks([gateway.root], 1, 1_760_000_000).slice(-3))
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'StatusPageEnabled', value: 'true' } })
  const rule = { kind: 'balance', scope: 'own', threshold: 1, hours: 1, is_on: true, target: 'mail', model_name: '', channel: 0, url: '' }
  await gateway.api('/api/notification/', { method: 'POST', body: { ...rule, name: 'low' } })
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.waitForLoadState('networkidle')
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  await settle(page)
}

/** Marks the element with the focus, and says what is wrong with how it is shown; `null` = the focus has left the page. */
const visit = (page: Page): Promise<readonly string[] | null> =>
  page.evaluate(() => {
    const element = document.activeElement
    if (element === null || element === document.body || element.hasAttribute('data-visited')) return null
    element.setAttribute('data-visited', '')
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect()
    const name = element.outerHTML.slice(0, 120)
    const wrong: string[] = []
    if (width === 0 || height === 0 || bottom <= 0 || top >= innerHeight) wrong.push(`not in sight: ${name}`)
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const ring = element.closest('[class*=focus-within]')
    if ((outlineStyle === 'none' || outlineWidth === '0px') && ring === null && !element.matches('[role=region], section, h1'))
      wrong.push(`no ring: ${name}`)
    const at = document.elementFromPoint((left + right) / 2, Math.min(Math.max((top + bottom) / 2, 1), innerHeight - 1))
    if (at !== null && !element.contains(at) && !at.contains(element) && at.closest('label')?.contains(element) !== true)
      wrong.push(`covered by ${at.outerHTML.slice(0, 80)}: ${name}`)
    return wrong
  })

/** What can be pressed or typed in, and was never reached. Only one of the tabs, and of the bars of a chart, is in the order. */
const missed = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'main :is(a[href], button, input, select, textarea, summary, [role=switch], [role=checkbox])',
      ),
    ]
      .filter((element) => element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true }) && !element.matches(':disabled'))
      .filter((element) => !element.hasAttribute('data-visited') && element.closest('[aria-hidden=true], [inert]') === null)
      .map((element) => element.outerHTML.slice(0, 140)),
  )

test('the pages can be walked by Tab alone: everything is reached, in sight, with a ring', async ({ page, gateway }) => {
  await fill(gateway)
  await signIn(page, gateway, gateway.root)
  const problems: string[] = []
  for (const path of pages) {
    await open(page, path)
    for (let presses = 0; presses < 400; presses += 1) {
      await page.keyboard.press('Tab')
      const wrong = await visit(page)
      if (wrong === null) break
      problems.push(...wrong.map((one) => `${path}: ${one}`))
    }
    problems.push(...(await missed(page)).map((one) => `${path}: never reached: ${one}`))
  }
  expect(problems).toEqual([])
})

test('nothing moves on the pages for readers who want no motion', async ({ page, gateway }) => {
  await fill(gateway)
  await signIn(page, gateway, gateway.root)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const problems: string[] = []
  for (const path of pages) {
    await open(page, path)
    const slow = await page.evaluate(() =>
      [...document.querySelectorAll('body, body *')].flatMap((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element)
        const isSlow = `${transitionDuration}, ${animationDuration}`.split(', ').some((duration) => Number.parseFloat(duration) > 0.001)
        return isSlow ? [element.outerHTML.slice(0, 100)] : []
      }),
    )
    problems.push(...slow.map((one) => `${path}: ${one}`))
  }
  expect(problems).toEqual([])
})

test('a prompt is written, sent and edited by keyboard', async ({ page, gateway }) => {
  await fill(gateway)
  await signIn(page, gateway, gateway.root)
  await open(page, '/playground?model=gpt-4o-mini')
  await page.getByRole('textbox', { name: 'Prompt', exact: true }).focus()
  await page.keyboard.type('How does a sluice work?')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-answer]')).toBeVisible()
  await page.getByRole('button', { name: 'Edit prompt' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Once more?')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Once more?')).toBeVisible()
})
