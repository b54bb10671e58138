import { afterAll, expect, test } from 'bun:test'
import { createHash, scryptSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newDerivation } from './key-derivation.ts'
import { createMasterKey, readMasterKey } from './master-key.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-key-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ofFile = (dataDir: string) => createMasterKey({ secret: '', dataDir }, 'raw')

test('the first start makes a key that only its owner can read, and later starts read the same', async () => {
  const dataDir = join(folder, 'new')
  const key = await ofFile(dataDir)
  expect(key).toHaveLength(32)
  expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600)
  expect(await ofFile(dataDir)).toEqual(key)
  expect(await ofFile(join(folder, 'other'))).not.toEqual(key)
})

const derived = (secret: string, derivation: string) => createMasterKey({ secret, dataDir: join(folder, 'env') }, derivation)

test('a secret from the environment replaces the file, and none is written', async () => {
  const derivation = newDerivation({ secret: 'a long enough secret' })
  const key = await derived('a long enough secret', derivation)
  expect(key).toHaveLength(32)
  expect(await derived('a long enough secret', derivation)).toEqual(key)
  expect(await derived('another long secret', derivation)).not.toEqual(key)
  expect(() => readFileSync(join(folder, 'env', 'secret.key'))).toThrow()
})

test('a secret is derived slowly and with a salt of the store, except in a store of the first versions', async () => {
  const secret = 'a long enough secret'
  const [one, other] = [newDerivation({ secret }), newDerivation({ secret })]
  expect(one).toMatch(/^scrypt:15:8:3:[A-Za-z0-9+/]{22}==$/)
  expect(await derived(secret, one)).not.toEqual(await derived(secret, other))
  // Node's and OpenSSL's scrypt for the same values.
  expect(Buffer.from(await derived(secret, 'scrypt:4:1:1:AAAAAAAAAAAAAAAAAAAAAA==')).toString('hex')).toBe(
    scryptSync(secret, Buffer.alloc(16), 32, { N: 16, r: 1, p: 1 }).toString('hex'),
  )
  expect(await derived(secret, '')).toEqual(new Uint8Array(createHash('sha256').update(secret).digest()))
})

test('a derivation that this version does not know, or that would take all memory, stops the start', async () => {
  for (const derivation of [
    'argon2:1',
    'scrypt:30:8:1:AAAA',
    'scrypt:0:8:1:AAAA',
    'scrypt:15:8:3',
    'scrypt:15:8:3:!',
    `scrypt:15:8:3:${'A'.repeat(99)}`,
  ])
    expect(derived('a long enough secret', derivation)).rejects.toThrow('a way that this version does not know')
})

test('reading a key that is missing makes none', async () => {
  const dataDir = join(folder, 'none')
  expect(await readMasterKey({ secret: '', dataDir }, 'raw')).toBeNull()
  expect(existsSync(dataDir)).toBe(false)
})

test('a damaged key stops the start instead of being replaced, which would lose every sealed value', async () => {
  writeFileSync(join(folder, 'secret.key'), 'c2hvcnQ=\n')
  expect(ofFile(folder)).rejects.toThrow('restore it from a backup')
})
