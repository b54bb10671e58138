import { expect, test } from 'bun:test'
import { chosenScopes, nounsOf } from './scopes.ts'

test('a noun has the choices that the server names, the least first', () => {
  expect([...nounsOf(['token:write', 'token:read', 'redemption:write', 'log:read'])]).toEqual([
    ['token', ['none', 'read', 'write']],
    ['redemption', ['none', 'write']],
    ['log', ['none', 'read']],
  ])
})

test('what is chosen becomes scopes, and a choice for all nouns replaces them', () => {
  const chosen = new Map([
    ['token', 'write'],
    ['log', 'read'],
    ['task', 'none'],
  ] as const)
  expect(chosenScopes('chosen', chosen)).toEqual(['token:write', 'log:read'])
  expect(chosenScopes('read', chosen)).toEqual(['read'])
  expect(chosenScopes('all', new Map())).toEqual(['all'])
  expect(chosenScopes('chosen', new Map())).toEqual([])
})
