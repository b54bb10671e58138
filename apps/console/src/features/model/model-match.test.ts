import { expect, test } from 'bun:test'
import { modalities as allModalities, type ModelRow, modelFeatures } from '@sluice/contract'
import { featureChoices, featuresOf, modalities } from './model-choices.ts'
import { matches } from './model-match.ts'
import { type ModelFilters, readModelSearch } from './model-search.ts'

const row = (name: string, more: Partial<ModelRow>) => ({
  ...{ name, kinds: ['chat' as const], vendors: [1], inputs: [], outputs: [], features: [] },
  ...more,
})
const rows = [
  row('sees', { inputs: ['text', 'image'], outputs: ['text'], features: ['tools', 'reasoning'] }),
  row('reads', { inputs: ['text', 'file'], outputs: ['text'], features: ['tools', 'structured'] }),
  row('draws', { kinds: ['images'], vendors: [24], inputs: ['text'], outputs: ['image'] }),
  row('unknown', {}),
]
const namesOf = (filters: ModelFilters) => rows.filter((one) => matches(one, filters)).map(({ name }) => name)

test('models are found by what they take, give and can do, all at once, and unknown ones by their name and kind only', () => {
  expect(namesOf({})).toEqual(['sees', 'reads', 'draws', 'unknown'])
  expect(namesOf({ input: 'image' })).toEqual(['sees'])
  expect(namesOf({ output: 'image' })).toEqual(['draws'])
  expect(namesOf({ can: 'tools' })).toEqual(['sees', 'reads'])
  expect(namesOf({ can: 'tools-reasoning' })).toEqual(['sees'])
  expect(namesOf({ can: 'tools', input: 'file', output: 'text', kind: 'chat', vendor: 1 })).toEqual(['reads'])
  expect(namesOf({ can: 'tools-structured-reasoning' })).toEqual([])
  expect(namesOf({ kind: 'chat', q: 'UNK' })).toEqual(['unknown'])
})

test('what is no choice finds nothing, and no feature asks for nothing', () => {
  const search = { can: 'tools-reasoning', input: 'audio', sort: '-released' }
  expect(readModelSearch(search)).toEqual(search)
  expect(namesOf({ input: 'smell' })).toEqual([])
  expect(namesOf({ can: 'magic' })).toEqual(['sees', 'reads', 'draws', 'unknown'])
})

test('the choices are those of the contract, and every set of features', () => {
  expect(modalities).toEqual(allModalities)
  expect(featuresOf(featureChoices.at(-1) ?? '')).toEqual([...modelFeatures])
  expect(new Set(featureChoices.map((choice) => featuresOf(choice).join(' '))).size).toBe(2 ** modelFeatures.length - 1)
})
