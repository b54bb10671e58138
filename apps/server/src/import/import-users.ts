import { role } from '@sluice/contract'
import type { Seal } from '../lib/seal.ts'
import { storesGithubLogins } from './detect-dialect.ts'
import type { Plan } from './plan.ts'
import { balanceOf, type ClaimKind, type Claims, claimKinds, type PlannedUser, planUser, type UserRow, userColumns } from './plan-user.ts'
import { findRoot, listClaimedInvitations, listImported, listPosted, listUserIds } from './queries.ts'
import { labelOf, type Run, runStep } from './run.ts'
import { balanceRef } from './writer.ts'

/** Balances of the source by the fate of their accounts: id in the source -> quota. */
export interface Balances {
  readonly taken: Map<number, number>
  readonly there: Map<number, number>
  /** Of accounts that were left out or refused. */
  readonly absent: Map<number, number>
  /** The parts of these balances that are rewards for invitations. */
  readonly rewards: Map<number, number>
}

/** Imports the accounts, and their balances as ledger entries. */
export async function importUsers(run: Run): Promise<Balances> {
  const { users, refusedUsers, writer } = run
  const balances: Balances = { taken: new Map(), there: new Map(), absent: new Map(), rewards: new Map() }
  const plan = await plannerOf(run, balances)
  await runStep(run, run.source, {
    kind: 'user',
    table: 'users',
    columns: userColumns,
    label: ({ id, username }) => labelOf('user', id, username),
    plan,
    onRefused: (id) => refusedUsers.add(id),
    async write(planned, rows) {
      const ids = await writer.users(planned, (sourceId) => users.get(sourceId))
      for (const [index, { sourceId }] of planned.entries()) users.set(sourceId, ids[index] ?? 0)
      // Also for accounts of earlier runs: an interrupted run may have imported an account without its balance.
      const standing = rows.filter(({ id }) => users.has(id))
      await writer.balances(standing.map((row) => ({ userId: users.get(row.id) ?? 0, sourceId: row.id, amount: balanceOf(row) })))
    },
  })
  return balances
}

/** Plans accounts one after another, knowing existing accounts and earlier plans. */
async function plannerOf(
  { db, name, source, dialect, users, seal, withAdmins, trusted }: Run,
  balances: Balances,
): Promise<(user: UserRow) => Plan<PlannedUser>> {
  const imported = await listImported(db, name, 'user')
  const there = new Set(imported.map((row) => row.source_id))
  const living = new Set(await listUserIds(db))
  for (const row of imported) if (living.has(row.target_id)) users.set(row.source_id, row.target_id)
  const claims = openClaims(await listClaimedInvitations(db), seal)
  const root = await findRoot(db)
  const hasGithubLogins = storesGithubLogins(source.tables, dialect)
  /** Whether the source's own root account was imported, in this run or an earlier one; any other is a further one. */
  let hasRoot = false

  return (user) => {
    const balance = balanceOf(user)
    balances.rewards.set(user.id, user.aff_quota)
    const isRoot = user.role === role.root
    if (there.has(user.id)) {
      hasRoot ||= isRoot
      balances.there.set(user.id, balance)
      return { do: 'leave' }
    }
    const isFirstRoot = isRoot && !hasRoot
    const keepsRole = isFirstRoot || withAdmins
    const plan = planUser(user, { claims, hasGithubLogins, joins: isFirstRoot ? root : null, keepsRole })
    if (plan.do === 'take') {
      hasRoot ||= isRoot
      if (isAdmin(user)) trusted.admins.push(`${labelOf('user', user.id, user.username)}: ${adminNote(user, plan.value)}`)
    }
    balances[plan.do === 'take' ? 'taken' : 'absent'].set(user.id, balance)
    return plan
  }
}

const isAdmin = ({ role: level }: Pick<UserRow, 'role'>): boolean => level >= role.admin

function adminNote(user: UserRow, { joins, row }: PlannedUser): string {
  if (joins !== null) return `role ${user.role}, merged into the root account`
  const password = row.password_hash === '' ? 'without a password' : 'with its password'
  const kept = `${password}${user.access_token === '' ? '' : ' and its access token'}`
  if (row.role === user.role) return `role ${user.role} here too, ${kept}`
  return `role ${user.role} became ${row.role}; --with-admins keeps it`
}

/** Access tokens are compared by their look-up values, the only form that is stored. */
function openClaims(held: ReadonlyArray<Readonly<Record<ClaimKind, string | null>>>, seal: Seal): Claims {
  const taken = new Map(claimKinds.map((kind) => [kind, new Set<string>()]))
  for (const row of held) {
    for (const kind of claimKinds) taken.get(kind)?.add(row[kind] ?? '')
  }
  return {
    claim(kind, value) {
      const key = kind === 'access_token' ? seal.lookup(value, 'access-token') : value
      const those = taken.get(kind)
      if (those === undefined || those.has(key)) return false
      those.add(key)
      return true
    },
  }
}

/** The balances that the ledger has for a source's accounts: id in the source -> quota. */
export async function readPosted({ db, name }: Run, balances: Balances): Promise<ReadonlyMap<number, number>> {
  const posted = new Map((await listPosted(db)).map(({ ref, amount }) => [ref, amount]))
  const ids = [...balances.taken.keys(), ...balances.there.keys()]
  return new Map(
    ids.flatMap((id) => {
      const amount = posted.get(balanceRef(name, id))
      return amount === undefined ? [] : [[id, amount] as const]
    }),
  )
}
