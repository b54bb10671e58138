import { join } from 'node:path'
import { expect, type Page, type Route } from '@playwright/test'
import type { TestUser } from '../apps/server/test/app.ts'
import { filledMoments } from './support/filled-moments.ts'
import type { Gateway } from './support/gateway.ts'
import { shotsNow as now, moments as openedMoments } from './support/moments.ts'
import { fillOffice } from './support/office.ts'
import { pages, pagesOfUsers, type Shot } from './support/shots.ts'
import { settle, signIn, test as withGateway } from './support/test.ts'

// Writes images of every page to test-results/screenshots (`npm run screenshots`), to be looked at one by one: both languages, colours
// and sizes; full, empty, loading and failing, and with what opens on them. It is no test.

const folder = join(import.meta.dirname, '../test-results/screenshots')

interface Office extends Gateway {
  readonly people: readonly TestUser[]
}

/** `office` is a server with data, which all images of a worker share; `gateway` has none. */
const test = withGateway.extend<object, { readonly office: Office }>({
  office: [
    async ({ host }, use) => {
      const office = await host.open({ hasServices: true })
      const people = await fillOffice(office, now / 1000)
      await use({ ...office, people })
      await office.close()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
test.use({ tolerated: /elsewhere: http:\/\/(?:127|localhost)/ })

const moments = [...openedMoments, ...filledMoments]

/** All of them in the other designs. */
const inDesigns: readonly Shot[] = (['berry', 'air'] as const).flatMap((design) =>
  [...pages, ...pagesOfUsers, ...moments].map((shot) => ({ ...shot, name: `${shot.name}-${design}`, design })),
)

const sizes: Readonly<Record<string, string>> = { 'screenshots-phone': 'phone', 'screenshots-zoom': 'zoom' }

/** The image of a small window has the whole page, except where something lies on it. */
async function shoot(page: Page, name: string): Promise<void> {
  await settle(page)
  const size = page.viewportSize() ?? { width: 0, height: 0 }
  const covers = page.locator('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]').filter({ visible: true })
  const isWhole = size.width < 1000 && (await covers.count()) === 0
  // An image of more than the window would lose the sizes that only a touch screen has.
  if (isWhole) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    await page.setViewportSize({ ...size, height: Math.max(size.height, height) })
    await settle(page)
  }
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
  if (isWhole) await page.setViewportSize(size)
}

const isDocument = ({ pathname }: URL): boolean => !/^\/(?:api|static|v1)\/|\.[a-z]+$/.test(pathname)

/** The server writes the design of the option Theme into every document. */
async function fulfillInDesign(route: Route, design: string): Promise<void> {
  const response = await route.fetch()
  const html = await response.text()
  await route.fulfill({ response, body: html.replace('data-design="default"', `data-design="${design}"`) })
}

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.waitForLoadState('networkidle')
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
}

for (const lang of ['en', 'zh'] as const) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const shot of [...pages, ...pagesOfUsers, ...moments, ...inDesigns]) {
      test(`${shot.name} ${lang} ${colorScheme}`, async ({ page, gateway, office }, { project }) => {
        const size = sizes[project.name] ?? 'desktop'
        // A window that is zoomed to 200 % has the cards and the menu of a phone.
        if (shot.only !== undefined && shot.only !== (size === 'desktop' ? size : 'phone')) return
        await page.clock.setFixedTime(now)
        // Without motion a skeleton stands still.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.addInitScript((chosen) => localStorage.setItem('ui-lang', JSON.stringify(chosen)), lang)
        const { name, path, design, isOpen = false, hasData = false, reads = hasData, isOfUser = false } = shot
        if (design !== undefined) await page.route(isDocument, (route) => fulfillInDesign(route, design))
        const file = `${name}-${size}-${colorScheme}-${lang}`
        if (hasData) {
          await signIn(page, gateway, gateway.root)
          await open(page, `${gateway.url}${path}`)
          await shoot(page, `${file}-empty`)
        }
        const [ann] = office.people
        if (isOfUser && ann !== undefined) await signIn(page, office, ann, 1)
        else if (!isOpen) await signIn(page, office, office.root)
        if (reads) await shootUnhappy(page, `${office.url}${path}`, file)
        if (shot.fails !== undefined) await page.route(shot.fails, (route) => route.fulfill({ status: 500, json: {} }))
        await open(page, `${office.url}${path}`)
        await prepare(page, shot)
        // Parts of a page may begin to load after its own data.
        await expect(page.locator('[data-page-loading], [aria-busy=true]')).toHaveCount(0)
        await shoot(page, file)
      })
    }
  }
}

async function prepare(page: Page, { act, shows }: Shot): Promise<void> {
  await act?.(page)
  if (shows !== undefined) await page.locator(shows).filter({ visible: true }).first().waitFor()
  if (act !== undefined) await page.waitForLoadState('networkidle')
}

const skeletonMs = 600

/** Shoots a page while its data loads, and after loading failed. */
async function shootUnhappy(page: Page, address: string, file: string): Promise<void> {
  // The own account is read by the frame of every page.
  const own = address.endsWith('/user/edit') ? '' : '(?!self$)'
  const calls = new RegExp(
    `/api/(?:(?:token|channel|redemption|user|log|task|option|model|route|session|passkey|access_token|notification)/${own}|second_factor|about|home_page_content)`,
  )
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(calls, async (route) => {
    await released
    await route.fulfill({ status: 500, json: {} })
  })
  const pending = page.waitForRequest(calls)
  await page.goto(address)
  await pending
  // A skeleton appears after a short while, so that fast responses show none.
  await page.waitForTimeout(skeletonMs)
  await shoot(page, `${file}-loading`)
  release()
  await page.waitForLoadState('networkidle')
  await shoot(page, `${file}-failing`)
  await page.unroute(calls)
}
