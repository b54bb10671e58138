import { expect, test } from 'bun:test'
import { isAllowedPath, isProxyPath } from './proxy-rules.ts'

test.each(['/v1/chat', '/v1/chat/', '/v1/chat/completions', '/v1/chat/a%20b', '/files', '/v1/chat/a.b/..c'])(
  '%s is below an allowed beginning',
  (path) => expect(isAllowedPath(path, ['/v1/chat', '/files/'])).toBe(true),
)

test.each([
  ['another path', '/v1/embeddings'],
  ['a longer segment', '/v1/chats'],
  ['the parent', '/v1'],
  ['a dot segment', '/v1/chat/../admin'],
  ['a dot segment at the end', '/v1/chat/..'],
  ['one dot', '/v1/chat/./x'],
  ['encoded dots', '/v1/chat/%2e%2e/admin'],
  ['half encoded dots', '/v1/chat/.%2E/admin'],
  ['dots that are encoded twice', '/v1/chat/%252e%252e/admin'],
  ['an encoded slash', '/v1/chat/..%2fadmin'],
  ['an encoded slash without dots', '/v1/chat/x%2Fadmin'],
  ['an encoded backslash', '/v1/chat/..%5cadmin'],
  ['a backslash', '/v1/chat/..\\admin'],
  ['a path parameter', '/v1/chat/..;/admin'],
  ['an encoded path parameter', '/v1/chat/..%3b/admin'],
  ['an empty segment', '/v1/chat//admin'],
  ['an empty segment at the beginning', '//v1/chat'],
  ['an encoded letter of the beginning', '/v1/%63hat'],
  ['a NUL', '/v1/chat/%00'],
  ['a broken escape', '/v1/chat/%zz'],
  ['bytes that are no text', '/v1/chat/%ff'],
  ['no path', ''],
])('%s is not: %s', (_what, path) => expect(isAllowedPath(path, ['/v1/chat'])).toBe(false))

test('everything plain is below the root', () => {
  expect(isAllowedPath('/', ['/'])).toBe(true)
  expect(isAllowedPath('/a/b', ['/'])).toBe(true)
  expect(isAllowedPath('/a/../b', ['/'])).toBe(false)
})

test('beginnings are whole plain segments', () => {
  for (const path of ['/', '/v1', '/v1/', '/v1/chat:run', '/~user/a.b']) expect([path, isProxyPath(path)]).toEqual([path, true])
  for (const path of ['', 'v1', '//', '/v1//x', '/../x', '/v1/%2e', '/v1?x', '/a b', '/v1/./x', `/${'a'.repeat(600)}`])
    expect([path, isProxyPath(path)]).toEqual([path, false])
})
