import { plugin } from 'bun'

// Preloaded, it makes the server a later version: one that has added something to the tables which the server of now uses most.

const statements = [
  ...['logs', 'ledger', 'users', 'tokens', 'nodes'].map(
    (table) => `ALTER TABLE ${table} ADD COLUMN added text NOT NULL DEFAULT 'by the later version'`,
  ),
  'CREATE TABLE added (id bigint PRIMARY KEY)',
  'CREATE INDEX logs_added ON logs (added, created_at)',
]

const up = `async (db) => {
  const tables = (await db.introspection.getTables()).map(({ name }) => name)
  for (const text of ${JSON.stringify(statements)}) {
    const altered = /^ALTER TABLE (\\w+)/.exec(text)?.[1]
    // SQLite has no table of nodes.
    if (altered === undefined || tables.includes(altered)) await sql.raw(text).execute(db)
  }
}`
const step = `'999-added': { up: ${up} },\n`
const start = /(?<=const migrations = \{\n)/

plugin({
  name: 'later version',
  setup(build) {
    build.onLoad({ filter: /[\\/]db[\\/]migrate\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: (await Bun.file(path).text()).replace(start, step),
    }))
  },
})
