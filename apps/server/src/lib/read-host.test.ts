import { describe, expect, test } from 'bun:test'
import { readHost } from './read-host.ts'

describe('the host of a request', () => {
  test('is read without port, final dot and capitals', () => {
    for (const [field, host] of [
      ['ai.example.com', 'ai.example.com'],
      ['AI.Example.com:3000', 'ai.example.com'],
      ['ai.example.com.', 'ai.example.com'],
      ['ai.example.com.:443', 'ai.example.com'],
      ['sluice_1:3000', 'sluice_1'],
      ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
      ['127.0.0.1:3000', '127.0.0.1'],
      ['[::1]', '::1'],
      ['[2001:DB8::1]:3000', '2001:db8::1'],
      ['localhost', 'localhost'],
    ] as const)
      expect([field, readHost(field)]).toEqual([field, host])
  })

  test('is none if the field is anything else', () => {
    for (const field of [
      null,
      '',
      ':80',
      '.',
      'a..b',
      '-a',
      'a-',
      'a b',
      'a/b',
      'a@localhost',
      'localhost@evil.example',
      'localhost,evil.example',
      'localhost:80:80',
      'localhost:',
      'localhost:http',
      'localhost:800000',
      '::1',
      '[localhost]',
      '[127.0.0.1]',
      '[::1',
      '[::1]x',
      '127.1',
      '2130706433',
      '0x7f000001',
      '127.0.0.1.1',
      '0177.0.0.1',
      'a.0x',
      'bücher.example',
      'local%68ost',
      `${'a.'.repeat(150)}b`,
      'a'.repeat(100_000),
      '['.repeat(100_000),
    ])
      expect([field, readHost(field)]).toEqual([field, null])
  })
})
