import { describe, expect, test } from 'bun:test'
import { textDiff } from '../../lib/text-diff.ts'
import {
  cellChange,
  cellOf,
  matchingRows,
  ratioRows,
  readCell,
  readPasted,
  readRatios,
  unknownPrice,
  withRatio,
  writeRatios,
} from './ratio-rows.ts'
import { ratioDiff } from './value-diff.ts'

const scale = { quotaPerUnit: 500_000 }
const row = (ratio: number | null, completion: number | null, more: { readonly thinking?: number; readonly factor?: number } = {}) => ({
  ...unknownPrice('m'),
  ratio,
  completion,
  ...more,
})

test('models that differ in case are different models', () => {
  const ratio = new Map([
    ['GPT-4o', 1],
    ['gpt-4o', 2],
  ])
  const rows = ratioRows({
    ratio,
    completion: new Map([['gpt-4O', 3]]),
    thinking: new Map([['gpt-4O', 4]]),
    factor: new Map([['gpt-4o', 1.5]]),
  })
  expect(rows).toEqual([
    { name: 'GPT-4o', ratio: 1, completion: null, thinking: null, factor: null },
    { name: 'gpt-4O', ratio: null, completion: 3, thinking: 4, factor: null },
    { name: 'gpt-4o', ratio: 2, completion: null, thinking: null, factor: 1.5 },
  ])
  expect(matchingRows(rows, 'gpt 4o')).toHaveLength(3)
  expect(matchingRows(rows, 'claude')).toEqual([])
})

test('a changed model keeps its place in the text, and others are untouched', () => {
  const text = '{\n  "b": 1,\n  "a": 2\n}'
  const ratios = readRatios(text) ?? new Map()
  expect(writeRatios(ratios)).toBe(text)
  expect(writeRatios(withRatio(ratios, 'b', 5))).toBe('{\n  "b": 5,\n  "a": 2\n}')
  expect(writeRatios(withRatio(withRatio(ratios, 'b', null), 'a', null))).toBe('')
  for (const broken of ['{', '[]', '{"a":"1"}', '7']) expect(readRatios(broken)).toBeNull()
})

describe('prices of a million tokens', () => {
  test('are shown for the quota of a dollar', () => {
    expect(cellOf(row(1.25, 4), 'input', scale)).toBe(2.5)
    expect(cellOf(row(1.25, 4), 'output', scale)).toBe(10)
    expect(cellOf(row(0.1, 3), 'output', scale)).toBe(0.6)
    expect(cellOf(row(1, null), 'output', scale)).toBe(2)
    expect(cellOf(row(1, 1), 'input', { quotaPerUnit: 1_000_000 })).toBe(1)
    expect(cellOf(row(null, 4), 'output', scale)).toBeNull()
  })

  test('become ratios, and a new price of input keeps the price of output', () => {
    expect(cellChange(row(1.25, 4), 'input', { value: 5, scale })).toEqual({ ratio: 2.5, completion: 2 })
    expect(cellChange(row(1.25, 4), 'output', { value: 5, scale })).toEqual({ completion: 2 })
    expect(cellChange(row(null, null), 'input', { value: 3, scale })).toEqual({ ratio: 1.5 })
    expect(cellChange(row(1.25, 4), 'input', { value: 0, scale })).toEqual({ ratio: 0 })
    expect(cellChange(row(null, 4), 'output', { value: 5, scale })).toBeNull()
    expect(cellChange(row(1.25, 4), 'output', { value: null, scale })).toEqual({ completion: null })
    expect(cellChange(row(1.25, 4), 'factor', { value: 1.1, scale })).toEqual({ factor: 1.1 })
    expect(cellOf(row(1.25, 4, { factor: 1.1 }), 'factor', scale)).toBe(1.1)
  })

  test('of responses with reasoning are shown, typed, and kept when the price of input changes', () => {
    expect(cellOf(row(1, 2, { thinking: 8 }), 'thinking', scale)).toBe(8)
    expect(cellChange(row(1, 2, { thinking: 8 }), 'thinking', { value: 5, scale })).toEqual({ thinking: 5 })
    expect(cellChange(row(1, 2, { thinking: 8 }), 'input', { value: 4, scale })).toEqual({ ratio: 2, completion: 1, thinking: 4 })
  })

  test('are read from a typed text', () => {
    expect([readCell(' $2.50 '), readCell(''), readCell('-1'), readCell('1e3'), readCell('x')]).toEqual([
      2.5,
      null,
      undefined,
      undefined,
      undefined,
    ])
  })
})

test('pasted lines are read, and those that cannot be are named', () => {
  const text = 'gpt-4o\t2.5\t10\n\no3, 2, 8\nembed 0.02\nbroken\nx 1 y\na 1 2 3'
  expect(readPasted(text, 'dollars', scale)).toEqual({
    rows: [
      { ...unknownPrice('gpt-4o'), ratio: 1.25, completion: 4 },
      { ...unknownPrice('o3'), ratio: 1, completion: 4 },
      { ...unknownPrice('embed'), ratio: 0.01 },
    ],
    badLines: [5, 6, 7],
  })
  expect(readPasted('a 1 2', 'ratio', scale).rows).toEqual([{ ...unknownPrice('a'), ratio: 1, completion: 2 }])
})

test('a comparison shows only what differs', () => {
  expect(ratioDiff('{"a":1,"b":2,"c":3}', '{"a":1,"b":5,"d":4}')).toEqual([
    { name: 'b', before: '2', after: '5' },
    { name: 'c', before: '3', after: null },
    { name: 'd', before: null, after: '4' },
  ])
  expect(ratioDiff('{"a":1}', '{')).toBeNull()
  expect(textDiff('one\ntwo\nthree', 'one\n2\nthree')).toEqual({ before: ['two'], after: ['2'] })
  expect(textDiff('same\nsame', 'same')).toEqual({ before: ['same'], after: [] })
})
