import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { hostileTexts } from '../apps/server/test/content-corpus.ts'
import type { Script } from '../apps/server/test/fake-upstream.ts'
import { contentRules } from '../packages/contract/src/content.ts'
import { makeChannel } from './support/channels.ts'
import type { Gateway } from './support/gateway.ts'
import { logRow } from './support/log-rows.ts'
import { expect, expectToast, signIn, test } from './support/test.ts'

// Stored texts and responses of vendors on every page that shows them: they run nothing and send nothing to other sites. Requests to other
// sites fail every test: see `quiet` of support/test.ts.

const rowsOfPage = 10

test.beforeEach(() => test.slow())

/** The n-th text, repeating the list. */
const nth = (index: number): string => hostileTexts[index % hostileTexts.length] ?? ''

/** The text with white space and control characters as a page shows them. */
const plain = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

/** Records from now on everything that runs, opens or navigates. */
async function watch(page: Page): Promise<readonly string[]> {
  const seen: string[] = []
  await page.exposeBinding('ranHostileText', ({ frame }, what: unknown) => {
    seen.push(`ran: ${String(what)} in ${frame.url()}`)
  })
  await page.addInitScript(() => {
    // Holds: the binding above defines it, in frames too.
    const { ranHostileText } = window as unknown as { ranHostileText: (what: unknown) => void }
    for (const name of ['alert', 'confirm', 'prompt'] as const) Object.defineProperty(window, name, { value: ranHostileText })
  })
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => void seen.push(`popup: ${popup.url()}`))
  return seen
}

/** Elements that no page of the console uses. */
async function strangers(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const leading = ['href', 'xlink:href', 'src', 'srcdoc', 'data', 'action', 'formaction', 'poster', 'background']
    const isHostile = (element: Element): boolean =>
      element.matches(
        'iframe[src], iframe[srcdoc], iframe:not([sandbox]), frame, object, embed, base, math, marquee, xmp, isindex, custom-element, model, #root [id=root]',
      ) ||
      [...element.attributes].some(({ name }) => name.startsWith('on')) ||
      leading.some((name) => /evil\.example|^\W*(?:java\s*script|vbscript|data:text)/i.test(element.getAttribute(name) ?? ''))
    return [...document.querySelectorAll('*')].filter(isHostile).map((element) => element.outerHTML.slice(0, 200))
  })
}

/** Checks that the page shows the texts literally, and that none of them became an element or ran. */
async function expectHarmless(page: Page, texts: readonly string[], seen: readonly string[]): Promise<void> {
  const missing = async () => {
    const visible = plain(
      await page.evaluate(() =>
        [
          document.body.textContent,
          ...[...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value),
        ].join(' '),
      ),
    )
    return texts.filter((text) => !visible.includes(plain(text)))
  }
  // The page may still be loading: the time limit of the test ends the wait.
  await expect.poll(missing, { timeout: 0 }).toEqual([])
  expect(await strangers(page)).toEqual([])
  expect(seen).toEqual([])
}

/** Reads a list to its end, newest row first. */
async function expectHarmlessList(
  page: Page,
  texts: readonly string[],
  textsOfRow: (text: string, index: number) => readonly string[],
  seen: readonly string[],
): Promise<void> {
  const rows = texts.toReversed()
  for (let first = 0; first < rows.length; first += rowsOfPage) {
    const batch = rows.slice(first, first + rowsOfPage).flatMap((text, at) => textsOfRow(text, texts.length - 1 - first - at))
    await expectHarmless(page, batch, seen)
    if (first + rowsOfPage < rows.length) await page.getByRole('button', { name: 'Next page' }).click()
  }
}

/** Texts in each name, so that the list has few pages. A text that swallows the following ones still runs nothing. */
const textsOfName = 4
const names = Array.from({ length: Math.ceil(hostileTexts.length / textsOfName) }, (_, index) =>
  hostileTexts.slice(index * textsOfName, (index + 1) * textsOfName).join(' '),
)

test('names and models of tokens', async ({ page, gateway }) => {
  const ids = await gateway.ask('tokens', { owner: gateway.root, names })
  await gateway.ask('tokenRow', { id: ids[0] ?? 0, models: names.join(',') })
  await signIn(page, gateway, gateway.root)
  const seen = await watch(page)
  await page.goto('/token')
  await expectHarmlessList(page, names, (name) => [name], seen)
  await page.goto(`/token/edit/${ids[0]}`)
  await expectHarmless(page, [names[0] ?? ''], seen)
})

test('names, addresses, groups and models of channels', async ({ page, gateway }) => {
  const ids: number[] = []
  for (const name of names) {
    const id = await gateway.ask('channel', {})
    await gateway.ask('channelRow', { id, name, groups: nth(id + 7), models: nth(id + 13), base_url: nth(id + 19) })
    ids.push(id)
  }
  await signIn(page, gateway, gateway.root)
  const seen = await watch(page)
  await page.goto('/channel')
  await expectHarmlessList(page, names, (name) => [name], seen)
  await page.goto(`/channel/edit/${ids[0]}`)
  await expectHarmless(page, [names[0] ?? ''], seen)
})

test('channels where their choice is explained', async ({ page, gateway }) => {
  const channels = names.slice(0, rowsOfPage)
  for (const name of channels) await gateway.ask('channelRow', { id: await makeChannel(gateway, 'a name that may be stored'), name })
  // A channel is read again when it is changed by a call.
  await gateway.api('/api/channel/', { method: 'PUT', body: { id: 1, priority: 1 } })
  await signIn(page, gateway, gateway.root)
  const seen = await watch(page)
  await page.goto('/channel/route?model=gpt-4o-mini')
  await expect(page.getByRole('list', { name: 'Channels' }).getByRole('listitem')).toHaveCount(channels.length)
  await expectHarmless(page, channels, seen)
})

test('names of personal access tokens', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  const texts = hostileTexts.filter((text) => text.length <= 64 && /^[\x20-\x7E]+$/.test(text)).slice(0, 12)
  for (const name of texts) {
    await gateway.api('/api/access_token/', { method: 'POST', body: { name, scopes: ['log:read'], expired_time: -1 } })
  }
  const seen = await watch(page)
  await page.goto('/setting?tab=security')
  await expectHarmless(page, texts, seen)
  await page.getByRole('button', { name: `Revoke ${texts.at(-1)}`, exact: true }).click()
  await expect(page.getByRole('alertdialog')).toContainText(texts.at(-1) ?? '')
  await expectHarmless(page, texts, seen)
})

test('rows of the log', async ({ page, gateway }) => {
  const owner = { id: gateway.root.id, username: 'root' }
  const rows = names.map((name, index) =>
    logRow(owner, {
      token_name: name,
      model_name: nth(index),
      username: nth(index + 20),
      content: nth(index + 40),
      upstream_model: nth(index + 60),
      end_reason: nth(index + 10),
    }),
  )
  await gateway.ask('logs', rows)
  await signIn(page, gateway, gateway.root)
  const seen = await watch(page)
  await page.goto('/log')
  await expectHarmlessList(page, names, (name, index) => [name, nth(index), nth(index + 20), nth(index + 40)], seen)
  await page.getByRole('table', { name: 'Logs' }).getByRole('row').nth(1).getByRole('button').last().click()
  const first = names.length - 1 - rowsOfPage
  await expectHarmless(page, [nth(first + 40), nth(first + 60)], seen)
})

test('texts in the address of a page', async ({ page, gateway }) => {
  await signIn(page, gateway, gateway.root)
  const seen = await watch(page)
  for (const text of hostileTexts.slice(0, 3)) {
    await page.goto(`/log?token=${encodeURIComponent(text)}&user=${encodeURIComponent(text)}`)
    await expect(page.getByText('Nothing matches these filters.')).toBeVisible()
    await expectHarmless(page, [text], seen)
  }
})

test('names of accounts, their groups, and the name of the installation', async ({ page, gateway }) => {
  const user = await gateway.ask('user', {})
  await gateway.ask('userRow', { id: user.id, username: names[0] ?? '', display_name: names[1] ?? '', groups: hostileTexts.join(',') })
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'SystemName', value: names[2] } })
  await signIn(page, gateway, user, 1)
  const seen = await watch(page)
  await page.goto('/')
  await expectHarmless(page, [names[2] ?? ''], seen)
  await expect(page).toHaveTitle(/img|svg|script/i)
  await page.goto('/user/edit')
  await expectHarmless(page, [names[0] ?? '', names[1] ?? ''], seen)
})

/** All texts in messages of 500 characters, which is how much of a vendor's message is stored. */
function packed(): readonly string[] {
  const messages: string[] = []
  for (const text of hostileTexts) {
    const longer = `${messages.at(-1) ?? ''} ${text}`.trim()
    if (messages.length > 0 && longer.length < 500) messages[messages.length - 1] = longer
    else messages.push(text)
  }
  return messages
}
const messages = packed()

function failing(message: string): Script {
  return [
    { do: 'head', status: 400, headers: { 'content-type': 'application/json' } },
    { do: 'send', bytes: JSON.stringify({ error: { message, type: message, code: message, param: message } }) },
  ]
}

test('responses of vendors to tests of a channel: in the toast and in the log', async ({ page, gateway }) => {
  const id = await gateway.ask('channel', {})
  await gateway.ask('channelRow', { id, name: 'demo' })
  for (const message of messages) {
    await gateway.ask('script', [failing(message)])
    await expect(gateway.api(`/api/channel/test/${id}`)).rejects.toThrow('Test failed')
  }
  await signIn(page, gateway, gateway.root)
  const seen = await watch(page)
  await page.goto('/log')
  // Compares only the beginning, because paths and addresses may be removed from a vendor's message.
  await expectHarmlessList(page, messages, (message) => [message.slice(0, 20)], seen)
  await gateway.ask('script', [failing(messages[0] ?? '')])
  await page.goto('/channel')
  await page.getByRole('button', { name: /^Test.*demo/ }).click()
  await expectToast(page, `Test failed: ${messages[0]?.slice(0, 20)}`)
  await expectHarmless(page, [], seen)
})

test('responses of vendors to requests: in the details of the log', async ({ page, gateway }) => {
  await gateway.ask('channel', {})
  const [token] = await gateway.ask('tokens', { owner: gateway.root, names: ['demo'] })
  // Holds: the row of a token contains its key.
  const { key } = (await gateway.api(`/api/token/${token}`)) as { readonly key: string }
  for (const message of messages) {
    await gateway.ask('script', [failing(message)])
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: message }] }),
    })
    expect(response.status).toBe(400)
  }
  await signIn(page, gateway, gateway.root)
  const seen = await watch(page)
  await page.goto('/log')
  const details = page.getByRole('table', { name: 'Logs' }).getByRole('row').getByRole('button', { name: 'Details' })
  const sheet = page.getByRole('dialog', { name: /Log entry/ })
  for (const [index, message] of messages.toReversed().entries()) {
    if (index === rowsOfPage) await page.getByRole('button', { name: 'Next page' }).click()
    await details.nth(index % rowsOfPage).click()
    await expect(sheet).toContainText(message.slice(0, 10))
    await expectHarmless(page, [], seen)
    await page.keyboard.press('Escape')
    await expect(sheet).toBeHidden()
  }
})

/** A public text as HTML; a footer is never Markdown. */
interface Content {
  readonly html: string
  readonly isMarkdown: boolean
}

/** The page of another console, which inserts the HTML unchanged or after `marked`, without a content security policy. */
function otherConsole(contents: readonly Content[], marked: string): string {
  const json = JSON.stringify(contents).replaceAll('<', '\\u003c')
  return `<!doctype html><meta charset="utf-8"><title>other console</title><body><script>${marked}</script><script>
    const show = (html) => { const place = document.createElement('div'); place.innerHTML = html; document.body.append(place) }
    for (const { html, isMarkdown } of ${json}) { show(html); if (isMarkdown) show(marked.parse(html)) }
    document.body.dataset.shown = 'all'
  </script>`
}

async function openOtherConsole(page: Page, contents: readonly Content[]): Promise<void> {
  const marked = await readFile(join(import.meta.dirname, '../node_modules/marked/lib/marked.umd.js'), 'utf8')
  await page.route('**/other-console', (route) =>
    route.fulfill({ contentType: 'text/html', body: otherConsole(contents, marked.replaceAll('</script', '<\\/script')) }),
  )
  await page.goto('/other-console')
  await expect(page.locator('body')).toHaveAttribute('data-shown', 'all')
}

const markdown = [
  ['Notice', '/api/notice'],
  ['HomePageContent', '/api/home_page_content'],
  ['About', '/api/about'],
] as const

/** A text as the server sends it: as a footer, and as one of the other texts in turn. */
async function saveText(gateway: Gateway, value: string, index: number): Promise<readonly Content[]> {
  const [key, path] = markdown[index % markdown.length] ?? markdown[0]
  await gateway.api('/api/option/', { method: 'PUT', body: { key, value } })
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'Footer', value } })
  const html = String(await gateway.api(path))
  // Holds: the status contains the footer.
  const { footer_html } = (await gateway.api('/api/status')) as { readonly footer_html: string }
  return [
    { html, isMarkdown: true },
    { html: footer_html, isMarkdown: false },
  ]
}

test.describe('notice, home page, about and footer in a console that trusts the server', () => {
  test.describe('as the server sends them', () => {
    // The images in the texts do not exist.
    test.use({ tolerated: /^missing: |Failed to load resource/ })

    test('run nothing and do not navigate', async ({ page, gateway }) => {
      const contents: Content[] = []
      for (const [index, text] of hostileTexts.entries()) contents.push(...(await saveText(gateway, text, index)))
      const seen = await watch(page)
      await openOtherConsole(page, contents)
      expect(await strangers(page)).toEqual([])
      expect(seen).toEqual([])
      await expect(page).toHaveURL('/other-console')
    })
  })

  test.describe('unsanitized', () => {
    test.use({ tolerated: /./ })

    test('run, so that the test above can fail', async ({ page }) => {
      const seen = await watch(page)
      await page.route(/evil\.example/, (route) => route.abort())
      await openOtherConsole(
        page,
        hostileTexts.map((html) => ({ html, isMarkdown: true })),
      )
      await expect.poll(() => seen.length).toBeGreaterThan(10)
      expect((await strangers(page)).length).toBeGreaterThan(10)
    })
  })
})

/** Texts of one page, because a page for each would take minutes. A text that swallows the following ones still runs nothing. */
const textsOfPage = 13

/** Makes the server respond with texts that it has not sanitized, each with a marked element in front of it. */
async function bringContents(page: Page, text: string): Promise<void> {
  const marked = (name: string) => `<b title="${name}">${name}</b>${text}`
  const envelope = (data: unknown) => ({ json: { success: true, message: '', data } })
  await page.route('**/api/notice', (route) => route.fulfill(envelope(marked('a notice'))))
  await page.route('**/api/about', (route) => route.fulfill(envelope(marked('about'))))
  await page.route('**/api/home_page_content', (route) => route.fulfill(envelope(marked('a home page'))))
  await page.route('**/api/option/release', (route) => route.fulfill(envelope({ tag_name: 'v9.9.9', body: marked('release notes') })))
  await page.route('**/api/status', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    await route.fulfill({ response, json: { ...body, data: { ...body.data, footer_html: marked('a footer') } } })
  })
}

/** Elements and attributes in texts of administrators that the rules do not allow. */
async function refusedIn(page: Page): Promise<readonly string[]> {
  const elements = await page.locator('.stored-html').evaluateAll((boxes) =>
    boxes.flatMap((box) =>
      [...box.querySelectorAll('*')].map((element) => ({
        tag: element.localName,
        attributes: [...element.attributes].map(({ name, value }) => ({ name, value })),
      })),
    ),
  )
  return elements.flatMap(({ tag, attributes }) => [
    ...(contentRules.tags.includes(tag) ? [] : [tag]),
    ...attributes
      .filter(({ name, value }) => contentRules.valueOf(tag, name, value) !== value)
      .map(({ name, value }) => `${tag} ${name}="${value}"`),
  ])
}

test.describe('notice, home page, about, footer and release notes in our console', () => {
  // Without the policy, so that only the sanitizer of the console stands between the texts and the page.
  // The scripts of the tests themselves run in the empty sandboxed frames that are left of hostile ones.
  test.use({ bypassCSP: true, tolerated: /^thrown: Failed to read the '(?:local|session)Storage' .* is sandboxed/ })

  test('run nothing and contain only what the rules allow, even if the server sends them unsanitized', async ({ page, gateway }) => {
    await signIn(page, gateway, gateway.root)
    const seen = await watch(page)
    await page.addInitScript(() => localStorage.removeItem('ui-notice'))
    await page.route('**/api/option/details*', async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      await route.fulfill({ response, json: { ...body, data: { ...body.data, has_release_feed: true } } })
    })
    for (let index = 0; index < hostileTexts.length; index += textsOfPage) {
      await bringContents(page, hostileTexts.slice(index, index + textsOfPage).join('\n\n'))
      for (const [path, names] of [
        ['/', ['a home page', 'a notice', 'a footer']],
        ['/about', ['about', 'a notice', 'a footer']],
      ] as const) {
        await page.goto(path)
        for (const name of names) await expect(page.locator(`.stored-html [title="${name}"]`).first()).toBeVisible()
        expect(await refusedIn(page)).toEqual([])
        expect(await strangers(page)).toEqual([])
      }
      await page.goto('/setting?tab=other')
      await page.getByRole('button', { name: 'Check for update' }).click()
      await expect(page.locator('[role=dialog] .stored-html [title="release notes"]')).toBeVisible()
      expect(await refusedIn(page)).toEqual([])
      expect(await strangers(page)).toEqual([])
    }
    expect(seen).toEqual([])
  })
})
