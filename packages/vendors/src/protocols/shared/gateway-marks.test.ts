import { expect, test } from 'bun:test'
import { ownMark, unmarked } from './gateway-marks.ts'

test('a vendor gets back its own signature of thoughts, and neither that of Claude nor a mark without one', () => {
  const thought = (signature: string) => ({ type: 'thinking', thinking: 'hm', signature })
  expect(unmarked(thought(`${ownMark}abc`))).toEqual(thought('abc'))
  expect(unmarked({ type: 'redacted_thinking', data: `${ownMark}abc` })).toEqual({ type: 'redacted_thinking', data: 'abc' })
  expect(unmarked(thought('EqQBCg=='))).toBeNull()
  expect(unmarked(thought(ownMark))).toBeNull()
  expect(unmarked(thought(''))).toBeNull()
})
