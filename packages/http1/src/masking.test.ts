import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { applyMask } from './masking.ts'

test('bytes are masked as the protocol defines, whatever their alignment and however the frame was split', () => {
  const mask = fc.uint8Array({ minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), mask, fc.nat(7), fc.nat(400), (data, key, offset, cut) => {
      const memory = new Uint8Array(offset + data.length)
      memory.set(data, offset)
      const at = Math.min(cut, data.length)
      applyMask(memory.subarray(offset, offset + at), key, 0)
      applyMask(memory.subarray(offset + at), key, at)
      const expected = data.map((byte, index) => byte ^ (key[index % 4] ?? 0))
      expect([...memory.subarray(offset)]).toEqual([...expected])
      expect([...memory.subarray(0, offset)].every((byte) => byte === 0)).toBe(true)
    }),
    { verbose: true, numRuns: 300 },
  )
})
