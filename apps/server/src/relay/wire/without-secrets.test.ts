import { expect, test } from 'bun:test'
import { withoutSecrets } from './without-secrets.ts'

const channel = (key: string, headers: Readonly<Record<string, string>> = {}) => ({ key, config: {}, settings: { headers } })

test('a key of less than eight characters is taken for a placeholder, and not redacted', () => {
  expect(withoutSecrets('Unexpected token x', channel('x'))).toBe('Unexpected token x')
  expect(withoutSecrets('no model "ollama"', channel('ollama', { 'x-team': 'blue' }))).toBe('no model "ollama"')
})

test('a longer key is redacted, whole, in its parts, and in header values', () => {
  expect(withoutSecrets('bad key 12345678', channel('12345678'))).toBe('bad key ***')
  expect(withoutSecrets('bad first-half, second-half, id', channel('first-half|second-half|id'))).toBe('bad ***, ***, id')
  expect(withoutSecrets('bad abcdefghi', channel('', { authorization: 'Token abcdefghi' }))).toBe('bad ***')
})
