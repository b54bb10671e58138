import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type { AxeResults } from 'axe-core'

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Rules whose result depends on colours. */
const colourRules = ['color-contrast', 'link-in-text-block']
const allRules = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }

/** Checks WCAG 2.2 AA, as far as a program can. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectNoFindings(page, allRules)
}

/** The part of the check that another design or colour scheme of the same page can change. */
export async function expectReadableColours(page: Page): Promise<void> {
  await expectNoFindings(page, { type: 'rule', values: colourRules })
}

async function expectNoFindings(page: Page, runOnly: typeof allRules): Promise<void> {
  // Evaluated rather than added as a script, because the page's content security policy forbids other scripts.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${readFileSync(axeFile, 'utf8')};undefined`)
  const violations = await page.evaluate(async (rules) => {
    // Holds: the line above defined it.
    const { axe } = window as unknown as { readonly axe: { run(context: object, options: object): Promise<AxeResults> } }
    // Focus guards around an open menu only move the focus on.
    const context = { exclude: [['[data-base-ui-focus-guard]']] }
    const { violations } = await axe.run(context, { runOnly: rules, resultTypes: ['violations'] })
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}\n${failureSummary}`),
    )
  }, runOnly)
  expect(violations).toEqual([])
}
