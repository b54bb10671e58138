import { expect, test } from 'bun:test'
import { vendors } from '../../registry/list.ts'
import { anthropic } from './dialect.ts'
import { traitsOf } from './models.ts'

/** Model, output maximum, form of thinking, when it thinks. Names with dates, without, and in Bedrock's form. */
test.each([
  ['claude-3-haiku-20240307', 4_096, 'none', 'if-asked'],
  ['claude-2.1', 4_096, 'none', 'if-asked'],
  ['claude-instant-1.2', 4_096, 'none', 'if-asked'],
  ['claude-3-5-sonnet-20241022', 8_192, 'none', 'if-asked'],
  ['claude-3-7-sonnet-20250219', 64_000, 'budget', 'if-asked'],
  ['claude-sonnet-4-20250514', 64_000, 'budget', 'if-asked'],
  ['claude-sonnet-4-0', 64_000, 'budget', 'if-asked'],
  ['claude-opus-4-20250514', 32_000, 'budget', 'if-asked'],
  ['claude-opus-4-0', 32_000, 'budget', 'if-asked'],
  ['claude-opus-4', 32_000, 'budget', 'if-asked'],
  ['claude-opus-4-1-20250805', 32_000, 'budget', 'if-asked'],
  ['claude-opus-4-5-20251101', 64_000, 'budget', 'if-asked'],
  ['claude-haiku-4-5', 64_000, 'budget', 'if-asked'],
  ['anthropic.claude-sonnet-4-5-20250929-v1:0', 64_000, 'budget', 'if-asked'],
  ['claude-opus-4-6', 128_000, 'adaptive', 'if-asked'],
  ['claude-opus-4-8', 128_000, 'adaptive', 'if-asked'],
  ['claude-opus-5', 128_000, 'adaptive', 'unless-told'],
  ['claude-sonnet-5-20260301', 128_000, 'adaptive', 'unless-told'],
  ['claude-sonnet-5-5', 128_000, 'adaptive', 'unless-told'],
  ['global.anthropic.claude-opus-5-5', 128_000, 'adaptive', 'always'],
  ['claude-fable-5', 128_000, 'adaptive', 'always'],
  ['claude-fable-5-1', 128_000, 'adaptive', 'always'],
  ['claude-fable-5-2', 128_000, 'adaptive', 'always'],
  ['claude-haiku-5-5', 128_000, 'adaptive', 'always'],
  ['claude-of-the-year-after-next', 128_000, 'adaptive', 'always'],
  ['somebody-elses-model', Number.MAX_SAFE_INTEGER, 'budget', 'if-asked'],
] as const)('%s: at most %d output tokens, thinking %s, %s', (model, outputMax, thinking, thinks) => {
  expect(traitsOf(model)).toMatchObject({ outputMax, thinking, thinks })
})

test('every model in a record of this dialect has a row of its own', () => {
  const models = vendors.filter(({ dialects }) => dialects.chat === anthropic).flatMap((vendor) => vendor.models.names)
  expect(models.filter((model) => traitsOf(model).outputMax === Number.MAX_SAFE_INTEGER)).toEqual([])
})
