import { describe, expect, test } from 'bun:test'
import { privateHostOf, readPrivateHosts } from './private-hosts.ts'

describe('the list of private hosts', () => {
  const hosts = readPrivateHosts([
    'ollama',
    'vllm.lan:8000',
    '10.0.0.5:11434',
    '192.168.7.0/24',
    '[fd00::5]:80',
    'fd12::/16',
    '127.0.0.1:9',
  ])

  test.each([
    ['http://ollama:11434', '10.1.1.1'],
    ['http://OLLAMA./', '10.1.1.1'],
    ['http://vllm.lan:8000', '10.1.1.1'],
    ['http://10.0.0.5:11434', '10.0.0.5'],
    // What a name resolves to counts too.
    ['http://name.example:11434', '10.0.0.5'],
    ['https://name.example', '192.168.7.200'],
    ['http://[fd00::5]', 'fd00::5'],
    ['http://name.example', 'fd12::1'],
    ['http://2130706433:9', '127.0.0.1'],
  ])('has %s at %s', (origin, address) => expect(hosts.has(origin, address)).toBe(true))

  test.each([
    ['http://vllm.lan:8001', '10.1.1.1'],
    ['https://10.0.0.5', '10.0.0.5'],
    ['http://10.0.0.6:11434', '10.0.0.6'],
    ['http://192.168.8.1', '192.168.8.1'],
    ['http://ollama.evil.example', '10.1.1.1'],
    ['http://[fd00::6]', 'fd00::6'],
    ['nonsense', '10.1.1.1'],
  ])('has not %s at %s', (origin, address) => expect(hosts.has(origin, address)).toBe(false))
})

test('the entry of an address has its port', () => {
  expect(['http://ollama:11434/v1', 'https://Ollama.lan./x', 'http://[::1]', 'nonsense'].map(privateHostOf)).toEqual([
    'ollama:11434',
    'ollama.lan:443',
    '[::1]:80',
    null,
  ])
})
