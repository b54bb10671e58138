import { expect, test } from 'bun:test'
import { type Deed, whyNot } from './may.ts'

const people = {
  user: { id: 1, role: 1 },
  otherUser: { id: 2, role: 1 },
  admin: { id: 3, role: 10 },
  otherAdmin: { id: 4, role: 10 },
  root: { id: 5, role: 100 },
  otherRoot: { id: 6, role: 100 },
} as const

type Who = keyof typeof people

/** Every deed that is not refused; whatever is missing here is. */
const allowed: Readonly<Record<Deed, readonly `${Who} on ${Who}`[]>> = {
  read: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin', 'root', 'otherRoot')],
  edit: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin', 'root', 'otherRoot')],
  topUp: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin', 'root', 'otherRoot')],
  enable: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin')],
  disable: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin')],
  delete: [...byAdmins('user', 'otherUser'), ...byRoots('admin', 'otherAdmin')],
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

// Holds: these are the object's own keys, as it is written above.
const names = Object.keys(people) as Who[]

for (const deed of Object.keys(allowed).filter((name): name is Exclude<Deed, 'leave'> => name !== 'leave')) {
  test(`who may ${deed} whom`, () => {
    const pairs = names.flatMap((actor) => names.map((target) => ({ actor, target, says: `${actor} on ${target}` as const })))
    const passed = pairs.filter(({ actor, target }) => whyNot(people[actor], deed, people[target]) === null).map(({ says }) => says)
    expect(passed.sort()).toEqual([...allowed[deed]].sort())
  })
}

test('everybody may leave but root', () => {
  expect(names.filter((name) => whyNot(people[name], 'leave', people[name]) === null)).toEqual(['user', 'otherUser', 'admin', 'otherAdmin'])
})

test('the refusal says the first thing that stands in the way', () => {
  expect(whyNot(people.admin, 'disable', people.root)).toBe('user_out_of_reach')
  expect(whyNot(people.root, 'disable', people.root)).toBe('user_is_yourself')
  expect(whyNot(people.root, 'demote', people.otherRoot)).toBe('user_is_root')
  expect(whyNot(people.admin, 'promote', people.user)).toBe('promote_needs_root')
  expect(whyNot(people.admin, 'demote', people.user)).toBe('already_user')
})
