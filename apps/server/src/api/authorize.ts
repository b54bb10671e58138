import { credentialScope, type ErrorCode, role, type UserAction } from '@sluice/contract'

/** What access rules need of an account. */
export interface Person {
  readonly id: number
  readonly role: number
  /** An administrator who may not act as one before a second factor is set up. */
  readonly lacksSecondFactor?: boolean
}

/** Whether an account may do what only administrators may. */
function actsAsAdmin({ role: own, lacksSecondFactor = false }: Person): boolean {
  return own >= role.admin && !lacksSecondFactor
}

/** Whether the option that administrators need a second factor is about this account. */
export function isAdministrator(account: Pick<Person, 'role'>): boolean {
  return account.role >= role.admin
}

/** What one account does to another. */
export type AccountAction = UserAction | 'read' | 'edit' | 'topUp' | 'clearSecondFactor' | 'accessTokens' | 'leave'

/** Only root may delete audit rows, so that nobody else can erase traces of their own actions. */
export function mayDeleteAudit(actor: Person): boolean {
  return actor.role >= role.root
}

/** Only administrators may see which channel served a request, even for own requests. */
export function mayReadRouting(actor: Person): boolean {
  return actsAsAdmin(actor)
}

/** Only administrators may be notified of what is not their own account's, or by the server's message pusher. */
export const mayWatchAll = (actor: Person): boolean => actsAsAdmin(actor)

/** The account whose tasks the actor may see, stop and delete; `null` = those of all accounts. */
export function reachOfTasks(actor: Person): number | null {
  return actsAsAdmin(actor) ? null : actor.id
}

/** Returns the error that forbids the action; `null` = allowed. */
type Rule = (actor: Person, target: Person) => ErrorCode | null

/** Root may act on everybody, the other roles on lower ones. */
const inReach: Rule = (actor, target) => (actor.role > target.role || actor.role >= role.root ? null : 'user_not_manageable')
const below: Rule = (actor, target) => (actor.role > target.role ? null : 'user_not_manageable')
const notYourself: Rule = (actor, target) => (actor.id === target.id ? 'user_is_yourself' : null)
/** A super admin cannot be acted on in the user list (specification, section 6), so the last one can never be lost. */
const notRoot: Rule = (_actor, target) => (target.role >= role.root ? 'user_is_root' : null)
const byRoot: Rule = (actor) => (actor.role >= role.root ? null : 'promote_needs_root')
const notAdminYet: Rule = (_actor, target) => (target.role >= role.admin ? 'already_admin' : null)
const isAdmin: Rule = (_actor, target) => (target.role < role.admin ? 'already_user' : null)

/** The rules of each action: all must allow it; the first that does not gives the error. */
const rules: Readonly<Record<AccountAction, readonly Rule[]>> = {
  read: [inReach],
  edit: [inReach],
  topUp: [inReach],
  clearSecondFactor: [notYourself, inReach, notRoot],
  accessTokens: [below],
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

/** A caller, with the scopes of the personal access token that was used; `null` = another kind of caller. */
interface ScopedPerson extends Person {
  readonly scopes: readonly string[] | null
}

/**
 * Why a caller may not change the name, password, role or logins of another account, or delete it; `null` = allowed. A personal access token needs a scope of its
 * own, and reaches no account of the same role, not even root's other accounts.
 */
export function authorizeCredentials(actor: ScopedPerson, target: Person): ErrorCode | null {
  if (actor.scopes === null) return null
  return actor.scopes.includes(credentialScope) ? below(actor, target) : 'scope_missing'
}

/** How a caller was authenticated. */
export interface Presence {
  /** `null` = by an access token. */
  readonly sessionHash: string | null
  readonly hasJustLoggedIn: boolean
}

/**
 * Why a caller may not change the credentials of the own account (password, access token, address, linked logins); `null` = allowed. A
 * stolen or forgotten session must not become lasting access, and an access token never.
 */
export function authorizeReauthentication({
  sessionHash,
  hasJustLoggedIn,
}: Presence): 'session_required' | 'reauthentication_required' | null {
  if (sessionHash === null) return 'session_required'
  return hasJustLoggedIn ? null : 'reauthentication_required'
}

/** Only root may create, change or test a raw proxy: it forwards whatever a user sends. */
export function mayRunRawProxies(actor: Pick<Person, 'role'>): boolean {
  return actor.role >= role.root
}

/** Whether login options that this role sets apply to administrators at once, without confirmation. */
export function mayVouch(actor: Pick<Person, 'role'>): boolean {
  return actor.role >= role.root
}

/**
 * The role as which a caller sets options. A personal access token reaches only accounts below the role of its own account, so what root's token sets
 * is pending super-admin approval, like what an administrator sets.
 */
export function setterRole({ role: own, scopes }: ScopedPerson): number {
  return scopes === null ? own : Math.min(own, role.admin)
}

/** Whether an account may let requests use the key of a channel for more: what nobody knows the price of, and what the vendor keeps for the key. */
export function mayOpenChannels(actor: Pick<Person, 'role'>): boolean {
  return actor.role >= role.root
}

/** Whether an account may log in and be recovered only by ways whose options root has set or confirmed. */
export function needsConfirmedWays(target: Pick<Person, 'role'>): boolean {
  return target.role >= role.admin
}

/** Whether an account may have, or give others, a name that people trust, such as `admin`. */
export function mayUseTrustedNames(actor: Pick<Person, 'role'>): boolean {
  return actor.role >= role.admin
}
