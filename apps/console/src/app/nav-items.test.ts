import { expect, test } from 'bun:test'
import { navItemsFor } from './nav-items.ts'

const pathsFor = (isSignedIn: boolean, isAdmin: boolean, hasChat: boolean, showsModels = false, hasStatusPage = false) =>
  navItemsFor({ isSignedIn, isAdmin, hasChat, showsModels, hasStatusPage }).map(({ to }) => String(to))

const ofUsers = ['/', '/token', '/topup', '/log', '/setting', '/about']

test('the menu has the specified order, for each role its part', () => {
  expect(pathsFor(true, true, false).slice(0, 9)).toEqual([
    '/',
    '/channel',
    '/token',
    '/redemption',
    '/topup',
    '/user',
    '/log',
    '/setting',
    '/about',
  ])
  expect(pathsFor(true, false, false).slice(0, 6)).toEqual(ofUsers)
  expect(pathsFor(false, false, false)).toEqual(['/', '/about'])
})

test('pages that the specification does not have are a group of their own below', () => {
  const ofUser = navItemsFor({ isSignedIn: true, isAdmin: false, hasChat: false, showsModels: false, hasStatusPage: false })
  expect(ofUser.filter(({ isSecond }) => isSecond === true).map(({ to }) => String(to))).toEqual([
    '/dashboard',
    '/model',
    '/playground',
    '/task',
  ])
  expect(ofUser.findIndex(({ isSecond }) => isSecond === true)).toBe(ofUsers.length)
})

test('the chat follows home, for everybody, once its address is set', () => {
  expect(pathsFor(true, false, true).slice(0, 7)).toEqual(['/', '/chat', ...ofUsers.slice(1)])
  expect(pathsFor(false, false, true)).toEqual(['/', '/chat', '/about'])
})

test('visitors have the models in their menu only if an option shows them', () => {
  expect(pathsFor(false, false, false, true)).toEqual(['/', '/about', '/model'])
  expect(pathsFor(true, false, false, false)).toContain('/model')
})

test('the status page is in the menu of everybody, once an option opens it', () => {
  expect(pathsFor(false, false, false, false, true)).toEqual(['/', '/about', '/status'])
  expect(pathsFor(true, true, false, true, true)).toContain('/status')
  expect(pathsFor(true, true, false, true, false)).not.toContain('/status')
})
