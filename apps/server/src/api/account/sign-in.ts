import type { contract, DataOf } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import type { Audit } from '../audit.ts'
import type { Visit } from '../implement.ts'
import type { Sessions } from './sessions.ts'

type LoginUser = DataOf<typeof contract.account.login>

/** Begins a session for an authenticated user, whatever the way of login. */
export type SignIn = (user: LoginUser, visit: Visit) => Promise<LoginUser>

interface SignInDeps {
  readonly db: Db
  readonly sessions: Sessions
  readonly audit: Audit
}

export function createSignIn({ db, sessions, audit }: SignInDeps): SignIn {
  return async (user, visit) => {
    const sessionId = await db.transaction().execute(async (tx) => {
      // A new id at every login, against session fixation.
      if (visit.sessionId !== null) await sessions.end(visit.sessionId, tx)
      await audit({ actor: user, messageKey: 'log_login', params: { address: visit.address } }, tx)
      return await sessions.begin(user, visit, tx)
    })
    visit.setSession(sessionId)
    const { id, username, display_name, role, status } = user
    return { id, username, display_name, role, status }
  }
}
