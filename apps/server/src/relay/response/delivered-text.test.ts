import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { DeliveredText } from './delivered-text.ts'

test('the text is all chunks in order, however long they are', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 700 }), { maxLength: 40 }), (pieces) => {
      const text = new DeliveredText()
      for (const piece of pieces) text.add(piece)
      expect(text.between(0, text.length)).toBe(pieces.join(''))
    }),
    { verbose: true },
  )
})
