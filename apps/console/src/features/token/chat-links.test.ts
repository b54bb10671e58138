import { expect, test } from 'bun:test'
import { chatLinks, chatTarget } from './chat-links.ts'

const key = 'a'.repeat(48)

test('links carry the key and the address of the server, encoded', () => {
  const target = chatTarget(key, { server_address: 'https://ai.example.com/', chat_link: 'https://chat.example.com' }, 'http://here')
  expect(chatLinks.next(target)).toBe(
    `https://chat.example.com/#/?settings=%7B%22key%22%3A%22sk-${key}%22%2C%22url%22%3A%22https%3A%2F%2Fai.example.com%22%7D`,
  )
  expect(chatLinks.ama(target)).toBe(`ama://set-api-key?server=https%3A%2F%2Fai.example.com&key=sk-${key}`)
  expect(chatLinks.opencat(target)).toBe(`opencat://team/join?domain=https%3A%2F%2Fai.example.com&token=sk-${key}`)
})

test('without an address and a chat link the page itself and the default chat stand in', () => {
  const target = chatTarget(key, {}, 'http://localhost:3000')
  expect(target).toEqual({ key: `sk-${key}`, server: 'http://localhost:3000', chat: 'https://app.nextchat.dev' })
})

test.each(['https://chat.example.com/', 'https://chat.example.com/#', 'https://chat.example.com/#/'])(
  '%p is one chat link',
  (chat_link) => {
    expect(chatTarget(key, { chat_link }, '').chat).toBe('https://chat.example.com')
  },
)
