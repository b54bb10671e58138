import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { options } from '@sluice/contract'

const css = ['app.css', 'designs.css'].map((name) => readFileSync(join(import.meta.dir, name), 'utf8')).join('\n')
const designs = ['default', 'berry', 'air'] as const

type Tokens = Readonly<Record<string, string>>

/** The tokens of all rules with one of these selectors, in this order. */
function tokensOf(...selectors: readonly string[]): Tokens {
  const rules = [...css.matchAll(/(?<selectors>[^{}]+)\{(?<body>[^{}]*)\}/g)].map(({ groups }) => ({
    selectors: (groups?.['selectors'] ?? '')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .split(',')
      .map((selector) => selector.trim()),
    body: groups?.['body'] ?? '',
  }))
  const matching = selectors.flatMap((selector) => rules.filter((rule) => rule.selectors.includes(selector)))
  const declarations = matching.flatMap(({ body }) => [...body.matchAll(/--([\w-]+):\s*([^;]+);/g)])
  return Object.fromEntries(declarations.map(([, name = '', value = '']) => [name, value.trim()]))
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

const states = ['green', 'olive', 'yellow', 'red', 'orange', 'grey', 'purple', 'blue', 'black', 'teal', 'pink', 'violet', 'brown']

/** What is written on what, and how much they must differ at least. */
const pairs: readonly { readonly on: readonly string[]; readonly text: readonly string[]; readonly least: number }[] = [
  { on: ['surface', 'canvas', 'sunken', 'hover', 'accent-tint'], text: ['text', 'muted', 'accent'], least: 4.5 },
  { on: ['surface', 'canvas'], text: ['faint', ...states], least: 4.5 },
  ...states.map((state) => ({ on: [`${state}-tint`], text: [state, 'text'], least: 4.5 })),
  { on: ['accent', 'accent-strong'], text: ['on-accent'], least: 4.5 },
  { on: ['surface', 'canvas'], text: ['control', 'accent'], least: 3 },
  { on: ['surface', 'hover'], text: Array.from({ length: 10 }, (_, index) => `chart-${index + 1}`), least: 3 },
]

function faintPairs(tokens: Tokens): readonly string[] {
  return pairs.flatMap(({ on, text, least }) =>
    on.flatMap((ground) =>
      text.flatMap((ink) => {
        const ratio = contrast(tokens[ink] ?? '', tokens[ground] ?? '')
        return ratio >= least ? [] : [`${ink} on ${ground}: ${ratio.toFixed(2)}`]
      }),
    ),
  )
}

test('there is a design for each value of the option', () => {
  for (const design of designs) expect(options.Theme.parse(design)).toBe(design)
  for (const design of designs.slice(1)) expect(Object.keys(tokensOf(`:root[data-design='${design}']`))).not.toEqual([])
})

for (const design of designs) {
  const light = [':root', "[data-theme='light']", `:root[data-design='${design}']`]
  const dark = [...light, "[data-theme='dark']", `:root[data-design='${design}'][data-theme='dark']`]
  const part = `:root[data-design='${design}'] [data-part='menu']`
  const darkPart = `:root[data-design='${design}'][data-theme='dark'] [data-part='menu']`

  test(`texts and borders of the design ${design} differ enough from their grounds, light and dark`, () => {
    expect({ light: faintPairs(tokensOf(...light)), dark: faintPairs(tokensOf(...dark)) }).toEqual({ light: [], dark: [] })
  })

  test(`so do those of its menu`, () => {
    for (const tokens of [tokensOf(...light, part), tokensOf(...dark, part, darkPart)]) {
      for (const ground of ['surface', 'hover', 'accent-tint']) {
        for (const ink of ['text', 'muted', 'accent']) expect(contrast(tokens[ink] ?? '', tokens[ground] ?? '')).toBeGreaterThan(4.5)
      }
    }
  })
}

test('the designs differ in accent, radius, surfaces and height of rows', () => {
  const [plain, berry, air] = designs.map((design) => tokensOf(':root', "[data-theme='light']", `:root[data-design='${design}']`))
  for (const token of ['accent', 'radius-control', 'radius-card', 'canvas', 'page-x']) {
    expect(new Set([plain?.[token], berry?.[token], air?.[token]]).size).toBe(3)
  }
  expect([plain?.['row-wide'], berry?.['row-wide']]).toEqual(['32px', '40px'])
})
