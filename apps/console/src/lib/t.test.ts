import { describe, expect, test } from 'bun:test'
import type { Message } from './message.ts'
import { en } from './messages/en.ts'
import { zh } from './messages/zh.ts'
import { preferredLocale, translator } from './t.ts'

const forms = (message: Message): readonly string[] => (typeof message === 'string' ? [message] : Object.values(message))
const placeholders = (message: Message): readonly string[] =>
  [...new Set(forms(message).flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)))].sort()

describe('the catalogues', () => {
  test('say the same with the same parameters', () => {
    const other: Readonly<Record<string, Message>> = zh
    const wrong = Object.entries(en).filter(([key, message]) => placeholders(message).join() !== placeholders(other[key] ?? '').join())
    expect(wrong.map(([key]) => key)).toEqual([])
  })

  test('have no empty text', () => {
    for (const message of [...Object.values(en), ...Object.values(zh)]) expect(forms(message).every((text) => text !== '')).toBe(true)
  })
})

test('fills parameters and chooses plurals', () => {
  const t = translator('en', en)
  expect(t('list.selected', { count: 1 })).toBe('1 selected')
  expect(t('list.loaded', { count: 1 })).toBe('1 row loaded')
  expect(t('list.loaded', { count: 20 })).toBe('20 rows loaded')
  expect(t('error.other', { message: '{x}' })).toBe('Error: {x}')
  expect(translator('zh', zh)('list.loaded', { count: 1 })).toBe('已加载 1 行')
})

test('the stored language wins, then the browser, then English', () => {
  expect(preferredLocale('zh', ['en-US'])).toBe('zh')
  expect(preferredLocale(undefined, ['fr', 'zh-TW', 'en'])).toBe('zh')
  expect(preferredLocale('xx', ['fr'])).toBe('en')
})
