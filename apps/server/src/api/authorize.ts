import { type ErrorCode, role, type UserAction } from '@sluice/contract'

/** Somebody, as far as rights go. */
export interface Person {
  readonly id: number
  readonly role: number
}

/** What one account does to another. */
export type AccountAction = UserAction | 'read' | 'edit' | 'topUp' | 'leave'

/** Root alone deletes what tells who did what: nobody else can wipe out the own deeds. */
export function mayDeleteAudit(actor: Person): boolean {
  return actor.role >= role.root
}

/** Which channel served a request, and how: administrators alone, also of their own requests. */
export function mayReadRouting(actor: Person): boolean {
  return actor.role >= role.admin
}

/** Why not; `null` = nothing stands in the way. */
type Rule = (actor: Person, target: Person) => ErrorCode | null

/** Root may act on everybody, the other roles on lower ones. */
const inReach: Rule = (actor, target) => (actor.role > target.role || actor.role >= role.root ? null : 'user_out_of_reach')
const notYourself: Rule = (actor, target) => (actor.id === target.id ? 'user_is_yourself' : null)
/** A super admin cannot be acted on in the user list (specification, section 6), so the last one can never be lost. */
const notRoot: Rule = (_actor, target) => (target.role >= role.root ? 'user_is_root' : null)
const byRoot: Rule = (actor) => (actor.role >= role.root ? null : 'promote_needs_root')
const notAdminYet: Rule = (_actor, target) => (target.role >= role.admin ? 'already_admin' : null)
const isAdmin: Rule = (_actor, target) => (target.role < role.admin ? 'already_user' : null)

/** Who may do what to whom: all rules of a row must let it pass; the first that does not says why. */
const rules: Readonly<Record<AccountAction, readonly Rule[]>> = {
  read: [inReach],
  edit: [inReach],
  topUp: [inReach],
  enable: [notYourself, inReach, notRoot],
  disable: [notYourself, inReach, notRoot],
  delete: [notYourself, inReach, notRoot],
  promote: [notYourself, byRoot, notAdminYet],
  demote: [notYourself, inReach, notRoot, isAdmin],
  leave: [notRoot],
}

export function authorize(actor: Person, action: AccountAction, target: Person): ErrorCode | null {
  for (const rule of rules[action]) {
    const refusal = rule(actor, target)
    if (refusal !== null) return refusal
  }
  return null
}

/** How somebody came to make a call. */
export interface Presence {
  /** `null` = by an access token. */
  readonly sessionHash: string | null
  readonly hasJustLoggedIn: boolean
}

/**
 * Why somebody may not change what opens the own account (password, access token, address, logins elsewhere); `null` = nothing stands in
 * the way. A session that was stolen or left open must not become a lasting way in, and an access token never.
 */
export function authorizeReauthentication({ sessionHash, hasJustLoggedIn }: Presence): 'session_required' | 'login_again' | null {
  if (sessionHash === null) return 'session_required'
  return hasJustLoggedIn ? null : 'login_again'
}

/** Whether options that accounts rely on hold for administrators at once when this role sets them. */
export function mayVouch(actor: Pick<Person, 'role'>): boolean {
  return actor.role >= role.root
}

/** Whether an account is entered and recovered only by ways whose options root has set or confirmed. */
export function needsConfirmedWays(target: Pick<Person, 'role'>): boolean {
  return target.role >= role.admin
}
