import { expect, test } from 'bun:test'
import { priceOf } from './price-choice.ts'

const none = { like: '', input: '', output: '' }

test('a choice of a price is sent as the server takes it', () => {
  expect(priceOf('free', none)).toEqual({ free: true })
  expect(priceOf('like', { ...none, like: ' gpt-4o ' })).toEqual({ like: 'gpt-4o' })
  expect(priceOf('price', { ...none, input: '2.5', output: '10' })).toEqual({ ratio: 1.25, completion: 4 })
  expect(priceOf('price', { ...none, input: '0', output: '0' })).toEqual({ free: true })
})

test('a choice that lacks something, or that no ratio can say, is not sent', () => {
  expect(priceOf('like', none)).toBeNull()
  for (const [input, output] of [
    ['', '1'],
    ['1', ''],
    ['x', '1'],
    ['0', '1'],
    ['-1', '1'],
  ] as const)
    expect(priceOf('price', { ...none, input, output })).toBeNull()
})
