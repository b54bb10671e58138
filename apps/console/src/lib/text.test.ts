import { expect, test } from 'bun:test'
import { groupTags, isolated, maskSecret, shortUsername, splitNames } from './text.ts'

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
  expect(groupTags('svip,pro,Vip').map(({ name, tone }) => [name, tone])).toEqual([
    ['Vip', 'grey'],
    ['pro', 'yellow'],
    ['svip', 'red'],
  ])
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

test('a value in a sentence turns nothing around it', () => {
  expect(isolated('plain <b>name</b> 名称')).toBe('plain <b>name</b> 名称')
  expect(isolated('a\u202Eb\u2069c')).toBe('abc')
  expect(isolated('שלום\u2069\u202E')).toBe('\u2068שלום\u2069')
})
