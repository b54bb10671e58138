import { expect, test } from 'bun:test'
import { fuzzyMatch } from './fuzzy.ts'

const highlight = (query: string, text: string): string | null => {
  const match = fuzzyMatch(query, text)
  return match === null ? null : match.at.map((at) => text[at]).join('')
}
const best = (query: string, ...texts: readonly string[]): string | undefined =>
  texts.toSorted((a, b) => (fuzzyMatch(query, b)?.score ?? -1) - (fuzzyMatch(query, a)?.score ?? -1))[0]

test('finds beginnings, parts, initials and letters with gaps, in any case', () => {
  expect(highlight('tok', 'Tokens')).toBe('Tok')
  expect(highlight('NT', 'New token')).toBe('Nt')
  expect(highlight('newtok', 'New token')).toBe('Newtok')
  expect(highlight('chnl', 'Channels')).toBe('Chnl')
  expect(highlight('token new', 'New token')).toBe('Newtoken')
  expect(highlight('令牌', '新建令牌')).toBe('令牌')
  expect(highlight('cafe', 'Café')).toBe('Café')
  expect(highlight('gra', 'GroupRatio')).toBe('GRa')
})

test('does not find letters that are missing, in another order, or scattered by chance', () => {
  expect(highlight('tokenx', 'Tokens')).toBeNull()
  expect(highlight('kot', 'Tokens')).toBeNull()
  expect(highlight('keb', 'Tokens of everybody else')).toBeNull()
})

test('prefers the beginning of a word to its middle, neighbours to gaps, and the shorter of two texts', () => {
  expect(best('log', 'Catalogue', 'Log out')).toBe('Log out')
  expect(best('set', 'Some extra text', 'Settings')).toBe('Settings')
  expect(best('tokens', 'Tokens of ann', 'Tokens')).toBe('Tokens')
  expect(best('us', 'Status', 'Users')).toBe('Users')
})

test('gives positions that are valid beside characters of two units', () => {
  expect(fuzzyMatch('b', '😀 b')?.at).toEqual([3])
})

test('finds nothing in an empty text, and everything with an empty query', () => {
  expect(fuzzyMatch('a', '')).toBeNull()
  expect(fuzzyMatch('', 'abc')?.at).toEqual([])
})
