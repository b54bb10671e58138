import { expect, test } from 'bun:test'
import { fittingTags } from './fitting-tags.ts'

test('a line holds the groups that fit, and one in any case', () => {
  const fitting = (...names: readonly string[]) => fittingTags(names.map((name) => ({ name }))).map(({ name }) => name)
  expect(fitting('default', 'vip')).toEqual(['default', 'vip'])
  expect(fitting('default', 'internal-testing', 'pro')).toEqual(['default', 'pro'])
  expect(fitting('a-very-long-name-of-a-group')).toEqual(['a-very-long-name-of-a-group'])
})
