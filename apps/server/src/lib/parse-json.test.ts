import { expect, test } from 'bun:test'
import { contract, options, parsePriceRules } from '@sluice/contract'
import { tryParseJson } from './parse-json.ts'

const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`

test('JSON in a text may be nested as deeply as a body, and no deeper', () => {
  expect(tryParseJson(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeArray()
  for (const text of [nested, `{"a":${nested}}`, '1e999', '{', '']) expect(tryParseJson(text)).toBeUndefined()
})

test('fields and options that are JSON are refused if they are nested too deeply', () => {
  const text = `{"a":${nested}}`
  for (const field of ['model_mapping', 'config', 'headers', 'cost_prices'])
    expect(contract.channel.update.input.safeParse({ id: 1, [field]: text }).error?.issues[0]?.path).toEqual([field])
  expect(parsePriceRules(text)).toBeNull()
  expect(options.ModelRatio.parse(text)).toBeNull()
})
