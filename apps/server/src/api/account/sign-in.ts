import { randomBytes } from 'node:crypto'
import type { contract, DataOf, SecondStep } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Seal } from '../../lib/seal.ts'
import type { Audit } from '../audit.ts'
import type { Visit } from '../implement.ts'
import { findForLogin } from './login-queries.ts'
import type { Sessions } from './sessions.ts'

type LoginUser = DataOf<typeof contract.account.login>
type Account = NonNullable<Awaited<ReturnType<typeof findForLogin>>>

/** A login that is pending in a browser until its second factor is verified. */
interface WaitingLogin {
  readonly user: Account
  /** The first step. */
  readonly way: string
}

/** Begins sessions for authenticated users, whatever the way of login. */
export interface SignIns {
  /**
   * Completes a login, unless its account requires a second factor: then the browser gets a cookie, and the login stays pending for ten minutes.
   * @throws AppError two_factor_login_required
   */
  signIn(user: LoginUser, visit: Visit, way: string): Promise<LoginUser>
  /** The login that waits in this browser; uses up one of its tries. @throws AppError two_factor_login_expired */
  waiting(visit: Visit): Promise<WaitingLogin>
  /** Completes a pending login after its second factor is verified. @throws AppError two_factor_login_expired */
  complete(login: WaitingLogin, visit: Visit, step: string): Promise<LoginUser>
  /** Begins a session without a further step. */
  begin(user: LoginUser, visit: Visit, way: string): Promise<LoginUser>
}

interface Codes {
  issue(code: {
    readonly purpose: 'second-step'
    readonly address: string
    readonly secret: string
    readonly userId: number
    readonly detail: string
    readonly tries: number
  }): Promise<string>
  peek(purpose: 'second-step', address: string, secret: string): Promise<{ userId: number; detail: string } | null>
  check(purpose: 'second-step', address: string, secret: string): Promise<unknown>
}

interface SignInDeps {
  readonly db: Db
  readonly seal: Seal
  readonly sessions: Sessions
  readonly audit: Audit
  readonly codes: Codes
  /** Second factors that the account can use at this host; empty = it has none. */
  readonly secondSteps: (userId: number, host: string) => Promise<readonly SecondStep[]>
}

/** Tries of one waiting login: a code takes one, a passkey two, and the completion one. */
const triesMax = 10

export function createSignIns({ db, seal, sessions, audit, codes, secondSteps }: SignInDeps): SignIns {
  /** Changes with the password, so that a login that began with the old one cannot be completed. */
  const proofOf = ({ password_hash }: Account): string => seal.lookup(password_hash, 'second-step')

  async function begin(user: LoginUser, visit: Visit, way: string): Promise<LoginUser> {
    const sessionId = await db.transaction().execute(async (tx) => {
      // A new id at every login, against session fixation.
      if (visit.sessionId !== null) await sessions.end(visit.sessionId, tx)
      await audit({ actor: user, messageKey: 'log_login', params: { address: visit.address } }, tx)
      return await sessions.begin(user, { ...visit, way }, tx)
    })
    visit.setSession(sessionId)
    const { id, username, display_name, role, status } = user
    return { id, username, display_name, role, status }
  }

  async function beginSecondStep({ id }: LoginUser, visit: Visit, way: string): Promise<void> {
    const user = await findForLogin(db, id)
    if (user === undefined) throw new AppError('login_failed')
    // New, so that nobody who knows an earlier one of this browser can complete the login.
    const visitorId = randomBytes(16).toString('base64url')
    await codes.issue({
      ...{ purpose: 'second-step', address: visitorId, secret: visitorId, userId: id, tries: triesMax },
      detail: `${proofOf(user)} ${way}`,
    })
    visit.setVisitor(visitorId)
  }

  return {
    begin,
    async signIn(user, visit, way) {
      const steps = await secondSteps(user.id, hostOf(visit))
      if (steps.length === 0) return await begin(user, visit, way)
      await beginSecondStep(user, visit, way)
      throw new AppError('two_factor_login_required', { beside: { second_step: steps.join(',') } })
    },
    async waiting({ visitorId }) {
      const issued = visitorId === null ? null : await codes.peek('second-step', visitorId, visitorId)
      const user = issued === null ? undefined : await findForLogin(db, issued.userId)
      const [proof = '', way = ''] = issued?.detail.split(' ') ?? []
      if (user === undefined || proof !== proofOf(user)) throw new AppError('two_factor_login_expired')
      return { user, way }
    },
    async complete({ user, way }, visit, step) {
      const { visitorId } = visit
      if (visitorId === null || (await codes.check('second-step', visitorId, visitorId)) === null)
        throw new AppError('two_factor_login_expired')
      visit.setVisitor(null)
      return await begin(user, visit, `${way},${step}`)
    },
  }
}

/** Host name of the page that makes the call: passkeys are valid for one. */
function hostOf({ pageOrigin }: Visit): string {
  return URL.parse(pageOrigin)?.hostname ?? ''
}
