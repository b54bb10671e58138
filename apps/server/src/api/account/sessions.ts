import { createHash, randomBytes } from 'node:crypto'
import { accessTokenPrefix, userStatus } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'
import { isAdministrator } from '../authorize.ts'
import type { Caller } from '../implement.ts'
import {
  deleteSession,
  deleteStaleSessions,
  findByAccessToken,
  findByPersonalToken,
  findSession,
  insertSession,
  touchPersonalToken,
  touchSession,
  touchSystemToken,
} from './login-queries.ts'

/** Login sessions. Only hashes are stored, so a copy of the database gives no session. Writes with `tx` are a part of that transaction. */
export interface Sessions {
  /** @returns the cookie's value */
  begin(user: { readonly id: number }, from: NewSession, tx?: Db): Promise<string>
  end(sessionId: string, tx?: Db): Promise<void>
  /** Deletes expired sessions. */
  clean(): Promise<void>
  /**
   * Role and status are read from the account at each call. A valid session takes precedence over an access token.
   * @throws AppError not_logged_in, access_token_invalid, session_and_token_invalid, user_banned
   */
  authenticate(sessionId: string | null, authorization: string | null): Promise<Caller>
}

interface NewSession {
  readonly userAgent: string
  readonly address: string
  /** How the login was authenticated. */
  readonly way: string
}

/** In seconds: a session ends when it is unused for `idle`, and `absolute` after its login. */
export const sessionLifetimes = { idle: 7 * 86_400, absolute: 30 * 86_400 } as const
/** How long after a login its session may change the account's credentials. */
const freshSeconds = 600
/** Precision of the stored last use: one write an hour is enough for a limit of days. */
const touchSeconds = 3_600
/** Precision of the last use of access tokens, whose owners look whether somebody else uses one. */
const tokenTouchSeconds = 300

/** Stores when something was used last, without the call that used it: while the database cannot be written, calls that only read go on. */
function beside(write: Promise<void>): void {
  write.catch(() => {})
}

function hashSession(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('hex')
}

interface SessionDeps {
  readonly db: Db
  readonly clock: Clock
  readonly seal: Seal
  /** Whether administrators need a second factor. */
  readonly isSecondFactorRequired: () => boolean
}

export function createSessions({ db, clock, seal, isSecondFactorRequired }: SessionDeps): Sessions {
  function admit(account: Account, session: Pick<Caller, 'sessionHash' | 'hasJustLoggedIn' | 'scopes'>): Caller {
    const { id, username, role, status, groups } = account
    if (status !== userStatus.enabled) throw new AppError('user_banned')
    const lacksSecondFactor = isSecondFactorRequired() && isAdministrator(account) && account.is_on !== 1
    return { id, username, role, groups, lacksSecondFactor, ...session }
  }

  async function bySession(sessionId: string): Promise<Caller | null> {
    const sessionHash = hashSession(sessionId)
    const row = await findSession(db, sessionHash)
    if (row === undefined) return null
    const now = nowSeconds(clock)
    if (now - row.created_at > sessionLifetimes.absolute || now - row.seen_at > sessionLifetimes.idle) {
      await deleteSession(db, sessionHash)
      return null
    }
    if (now - row.seen_at > touchSeconds) beside(touchSession(db, sessionHash, now))
    return admit(row, { sessionHash, hasJustLoggedIn: now - row.created_at <= freshSeconds, scopes: null })
  }

  async function byAccessToken(authorization: string): Promise<Caller | null> {
    const token = authorization.replace(/^Bearer\s+/, '').trim()
    if (token.startsWith(accessTokenPrefix)) return await byPersonalToken(token)
    const row = token === '' ? undefined : await findByAccessToken(db, seal.lookup(token, 'access-token'))
    if (row === undefined) return null
    const now = nowSeconds(clock)
    if (now - row.used_time > tokenTouchSeconds) beside(touchSystemToken(db, row.id, now))
    return admit(row, { sessionHash: null, hasJustLoggedIn: false, scopes: null })
  }

  async function byPersonalToken(token: string): Promise<Caller | null> {
    const now = nowSeconds(clock)
    const row = await findByPersonalToken(db, seal.lookup(token, 'personal-token'))
    if (row === undefined || (row.expired_time !== -1 && row.expired_time <= now)) return null
    if (now - row.used_time > tokenTouchSeconds) beside(touchPersonalToken(db, row.token_id, now))
    return admit(row, { sessionHash: null, hasJustLoggedIn: false, scopes: row.scopes.split(',') })
  }

  return {
    async begin(user, { userAgent, address, way }, tx = db) {
      const sessionId = randomBytes(32).toString('base64url')
      await insertSession(tx, {
        id_hash: hashSession(sessionId),
        user_id: user.id,
        now: nowSeconds(clock),
        user_agent: userAgent.slice(0, 256),
        address,
        way,
      })
      return sessionId
    },
    end: (sessionId, tx = db) => deleteSession(tx, hashSession(sessionId)),
    async clean() {
      const now = nowSeconds(clock)
      await deleteStaleSessions(db, { createdBefore: now - sessionLifetimes.absolute, seenBefore: now - sessionLifetimes.idle })
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
  /** 1 = a second factor is on; null = none was ever set up. */
  readonly is_on: number | null
}
