import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readMasterKey } from './master-key.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-key-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('the first start makes a key that only its owner can read, and later starts read the same', () => {
  const dataDir = join(folder, 'new')
  const key = readMasterKey('', dataDir)
  expect(key).toHaveLength(32)
  expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600)
  expect(readMasterKey('', dataDir)).toEqual(key)
  expect(readMasterKey('', join(folder, 'other'))).not.toEqual(key)
})

test('a secret from the environment replaces the file, and none is written', () => {
  const dataDir = join(folder, 'env')
  expect(readMasterKey('a long enough secret', dataDir)).toEqual(readMasterKey('a long enough secret', dataDir))
  expect(() => readFileSync(join(dataDir, 'secret.key'))).toThrow()
})

test('a damaged key stops the start instead of being replaced, which would lose every sealed value', () => {
  writeFileSync(join(folder, 'secret.key'), 'c2hvcnQ=\n')
  expect(() => readMasterKey('', folder)).toThrow('restore it from a backup')
})
