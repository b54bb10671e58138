import { afterEach, expect, test } from 'bun:test'
import {
  accountId,
  expireSession,
  forgetRefused,
  hasStoredUser,
  isAdmin,
  isOfOtherAccount,
  isSignedIn,
  noteOtherAccount,
  onSessionExpired,
  signIn,
  signOut,
} from './session.ts'
import { storage } from './storage.ts'

afterEach(() => {
  storage.remove('user')
  signOut()
})

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

test('the end of a session removes the stored user before any listener is notified, and each end is notified', () => {
  const seen: boolean[] = []
  const stop = onSessionExpired(() => seen.push(hasStoredUser()))
  signIn({ role: 1 })
  expireSession()
  expireSession()
  stop()
  expect(seen).toEqual([false, false])
})

test('a page whose account was replaced by another tab knows it, until its own is back', () => {
  signIn({ id: 7, role: 10, username: 'ann' })
  expect(isOfOtherAccount()).toBe(false)
  storage.writeJson('user', { id: 8, role: 1, username: 'bob' })
  expect([isOfOtherAccount(), accountId(), isAdmin(), isSignedIn()]).toEqual([true, 7, true, true])
  storage.writeJson('user', { id: 7, role: 1, username: 'ann' })
  // With the role that it has now.
  expect([isOfOtherAccount(), isAdmin()]).toEqual([false, false])
  // Nobody is no other account: the server refuses such a call, and the login follows.
  storage.remove('user')
  expect(isOfOtherAccount()).toBe(false)
})

test('the end of a session, and a logout, leave the account that another tab has stored', () => {
  let ends = 0
  const stop = onSessionExpired(() => ends++)
  signIn({ id: 7, role: 1 })
  storage.writeJson('user', { id: 8, role: 1 })
  expireSession()
  expect([ends, hasStoredUser(), isOfOtherAccount()]).toEqual([0, true, true])
  signOut()
  stop()
  expect([hasStoredUser(), accountId(), isOfOtherAccount()]).toEqual([true, null, false])
})

test('what only the server has refused stays refused, and the stored user is forgotten before the page is loaded again', () => {
  signIn({ id: 7, role: 1 })
  noteOtherAccount()
  expect([isOfOtherAccount(), isOfOtherAccount()]).toEqual([true, true])
  forgetRefused()
  expect(hasStoredUser()).toBe(false)
})

test('a user that another tab has stored is not forgotten', () => {
  signIn({ id: 7, role: 1 })
  storage.writeJson('user', { id: 8, role: 1 })
  noteOtherAccount()
  forgetRefused()
  expect(hasStoredUser()).toBe(true)
})
