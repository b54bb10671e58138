import type { Page } from '@playwright/test'
import { harmlessHtml, hostileTexts } from '../apps/server/test/content-corpus.ts'
import { contentRules } from '../packages/contract/src/content.ts'
import { expect, test } from './support/test.ts'

/** Lets `/api/status` bring a footer that no server has cleaned. */
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

/** Every element between two marks of the footer. */
async function elementsOfFooter(page: Page): Promise<readonly Seen[]> {
  await expect(page.locator('footer').getByText('the end of it')).toBeVisible()
  return await page.locator('footer').evaluate((footer) => {
    const holder = footer.querySelector('[title="the end"]')?.parentElement
    return [...(holder?.querySelectorAll('*') ?? [])].map((element) => ({
      tag: element.localName,
      attributes: [...element.attributes].map(({ name, value }): [string, string] => [name, value]),
    }))
  })
}

test('the console runs nothing of a footer that a server has not cleaned', async ({ page }) => {
  await page.addInitScript(() => {
    window.alert = (text) => document.documentElement.setAttribute('data-ran', String(text))
  })
  for (const text of hostileTexts) {
    await bringFooter(page, `<b title="the end">the end of it</b>${text}`)
    await page.goto('/about-nothing')
    for (const { tag, attributes } of await elementsOfFooter(page)) {
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
  for (const [, html] of harmlessHtml) {
    await bringFooter(page, `<b title="the end">the end of it</b><span lang="xx">${html}</span>`)
    await page.goto('/about-nothing')
    await expect(page.locator('footer').getByText('the end of it')).toBeVisible()
    expect(await page.locator('footer [lang=xx]').innerHTML()).toBe(html)
    await page.unrouteAll({ behavior: 'wait' })
  }
})
