import { expect, test } from 'bun:test'
import { base64 } from './crypto-functions.ts'

test('base64 has every byte, also of data that is written in several chunks', () => {
  for (const length of [0, 1, 2, 3, 0x6000, 0x6001, 100_000]) {
    const bytes = new Uint8Array(length).map((_, index) => index * 7)
    expect(base64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
  }
})
