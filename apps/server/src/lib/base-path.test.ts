import { expect, test } from 'bun:test'
import { publicAddressOf, readBasePath, withoutBasePath } from './base-path.ts'

test.each([
  ['', ''],
  ['/', ''],
  ['/sluice', '/sluice'],
  ['/sluice/', '/sluice'],
  ['/tools/ai.v2/~me_1', '/tools/ai.v2/~me_1'],
])('%p is the path %p', (text, path) => expect(readBasePath(text)).toBe(path))

test.each([
  'sluice',
  '//evil.example',
  '/a//b',
  '/..',
  '/a/../b',
  '/.hidden',
  '/a b',
  '/a%2fb',
  '/a"onload=x',
  '/<script>',
  '/a\\b',
  '/a?b',
  '/a#b',
  'https://ai.example.com/sluice',
  `/${'a'.repeat(200)}`,
])('%p is not a path', (text) => expect(readBasePath(text)).toBeNull())

test.each([
  ['/sluice', '/'],
  ['/sluice/', '/'],
  ['/sluice?a=1', '/?a=1'],
  ['/sluice/v1/models?a=1', '/v1/models?a=1'],
  ['/sluice//v1/models', '//v1/models'],
  ['/sluice/sluice', '/sluice'],
  ['/sluices/v1', '/sluices/v1'],
  ['/v1/models', '/v1/models'],
  ['/', '/'],
])('the target %p is %p below /sluice', (target, rest) => expect(withoutBasePath(target, '/sluice')).toBe(rest))

test.each([
  ['', '/sluice', ''],
  ['https://ai.example.com', '/sluice', 'https://ai.example.com/sluice'],
  ['https://ai.example.com/', '/sluice', 'https://ai.example.com/sluice'],
  ['https://ai.example.com/outer/sluice', '/sluice', 'https://ai.example.com/outer/sluice'],
  ['https://ai.example.com', '', 'https://ai.example.com'],
])('the address %p with the path %p is %p', (address, basePath, result) => expect(publicAddressOf(address, basePath)).toBe(result))
