import { describe, expect, test } from 'bun:test'
import { type Draft, displayValue, inputValue, isChanged, problemOf, withoutSaved } from './option-values.ts'

describe('the value of a field', () => {
  test('is the stored text; JSON is on many lines, and an empty object is empty', () => {
    expect(displayValue('SystemName', 'Sluice')).toBe('Sluice')
    expect(displayValue('GroupRatio', '{"default":1}')).toBe('{\n  "default": 1\n}')
    expect(displayValue('GroupRatio', '{}')).toBe('')
  })
})

describe('the value that is sent', () => {
  test('has no slash at the end where it is the address of a server', () => {
    for (const key of ['ServerAddress', 'WeChatServerAddress', 'MessagePusherAddress'] as const)
      expect(inputValue(key, 'https://example.com/')).toBe('https://example.com')
    expect(inputValue('TopUpLink', 'https://example.com/')).toBe('https://example.com/')
  })

  test('is an empty object for an empty text of JSON', () => {
    expect(inputValue('ModelRatio', '  ')).toBe('{}')
  })
})

describe('a typed value is a change', () => {
  test('if it differs from the stored one', () => {
    expect(isChanged('SystemName', 'Sluice', undefined)).toBe(false)
    expect(isChanged('SystemName', 'Sluice', 'Sluice')).toBe(false)
    expect(isChanged('SystemName', 'Sluice', '')).toBe(true)
    expect(isChanged('ServerAddress', 'https://a.example', 'https://a.example/')).toBe(false)
  })

  test('not if it is the same JSON with other blanks', () => {
    expect(isChanged('GroupRatio', '{"default":1}', '{ "default": 1 }')).toBe(false)
    expect(isChanged('GroupRatio', '{}', '')).toBe(false)
    expect(isChanged('GroupRatio', '{"default":1}', '{"default":2}')).toBe(true)
    expect(isChanged('GroupRatio', '{"default":1}', '{"Default":1}')).toBe(true)
    expect(isChanged('GroupRatio', '{"default":1}', '{"default":1')).toBe(true)
  })

  test('of a secret if it is not empty, or if the secret is to be removed', () => {
    expect(isChanged('SMTPToken', '', '')).toBe(false)
    expect(isChanged('SMTPToken', '', 'new')).toBe(true)
    expect(isChanged('SMTPToken', '', null)).toBe(true)
  })

  test('of the mail port only if it is not empty', () => {
    expect(isChanged('SMTPPort', '587', '')).toBe(false)
    expect(isChanged('SMTPPort', '587', '465')).toBe(true)
  })
})

describe('a typed value is refused before it is sent', () => {
  test.each([
    ['ModelRatio', '{"a": }', 'json'],
    ['ModelRatio', '{"a": -1}', 'ratios'],
    ['PriceRules', 'x', 'json'],
    ['PriceRules', '{"a": 1}', 'invalid'],
    ['RetryTimes', '-1', 'number'],
    ['RetryTimes', '1.5', 'number'],
    ['RetryTimes', '', 'number'],
    ['QuotaPerUnit', '0.01', null],
    ['EmailDomainWhitelist', 'example.com,no domain', 'invalid'],
    ['SMTPToken', 'anything', null],
    ['SMTPToken', 'x'.repeat(4_097), 'long'],
    ['SystemName', 'x'.repeat(4_097), 'long'],
  ] as const)('%s = %s: %s', (key, text, problem) => {
    expect(problemOf(key, text)).toBe(problem)
  })
})

test('what was typed while an option was saved stays unsaved', () => {
  const saved = new Map([['SystemName', { draft: 'new', before: 'old' }]] as const)
  const after = (...drafts: (readonly ['SystemName' | 'Footer', Draft])[]) => [...withoutSaved(new Map(drafts), saved)]
  expect(after(['SystemName', 'new'], ['Footer', 'typed'])).toEqual([['Footer', 'typed']])
  expect(after(['SystemName', 'newer'])).toEqual([['SystemName', 'newer']])
  // The value from before was typed again.
  expect(after()).toEqual([['SystemName', 'old']])
})
