import { expect, test } from 'bun:test'
import { parseSearchWith } from '@tanstack/react-router'
import { parseExact, readTexts } from './search-text.ts'

test.each(['123456', '007', '1e5', '12345678901234567890', '0x10', '1.0', 'abc', 'true', 'null'])(
  'a code %p is read as it was written',
  (code) => {
    const search = readTexts('code')(parseSearchWith(parseExact)(`?code=${code}`))
    expect(String(search.code)).toBe(code)
  },
)

test('other and empty parameters are left out', () => {
  expect(readTexts('aff')(parseSearchWith(parseExact)('?aff=&x=1'))).toEqual({})
})
