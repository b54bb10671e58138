import { expect, test } from 'bun:test'
import { afterLogin } from './after-login.ts'

test('a login leads back to the page that required it', () => expect(afterLogin('/log?type=2')).toBe('/log?type=2'))

test.each([undefined, '', '/login', '/login?expired=true', '//evil.example', '/\\evil.example', 'https://evil.example'])(
  '%p leads to the tokens',
  (from) => expect(afterLogin(from)).toBe('/token'),
)
