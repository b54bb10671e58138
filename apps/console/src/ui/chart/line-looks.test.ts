import { expect, test } from 'bun:test'
import { looksOf } from './line-looks.ts'

test('a name has the same colour alone and first among others', () => {
  for (const name of ['gpt-4o', 'claude-sonnet-4-5', '客服机器人', ''])
    expect(looksOf([name, 'a', 'b']).get(name)).toEqual(looksOf([name]).get(name))
})

test('ten names have ten colours, and further ones share them', () => {
  const names = Array.from({ length: 25 }, (_, index) => `model ${index}`)
  const looks = looksOf(names)
  expect(new Set(names.slice(0, 10).map((name) => looks.get(name)?.fill)).size).toBe(10)
  expect(looks.size).toBe(25)
})
