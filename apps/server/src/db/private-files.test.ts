import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runServer, startServer } from '../../test/server-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-private-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Files that others than the owner may read, write or run. */
function openToOthers(under: string): readonly string[] {
  return readdirSync(under, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const stat = statSync(join(under, name))
    return stat.isFile() && (stat.mode & 0o077) !== 0
  })
}

test('nobody but the owner can read what is stored, also in a folder that was prepared for all, and after files were opened to all', async () => {
  const dataDir = join(folder, 'data')
  const copies = join(folder, 'copies')
  for (const prepared of [dataDir, copies]) mkdirSync(prepared, { mode: 0o755 })
  const variables = { DATA_DIR: dataDir, DATABASE_URL: '', BACKUP_DIR: copies }
  const names = ['', '-wal', '-shm'].map((suffix) => join(dataDir, `sluice.db${suffix}`))

  const first = await startServer(variables)
  expect(openToOthers(dataDir)).toEqual([])
  expect(names.map((name) => statSync(name).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
  expect((await runServer(['admin', 'backup', join(copies, 'now'), '--with-key'], variables)).code).toBe(0)
  expect(openToOthers(copies)).toEqual([])
  first.signal('SIGKILL')
  await first.exited

  for (const name of names) chmodSync(name, 0o644)
  const second = await startServer(variables)
  expect(openToOthers(dataDir)).toEqual([])
  second.signal('SIGTERM')
  await second.exited
})
