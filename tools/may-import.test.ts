import { describe, expect, test } from 'bun:test'
import { type Import, importsOf, nameOf } from './imports.ts'
import { isAllowed, mayImport, rowFor } from './may-import.ts'
import { isTest, parseSources, readSources, type Source } from './sources.ts'

const isOfProduct = ({ path }: Source): boolean => /^(?:packages|apps)\/[^/]+\/src\//.test(path) && !isTest(path)

/** The rule that an import violates; `null` = none. */
function complaint({ place, from, to }: Import): string | null {
  const match = rowFor(from)
  if (match === null) return `${place}: no row of tools/may-import.ts names ${from}`
  if (isAllowed(match, to)) return null
  const { folder, may, why } = match.row
  return `${place}: ${folder} may not import ${to}. It may import: ${may.join(', ') || 'nothing'}. ${why}`
}

const complaintsOf = (sources: readonly Source[]): readonly string[] =>
  sources.flatMap((source) => importsOf(source).map(complaint)).filter((line) => line !== null)

const sources = (await readSources()).filter(isOfProduct)

describe('the may-import table', () => {
  test('holds for every import of the product', () => {
    expect(complaintsOf(sources)).toEqual([])
  })

  test('has a row for every file of the product', () => {
    expect(sources.map(({ path }) => path).filter((path) => rowFor(nameOf(path)) === null)).toEqual([])
  })

  test('has a row for every folder of the relay', () => {
    const folders = sources.map(({ path }) => nameOf(path)).filter((name) => /^server\/relay\/.+\//.test(name))
    expect(folders.length).toBeGreaterThan(0)
    expect(folders.filter((name) => rowFor(name)?.row.folder === 'server/relay')).toEqual([])
  })

  test('lets each folder of the relay import lower floors only', async () => {
    const broken = complaintsOf(
      await parseSources({
        'apps/server/src/relay/pricing/prices.ts': `import '../routing/route.ts'; import '../model/call.ts'; import './count-tokens.ts'`,
        'apps/server/src/relay/routing/route.ts': `import '../upstream/attempt.ts'; import '../wire/sse.ts'`,
        'apps/server/src/relay/upstream/attempt.ts': `import '../response/replies.ts'; import type { CallDeps } from '../relay.ts'`,
        'apps/server/src/relay/ingress/kinds/chat.ts': `import '../token-key.ts'; import '../../realtime/realtime.ts'`,
      }),
    )
    expect(broken).toHaveLength(5)
  })

  test('has no two rows for one folder', () => {
    const folders = mayImport.map(({ folder }) => folder)
    expect(new Set(folders).size).toBe(folders.length)
  })

  test('applies to static, dynamic, type and re-exporting imports alike', async () => {
    const text = `
      import { Hono } from 'hono'
      import type { Db } from '../db/connect.ts' // the handle is passed on
      export { api } from '../api/token/handlers.ts'
      const lazily = await import('../http/server.ts')
      type Row = import('../db/schema.ts').Row
      import { ledger } from '../ledger/ledger.ts'
      import { x } from './own.ts'
      import { errors } from '@sluice/contract'`
    const broken = complaintsOf(await parseSources({ 'apps/server/src/relay/relay.ts': text }))
    expect(broken.map((line) => line.replace(/^.*may not import (\S+)\..*$/s, '$1'))).toEqual([
      'hono',
      'server/api/token/handlers.ts',
      'server/http/server.ts',
      'server/db/schema.ts',
    ])
  })

  test('keeps nouns, features, vendors and the layers of vendors apart', async () => {
    const broken = complaintsOf(
      await parseSources({
        'apps/server/src/api/token/handlers.ts': `import '../channel/queries.ts'; import './queries.ts'; import '../authorize.ts'`,
        'apps/console/src/features/token/list-page.tsx': `import '../channel/columns.tsx'; import './columns.tsx'; import '../../ui/page.tsx'`,
        'packages/vendors/src/vendors/groq/vendor.ts': `import 'node:crypto'; import '@sluice/contract'; import '../../core/vendor.ts'`,
        'packages/vendors/src/vendors/novita/vendor.ts': `import '../groq/vendor.ts'; import '../../registry/list.ts'`,
        'packages/vendors/src/protocols/openai/dialect.ts': `import '../responses/native.ts'; import '../../vendors/groq/vendor.ts'`,
        'packages/vendors/src/core/vendor.ts': `import '../protocols/shared/chat-parts.ts'; import './json.ts'`,
      }),
    )
    expect(broken).toHaveLength(9)
  })
})
