import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { nobody, type TestApp, testApp } from '../../../test/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const put = (key: string, value: string) => app.call(contract.option.update, { key, value })

/** What a visitor reads after an administrator saved the text. */
async function shown(text: string): Promise<string> {
  await put('Notice', text)
  return await app.data(contract.status.notice, {}, nobody)
}

test('notice, about and home page are empty until somebody writes them, and then everybody reads them', async () => {
  const read = async () => [
    await app.data(contract.status.notice, {}, nobody),
    await app.data(contract.status.about, {}, nobody),
    await app.data(contract.status.homePageContent, {}, nobody),
  ]
  expect(await read()).toEqual(['', '', ''])
  await put('Notice', '**Hello**')
  await put('About', '# About us')
  await put('HomePageContent', 'https://example.com/start?a=1&b=2')
  expect(await read()).toEqual(['**Hello**', '# About us', 'https://example.com/start?a=1&b=2'])
  for (const key of ['Notice', 'About', 'HomePageContent']) await put(key, '')
  expect(await read()).toEqual(['', '', ''])
})

test('Markdown comes out as it went in', async () => {
  for (const text of [
    '> quoted\n\n- AT&T & friends\n- a > b, a < b, 1 <2\n\n[link](https://example.com/?a=1&b=2)',
    '```\nif (a <= b && c >= d) {}\n```',
    'written out: &lt;b&gt;',
  ]) {
    expect(await shown(text)).toBe(text.replace('&gt;', '>'))
  }
  expect(await shown('see <https://example.com/?a=1&b=2>')).toBe('see https://example.com/?a=1&b=2')
})

test('no script of an administrator reaches the pages of others, however it is put', async () => {
  for (const text of [
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '<scr<script>ipt>alert(1)</scr</script>ipt>',
    '<<x>script>alert(1)<</x>/script>',
    '&lt;script&gt;alert(1)',
    '&amp;lt;script&amp;gt;alert(1)',
    '<svg onload=alert(1)>',
    '<iframe src="javascript:alert(1)"></iframe>',
    '<a href="javascript&#58;alert(1)">x</a>',
    '<math><mi xlink:href="data:x,<script>alert(1)</script>">',
    '<textarea><img title="</textarea><img src=x onerror=alert(1)>"></textarea>',
    '<style>*{display:none}</style><form action="/api/user/logout"><input></form>',
    '<https://x/><script>alert(1)</script>',
    '<!--><script>alert(1)</script>-->',
  ]) {
    const html = await shown(text)
    expect([text, html]).toEqual([
      text,
      expect.not.stringMatching(/<\s*\/?(?:script|svg|iframe|math|style|form|input|textarea)|<[^>]*(?:onerror|onload|javascript)/i),
    ])
    expect(await shown(html)).toBe(html)
  }
})

test('the pages may frame the addresses that the home page and the about page are, and no other', async () => {
  const consoleFiles = { serve: async () => new Response('page'), scriptHashes: [] }
  const paged = await testApp({ consoleFiles })
  const frames = async () => /frame-src ([^;]*)/.exec((await paged.request('/')).headers.get('content-security-policy') ?? '')?.[1] ?? ''
  const before = await frames()
  await paged.call(contract.option.update, { key: 'HomePageContent', value: 'https://home.example/start' })
  await paged.call(contract.option.update, { key: 'About', value: 'https://about.example is where we are' })
  expect(await frames()).toBe(`${before} https://home.example`)
  await paged.close()
})

test('a theme has one of three names and takes effect at the next start', async () => {
  expect((await put('Theme', 'nonsense')).success).toBe(false)
  expect((await put('Theme', 'berry')).success).toBe(true)
  expect((await app.data(contract.option.list, {})).find(({ key }) => key === 'Theme')?.value).toBe('berry')
  expect((await app.data(contract.status.get, {}, nobody)).theme).toBe('default')
})
