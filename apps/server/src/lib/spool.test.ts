import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noFailpoints } from './failpoints.ts'
import { createSpool, openSpools } from './spool.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-spool-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const missing = join(folder, 'missing')
const bytes = new Uint8Array(1024 * 1024).fill(7)

async function readWhole(folders: readonly string[]): Promise<Buffer> {
  const spool = createSpool({ reached: noFailpoints, folders })
  await spool.append(bytes)
  const whole = Buffer.concat(await Array.fromAsync(spool.read(0, spool.byteLength)))
  await spool.close()
  return whole
}

async function problemsOf(folders: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = []
  await openSpools({ reached: noFailpoints, folders, report: (problem) => problems.push(problem) })
  return problems
}

test('a missing folder for temporary files is replaced by the next one, and the start reports it', async () => {
  expect(await readWhole([missing, folder])).toEqual(Buffer.from(bytes))
  expect(await problemsOf([missing, folder])).toEqual([expect.stringContaining(`cannot be written to ${missing}: ENOENT`)])
  expect(readdirSync(folder)).toEqual([])
  expect(await problemsOf([folder, missing])).toEqual([])
})

test('without any folder large bodies are refused, small ones are not, and the start reports it', async () => {
  await expect(readWhole([missing, missing])).rejects.toMatchObject({
    code: 'temporary_files_unavailable',
    options: { retryAfterSeconds: 5 },
  })
  const spool = createSpool({ reached: noFailpoints, folders: [missing] })
  await spool.append(bytes.subarray(0, 1_000))
  expect(spool.byteLength).toBe(1_000)
  await spool.close()
  expect(await problemsOf([missing, missing])).toHaveLength(3)
})
