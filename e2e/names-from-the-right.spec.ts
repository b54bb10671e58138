import type { Page } from '@playwright/test'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { logRow } from './support/log-rows.ts'
import { expect, settle, signIn, test } from './support/test.ts'

// Names that are written from the right, and names without a place to break, on all pages: nothing beside a name changes its order, and
// nothing leaves the window.

test.use({ tolerated: /./ })
test.beforeEach(() => test.slow())

const arabic = 'مفتاح الإنتاج 7'
const hebrew = `מפתח-${'א'.repeat(240)}`
const now = Math.floor(Date.now() / 1000)

interface RowIds {
  readonly user: number
  readonly channel: number
  readonly token: number
  readonly redemption: number
}

async function fill(gateway: Gateway): Promise<RowIds> {
  const user = await gateway.ask('user', {})
  await gateway.ask('userRow', { id: user.id, username: arabic, display_name: hebrew, groups: `default,${arabic}`, email: hebrew })
  const models = `${arabic},${hebrew},gpt-4o-mini`
  const channel = await makeChannel(gateway, 'channel', { models: 'gpt-4o-mini' })
  await gateway.ask('channelRow', { id: channel, name: arabic, groups: `default,${arabic}`, models })
  const other = await makeChannel(gateway, 'another', { models: 'gpt-4o-mini' })
  await gateway.ask('channelRow', { id: other, name: hebrew, models })
  for (const id of [channel, other]) await gateway.api('/api/channel/', { method: 'PUT', body: { id, priority: 1 } })
  const [token = 0, next = 0] = await gateway.ask('tokens', { owner: gateway.root, names: ['one', 'two'] })
  await gateway.ask('tokenRow', { id: token, name: arabic, models })
  await gateway.ask('tokenRow', { id: next, name: hebrew })
  await gateway.api('/api/redemption/', { method: 'POST', body: { name: 'a name', quota: 1_000, count: 2 } })
  // Holds: the list begins with the new codes.
  const codes = (await gateway.api('/api/redemption/?p=0')) as readonly { readonly id: number }[]
  for (const [index, { id }] of codes.entries()) await gateway.ask('redemptionRow', { id, name: index === 0 ? arabic : hebrew })
  const logs = [arabic, hebrew].map((name, index) =>
    logRow(
      { id: user.id, username: name },
      {
        created_at: now - 60 - index,
        token_name: name,
        model_name: name,
        content: name,
        quota: 500,
        channel_id: channel,
        request_id: name,
      },
    ),
  )
  const topUp = logRow({ id: gateway.root.id, username: 'root' }, { type: 1, content: arabic, created_at: now - 30, quota: 500 })
  await gateway.ask('logs', [...logs, topUp])
  const task = { userId: gateway.root.id, channelId: channel, kind: 'videos', quota: 0, createdAt: now - 60 } as const
  for (const name of [arabic, hebrew])
    await gateway.ask('tasks', [{ ...task, state: 'failed', model: name, prompt: name, error: { code: 'failed', message: name } }])
  const rule = {
    kind: 'errors',
    scope: 'all',
    threshold: 20,
    hours: 1,
    is_on: true,
    target: 'mail',
    model_name: arabic,
    channel: 0,
    url: '',
  }
  await gateway.api('/api/notification/', { method: 'POST', body: { ...rule, name: arabic } })
  await gateway.api('/api/notification/', { method: 'POST', body: { ...rule, name: hebrew.slice(0, 64), model_name: hebrew } })
  for (const [key, value] of [
    ['StatusPageEnabled', 'true'],
    ['Notice', arabic],
    ['About', `${arabic} - 7 seconds`],
  ])
    await gateway.api('/api/option/', { method: 'PUT', body: { key, value } })
  return { user: user.id, channel, token, redemption: codes[0]?.id ?? 0 }
}

/** What the names have done to the page. */
const faults = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const problems: string[] = []
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) {
      const wide = [...document.querySelectorAll('main *')].filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      problems.push(`the page is ${scrollWidth} wide instead of ${clientWidth}: ${wide.at(-1)?.outerHTML.slice(0, 200)}`)
    }
    const fromTheRight = /[\u0590-\u08FF]/
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = (node.textContent ?? '').replaceAll(/\u2068[^\u2069]*\u2069/g, '')
      const parent = node.parentElement
      if (!fromTheRight.test(text) || parent === null || !parent.checkVisibility() || parent.closest('option, datalist, .sr-only') !== null)
        continue
      let box: Element = parent
      const isInline = (element: Element) => {
        const { display, unicodeBidi } = getComputedStyle(element)
        return /^(?:inline|contents)$/.test(display) && !/isolate|plaintext/.test(unicodeBidi)
      }
      while (isInline(box) && box.parentElement !== null) box = box.parentElement
      const isAlone = (box.textContent ?? '').trim() === (node.textContent ?? '').trim()
      const others = text.replaceAll(/[\u0590-\u08FF][\u0590-\u08FF\s\d-]*/g, '').trim()
      const isData = /isolate|plaintext/.test(getComputedStyle(box).unicodeBidi) || box.matches('pre, code, textarea')
      if (!isData && (!isAlone || others !== ''))
        problems.push(`turns what is beside it: ${text.slice(0, 40)} in ${box.outerHTML.slice(0, 240)}`)
    }
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const isCut = element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).textOverflow === 'ellipsis'
      if (!isCut || element.matches('input, select') || !element.checkVisibility() || !fromTheRight.test(element.textContent)) continue
      const title = element.closest('[title]') ?? element.querySelector('[title]')
      if (title === null) problems.push(`cut without a way to read it: ${element.outerHTML.slice(0, 200)}`)
    }
    return problems
  })

const windows = [
  { size: 'a desktop', viewport: { width: 1440, height: 900 }, isMobile: false },
  { size: 'a window at 200 %', viewport: { width: 720, height: 450 }, isMobile: false },
  { size: 'a phone', viewport: { width: 390, height: 844 }, isMobile: true },
]

for (const { size, viewport, isMobile } of windows) {
  test.describe(`on ${size}`, () => {
    test.use({ viewport, isMobile, hasTouch: isMobile })

    test('names from the right and without a break change nothing around them', async ({ page, gateway }) => {
      const { user, channel, token, redemption } = await fill(gateway)
      await signIn(page, gateway, gateway.root)
      const name = encodeURIComponent(arabic)
      const paths = [
        ...[
          '/channel',
          `/channel?row=${channel}`,
          `/channel/edit/${channel}`,
          `/channel/route?model=${name}`,
          `/channel/route?model=gpt-4o-mini`,
        ],
        ...['/token', `/token?row=${token}`, `/token/edit/${token}`, '/redemption', `/redemption?row=${redemption}`],
        ...[
          '/user',
          `/user?row=${user}`,
          `/user/edit/${user}`,
          '/log',
          `/log?token=${name}`,
          '/log?row=1',
          '/task',
          '/task?row=1',
          '/task/add',
        ],
        ...['model', 'channel', 'user', 'token'].map((group) => `/dashboard?group=${group}`),
        ...['/model', `/model?name=${name}`, `/playground?model=${name}`, '/status', '/topup', '/about', '/'],
        ...['notification', 'security', 'personal', 'operations'].map((tab) => `/setting?tab=${tab}`),
      ]
      const problems: string[] = []
      for (const path of paths) {
        await page.goto(path)
        await page.waitForLoadState('networkidle')
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
        await settle(page)
        problems.push(...(await faults(page)).map((fault) => `${path}: ${fault}`))
      }
      expect(problems).toEqual([])
    })
  })
}
