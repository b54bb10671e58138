import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Nodes of two versions run on one database during an upgrade, so what the earlier one uses is removed by a later version only.

const folder = join(import.meta.dir, '../apps/server/src/db/migrations')
/** The last migration before several nodes could share a database. */
const lastBefore = '046'
/** Calls of the schema builder and words of SQL that remove or change something. */
const removes =
  /\.(?:dropTable|dropColumn|dropConstraint|renameTo|renameColumn|alterColumn)\(|\b(?:DROP|RENAME)\b|\bALTER COLUMN\b(?!\s+\w+\s+SET DEFAULT)/
const mayRemove = /^\d+-contract-/

/** Migrations that change something of which the version before notices nothing, and why it does not. */
const unnoticed: ReadonlyMap<string, string> = new Map([
  [
    '088-log-partitions.ts',
    'a table of the same name, columns and ids takes the place of the log (apps/server/src/db/log-partitions.test.ts)',
  ],
  ['089-hours-by-channel.ts', 'indexes take the place of others, and the queries of the version before find the same rows with them'],
])

const problemOf = (name: string, text: string): string | null =>
  name.slice(0, 3) > lastBefore && removes.test(text) && !mayRemove.test(name) && !unnoticed.has(name) ? name : null

test('a migration that removes or changes something says so in its name', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(30)
  for (const name of unnoticed.keys()) expect(files).toContain(name)
  expect(files.flatMap((name) => problemOf(name, readFileSync(join(folder, name), 'utf8')) ?? [])).toEqual([])
})

test('the check finds what removes, and lets pass what adds', () => {
  const removing = [
    "db.schema.dropTable('a')",
    'ALTER TABLE a DROP COLUMN b',
    'ALTER COLUMN a TYPE text',
    ".renameColumn('a', 'b')",
    ".alterColumn('a', (c) => c)",
  ]
  for (const text of removing) expect([problemOf('060-a.ts', text), problemOf('060-contract-a.ts', text)]).toEqual(['060-a.ts', null])
  for (const text of [
    "db.schema.createTable('a')",
    ".addColumn('b', 'text')",
    'CREATE INDEX a ON b (c)',
    'ALTER COLUMN a SET DEFAULT 1',
    '// drops nothing',
  ])
    expect(problemOf('060-a.ts', text)).toBeNull()
})
