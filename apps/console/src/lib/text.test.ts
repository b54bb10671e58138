import { expect, test } from 'bun:test'
import { groupTags, maskSecret, matchScore, shortUsername, splitNames } from './text.ts'

test('a long username keeps twelve characters', () => {
  expect(shortUsername('exactly-15-char')).toBe('exactly-15-char')
  expect(shortUsername('sixteen-chars-ok')).toBe('sixteen-char...')
  expect(shortUsername('😀'.repeat(16))).toBe(`${'😀'.repeat(12)}...`)
})

test('pasted lists split at commas, spaces and lines', () => {
  expect(splitNames('a,b c\nd, a，e')).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(splitNames(' ,\n')).toEqual([])
})

test('groups are sorted and coloured, none means default', () => {
  expect(groupTags('')).toEqual([{ name: 'default', tone: 'grey' }])
  expect(groupTags('vip,premium,a')).toEqual([
    { name: 'a', tone: 'grey' },
    { name: 'premium', tone: 'red' },
    { name: 'vip', tone: 'yellow' },
  ])
})

test('a masked secret shows its ends only', () => {
  expect(maskSecret('abcdefghijklmnop')).toBe('abcd••••mnop')
  expect(maskSecret('short')).toBe('••••••••')
})

test('a start fits better than a middle, a middle better than scattered letters', () => {
  const scores = ['gpt-4o', 'chat-gpt-4', 'xgpt', 'go proxy test'].map((text) => matchScore(text, 'gpt') ?? -999)
  expect(scores).toEqual([...scores].sort((a, b) => b - a))
  expect(matchScore('claude', 'gpt')).toBeNull()
})
