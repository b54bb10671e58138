import { type SafeStorage, storage } from './storage.ts'
import { createStore, type Store, useStore } from './store.ts'

/** The product's numbers of roles. */
const adminRole = 10
const rootRole = 100

interface Session {
  /** `null` = the stored user has none. */
  readonly id: number | null
  readonly name: string
  readonly role: number
}

/** Who is logged in now, on a page that was opened for another account. */
export interface AccountChange {
  /** The account of the page. */
  readonly own: string
  /** `null` = nobody; empty = the server refused the page's account, and no other is stored. */
  readonly now: string | null
}

/** The guard checks only whether a user is stored. The server checks permissions. */
function readSession(from: SafeStorage): Session | null {
  const user = from.readJson('user')
  if (typeof user !== 'object' || user === null) return null
  // Holds: any object can be read by string keys; each value is checked before use.
  const { id, role, username, display_name } = user as Readonly<Record<string, unknown>>
  return {
    id: typeof id === 'number' ? id : null,
    name: String(display_name || username || `#${id}`),
    role: typeof role === 'number' ? role : 0,
  }
}

const session: Store<Session | null> = createStore<Session | null>(readSession(storage))
const change: Store<AccountChange | null> = createStore<AccountChange | null>(null)
/** Counts sessions that the server refused, so that the router is notified once of each. */
const expiries = createStore(0)

export function signIn(user: unknown): void {
  storage.writeJson('user', user)
  enter(readSession(storage))
}

/** Leaves the user that another tab has stored since. */
export function signOut(): void {
  if (!isOtherStored()) storage.remove('user')
  enter(null)
}

function enter(next: Session | null): void {
  change.set(null)
  session.set(next)
}

/**
 * Called after a 401. Removes the stored user first, otherwise the guard would accept the ended session; a user that another tab has stored
 * has a session of their own.
 */
export function expireSession(): void {
  if (isOtherStored()) {
    checkAccount()
    return
  }
  signOut()
  expiries.set(expiries.get() + 1)
}

function isOtherStored(): boolean {
  const own = session.get()
  const now = readSession(storage)
  return own !== null && now !== null && now.id !== own.id
}

/** Compares the account that this page was opened for with the stored one, which another tab may have changed. */
function checkAccount(): void {
  const own = session.get()
  if (own === null) return
  const now = readSession(storage)
  if (now === null || now.id !== own.id) change.set({ own: own.name, now: now === null ? null : now.name })
  else {
    if (now.role !== own.role) session.set(now)
    // A refusal by the server stays until the page is loaded again.
    if (change.get()?.now !== '') change.set(null)
  }
}

/** Called when the server refused a call because another account has logged in. */
export function noteOtherAccount(): void {
  checkAccount()
  const own = session.get()
  if (own !== null && change.get() === null) change.set({ own: own.name, now: '' })
}

/** Whether another account has logged in since this page was opened. */
export function isOfOtherAccount(): boolean {
  checkAccount()
  const now = change.get()?.now
  return now !== undefined && now !== null
}

/** Before a page that only the server has refused is loaded again: the stored user is not the one of the session. */
export function forgetRefused(): void {
  if (change.get()?.now === '') storage.remove('user')
}

/** Notifies at once of what other tabs store, and when this tab is shown again. */
export function watchAccount(): void {
  for (const event of ['storage', 'focus', 'pageshow']) addEventListener(event, checkAccount)
}

export const useAccountChange = (): AccountChange | null => useStore(change)

/** The account of this page, for the server to compare; `null` = none, or unknown. */
export const accountId = (): number | null => session.get()?.id ?? null

export const onSession = session.subscribe

export const onSessionExpired = expiries.subscribe

/** Whether a user is stored, for pages that are only loaded in advance: what is shown does not change. */
export const hasStoredUser = (): boolean => readSession(storage) !== null

/** Reads the storage again, for the guard: another tab may have signed out. */
export function isSignedIn(): boolean {
  const now = readSession(storage)
  if ((now === null) !== (session.get() === null)) enter(now)
  return now !== null
}

/** For code outside of components. */
export const isAdmin = (): boolean => (session.get()?.role ?? 0) >= adminRole

export const isRoot = (): boolean => (session.get()?.role ?? 0) >= rootRole

export function useSession(): { readonly isSignedIn: boolean; readonly isAdmin: boolean; readonly isRoot: boolean } {
  const current = useStore(session)
  const hasRole = (role: number): boolean => current !== null && current.role >= role
  return { isSignedIn: current !== null, isAdmin: hasRole(adminRole), isRoot: hasRole(rootRole) }
}
