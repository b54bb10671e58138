import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { noCounts, toUsage, withUsage } from './usage.ts'

const readAll = (...usages: readonly JsonObject[]) => toUsage(usages.reduce(withUsage, noCounts))

describe('counts of a stream', () => {
  test('whose input at first includes what its end reports as cached (DashScope)', () => {
    const usage = readAll({ input_tokens: 3_602, output_tokens: 0 }, { output_tokens: 20, cache_read_input_tokens: 3_604 })
    expect(usage).toMatchObject({ promptTokens: 3_604, cachedTokens: 3_604, completionTokens: 20, isSuspect: false })
    const zero = readAll({ input_tokens: 3_602, cache_read_input_tokens: 0 }, { output_tokens: 20, cache_read_input_tokens: 3_000 })
    expect(zero).toMatchObject({ promptTokens: 3_602, cachedTokens: 3_000, isSuspect: false })
  })

  test('whose end divides the input into a new and a cached part (vLLM)', () => {
    const usage = readAll({ input_tokens: 1_000, output_tokens: 0 }, { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 900 })
    expect(usage).toMatchObject({ promptTokens: 1_000, cachedTokens: 900, completionTokens: 20, isSuspect: false })
  })

  test('that decrease are suspect', () => {
    expect(readAll({ input_tokens: 1_000, output_tokens: 0 }, { input_tokens: 100, output_tokens: 20 })?.isSuspect).toBe(true)
    const less = { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 800 }
    expect(readAll({ input_tokens: 1_000, output_tokens: 0 }, less)?.isSuspect).toBe(true)
    const cached = { input_tokens: 10, cache_read_input_tokens: 900, output_tokens: 0 }
    expect(readAll(cached, { input_tokens: 10, cache_read_input_tokens: 800, output_tokens: 20 })?.isSuspect).toBe(true)
  })
})

describe('iterations', () => {
  const counts = (input: number, output: number) => ({ input_tokens: input, output_tokens: output })

  test('of the serving model before its last one are its own, and work of advisors is that of their models', () => {
    const iterations = [
      { type: 'message', model: 'a', ...counts(100, 0) },
      { type: 'message', model: 'b', ...counts(50, 5) },
      { type: 'advisor_message', model: 'c', ...counts(7, 3) },
      { type: 'fallback_message', model: 'b', ...counts(60, 6) },
    ]
    const usage = readAll({ ...counts(60, 6), iterations })
    expect(usage).toMatchObject({ promptTokens: 110, completionTokens: 11, responseModel: 'b', isSuspect: false })
    expect(
      usage?.delegated.map(({ models, usage: { promptTokens, completionTokens } }) => [models[0], promptTokens, completionTokens]),
    ).toEqual([['c', 7, 3]])
  })

  test('with impossible counts make the usage suspect', () => {
    const iterations = [
      { type: 'message', ...counts(1, 1) },
      { type: 'advisor_message', model: 'c', ...counts(-1, 3) },
    ]
    expect(readAll({ ...counts(1, 1), iterations })?.isSuspect).toBe(true)
  })
})
