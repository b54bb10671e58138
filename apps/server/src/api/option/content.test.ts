import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contentRules, contract } from '@sluice/contract'
import { marked } from 'marked'
import { nobody, type TestApp, testApp } from '../../../test/app.ts'
import { harmlessHtml, harmlessMarkdown, hostileTexts } from '../../../test/content-corpus.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const put = (key: string, value: string) => app.call(contract.option.update, { key, value })

/** The text that a visitor gets after an administrator saved it. */
async function renderNotice(text: string): Promise<string> {
  await put('Notice', text)
  return await app.data(contract.status.notice, {}, nobody)
}

async function footerOf(text: string): Promise<string> {
  await put('Footer', text)
  return (await app.data(contract.status.get, {}, nobody)).footer_html
}

/** Everything in a text, parsed as HTML, that is not allowed. */
async function faultsOf(html: string): Promise<readonly string[]> {
  const faults: string[] = []
  const rewriter = new HTMLRewriter().on('*', {
    element({ tagName, attributes }) {
      if (!contentRules.tags.includes(tagName)) faults.push(tagName)
      for (const [name = '', value = ''] of attributes) {
        if (contentRules.valueOf(tagName, name, value.replaceAll('&amp;', '&')) === null) faults.push(`${tagName} ${name}="${value}"`)
        if (/javascript|vbscript|alert/i.test(value) && name !== 'title' && name !== 'alt') faults.push(value)
      }
    },
  })
  await rewriter.transform(new Response(html)).text()
  return faults
}

test('notice, about and home page are empty at first, and public when they are written', async () => {
  const read = async () => [
    await app.data(contract.status.notice, {}, nobody),
    await app.data(contract.status.about, {}, nobody),
    await app.data(contract.status.homePageContent, {}, nobody),
  ]
  expect(await read()).toEqual(['', '', ''])
  await put('Notice', '**Hello**')
  await put('About', '# About us')
  await put('HomePageContent', 'https://example.com/start?a=1&copy=2')
  expect(await read()).toEqual([
    '<div><p><strong>Hello</strong></p></div>',
    '<div><h1>About us</h1></div>',
    'https://example.com/start?a=1&copy=2',
  ])
  for (const key of ['Notice', 'About', 'HomePageContent']) await put(key, '')
  expect(await read()).toEqual(['', '', ''])
})

test('an administrator gets the text unchanged', async () => {
  const keys = ['Notice', 'Footer']
  for (const text of [...hostileTexts, ...harmlessMarkdown.map(([source]) => source)]) {
    for (const key of keys) expect(await put(key, text)).toMatchObject({ success: true })
    const stored = await app.data(contract.option.list, {})
    for (const key of keys) expect(stored.find((row) => row.key === key)?.value).toBe(text)
  }
})

test('harmless texts are shown as written', async () => {
  for (const [text, html] of harmlessMarkdown) expect([text, await renderNotice(text)]).toEqual([text, html])
  for (const [text, html] of harmlessHtml) expect([text, await footerOf(text)]).toEqual([text, html])
})

test('a console that renders the notice as Markdown again shows the same', async () => {
  for (const text of [...hostileTexts, ...harmlessMarkdown.map(([source]) => source)]) {
    const html = await renderNotice(text)
    if (html.startsWith('<div>')) expect(marked.parse(html, { async: false }).trim()).toBe(html)
    else expect(html).toMatch(/^https?:\/\/\S+$|^$/)
  }
})

test('no script of an administrator runs in pages of others, however it is written', async () => {
  for (const text of hostileTexts) {
    for (const html of [await renderNotice(text), await footerOf(text)]) {
      expect([text, html, await faultsOf(html)]).toEqual([text, html, []])
      expect(html).not.toMatch(/style="[^"]*fixed/i)
      const bare = html.replace(/"[^"]*"/g, '""')
      expect(bare).not.toMatch(/<\s*\/?(?:script|svg|math|style|form|input|textarea|button|object)|<[^>]*\son\w+=/i)
    }
  }
})

test('pages may frame only the addresses of the home page and the about page', async () => {
  const consoleFiles = { serve: async () => new Response('page'), scriptHashes: [], inDesign: () => consoleFiles }
  const paged = await testApp({ consoleFiles })
  const frames = async () => /frame-src ([^;]*)/.exec((await paged.request('/')).headers.get('content-security-policy') ?? '')?.[1] ?? ''
  const before = await frames()
  await paged.call(contract.option.update, { key: 'HomePageContent', value: ' https://home.example/start ' })
  await paged.call(contract.option.update, { key: 'About', value: 'https://about.example is where we are' })
  await paged.call(contract.option.update, { key: 'Notice', value: 'see <iframe width=1 src="https://framed.example/x"></iframe>' })
  expect(before).toBe("'none'")
  expect(await frames()).toBe('https://home.example https://framed.example')
  await paged.close()
})

test('a theme has one of three names and takes effect at the next start', async () => {
  expect((await put('Theme', 'nonsense')).success).toBe(false)
  expect((await put('Theme', 'berry')).success).toBe(true)
  expect((await app.data(contract.option.list, {})).find(({ key }) => key === 'Theme')?.value).toBe('berry')
  expect((await app.data(contract.status.get, {}, nobody)).theme).toBe('default')
})
