import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CDPSession, Page } from '@playwright/test'
import type { Gateway } from './support/gateway.ts'
import { logRow } from './support/log-rows.ts'
import { expect, signIn, test, untilResponse } from './support/test.ts'

// Measures what a user waits for (`npm run speed`): medians beside their targets. It is no test and fails at no number, because machines
// differ.

const runs = 5

interface Machine {
  readonly name: string
  readonly viewport: { readonly width: number; readonly height: number }
  /** How many times slower the processor is. */
  readonly slowdown: number
  readonly network: { readonly latency: number; readonly downloadThroughput: number; readonly uploadThroughput: number } | null
}

const machines: readonly Machine[] = [
  { name: 'desktop', viewport: { width: 1440, height: 900 }, slowdown: 1, network: null },
  {
    name: 'middle phone',
    viewport: { width: 390, height: 844 },
    slowdown: 4,
    // 1.6 Mbit/s down, half of it up, in bytes a second.
    network: { latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 },
  },
]

/** Half an hour of the watched log, at one call every five seconds. */
const liveCalls = 360
const liveCallMs = 5_000

/** The most that each measure should be, on both machines: milliseconds, but for the shift of the layout and the heap. */
const targets = {
  'LCP of /login, nothing cached': [600, 2_300],
  'LCP of /token, cached': [400, 1_200],
  'first paint of /dashboard, cached': [400, 1_200],
  'charts of /dashboard, cached': [1_000, 3_000],
  'shift of the layout': [0.02, 0.05],
  'INP of all interactions (75th percentile)': [80, 200],
  'another page, its data cached': [80, 250],
  'opening the picker of 1,000 models': [60, 150],
  'script of a key in the picker': [16, 60],
  'script of appending ten rows': [20, 80],
  'script of 100 rows of the log': [60, 250],
  'changing the state of a row': [50, 100],
  'longest task after loading': [50, 150],
  'longest task of half an hour of the watched log': [50, 150],
  'MB that this half hour adds to the heap': [20, 20],
} as const

type Measure = keyof typeof targets
type Measured = Partial<Record<Measure, number>>

declare global {
  interface Window {
    speed: { lcp: number; shift: number; interactions: Map<number, number>; longest: number }
  }
}

for (const [column, machine] of machines.entries()) {
  test(`the console on a ${machine.name}`, async ({ browser, gateway }) => {
    test.setTimeout(20 * 60_000)
    await gateway.ask('channel', { models: 'gpt-4o,gpt-4o-mini' })
    const now = Math.floor(Date.now() / 1000)
    await gateway.ask(
      'logs',
      Array.from({ length: 150 }, (_, index) =>
        logRow(gateway.root, {
          content: `row ${index}`,
          model_name: `model-${index % 8}`,
          created_at: now - (150 - index) * 500,
          quota: 1_000,
        }),
      ),
    )
    for (let index = 0; index < 30; index += 1)
      await gateway.api('/api/token/', { method: 'POST', body: { name: `token ${index}`, remain_quota: 500_000 } })
    const measured: Measured[] = []
    for (let run = 0; run < runs; run += 1) {
      const context = await browser.newContext({ viewport: machine.viewport, baseURL: gateway.url })
      const page = await context.newPage()
      await signIn(page, gateway, gateway.root)
      measured.push(await measureAll(page, machine))
      await context.close()
    }
    const context = await browser.newContext({ viewport: machine.viewport, baseURL: gateway.url })
    measured.push(await measureLive(await context.newPage(), gateway, machine))
    await context.close()
    report(machine.name, column, measured)
  })
}

async function measureAll(page: Page, machine: Machine): Promise<Measured> {
  const devtools = await page.context().newCDPSession(page)
  // Time of the page's own thread: what else the machine does is not counted as the page's scripts.
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: machine.slowdown })
  if (machine.network !== null) {
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', { offline: false, ...machine.network })
  }
  await page.addInitScript(observe)
  const loading = await measureLoading(page)
  const work = await measureLists(page, devtools, machine.viewport.width < 640)
  const picker = await measurePicker(page, devtools)
  const { interactions } = await page.evaluate(() => ({ interactions: [...window.speed.interactions.values()] }))
  const sorted = interactions.toSorted((one, other) => one - other)
  return {
    ...loading,
    ...work,
    ...picker,
    // Shorter ones than 16 ms are not reported by browsers.
    'INP of all interactions (75th percentile)': sorted[Math.floor(sorted.length * 0.75)] ?? 16,
  }
}

async function measureLoading(page: Page): Promise<Measured> {
  await page.goto('/login')
  await page.getByRole('textbox').first().waitFor()
  await rest(page)
  const cold = await page.evaluate(() => window.speed.lcp)
  await page.goto('/token')
  await rowsOf(page, 10)
  await rest(page)
  await page.goto('/token')
  await rowsOf(page, 10)
  await rest(page)
  const { lcp, shift } = await page.evaluate(() => ({ lcp: window.speed.lcp, shift: window.speed.shift }))
  const dashboard = await measureDashboard(page)
  return { 'LCP of /login, nothing cached': cold, 'LCP of /token, cached': lcp, 'shift of the layout': shift, ...dashboard }
}

async function measureDashboard(page: Page): Promise<Measured> {
  const charts = page.getByRole('img', { name: 'Usage' })
  for (let visit = 0; visit < 2; visit += 1) {
    await page.goto('/dashboard')
    await charts.waitFor()
    await rest(page)
  }
  const { first, last } = await page.evaluate(() => ({
    first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    last: window.speed.lcp,
  }))
  return { 'first paint of /dashboard, cached': first, 'charts of /dashboard, cached': last }
}

async function measureLists(page: Page, devtools: CDPSession, isPhone: boolean): Promise<Measured> {
  await page.goto('/token')
  await rowsOf(page, 10)
  await rest(page)
  await page.evaluate(() => {
    window.speed.longest = 0
  })
  const append = await scriptOf(page, devtools, {
    press: "//button[@aria-label='Next page']",
    result: "//*[@data-row][1][contains(., 'token 19')]",
  })
  await rest(page)
  await page.getByRole('button', { name: 'More actions for token 19' }).click()
  const disable = page.getByRole(isPhone ? 'button' : 'menuitem', { name: /^(?:Disable|Enable)$/ })
  const label = (await disable.textContent()) === 'Disable' ? 'Disabled' : 'Enabled'
  const toggle = await toPaint(page, `//*[@data-row][1]//*[text()='${label}']`, () => disable.click())
  for (const name of ['Logs', 'Tokens']) {
    await openPage(page, name, isPhone)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await rowsOf(page, 10)
    await rest(page)
  }
  const route = await toPaint(page, "//h1[text()='Logs']/ancestor::main[.//*[@data-row]]", () => openPage(page, 'Logs', isPhone))
  const longest = await page.evaluate(() => window.speed.longest)
  await page.getByRole('combobox', { name: 'Rows per page' }).click()
  const rows = await scriptOf(page, devtools, {
    press: "//*[@role='option'][normalize-space(.) = '100']",
    result: '//*[count(*[@data-row]) = 100]',
  })
  return {
    'script of appending ten rows': append,
    'changing the state of a row': toggle,
    'another page, its data cached': route,
    'script of 100 rows of the log': rows,
    'longest task after loading': longest,
  }
}

async function measurePicker(page: Page, devtools: CDPSession): Promise<Measured> {
  const data = Array.from({ length: 1_000 }, (_, index) => ({
    id: `model-${String(index).padStart(4, '0')}`,
    object: 'model',
    created: 0,
    owned_by: 'test',
  }))
  await page.route('**/api/channel/models', (route) => route.fulfill({ json: { success: true, message: '', data } }))
  await page.goto('/channel/add')
  const field = page.getByRole('combobox', { name: 'Models' })
  await field.waitFor()
  await rest(page)
  const opening = await toPaint(page, "//*[@role='option']", () => field.click())
  const keys = 'model-0777'
  const before = await scriptMs(devtools)
  await page.keyboard.type(keys)
  const typing = (await scriptMs(devtools)) - before
  return { 'opening the picker of 1,000 models': opening, 'script of a key in the picker': typing / keys.length }
}

async function measureLive(page: Page, gateway: Gateway, machine: Machine): Promise<Measured> {
  await signIn(page, gateway, gateway.root)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: machine.slowdown })
  await page.clock.install()
  await page.addInitScript(observe)
  await page.goto('/log?live=on')
  await rowsOf(page, 10)
  await page.waitForLoadState('networkidle')
  await page.clock.pauseAt(Date.now() + 60_000)
  const before = await heapMb(devtools)
  await page.evaluate(() => {
    window.speed.longest = 0
  })
  for (let call = 0; call < liveCalls; call += 1) {
    await gateway.ask('logs', [logRow(gateway.root, { content: `live ${call}` })])
    await untilResponse(page, '/api/log/tail', () => page.clock.runFor(liveCallMs))
  }
  await expect(page.locator('[data-row]').first()).toBeVisible()
  const longest = await page.evaluate(() => window.speed.longest)
  const added = (await heapMb(devtools)) - before
  return { 'longest task of half an hour of the watched log': longest, 'MB that this half hour adds to the heap': added }
}

async function heapMb(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage')
  return (await devtools.send('Runtime.getHeapUsage')).usedSize / 1024 / 1024
}

/** Collects in the page what browsers report about loading, moving and waiting. */
function observe(): void {
  const speed = { lcp: 0, shift: 0, longest: 0, interactions: new Map<number, number>() }
  window.speed = speed
  const watch = (type: string, take: (entry: PerformanceEntry & Record<string, unknown>) => void, options = {}) =>
    new PerformanceObserver((list) => {
      // Holds: the members beside those of all entries are read by name and checked.
      for (const entry of list.getEntries()) take(entry as PerformanceEntry & Record<string, unknown>)
    }).observe({ type, buffered: true, ...options })
  watch('largest-contentful-paint', ({ startTime }) => {
    speed.lcp = startTime
  })
  watch('layout-shift', ({ value, hadRecentInput }) => {
    if (hadRecentInput !== true) speed.shift += Number(value)
  })
  watch('longtask', ({ duration }) => {
    speed.longest = Math.max(speed.longest, duration)
  })
  watch(
    'event',
    ({ interactionId, duration }) => {
      const id = Number(interactionId)
      if (id > 0) speed.interactions.set(id, Math.max(duration, speed.interactions.get(id) ?? 0))
    },
    { durationThreshold: 16 },
  )
}

/** From a click until the first frame that shows an element has been painted, in milliseconds. */
async function toPaint(page: Page, path: string, act: () => Promise<void>): Promise<number> {
  const measuring = page.evaluate(
    (xpath) =>
      new Promise<number>((resolve) => {
        const isShown = () => document.evaluate(xpath, document, null, XPathResult.BOOLEAN_TYPE).booleanValue
        let startMs = 0
        // The last click counts: a phone opens a menu first.
        addEventListener('click', ({ timeStamp }) => (startMs = timeStamp), { capture: true })
        const look = () => {
          // Before a frame is painted: what is there then is in it, and a message comes after it.
          if (startMs > 0 && isShown()) {
            const painted = new MessageChannel()
            painted.port1.onmessage = () => resolve(performance.now() - startMs)
            painted.port2.postMessage(null)
          } else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      }),
    path,
  )
  await act()
  return await measuring
}

interface Step {
  /** XPath of what is pressed, and of what is shown afterwards. */
  readonly press: string
  readonly result: string
}

/** How long scripts run from a press until its effect is shown, in milliseconds. In one step, because Playwright's own steps run scripts too. */
async function scriptOf(page: Page, devtools: CDPSession, step: Step): Promise<number> {
  const before = await scriptMs(devtools)
  await page.evaluate(
    ({ press, result }) =>
      new Promise<void>((resolve) => {
        const find = (path: string) => document.evaluate(path, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue
        const button = find(press)
        if (!(button instanceof HTMLElement)) throw new Error(`nothing to press at ${press}`)
        button.click()
        const look = () => (find(result) === null ? requestAnimationFrame(look) : setTimeout(resolve, 100))
        look()
      }),
    step,
  )
  return (await scriptMs(devtools)) - before
}

async function scriptMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0) * 1000
}

async function openPage(page: Page, name: string, isPhone: boolean): Promise<void> {
  if (isPhone) await page.getByRole('button', { name: 'Open the menu' }).click()
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name }).click()
}

const rowsOf = (page: Page, count: number) => expect(page.locator('[data-row]')).toHaveCount(count, { timeout: 60_000 })

/** Waits until the browser has nothing to do. */
async function rest(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
}

function report(name: string, column: number, measured: readonly Measured[]): void {
  const lines = Object.entries(targets).map(([measure, target]) => {
    // Holds: these are the keys of `targets`.
    const values = measured.flatMap((one) => one[measure as Measure] ?? []).toSorted((one, other) => one - other)
    const median = values[Math.floor(values.length / 2)] ?? Number.NaN
    const limit = target[column] ?? 0
    const text = limit < 1 ? median.toFixed(3) : median.toFixed(0)
    return `${text.padStart(8)} of ${String(limit).padStart(5)}${median > limit ? ' !' : '  '} ${measure}`
  })
  const folder = join(import.meta.dirname, '../test-results/speed')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${column}.txt`), `${name}, medians of ${runs} runs:\n${lines.join('\n')}\n`)
}
