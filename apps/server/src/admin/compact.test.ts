import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { chownSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createServerPlace, type ServerPlace } from '../../test/server-place.ts'
import { runServer, startServer } from '../../test/server-process.ts'
import { testEngine } from '../../test/stores.ts'

const compact = (at: ServerPlace, more: Readonly<Record<string, string>> = {}) =>
  runServer(['admin', 'compact'], { ...at.variables, ...more })

/** A database of a server that has deleted most of what it had: some 20 MB. */
async function makeDeleted(at: ServerPlace): Promise<string> {
  const server = await startServer(at.variables)
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  const file = new Database(at.place)
  file.run('CREATE TABLE ballast (text TEXT)')
  file.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO ballast SELECT hex(randomblob(500)) FROM n`,
  )
  file.run('DROP TABLE ballast')
  file.close()
  return at.place
}

test.if(testEngine === 'sqlite')('deleted rows give their space back, and nothing else changes', async () => {
  const at = await createServerPlace('compact')
  const path = await makeDeleted(at)
  if (process.getuid?.() === 0) chownSync(path, 12_345, 12_346)
  const before = statSync(path)
  expect(before.size).toBeGreaterThan(20_000_000)

  const killed = await compact(at, { FAIL_AT: 'compacted:1' })
  expect(killed.code).not.toBe(0)
  expect(statSync(path).size).toBe(before.size)

  const { code, text } = await compact(at)
  expect(text).toMatch(/sluice\.db has \d\.\d MB now, 2\d\.\d MB before\./)
  expect(code).toBe(0)
  const after = statSync(path)
  expect(after.size).toBeLessThan(5_000_000)
  expect([after.uid, after.gid, after.mode]).toEqual([before.uid, before.gid, before.mode])
  expect(existsSync(`${path}.compacting`)).toBe(false)
  expect((await runServer(['verify'], at.variables)).text).toContain('The ledger is consistent.')

  const server = await startServer(at.variables)
  const running = await compact(at)
  expect([running.code, running.text]).toEqual([1, expect.stringContaining('another process is using this database')])
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  await at.remove()
})

test.if(testEngine === 'sqlite')('a disk without room for the new file is said before anything is written', async () => {
  const at = await createServerPlace('compact')
  const path = await makeDeleted(at)
  const small = join(at.place, '../small')
  mkdirSync(small)
  // Only root may mount a small disk.
  const mounted = await Bun.$`mount -t tmpfs -o size=25m tmpfs ${small}`.quiet().nothrow()
  if (mounted.exitCode === 0) {
    try {
      await Bun.$`cp ${path} ${small}/sluice.db`
      const { code, text } = await compact(at, { DATA_DIR: small })
      expect(text).toMatch(/compact failed: the new file needs 1\d\.\d MB of free disk space in \S+small, and only \d\.\d MB are free/)
      expect(code).toBe(1)
      expect(existsSync(join(small, 'sluice.db.compacting'))).toBe(false)
    } finally {
      await Bun.$`umount ${small}`.quiet().nothrow()
    }
  }
  await at.remove()
})

test.if(testEngine === 'postgres')('on PostgreSQL the command says what to do instead', async () => {
  const at = await createServerPlace('compact')
  const { code, text } = await compact(at)
  expect([code, text]).toEqual([1, expect.stringContaining('VACUUM (FULL, ANALYZE)')])
  await at.remove()
})
