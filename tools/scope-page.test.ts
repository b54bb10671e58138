import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nounScopes } from '../packages/contract/src/index.ts'
import { root, textOf } from './documentation.ts'
import { scopeTable, sensitiveScopeTable, withScopeTable } from './scope-page.ts'

const pages: ReadonlyArray<readonly [page: string, table: () => string]> = [
  ['docs/api.md', scopeTable],
  ['SECURITY.md', sensitiveScopeTable],
]

if (process.env['UPDATE_DOCS'] === '1')
  for (const [page, table] of pages) writeFileSync(join(root, page), withScopeTable(textOf(page), table()))

test.each(pages)('the table of scopes in %s is the one that `npm run docs` writes', (page, table) => {
  expect(textOf(page)).toBe(withScopeTable(textOf(page), table()))
})

test('the table of scopes has a row for every scope, and says what only the separate ones open', () => {
  const rows = scopeTable().split('\n')
  for (const scope of [...nounScopes, 'read', 'all']) expect(rows.filter((row) => row.startsWith(`| \`${scope}\` |`))).toHaveLength(1)
  expect(rows.find((row) => row.startsWith('| `token:keys` |'))).toContain('`key` in the responses of `GET /api/token`')
  expect(rows.find((row) => row.startsWith('| `user:credentials` |'))).toContain('`password`, `email` in `PUT /api/user`')
  expect(rows.at(-1)).toContain('`DELETE /api/user/self`')
})
