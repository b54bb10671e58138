import { describe, expect, test } from 'bun:test'
import { vendors } from '@sluice/vendors/registry/list'
import { codeOf, textsOf } from './code.ts'
import { type Edge, edges, jsonParsers, parsesJson, typeBranchesAllowed, vendorNamesAllowed } from './edges.ts'
import { isTest, lineAt, parseSources, placeOf, readSources, type Source } from './sources.ts'
import { typeBranches } from './type-branches.ts'

const sources = await readSources()

/** Places where a thing is used outside of its allowed files. */
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
    test(`${edge.what} is used in its place only: ${edge.why}`, () => {
      expect(strays(edge, sources)).toEqual([])
    })
  }

  test('name no file that does not parse JSON', () => {
    const parsing = new Set(sources.filter((source) => parsesJson.test(codeOf(source))).map(({ path }) => path))
    expect(Object.keys(jsonParsers).filter((path) => !parsing.has(path))).toEqual([])
  })

  test('are found in code, not in comments and texts', async () => {
    const text =
      "// fetch(x)\nconst a = 'fetch(x)'\nawait fetch(x)\nobject.fetch(x)\nconst q = `SELECT id FROM users`\nconst s = 'Select one'\nDate.now()\n"
    const parsed = await parseSources({ 'apps/server/src/api/token/handlers.ts': text })
    const lines = edges.flatMap((edge) => strays(edge, parsed).map((place) => `${edge.what} ${place.split(':')[1]}`))
    expect(lines).toEqual(['a request to another server 3', 'a clock 7', 'SQL text 5'])
  })

  test('refuse keys and changes of what is read outside of their place in the console', async () => {
    const text = [
      "const byHand = { queryKey: ['log', 'stat'], queryFn }",
      "// client.invalidateQueries({ queryKey: ['log'] })",
      'const passedOn = { queryKey, queryFn }',
      'const known = client.getQueryData(statusQuery.queryKey)',
      'void client.invalidateQueries(filter)',
      'client.setQueryData<Row>(key, row)',
      'client.setQueriesData(filter, row); void client.refetchQueries()',
      'client.removeQueries(); void client.resetQueries(); void client.cancelQueries()',
      'markChanged(client, token.update)',
    ].join('\n')
    const linesOf = async (path: string) => {
      const parsed = await parseSources({ [path]: text })
      return edges.flatMap((edge) => strays(edge, parsed).map((place) => Number(place.split(':')[1])))
    }
    expect(await linesOf('apps/console/src/features/log/use-logs.ts')).toEqual([1, 3, 5, 6, 7, 7, 8, 8, 8])
    expect(await linesOf('apps/console/src/lib/reads.ts')).toEqual([])
  })
})

describe('channel types', () => {
  test('are compared with numbers only in the vendors', () => {
    const looked = sources.filter(({ path }) => /^(?:packages\/contract|apps\/[^/]+)\/src\//.test(path) && !isTest(path))
    expect(looked.filter(({ path }) => !(path in typeBranchesAllowed)).flatMap(typeBranches)).toEqual([])
  })

  test('are found in comparisons, switches and lists', async () => {
    const [source] = await parseSources({
      'apps/server/src/relay/upstream/attempt.ts': [
        'if (channel.type === 33) stop()',
        'const isAzure = 3 !== channelType',
        'switch (type) { case 1: stop() }',
        "const isOld = [1, 2].includes(row['type']) || [1].includes(channel.type)",
        'const isString = typeof type === "string" || size === 3 || [1, 2].includes(role)',
      ].join('\n'),
    })
    expect(source && typeBranches(source).map((place) => place.split(':')[1])).toEqual(['1', '2', '3', '4', '4'])
  })
})

/** Names that mean more than a vendor: dialects are named after the vendor that invented them, `nano` is a part of models' names, AWS has formats of signatures and streams, Cohere one of reranks, Cloudflare checks visitors, Sora, Veo and Flux are models that others serve too, Suno's calls are a protocol of clients, Ollama is what people run at home, `custom` and `proxy` are common words. */
const notOnlyVendors = /^(?:openai|anthropic|google gemini|nano$|aws$|cohere$|cloudflare$|ollama$|sora$|suno$|veo$|flux$|custom|proxy$)/i

/** The text without lists of models: vendors that sell models of others have the others' names in theirs. */
const withoutModels = (text: string): string => text.replaceAll(/^( {2,4})(?:models: \{ )?names: \[(?:\n(?:\1 {2}.*\n)*?\1|[^\]]*)\]/gm, '')

describe('vendors', () => {
  for (const { name } of vendors.filter((vendor) => !notOnlyVendors.test(vendor.name))) {
    test(`${name} is named only in its own record, in the list and in the prices`, () => {
      const words = name.toLowerCase().split(/\W+/).join('|')
      const own = new RegExp(`^packages/vendors/src/vendors/(?:google/)?(?:[a-z0-9]+-)?(?:${words})[/-]`)
      // Some names without their point are parts of words: AI.LS is in `details`.
      const pattern = new RegExp(/\W/.test(name) || name === 'DeepL' ? `\\b${name.replaceAll(/\W+/g, '\\W?')}\\b` : name, 'i')
      const matches = sources.filter(({ path, text }) => /^(?:packages|apps)\//.test(path) && pattern.test(withoutModels(text)))
      expect(matches.map(({ path }) => path).filter((path) => !own.test(path) && !vendorNamesAllowed.test(path))).toEqual([])
    })
  }
})
