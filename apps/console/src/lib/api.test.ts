import { expect, test } from 'bun:test'
import { account, channel, token } from '@sluice/contract'
import { requestOf } from './api.ts'

test('names in the path are filled, the rest of a read goes to the query', () => {
  expect(requestOf(channel.test, { id: 7, model: 'gpt-4o mini' })).toEqual({ url: '/api/channel/test/7?model=gpt-4o+mini', body: null })
  expect(requestOf(token.search, { keyword: 'a&b=c' })).toEqual({ url: '/api/token/search?keyword=a%26b%3Dc', body: null })
})

test('a flag of the path is sent as true, the input as the body', () => {
  expect(requestOf(token.setStatus, { id: 3, status: 2 })).toEqual({ url: '/api/token/?status_only=true', body: '{"id":3,"status":2}' })
})

test('a removal names its row in the path only', () => {
  expect(requestOf(token.remove, { id: 9 })).toEqual({ url: '/api/token/9/', body: null })
})

test('what is not given is not sent', () => {
  expect(requestOf(channel.list, { p: 0, keyword: undefined }).url).toBe('/api/channel/?p=0')
  expect(requestOf(token.create, { name: 'a', models: undefined }).body).toBe('{"name":"a"}')
})

test('the token of the bot check is sent in the query, the form in the body', () => {
  expect(requestOf(account.register, { username: 'ann', password: 'a good password', turnstile: 'a+b' })).toEqual({
    url: '/api/user/register?turnstile=a%2Bb',
    body: '{"username":"ann","password":"a good password"}',
  })
})
