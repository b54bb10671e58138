import { afterEach, describe, expect, test } from 'bun:test'
import { Worker } from 'node:worker_threads'
import { contract } from '@sluice/contract'
import { nobody, type TestApp, testApp } from '../../../test/app.ts'
import { createTextRenderer, type TextRenderer } from './render-text.ts'

const opened: TextRenderer[] = []
afterEach(async () => {
  for (const texts of opened.splice(0)) await texts.close()
})

/** A renderer whose thread responds to the number of the job; the text `throw` fails. */
function counting(): TextRenderer {
  const helper = JSON.stringify(new URL('../../lib/serve-jobs.ts', import.meta.url).href)
  const run = `let jobs = 0; serveJobs(({ text }) => { jobs += 1; if (text === 'throw') throw new Error('no'); return { html: String(jobs), frames: [] } })`
  const texts = createTextRenderer(() => new Worker(`const { serveJobs } = await import(${helper}); ${run}`, { eval: true }))
  opened.push(texts)
  return texts
}

const htmlOf = async (texts: TextRenderer, text: string): Promise<string> => (await texts.stored({ kind: 'markdown', text })).html

describe('a public text', () => {
  test('is rendered once, however many visitors read it at the same time and later', async () => {
    const texts = counting()
    expect(await Promise.all(['a', 'a', 'a'].map((text) => htmlOf(texts, text)))).toEqual(['1', '1', '1'])
    expect(await htmlOf(texts, 'a')).toBe('1')
    expect(await htmlOf(texts, 'b')).toBe('2')
  })

  test('that cannot be rendered is shown as it was written, and not rendered again', async () => {
    const texts = counting()
    for (let visit = 0; visit < 3; visit += 1) expect(await htmlOf(texts, 'throw')).toBe('<div>throw</div>')
    expect(await htmlOf(texts, 'b')).toBe('2')
  })

  test('is rendered when it is saved, and the visitors get that result', async () => {
    const texts = counting()
    await texts.check('Notice', 'a')
    expect(await htmlOf(texts, 'a')).toBe('1')
    const refused = await texts.check('About', 'throw').catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'option_value_invalid' })
    expect(await htmlOf(texts, 'throw')).toBe('<div>throw</div>')
    expect(await htmlOf(texts, 'b')).toBe('3')
  })

  test('as it was written runs nothing and has no blank lines', async () => {
    const slow = createTextRenderer(() => new Worker('process.exit(1)', { eval: true }))
    opened.push(slow)
    expect(await htmlOf(slow, '<script>alert(1)</script>\n\n\n"x" & y')).toBe(
      '<div>&#60;script&#62;alert(1)&#60;/script&#62;<br>&#34;x&#34; &#38; y</div>',
    )
  })

  test('that takes too long is given up, and the next one is rendered', async () => {
    const endless = `const { serveJobs } = await import(${JSON.stringify(new URL('../../lib/serve-jobs.ts', import.meta.url).href)})
      serveJobs(({ text }) => { while (text === 'endless'); return { html: 'done', frames: [] } })`
    const texts = createTextRenderer(() => new Worker(endless, { eval: true }), { jobMs: 100, waiting: 8, idleMs: 1_000 })
    opened.push(texts)
    expect(await Promise.all([htmlOf(texts, 'endless'), htmlOf(texts, 'next')])).toEqual(['<div>endless</div>', 'done'])
  })
})

const stars = `${'*'.repeat(16_000)}a${'*'.repeat(16_000)}`
const frames = '<iframe '.repeat(30_000)

describe('a hostile text', () => {
  const apps: TestApp[] = []
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close()
  })

  async function openApp(options: Parameters<typeof testApp>[0] = {}): Promise<TestApp> {
    const app = await testApp(options)
    apps.push(app)
    return app
  }

  test('is refused when it is saved, while others are served', async () => {
    const app = await openApp()
    const saved = app.call(contract.option.update, { key: 'Notice', value: stars })
    const startMs = performance.now()
    expect(await app.data(contract.status.notice, {}, nobody)).toBe('')
    expect(performance.now() - startMs).toBeLessThan(1_000)
    expect(await saved).toMatchObject({ success: false, field: 'value', message: expect.stringContaining('took too long to render') })
    expect(await app.data(contract.status.notice, {}, nobody)).toBe('')
  }, 60_000)

  test('that is stored already costs one rendering, and the pages of the console wait for none later', async () => {
    const consoleFiles = { serve: async () => new Response('page'), scriptHashes: [], inDesign: () => consoleFiles }
    const storedOptions = { Notice: stars, HomePageContent: frames, About: frames, Footer: frames }
    const app = await openApp({ consoleFiles, storedOptions })
    expect(await app.data(contract.status.notice, {}, nobody)).toBe(`<div>${stars}</div>`)
    await (await app.request('/')).text()
    const startMs = performance.now()
    for (let visit = 0; visit < 20; visit += 1) {
      await app.data(contract.status.notice, {}, nobody)
      await (await app.request('/login')).text()
    }
    expect(performance.now() - startMs).toBeLessThan(2_000)
  }, 60_000)
})
