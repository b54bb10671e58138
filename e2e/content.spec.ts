import type { Page } from '@playwright/test'
import { harmlessHtml, hostileTexts } from '../apps/server/test/content-corpus.ts'
import { contentRules } from '../packages/contract/src/content.ts'
import { expect, test } from './support/test.ts'

/** Makes `/api/status` return a footer that no server has sanitized. */
async function bringFooter(page: Page, footer_html: string): Promise<void> {
  await page.route('**/api/status', async (route) => {
    const response = await route.fetch()
    const body = await response.json()
    await route.fulfill({ response, json: { ...body, data: { ...body.data, footer_html } } })
  })
}

interface Seen {
  readonly tag: string
  readonly attributes: ReadonlyArray<readonly [name: string, value: string]>
}

/** Every element of the footer with this marker. The console shows the cached footer first, so it waits for the marker. */
async function elementsOfFooter(page: Page, mark: string): Promise<readonly Seen[]> {
  const marked = page.locator(`footer [title="${mark}"]`)
  await expect(marked).toBeVisible()
  return await marked.evaluate((element) => {
    const holder = element.parentElement
    return [...(holder?.querySelectorAll('*') ?? [])].map((element) => ({
      tag: element.localName,
      attributes: [...element.attributes].map(({ name, value }): [string, string] => [name, value]),
    }))
  })
}

// Some of the texts contain images and frames of other sites.
test.use({ tolerated: /elsewhere: |Failed to load resource|Refused to|violates the following Content Security Policy/ })

/** Texts of one page, because a page for each would take a minute. A text that swallows the following ones still runs nothing. */
const textsAPage = 12

test('the console runs nothing in a footer that the server has not sanitized', async ({ page }) => {
  await page.addInitScript(() => {
    window.alert = (text) => document.documentElement.setAttribute('data-ran', String(text))
  })
  test.slow()
  for (let index = 0; index < hostileTexts.length; index += textsAPage) {
    const text = hostileTexts.slice(index, index + textsAPage).join('\n\n')
    await bringFooter(page, `<b title="mark ${index}">marked</b>${text}`)
    await page.goto('/about-nothing')
    for (const { tag, attributes } of await elementsOfFooter(page, `mark ${index}`)) {
      expect([text, contentRules.tags.includes(tag)]).toEqual([text, true])
      for (const [name, value] of attributes) {
        const isKept = contentRules.valueOf(tag, name, value) === value
        expect([text, tag, name, value, isKept]).toEqual([text, tag, name, value, true])
      }
    }
    await expect(page.locator('html')).not.toHaveAttribute('data-ran')
    await page.unrouteAll({ behavior: 'wait' })
  }
})

test('the console shows a harmless footer as the server sends it', async ({ page }) => {
  for (const [index, [, html]] of harmlessHtml.entries()) {
    await bringFooter(page, `<b title="mark ${index}">marked</b><span lang="xx">${html}</span>`)
    await page.goto('/about-nothing')
    await expect(page.locator(`footer [title="mark ${index}"]`)).toBeVisible()
    expect(await page.locator('footer [lang=xx]').innerHTML()).toBe(html)
    await page.unrouteAll({ behavior: 'wait' })
  }
})
