import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { carriedIn, carriedText, isCarried } from './carried-reasoning.ts'

test('what is carried comes back, in either alphabet of base64', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.record({ signature: fc.base64String() }), { maxLength: 3 }),
      (reasoningText, blocks) => {
        const text = carriedText({ thought: reasoningText, blocks })
        expect(carriedIn(text)).toEqual({ thought: reasoningText, blocks })
        expect(carriedIn(text.replaceAll('+', '-').replaceAll('/', '_'))).toEqual({ thought: reasoningText, blocks })
      },
    ),
    { verbose: true },
  )
})

test('another text carries nothing, and one that was changed is known as ours', () => {
  fc.assert(
    fc.property(fc.oneof(fc.base64String(), fc.string(), fc.constantFrom(null, 7, undefined)), (text) => {
      expect(isCarried(text)).toBe(false)
      expect(carriedIn(text)).toBeNull()
    }),
    { verbose: true },
  )
  const cut = carriedText({ thought: 'I must look it up' }).slice(0, -9)
  expect(isCarried(cut)).toBe(true)
  expect(carriedIn(cut)).toBeNull()
  for (const forged of ['[]', '7', 'null', '{"thought":{},"blocks":7,"extra":[]}']) {
    const text = btoa(`sluice:${forged}`)
    expect(carriedIn(text)).toEqual(forged.startsWith('{') ? {} : null)
  }
})
