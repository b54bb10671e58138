import { describe, expect, test } from 'bun:test'
import { vendorMark } from '../../lib/vendors.ts'
import { readMapping, repeatedNames, writeMapping } from './mapping-rows.ts'
import { modelDiff } from './model-diff.ts'

describe('the grid of a model mapping', () => {
  test('reads the JSON, and writes it as it was', () => {
    const text = '{\n  "a": "b",\n  "c": "d"\n}'
    expect(readMapping(text)).toEqual([
      { from: 'a', to: 'b' },
      { from: 'c', to: 'd' },
    ])
    expect(writeMapping(readMapping(text) ?? [])).toBe(text)
    expect(readMapping(' ')).toEqual([])
    for (const other of ['{"a":', '[]', '1', '{"a":1}']) expect(readMapping(other)).toBeNull()
  })

  test('leaves out empty lines, and keeps lines with one name, which the form refuses', () => {
    expect(writeMapping([{ from: ' ', to: '' }])).toBe('')
    expect(JSON.parse(writeMapping([{ from: 'a ', to: '' }]))).toEqual({ a: '' })
  })

  test('finds names that stand on the left twice', () => {
    const rows = ['a', 'b', ' a', '', ''].map((from) => ({ from, to: 'x' }))
    expect([...repeatedNames(rows)]).toEqual(['a'])
  })
})

test('the models of a vendor are compared with those of the channel', () => {
  expect(modelDiff(['a', 'b'], ['b', 'c'])).toEqual({ fresh: ['c'], missing: ['a'], kept: 1 })
})

test('the mark of a vendor has the initials of two words, or the beginning of one', () => {
  expect(['Anthropic Claude', 'OpenAI', 'together.ai', '01.AI', '百度文心千帆', 'X'].map(vendorMark)).toEqual([
    'AC',
    'Op',
    'TA',
    '0A',
    '百',
    'X',
  ])
})
