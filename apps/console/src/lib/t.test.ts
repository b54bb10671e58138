import { describe, expect, test } from 'bun:test'
import type { Message } from './message.ts'
import { en } from './messages/en.ts'
import { textGroups } from './messages/groups.ts'
import { zh } from './messages/zh.ts'
import { preferredLocale, translator } from './t.ts'

const forms = (message: Message): readonly string[] => (typeof message === 'string' ? [message] : Object.values(message))
const placeholders = (message: Message): readonly string[] =>
  [...new Set(forms(message).flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)))].sort()

type Texts = Readonly<Record<string, Message>>

const groups = await Promise.all(
  Object.entries(textGroups).map(async ([name, load]) => ({ name, en: (await load.en()) as Texts, zh: (await load.zh()) as Texts })),
)

describe.each([{ name: 'the frame', en: en as Texts, zh: zh as Texts }, ...groups])('the texts of $name', (texts) => {
  test('say the same with the same parameters', () => {
    const wrong = Object.entries(texts.en).filter(
      ([key, message]) => placeholders(message).join() !== placeholders(texts.zh[key] ?? '').join(),
    )
    expect(wrong.map(([key]) => key)).toEqual([])
  })

  test('are never empty', () => {
    for (const message of [...Object.values(texts.en), ...Object.values(texts.zh)])
      expect(forms(message).every((text) => text !== '')).toBe(true)
  })
})

test('no two groups have a key in common', () => {
  const keys = [en as Texts, ...groups.map((group) => group.en)].flatMap((texts) => Object.keys(texts))
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
})

test('fills parameters and chooses plurals', () => {
  const t = translator('en', en)
  expect(t('list.selected', { count: 1 })).toBe('1 selected')
  expect(t('list.loaded', { count: 1 })).toBe('1 row loaded')
  expect(t('list.loaded', { count: 20 })).toBe('20 rows loaded')
  expect(t('error.other', { message: '{x}' })).toBe('Error: {x}')
  expect(t('error.other', { message: 'a\u202Eb' })).toBe('Error: ab')
  expect(translator('zh', zh)('list.loaded', { count: 1 })).toBe('已加载 1 行')
})

test('the stored language wins, then the browser, then English', () => {
  expect(preferredLocale('zh', ['en-US'])).toBe('zh')
  expect(preferredLocale(undefined, ['fr', 'zh-TW', 'en'])).toBe('zh')
  expect(preferredLocale('xx', ['fr'])).toBe('en')
})
