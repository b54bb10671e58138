import { describe, expect, test } from 'bun:test'
import { vendors } from '@sluice/vendors/list'
import { codeOf, textsOf } from './code.ts'
import { type Edge, edges, vendorNamesAllowed } from './edges.ts'
import { isTest, lineAt, parseSources, placeOf, readSources, type Source } from './sources.ts'

const sources = await readSources()

/** Places where a thing stands that should not stand there. */
function strays({ pattern, in: where, within, allowed }: Edge, of: readonly Source[]): readonly string[] {
  const looked = of.filter(({ path }) => within.test(path) && !allowed.test(path) && !isTest(path))
  return looked.flatMap((source) => {
    if (where === 'code') {
      const hits = [...codeOf(source).matchAll(new RegExp(pattern, 'g'))]
      return hits.map((hit) => `${source.path}:${lineAt(source.text, hit.index) + 1}`)
    }
    const texts = textsOf(source).filter((node) => pattern.test(source.text.slice(node.getStart(source.tree) + 1, node.end)))
    return texts.map((node) => placeOf(source, node))
  })
}

describe('edges', () => {
  for (const edge of edges) {
    test(`${edge.what} stands in its place only: ${edge.why}`, () => {
      expect(strays(edge, sources)).toEqual([])
    })
  }

  test('are seen in code, not in comments and texts', async () => {
    const text =
      "// fetch(x)\nconst a = 'fetch(x)'\nawait fetch(x)\nobject.fetch(x)\nconst q = `SELECT id FROM users`\nconst s = 'Select one'\nDate.now()\n"
    const found = await parseSources({ 'apps/server/src/api/token/handlers.ts': text })
    const lines = edges.flatMap((edge) => strays(edge, found).map((place) => `${edge.what} ${place.split(':')[1]}`))
    expect(lines).toEqual(['a request to elsewhere 3', 'a clock 7', 'SQL text 5'])
  })
})

/** Dialects carry the name of the vendor that invented them, and a custom channel is nobody's. */
const notOnlyVendors = /^(?:openai|anthropic|gemini|custom)/i

describe('vendors', () => {
  for (const { name } of vendors.filter((vendor) => !notOnlyVendors.test(vendor.name))) {
    test(`${name} is named in its own record, in the list and in the prices only`, () => {
      const own = new RegExp(`^packages/vendors/src/(?:[a-z-]+/)?${name.toLowerCase().split(/\W/)[0]}(?:[./-])`)
      const pattern = new RegExp(name.replaceAll(/\W+/g, '\\W?'), 'i')
      const found = sources.filter(({ path, text }) => /^(?:packages|apps)\//.test(path) && pattern.test(text))
      expect(found.map(({ path }) => path).filter((path) => !own.test(path) && !vendorNamesAllowed.test(path))).toEqual([])
    })
  }
})
