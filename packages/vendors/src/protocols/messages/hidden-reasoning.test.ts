import { expect, test } from 'bun:test'
import { hiddenProof, revealed } from './hidden-reasoning.ts'

test('hidden reasoning gets its text and the vendor’s signature back', () => {
  for (const signature of ['', 'proof-of-the-vendor']) {
    const hidden = { type: 'thinking', thinking: '', signature: hiddenProof({ text: 'Grüße 世界', signature }) }
    expect(hidden.signature).not.toContain('proof-of')
    expect(revealed(hidden)).toEqual({ type: 'thinking', thinking: 'Grüße 世界', signature: `sluice:${signature}` })
  }
})

test('other reasoning stays as it is', () => {
  for (const signature of ['', 'sluice:', 'sluice:proof', 'EqQBCg==']) {
    const block = { type: 'thinking', thinking: 'I look.', signature }
    expect(revealed(block)).toBe(block)
  }
})
