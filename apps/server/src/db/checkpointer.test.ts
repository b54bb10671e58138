import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { closeSync, copyFileSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectSqlite } from './connect-sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-checkpoint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const frameBytes = 24 + 4096

/** How often the log has restarted: https://www.sqlite.org/fileformat2.html#the_write_ahead_log */
function beginnings(place: string): number {
  const head = Buffer.alloc(16)
  const file = openSync(`${place}-wal`, 'r')
  readSync(file, head)
  closeSync(file)
  return head.readUInt32BE(12)
}

async function underLoad(name: string, walPagesMax: number) {
  const place = join(folder, name)
  const store = await connectSqlite(place, { walPagesMax })
  let written = 0
  const write = (): Promise<void> =>
    store.batch(
      (file) => void file.run('INSERT INTO options ("key", value) VALUES (?, ?)', [`key${written++}`, 'long '.repeat(200)]),
      () => {},
    )
  return {
    place,
    store,
    write,
    written: () => written,
    /** Writes almost without a pause, as under full load. */
    async until(isReached: () => boolean) {
      while (!isReached()) {
        for (const end = written + 50; written < end; ) await write()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

test('a log that is written without a pause still restarts, and no commit is lost', async () => {
  const { place, store, written, until } = await underLoad('busy.db', 100)
  const first = beginnings(place)
  await until(() => beginnings(place) >= first + 2)
  const { count } = await store.db
    .selectFrom('options')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(written())
  await store.close()
}, 60_000)

test('a log grows to its full length in advance and keeps it, and is intact after a kill', async () => {
  const pagesMax = 400
  const { place, store, written, write, until } = await underLoad('long.db', pagesMax)
  // The last connection that closes removes the log.
  const bytes = (): number => statSync(`${place}-wal`, { throwIfNoEntry: false })?.size ?? 0
  // At least two pages each: enough to count as load, and far less than the full length.
  for (let index = 0; index < 80; index++) await write()
  while (bytes() < 1.5 * pagesMax * frameBytes) await new Promise((resolve) => setImmediate(resolve))
  for (const name of ['new.db', 'again.db']) {
    const [held, count, copy] = [bytes(), written(), join(folder, name)]
    copyFileSync(place, copy)
    copyFileSync(`${place}-wal`, `${copy}-wal`)
    const dead = new Database(copy)
    expect(dead.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    expect(dead.query('SELECT COUNT(*) FROM options').values()).toEqual([[count]])
    dead.close()
    const before = beginnings(place)
    await until(() => beginnings(place) > before)
    expect(bytes()).toBeGreaterThanOrEqual(held)
  }
  await store.close()
  expect(bytes()).toBe(0)
}, 60_000)
