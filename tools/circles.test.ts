import { describe, expect, test } from 'bun:test'
import { circlesOf } from './circles.ts'
import { importsOf, nameOf } from './imports.ts'
import { isTest, parseSources, readSources, type Source } from './sources.ts'

function graphOf(sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  return new Map(sources.map((source) => [nameOf(source.path), importsOf(source).map(({ to }) => to)]))
}

const product = (await readSources()).filter(({ path }) => /^(?:packages|apps)\//.test(path) && !isTest(path))
const imports = graphOf(product)

describe('imports', () => {
  test('form no circle, imports of types included', () => {
    expect(imports.size).toBeGreaterThan(100)
    expect(circlesOf(imports)).toEqual([])
  })

  test('that form a circle are found, also across several files and by type', async () => {
    const sources = await parseSources({
      'apps/server/src/a.ts': `import type { B } from './b.ts'`,
      'apps/server/src/b.ts': `export { c } from './lib/c.ts'`,
      'apps/server/src/lib/c.ts': `const lazily = await import('../a.ts'); import './d.ts'`,
      'apps/server/src/lib/d.ts': `import { x } from '@sluice/contract'`,
      'packages/contract/src/index.ts': `export const x = 1`,
      'packages/contract/src/e.ts': `import './e.ts'`,
    })
    expect(circlesOf(graphOf(sources))).toEqual([['server/a.ts', 'server/b.ts', 'server/lib/c.ts'], ['contract/e.ts']])
  })
})
