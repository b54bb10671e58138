import { afterAll, expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectSqlite } from './connect-sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-checkpoint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** How often the log has begun anew: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
function beginnings(place: string): number {
  const head = Buffer.alloc(16)
  const file = openSync(`${place}-wal`, 'r')
  readSync(file, head)
  closeSync(file)
  return head.readUInt32BE(12)
}

test('a log that is written to without a pause begins anew all the same, and nothing of it is lost', async () => {
  const place = join(folder, 'busy.db')
  const store = await connectSqlite(place, { walPagesMax: 100 })
  const first = beginnings(place)
  let written = 0
  const write = (key: string): Promise<void> =>
    store.batch(
      (file) => void file.run('INSERT INTO options ("key", value) VALUES (?, ?)', [key, 'long '.repeat(200)]),
      () => {},
    )
  while (beginnings(place) < first + 2) {
    // Far more writing than room between two writes, as under full load.
    for (const end = written + 50; written < end; written++) await write(`key${written}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { count } = await store.db
    .selectFrom('options')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(written)
  await store.close()
}, 60_000)
