import { createHash } from 'node:crypto'
import { contract } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Audit } from '../audit.ts'
import { implement } from '../implement.ts'
import { deleteOthers, deleteOwnSession, listHashes, listSessions } from './queries.ts'

interface SessionApiDeps {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Audit
  /** How long sessions last, in seconds. */
  readonly lifetimes: { readonly idle: number; readonly absolute: number }
}

/** The sessions of the caller's own account. */
export const sessionApi = ({ db, clock, audit, lifetimes }: SessionApiDeps) =>
  implement(contract.session, {
    async list(_input, caller) {
      const now = nowSeconds(clock)
      const rows = await listSessions(db, caller.id, { createdAfter: now - lifetimes.absolute, seenAfter: now - lifetimes.idle })
      const sessions = rows.map(({ id_hash, ...row }) => ({ ...row, id: nameOf(id_hash), is_current: id_hash === caller.sessionHash }))
      return sessions.sort((one, other) => Number(other.is_current) - Number(one.is_current))
    },

    async remove({ id }, caller, visit) {
      const idHash = (await listHashes(db, caller.id)).find((hash) => nameOf(hash) === id)
      if (idHash === undefined) throw new AppError('not_found', { messageKey: 'no_such_session' })
      await db.transaction().execute(async (tx) => {
        const address = await deleteOwnSession(tx, caller.id, idHash)
        if (address === undefined) throw new AppError('not_found', { messageKey: 'no_such_session' })
        await audit({ actor: caller, messageKey: 'log_session_ended', params: { address } }, tx)
      })
      if (idHash === caller.sessionHash) visit.setSession(null)
      return null
    },

    async removeOthers(_input, caller) {
      const { sessionHash } = caller
      if (sessionHash === null) throw new AppError('session_required')
      return await db.transaction().execute(async (tx) => {
        const count = await deleteOthers(tx, caller.id, sessionHash)
        if (count > 0) await audit({ actor: caller, messageKey: 'log_sessions_ended', params: { count } }, tx)
        return count
      })
    },
  })

/** What a session is called on the wire: what is stored of it is sent to nobody. */
function nameOf(idHash: string): string {
  return createHash('sha256').update(`session-name:${idHash}`).digest('hex').slice(0, 32)
}
