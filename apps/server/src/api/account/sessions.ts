import { createHash, randomBytes } from 'node:crypto'
import { userStatus } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'
import type { Caller } from '../implement.ts'
import {
  deleteOtherSessions,
  deleteSession,
  deleteStaleSessions,
  findByAccessToken,
  findSession,
  insertSession,
  touchSession,
} from './login-queries.ts'

/** Login sessions. Only hashes are stored, so a copy of the database gives no session. Writes with `tx` are a part of that transaction. */
export interface Sessions {
  /** @returns the cookie's value */
  begin(user: { readonly id: number }, from: { readonly userAgent: string; readonly address: string }, tx?: Db): Promise<string>
  end(sessionId: string, tx?: Db): Promise<void>
  endOthers(userId: number, keptHash: string | null, tx?: Db): Promise<void>
  /** Deletes expired sessions. */
  clean(): Promise<void>
  /**
   * Role and status are read from the account at each call. A valid session takes precedence over an access token.
   * @throws AppError not_logged_in, access_token_invalid, session_and_token_invalid, user_banned
   */
  authenticate(sessionId: string | null, authorization: string | null): Promise<Caller>
}

/** A session ends when it is unused for `idleSeconds`, and `absoluteSeconds` after its login. */
const idleSeconds = 7 * 86_400
const absoluteSeconds = 30 * 86_400
/** How long after a login its session may change the account's credentials. */
const freshSeconds = 600
/** Precision of the stored last use: one write an hour is enough for a limit of days. */
const touchSeconds = 3_600

function hashSession(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('hex')
}

export function createSessions({ db, clock, seal }: { readonly db: Db; readonly clock: Clock; readonly seal: Seal }): Sessions {
  async function bySession(sessionId: string): Promise<Caller | null> {
    const sessionHash = hashSession(sessionId)
    const row = await findSession(db, sessionHash)
    if (row === undefined) return null
    const now = nowSeconds(clock)
    if (now - row.created_at > absoluteSeconds || now - row.seen_at > idleSeconds) {
      await deleteSession(db, sessionHash)
      return null
    }
    if (now - row.seen_at > touchSeconds) await touchSession(db, sessionHash, now)
    return admit(row, { sessionHash, hasJustLoggedIn: now - row.created_at <= freshSeconds })
  }

  async function byAccessToken(authorization: string): Promise<Caller | null> {
    const token = authorization.replace(/^Bearer\s+/, '').trim()
    const row = token === '' ? undefined : await findByAccessToken(db, seal.lookup(token, 'access-token'))
    if (row === undefined) return null
    return admit(row, { sessionHash: null, hasJustLoggedIn: false })
  }

  return {
    async begin(user, { userAgent, address }, tx = db) {
      const sessionId = randomBytes(32).toString('base64url')
      await insertSession(tx, {
        id_hash: hashSession(sessionId),
        user_id: user.id,
        now: nowSeconds(clock),
        user_agent: userAgent.slice(0, 256),
        address,
      })
      return sessionId
    },
    end: (sessionId, tx = db) => deleteSession(tx, hashSession(sessionId)),
    endOthers: (userId, keptHash, tx = db) => deleteOtherSessions(tx, userId, keptHash),
    async clean() {
      const now = nowSeconds(clock)
      await deleteStaleSessions(db, { createdBefore: now - absoluteSeconds, seenBefore: now - idleSeconds })
    },
    async authenticate(sessionId, authorization) {
      const caller = sessionId === null ? null : await bySession(sessionId)
      if (caller !== null) return caller
      if (authorization === null || authorization.trim() === '') throw new AppError('not_logged_in')
      const owner = await byAccessToken(authorization)
      // Compatible consoles leave the page at a 401; only a caller with just a token is certainly not a console.
      if (owner === null) throw new AppError(sessionId === null ? 'access_token_invalid' : 'session_and_token_invalid')
      return owner
    },
  }
}

interface Account {
  readonly id: number
  readonly username: string
  readonly role: number
  readonly status: number
  readonly groups: string
}

function admit({ id, username, role, status, groups }: Account, came: Pick<Caller, 'sessionHash' | 'hasJustLoggedIn'>): Caller {
  if (status !== userStatus.enabled) throw new AppError('user_banned')
  return { id, username, role, groups, ...came }
}
