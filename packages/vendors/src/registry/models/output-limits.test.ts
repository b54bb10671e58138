import { describe, expect, test } from 'bun:test'
import { traitsOf } from '../../protocols/anthropic/models.ts'
import table from './output-limits.json' with { type: 'json' }
import { knownLimitsOf, outputLimitsOf } from './output-limits.ts'

describe('what a model can write', () => {
  test('is found by its name, also with the prefix or suffix of a reseller', () => {
    const expected = { outputMax: 16_384, contextMax: 128_000, isAssumed: false }
    for (const name of ['gpt-4o-mini', 'openai/gpt-4o-mini', 'gpt-4o-mini-2024-07-18', 'ft:gpt-4o-mini:acme::abc', 'gpt-4o-mini:free'])
      expect([name, outputLimitsOf(name)]).toEqual([name, expected])
    expect(outputLimitsOf('claude-opus-4@20250514')).toMatchObject({ outputMax: 32_000, contextMax: 200_000 })
  })

  test('has a default for unknown names, and a larger one if the model reasons', () => {
    expect(outputLimitsOf('my-model')).toEqual({ outputMax: 8_192, contextMax: null, isAssumed: true })
    expect(outputLimitsOf('my-model-thinking')).toEqual({ outputMax: 32_768, contextMax: null, isAssumed: true })
  })

  test('is assumed where the vendor names only the context', () => {
    expect(outputLimitsOf('grok-4.5')).toEqual({ outputMax: 32_768, contextMax: 500_000, isAssumed: true })
    expect(knownLimitsOf('grok-4.5')).toBeNull()
  })

  test('is a whole number that fits into the context', () => {
    const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0
    const wrong = Object.entries(table.models).filter(([, [outputMax, contextMax]]) => {
      if (contextMax !== undefined && !isWhole(contextMax)) return true
      return outputMax === null ? contextMax === undefined : !isWhole(outputMax) || Number(outputMax) > (contextMax ?? Number(outputMax))
    })
    expect(wrong).toEqual([])
  })

  test('is never above the maximum in Anthropic’s dialect', () => {
    const names = Object.keys(table.models).filter((name) => name.startsWith('claude-'))
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter((name) => outputLimitsOf(name).outputMax > traitsOf(name).outputMax)).toEqual([])
  })
})
