import type { contract, DataOf } from '@sluice/contract'
import type { Audit } from '../audit.ts'
import type { Visit } from '../implement.ts'
import type { Sessions } from './sessions.ts'

type LoginUser = DataOf<typeof contract.account.login>

/** Begins a session of somebody who has proven who they are, however they did. */
export type SignIn = (user: LoginUser, visit: Visit) => Promise<LoginUser>

export function createSignIn({ sessions, audit }: { readonly sessions: Sessions; readonly audit: Audit }): SignIn {
  return async (user, visit) => {
    // A new id at every login: one that somebody planted before is worth nothing.
    if (visit.sessionId !== null) await sessions.end(visit.sessionId)
    visit.setSession(await sessions.begin(user, visit))
    await audit({ actor: user, says: 'log_login', params: { address: visit.address } })
    const { id, username, display_name, role, status } = user
    return { id, username, display_name, role, status }
  }
}
