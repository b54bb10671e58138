import { type SafeStorage, storage } from './storage.ts'
import { createStore, type Store, useStore } from './store.ts'

/** The product's numbers of roles; only the role is read from the stored user. */
const adminRole = 10
const rootRole = 100

interface Session {
  readonly role: number
}

/** The guard checks only whether a user is stored. The server checks permissions. */
function readSession(from: SafeStorage): Session | null {
  const user = from.readJson('user')
  if (typeof user !== 'object' || user === null) return null
  return { role: 'role' in user && typeof user.role === 'number' ? user.role : 0 }
}

const session: Store<Session | null> = createStore<Session | null>(readSession(storage))
/** Counts sessions that the server refused, so that the router is notified once of each. */
const expiries = createStore(0)

export function signIn(user: unknown): void {
  storage.writeJson('user', user)
  session.set(readSession(storage))
}

export function signOut(): void {
  storage.remove('user')
  session.set(null)
}

/** Called after a 401. Removes the stored user first, otherwise the guard would accept the ended session. */
export function expireSession(): void {
  signOut()
  expiries.set(expiries.get() + 1)
}

export const onSessionExpired = expiries.subscribe

/** Whether a user is stored, for pages that are only loaded in advance: what is shown does not change. */
export const hasStoredUser = (): boolean => readSession(storage) !== null

/** Reads the storage again, for the guard: another tab may have signed out. */
export function isSignedIn(): boolean {
  const now = readSession(storage)
  if ((now === null) !== (session.get() === null)) session.set(now)
  return now !== null
}

/** For code outside of components. */
export const isAdmin = (): boolean => (session.get()?.role ?? 0) >= adminRole

export function useSession(): { readonly isSignedIn: boolean; readonly isAdmin: boolean; readonly isRoot: boolean } {
  const current = useStore(session)
  const hasRole = (role: number): boolean => current !== null && current.role >= role
  return { isSignedIn: current !== null, isAdmin: hasRole(adminRole), isRoot: hasRole(rootRole) }
}
