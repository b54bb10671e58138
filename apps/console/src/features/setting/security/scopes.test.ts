import { expect, test } from 'bun:test'
import { chosenScopes, nounsOf, separateOf } from './scopes.ts'

test('a noun has the choices that the server names, the least first', () => {
  expect([...nounsOf(['token:write', 'token:read', 'redemption:write', 'log:read'])]).toEqual([
    ['token', ['none', 'read', 'write']],
    ['redemption', ['none', 'write']],
    ['log', ['none', 'read']],
  ])
})

test('separate scopes are no choice of a noun', () => {
  const scopes = ['token:read', 'token:keys', 'user:credentials', 'user:write']
  expect([...nounsOf(scopes).keys()]).toEqual(['token', 'user'])
  expect(nounsOf(scopes).get('user')).toEqual(['none', 'write'])
  expect(separateOf(scopes)).toEqual(['token:keys', 'user:credentials'])
})

test('what is chosen becomes scopes, a choice for all nouns replaces them, and separate scopes are added to either', () => {
  const nouns = new Map([
    ['token', 'write'],
    ['log', 'read'],
    ['task', 'none'],
  ] as const)
  const none = new Set<never>()
  expect(chosenScopes({ whole: 'chosen', nouns, separate: none })).toEqual(['token:write', 'log:read'])
  expect(chosenScopes({ whole: 'read', nouns, separate: none })).toEqual(['read'])
  expect(chosenScopes({ whole: 'all', nouns: new Map(), separate: none })).toEqual(['all'])
  expect(chosenScopes({ whole: 'chosen', nouns: new Map(), separate: none })).toEqual([])
  const separate = new Set(['token:keys'] as const)
  expect(chosenScopes({ whole: 'all', nouns, separate })).toEqual(['all', 'token:keys'])
  expect(chosenScopes({ whole: 'chosen', nouns, separate })).toEqual(['token:write', 'log:read', 'token:keys'])
})
