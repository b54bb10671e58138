import { Database } from 'bun:sqlite'
import { join } from 'node:path'

/** Fills a table of a database that is not in use with copies of its first row. Columns that must differ have an SQL expression. */
export function fill(dataDir: string, table: 'channels' | 'tokens' | 'logs', count: number): void {
  const differs = { channels: { name: `'copy ' || n` }, tokens: { key_lookup: `'copy ' || n`, name: `'copy ' || n` }, logs: {} }[table]
  const db = new Database(join(dataDir, 'sluice.db'))
  const columns = db
    .query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}') WHERE name <> 'id'`)
    .all()
    .map(({ name }) => name)
  const there = db.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${table}`).get()?.count ?? 0
  const values = columns.map((name) => (name in differs ? Reflect.get(differs, name) : name))
  db.run(`WITH RECURSIVE numbers(n) AS (SELECT ${there + 1} UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO ${table} (${columns.join()}) SELECT ${values.join()} FROM numbers, (SELECT * FROM ${table} ORDER BY id LIMIT 1) WHERE ${there} < ${count}`)
  if (table === 'channels') db.run('INSERT OR IGNORE INTO channel_usage (channel_id) SELECT id FROM channels')
  db.close()
}
