import { expect, test } from 'bun:test'
import { foldChips, namesToAdd, optionsFor } from './model-picker-options.ts'

const items = ['gpt-4o', 'gpt-4o-mini', 'claude-opus-5']
const open = { items, value: [], allowsCustom: true }
const closed = { ...open, allowsCustom: false }

test('an empty search offers everything, also what was chosen and is not listed', () => {
  expect(optionsFor({ ...open, value: ['own'], query: ' ' })).toEqual({ names: [...items, 'own'], added: null })
})

test('every word of a search must be in the name, in any case and order', () => {
  expect(optionsFor({ ...closed, query: 'MINI gpt' })).toEqual({ names: ['gpt-4o-mini'], added: null })
})

test('what was typed stands first: as itself where it is listed, as an addition where it is not', () => {
  expect(optionsFor({ ...open, query: 'gpt-4o' })).toEqual({ names: ['gpt-4o', 'gpt-4o-mini'], added: null })
  expect(optionsFor({ ...open, query: 'gpt' })).toEqual({ names: ['gpt', 'gpt-4o', 'gpt-4o-mini'], added: 'gpt' })
})

test('a closed list offers nothing of its own', () => {
  expect(optionsFor({ ...closed, query: 'nowhere' })).toEqual({ names: [], added: null })
})

test('a pasted list becomes its names, without empty ones, repeats and those that are there', () => {
  expect(namesToAdd('x,y  z\nx,,gpt-4o', { ...open, value: ['gpt-4o'] })).toEqual(['x', 'y', 'z'])
  expect(namesToAdd(' \n', open)).toEqual([])
})

test('a closed list takes of a pasted one what it knows', () => {
  expect(namesToAdd('x, gpt-4o', closed)).toEqual(['gpt-4o'])
})

test('many chips fold in the middle; a single one is not worth a fold', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`)
  expect(foldChips(names(17)).before).toHaveLength(17)
  const { before, after } = foldChips(names(1000))
  expect([before.length, after]).toEqual([12, ['m996', 'm997', 'm998', 'm999']])
})
