import { afterEach, expect, test } from 'bun:test'
import { expireSession, hasStoredUser, isAdmin, isSignedIn, onSessionExpired, signIn, signOut } from './session.ts'
import { storage } from './storage.ts'

afterEach(signOut)

test('whoever is stored is signed in, with the role that is stored', () => {
  expect([isSignedIn(), hasStoredUser(), isAdmin()]).toEqual([false, false, false])
  signIn({ id: 7, role: 1 })
  expect([isSignedIn(), isAdmin()]).toEqual([true, false])
  signIn({ id: 7, role: 10 })
  expect([isSignedIn(), isAdmin()]).toEqual([true, true])
  // Only the role is read; without one it is none.
  signIn({})
  expect([isSignedIn(), isAdmin()]).toEqual([true, false])
})

test('a damaged user is none, and another tab may have signed out', () => {
  signIn({ role: 1 })
  storage.writeText('user', '{"broken')
  expect([hasStoredUser(), isSignedIn()]).toEqual([false, false])
  for (const other of [5, 'text', null]) {
    storage.writeJson('user', other)
    expect(isSignedIn()).toBe(false)
  }
})

test('the end of a session removes the stored user before anybody is told, and each end is told', () => {
  const seen: boolean[] = []
  const stop = onSessionExpired(() => seen.push(hasStoredUser()))
  signIn({ role: 1 })
  expireSession()
  expireSession()
  stop()
  expect(seen).toEqual([false, false])
})
