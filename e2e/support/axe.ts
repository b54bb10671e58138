import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type { AxeResults } from 'axe-core'

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Checks WCAG 2.2 AA, as far as a program can. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated rather than added as a script, because the page's content security policy forbids other scripts.
  await page.evaluate(`${readFileSync(axeFile, 'utf8')};undefined`)
  const found = await page.evaluate(async () => {
    // Holds: the line above defined it.
    const { axe } = window as unknown as { readonly axe: { run(context: object, options: object): Promise<AxeResults> } }
    // Focus guards around an open menu only move the focus on.
    const context = { exclude: [['[data-base-ui-focus-guard]']] }
    const { violations } = await axe.run(context, { runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] } })
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}\n${failureSummary}`),
    )
  })
  expect(found).toEqual([])
}
