import { expect, test } from 'bun:test'
import { passwordStrength } from './password-strength.ts'

test.each([
  ['', 0],
  ['seven77', 0],
  ['aaaaaaaaaaaa', 1],
  ['12345678', 1],
  ['abcdefgh', 1],
  ['password', 1],
  ['Tr0ub4dor', 2],
  ['mK7#pQ2x!z', 3],
  ['correct horse battery staple', 4],
  ['一二三四五六七八九十', 3],
] as const)('%p has strength %p', (password, strength) => expect(passwordStrength(password)).toBe(strength))
