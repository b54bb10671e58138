import { expect, test } from 'bun:test'
import { account, channel, token } from '@sluice/contract'
import { CallError, explain, type Failure, isLost, requestOf } from './api.ts'
import { en } from './messages/en.ts'

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

/** Before a language is loaded, a text is its key; the texts of English are those of the specification. */
const explained = (failure: Failure) => {
  const explanation = explain(new CallError(failure))
  const texts: Readonly<Record<string, unknown>> = en
  return explanation && { ...explanation, text: texts[explanation.text] ?? explanation.text }
}
const ofStatus = (status: number) => explained({ kind: 'http', status, message: 'its message' })

test('each status has its message and its kind', () => {
  expect(ofStatus(429)).toEqual({ kind: 'error', text: 'too many requests, try later' })
  expect(ofStatus(500)).toEqual({ kind: 'error', text: 'internal server error, contact the administrator' })
  expect(ofStatus(405)).toEqual({ kind: 'info', text: 'demo site only, no server' })
  for (const status of [400, 403, 404, 418, 502, 503]) expect(ofStatus(status)).toEqual({ kind: 'error', text: 'Error: {message}' })
  expect(explained({ kind: 'refused', message: 'not now', field: '' })).toEqual({ kind: 'error', text: 'not now' })
  expect(explained({ kind: 'network', message: 'no answer' })).toEqual({ kind: 'error', text: 'Error: {message}' })
  expect(explained({ kind: 'expired' })).toBeNull()
})

test('a call may have been carried out if its response did not arrive', () => {
  const lost = (failure: Failure) => isLost(new CallError(failure))
  expect(lost({ kind: 'network', message: '' })).toBe(true)
  for (const status of [502, 503, 504]) expect(lost({ kind: 'http', status, message: '' })).toBe(true)
  for (const status of [400, 429, 500]) expect(lost({ kind: 'http', status, message: '' })).toBe(false)
  expect(lost({ kind: 'refused', message: 'no', field: '' })).toBe(false)
})
