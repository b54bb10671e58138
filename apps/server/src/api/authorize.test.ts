import { expect, test } from 'bun:test'
import { type AccountAction, authorize } from './authorize.ts'

const people = {
  user: { id: 1, role: 1 },
  otherUser: { id: 2, role: 1 },
  admin: { id: 3, role: 10 },
  otherAdmin: { id: 4, role: 10 },
  root: { id: 5, role: 100 },
  otherRoot: { id: 6, role: 100 },
} as const

type Who = keyof typeof people

/** Every permitted action; all others are refused. */
const allowed: Readonly<Record<AccountAction, readonly `${Who} on ${Who}`[]>> = {
  read: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin', 'root', 'otherRoot')],
  edit: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin', 'root', 'otherRoot')],
  topUp: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin', 'root', 'otherRoot')],
  enable: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin')],
  disable: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin')],
  delete: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin')],
  clearSecondFactor: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin')],
  accessTokens: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin')],
  promote: byRoots('user', 'otherUser'),
  demote: byRoots('admin', 'otherAdmin'),
  leave: [],
}

function byRoots(...targets: readonly Who[]): `${Who} on ${Who}`[] {
  return targets.flatMap((target) => [`root on ${target}` as const, `otherRoot on ${target}` as const])
}

function byAdmins(...targets: readonly Who[]): `${Who} on ${Who}`[] {
  return [...targets.flatMap((target) => [`admin on ${target}` as const, `otherAdmin on ${target}` as const]), ...byRoots(...targets)]
}

// Holds: these are the keys of the object above.
const names = Object.keys(people) as Who[]

for (const action of Object.keys(allowed).filter((name): name is Exclude<AccountAction, 'leave'> => name !== 'leave')) {
  test(`who may ${action} whom`, () => {
    const pairs = names.flatMap((actor) => names.map((target) => ({ actor, target, says: `${actor} on ${target}` as const })))
    const passed = pairs.filter(({ actor, target }) => authorize(people[actor], action, people[target]) === null).map(({ says }) => says)
    expect(passed.sort()).toEqual([...allowed[action]].sort())
  })
}

test('everybody except root may delete the own account', () => {
  expect(names.filter((name) => authorize(people[name], 'leave', people[name]) === null)).toEqual([
    'user',
    'otherUser',
    'admin',
    'otherAdmin',
  ])
})

test('the error names the first reason', () => {
  expect(authorize(people.admin, 'disable', people.root)).toBe('user_not_manageable')
  expect(authorize(people.root, 'disable', people.root)).toBe('user_is_yourself')
  expect(authorize(people.root, 'demote', people.otherRoot)).toBe('user_is_root')
  expect(authorize(people.admin, 'promote', people.user)).toBe('promote_needs_root')
  expect(authorize(people.admin, 'demote', people.user)).toBe('already_user')
})
