import { expect, test } from 'bun:test'
import { withListPrices } from './list-prices.ts'

const listed = { 'gpt-4o': { ratio: 1.25 }, o1: { ratio: 7.5 } }

test('list prices fill in what is missing, and replace no price that is there', () => {
  expect(JSON.parse(withListPrices('', listed) ?? '')).toEqual(listed)
  expect(JSON.parse(withListPrices('{"o1":{"ratio":5},"mine":{"free":true}}', listed) ?? '')).toEqual({
    'gpt-4o': { ratio: 1.25 },
    o1: { ratio: 5 },
    mine: { free: true },
  })
})

test('nothing is filled in where nothing is missing, or where the text cannot be read', () => {
  expect(withListPrices('{"gpt-4o":{},"o1":{}}', listed)).toBeNull()
  expect(withListPrices('', {})).toBeNull()
  for (const text of ['{"gpt-4o":', '[]', '3']) expect(withListPrices(text, listed)).toBeNull()
})
