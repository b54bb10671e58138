import { role, userStatus } from '@sluice/contract'
import type { Insertable } from 'kysely'
import type { UserTable } from '../db/schema.ts'
import { bcryptCost, bcryptCostMax } from '../lib/passwords.ts'
import { listOf, present, type RowOf, text, textOr, whole } from './cells.ts'
import { fitName, leaveOut, type Plan, refuse, take } from './plan.ts'

export const userColumns = {
  id: whole(),
  username: text,
  password: text,
  display_name: text,
  role: whole(role.user),
  status: whole(userStatus.enabled),
  email: text,
  github_id: text,
  wechat_id: text,
  lark_id: text,
  access_token: text,
  quota: whole(),
  used_quota: whole(),
  request_count: whole(),
  group: textOr('default'),
  aff_code: text,
  inviter_id: whole(),
  /** Rewards for invitations, which new-api stores separately until the account transfers them. */
  aff_quota: whole(),
  deleted_at: present,
} as const
export type UserRow = RowOf<typeof userColumns>

/** Unique values by kind: those of existing accounts, and those claimed in this run. */
export interface Claims {
  /** Claims a value; `false` = it is taken. */
  claim(kind: ClaimKind, value: string): boolean
}
export const claimKinds = ['username', 'email', 'github_id', 'wechat_id', 'lark_id', 'aff_code', 'access_token'] as const
export type ClaimKind = (typeof claimKinds)[number]

interface UserPlace {
  readonly claims: Claims
  /** Whether `github_id` may be a login name of GitHub. */
  readonly hasGithubLogins: boolean
  /** The root account here that it is merged into; `null` = a new account. */
  readonly joins: number | null
  /** Whether it keeps the role of an administrator. */
  readonly keepsRole: boolean
}

export interface PlannedUser {
  readonly sourceId: number
  readonly balance: number
  readonly inviterSourceId: number
  /** The account here that it is merged into, which keeps its name, password and role. `null` = a new account. */
  readonly joins: number | null
  readonly row: Omit<Insertable<UserTable>, 'inviter_id' | 'access_token_lookup' | 'created_time' | 'default_password'> & {
    readonly used_quota: number
    readonly request_count: number
  }
  /** Plain text; only its look-up value is stored. */
  readonly accessToken: string
}

/** Values that another account has are left empty, with a note. */
type Unique = Readonly<Record<Exclude<ClaimKind, 'username' | 'access_token'>, string>>

/**
 * Plans an account with its balance, password and role. A name that is taken here gets a number; a taken address, identity or invite code
 * is left out. The source's root account is merged into the root account here, if there is one.
 */
export function planUser(user: UserRow, place: UserPlace): Plan<PlannedUser> {
  const { claims, joins, keepsRole } = place
  const level = keepsRole && knownRoles.includes(user.role) ? user.role : role.user
  if (user.status === userStatus.deleted || user.deleted_at) return leaveOut('the account was deleted')
  if (!Number.isSafeInteger(balanceOf(user))) return refuse('its quota plus invitation rewards is too large to be stored exactly')
  const base = { sourceId: user.id, balance: balanceOf(user), inviterSourceId: user.inviter_id, joins }
  if (joins !== null) {
    const row = { ...rowOf(user, level), username: user.username, email: '', github_id: '', wechat_id: '', lark_id: '', aff_code: '' }
    return take({ ...base, row, accessToken: '' }, [
      'merged into the existing root account, which keeps its name and password',
      rewardNote(user),
    ])
  }
  const username = freeName(user, claims)
  const unique = uniqueOf(user, place)
  const isTokenFree = user.access_token === '' || claims.claim('access_token', user.access_token)
  const password = passwordOf(user)
  const notes = [
    username === user.username ? null : `renamed to ${username}: ${JSON.stringify(user.username)} is taken or not a valid name`,
    ...Object.entries(unique).map(([name, { note }]) => (note === null ? null : `${name} ${note}`)),
    rewardNote(user),
    isTokenFree ? null : 'access token was not kept: another account has it',
    password.note,
    knownRoles.includes(user.role) ? null : `role ${user.role} became ${role.user}`,
    canLogIn(password.value, unique) ? null : 'nobody can log in: it has no password, no email address and no known identity',
    user.status === userStatus.enabled || user.status === userStatus.banned ? null : `status ${user.status} became ${userStatus.banned}`,
  ]
  const kept = Object.fromEntries(Object.entries(unique).map(([name, { value }]) => [name, value]))
  // Holds: `uniqueOf` returns a value for each name of `Unique`.
  const row = { ...rowOf(user, level), ...(kept as Unique), username, password_hash: password.value }
  return take({ ...base, row, accessToken: isTokenFree ? user.access_token : '' }, notes)
}

/** The account's balance in the source, including rewards that it has not transferred yet. */
export const balanceOf = ({ quota, aff_quota }: Pick<UserRow, 'quota' | 'aff_quota'>): number => quota + aff_quota

const rewardNote = ({ aff_quota }: UserRow): string | null =>
  aff_quota === 0 ? null : `invitation rewards of ${aff_quota} were added to its balance`

/** Whether an account has a password, an address to set one, or a linked login. A GitHub login name does not count: others can take it. */
function canLogIn(hash: string, { email, github_id, wechat_id, lark_id }: ReturnType<typeof uniqueOf>): boolean {
  const githubId = isGithubId(github_id.value) ? github_id.value : ''
  return [hash, email.value, githubId, wechat_id.value, lark_id.value].some((way) => way !== '')
}

/** A costly hash would occupy the server for minutes at each login. */
function passwordOf({ password }: UserRow): Kept {
  if (password === '') return { value: '', note: null }
  const cost = bcryptCost(password)
  if (cost === null) return { value: '', note: 'password cannot be read and must be reset' }
  if (cost <= bcryptCostMax) return { value: password, note: null }
  return { value: '', note: `password was not kept and must be reset: its bcrypt cost is ${cost}; the maximum is ${bcryptCostMax}` }
}

const knownRoles: readonly number[] = Object.values(role)

function rowOf(user: UserRow, level: number) {
  return {
    display_name: fitName(user.display_name, user.username),
    password_hash: '',
    role: level,
    status: user.status === userStatus.enabled ? userStatus.enabled : userStatus.banned,
    groups: listOf(user.group).join(',') || 'default',
    used_quota: user.used_quota,
    request_count: user.request_count,
  }
}

function freeName(user: UserRow, claims: Claims): string {
  const preferred = fitName(user.username, `user${user.id}`)
  if (claims.claim('username', preferred)) return preferred
  for (let number = 2; ; number++) {
    const name = `${[...preferred].slice(0, 56).join('')}-${number}`
    if (claims.claim('username', name)) return name
  }
}

interface Kept {
  readonly value: string
  readonly note: string | null
}

const isGithubId = (text: string): boolean => /^\d+$/.test(text)

function uniqueOf(user: UserRow, { claims, hasGithubLogins }: UserPlace): Readonly<Record<keyof Unique, Kept>> {
  const once = (kind: keyof Unique): Kept => {
    // Addresses are stored in lower case here, so that comparisons ignore case.
    const value = kind === 'email' ? user.email.toLowerCase() : user[kind]
    return value === '' || claims.claim(kind, value) ? { value, note: null } : { value: '', note: 'was not kept: another account has it' }
  }
  return {
    email: once('email'),
    // A login name of GitHub logs nobody in here: its owner logs in by password and links GitHub again. One of digits only would be read
    // as an id, and would log in the owner of that id.
    github_id:
      hasGithubLogins && isGithubId(user.github_id)
        ? { value: '', note: 'was not kept: it is a login name that could be the ID of another account' }
        : once('github_id'),
    wechat_id: once('wechat_id'),
    lark_id: once('lark_id'),
    aff_code: once('aff_code'),
  }
}
