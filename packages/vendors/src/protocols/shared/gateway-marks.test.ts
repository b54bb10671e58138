import { expect, test } from 'bun:test'
import { ownMark, unmarked } from './gateway-marks.ts'

test('a vendor gets back its own signature of reasoning, and neither that of Claude nor a mark without one', () => {
  const reasoning = (signature: string) => ({ type: 'thinking', thinking: 'hm', signature })
  expect(unmarked(reasoning(`${ownMark}abc`))).toEqual(reasoning('abc'))
  expect(unmarked({ type: 'redacted_thinking', data: `${ownMark}abc` })).toEqual({ type: 'redacted_thinking', data: 'abc' })
  expect(unmarked(reasoning('EqQBCg=='))).toBeNull()
  expect(unmarked(reasoning(ownMark))).toBeNull()
  expect(unmarked(reasoning(''))).toBeNull()
})
