import { expect, test } from 'bun:test'
import { isMailDomain } from './option-lists.ts'

test('a mail domain has at most 253 characters', () => {
  expect(isMailDomain(`${'a.'.repeat(125)}com`)).toBe(true)
  expect(isMailDomain(`${'a.'.repeat(126)}com`)).toBe(false)
  expect(isMailDomain('a.'.repeat(128 * 1024))).toBe(false)
})
