import { expect, test } from 'bun:test'
import { joinUrl } from './join-url.ts'

test.each([
  ['https://host.example', 'https://host.example/v1/chat/completions'],
  ['https://host.example/', 'https://host.example/v1/chat/completions'],
  ['https://host.example/openai//', 'https://host.example/openai/v1/chat/completions'],
  ['https://host.example/v1', 'https://host.example/v1/chat/completions'],
  ['https://host.example/api/v4/', 'https://host.example/api/v4/chat/completions'],
  ['https://host.example/v1beta2', 'https://host.example/v1beta2/chat/completions'],
  ['https://host.example/v1/chat/completions', 'https://host.example/v1/chat/completions'],
  ['https://host.example/chat/completions/', 'https://host.example/v1/chat/completions'],
  ['https://v1.host.example', 'https://v1.host.example/v1/chat/completions'],
  ['https://host.example/v1/proxy', 'https://host.example/v1/proxy/v1/chat/completions'],
])('the URL under %s is %s', (base, expected) => {
  expect(joinUrl(base, '/v1/chat/completions')).toBe(expected)
})

test('a path with another version is appended unchanged', () => {
  expect(joinUrl('https://host.example/v1', '/v2/chat')).toBe('https://host.example/v1/v2/chat')
})
