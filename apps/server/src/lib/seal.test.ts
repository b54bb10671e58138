import { expect, test } from 'bun:test'
import { createSeal } from './seal.ts'

const seal = createSeal(new Uint8Array(32).fill(1))

test('a sealed text opens again, and differs each time', () => {
  for (const text of ['', 'sk-secret', '多行\nkey 🙂']) {
    expect(seal.open(seal.seal(text, 'channel-key'), 'channel-key')).toBe(text)
    expect(seal.seal(text, 'channel-key')).not.toBe(seal.seal(text, 'channel-key'))
  }
})

test('a sealed text opens neither for another purpose, nor with another master key, nor after a change of one letter', () => {
  const sealed = seal.seal('sk-secret', 'channel-key')
  expect(() => seal.open(sealed, 'channel-config')).toThrow()
  expect(() => createSeal(new Uint8Array(32).fill(2)).open(sealed, 'channel-key')).toThrow()
  const changed = sealed.slice(0, 10) + (sealed[10] === 'A' ? 'B' : 'A') + sealed.slice(11)
  expect(() => seal.open(changed, 'channel-key')).toThrow()
  for (const broken of ['', 'v1.', 'plain text', 'v2.AAAA']) expect(() => seal.open(broken, 'channel-key')).toThrow()
})

test('a look-up value is the same only for the same text and purpose', () => {
  expect(seal.lookup('key', 'token')).toBe(seal.lookup('key', 'token'))
  expect(seal.lookup('key', 'token')).not.toBe(seal.lookup('key', 'access-token'))
  expect(seal.lookup('key', 'token')).not.toBe(createSeal(new Uint8Array(32).fill(2)).lookup('key', 'token'))
  expect(seal.lookup('key', 'token')).not.toContain('key')
})
