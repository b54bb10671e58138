import { randomBytes } from 'node:crypto'
import { contract, type DataOf, type ParsedInputOf, passkeysMax, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'
import type { AccountAccess } from '../account-access.ts'
import type { Audit } from '../audit.ts'
import { authorizeReauthentication } from '../authorize.ts'
import { type Caller, implement, type Visit } from '../implement.ts'
import {
  countPasskeys,
  deletePasskey,
  findPasskey,
  insertPasskey,
  listCredentials,
  listPasskeys,
  lockFactors,
  noteUse,
  renamePasskey,
} from './queries.ts'
import { challengeOf, creationOptions, named, placeOf, requestOptions, verifyCreation, verifyRequest } from './webauthn.ts'

type LoginUser = DataOf<typeof contract.passkey.login>
type Assertion = ParsedInputOf<typeof contract.passkey.login>['credential']
type StoredPasskey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>

/** What a challenge was issued for. */
type Use = 'add' | 'login' | 'second-step'

/** Single-use challenges. */
interface Codes {
  issue(code: {
    readonly purpose: 'passkey'
    readonly address: string
    readonly secret: string
    readonly userId: number
    readonly detail: string
  }): Promise<string>
  check(purpose: 'passkey', address: string, secret: string): Promise<{ userId: number; detail: string } | null>
}

/** A login that is pending its second factor. */
interface WaitingLogin {
  readonly user: LoginUser
}

interface PasskeyDeps<Waiting extends WaitingLogin> {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  readonly settings: () => Settings
  readonly audit: Audit
  readonly access: AccountAccess
  readonly codes: Codes
  /** Turns two-factor authentication off if no second factor is left. */
  readonly turnOffIfBare: (userId: number, tx: Db) => Promise<boolean>
  /** An enabled account. */
  readonly findForLogin: (userId: number) => Promise<LoginUser | undefined>
  readonly signIns: {
    /** @throws AppError two_factor_login_expired */
    waiting(visit: Visit): Promise<Waiting>
    complete(login: Waiting, visit: Visit, step: string): Promise<LoginUser>
    begin(user: LoginUser, visit: Visit, way: string): Promise<LoginUser>
  }
}

interface Issued {
  readonly challenge: string
  readonly use: Use
  /** 0 = whoever has a passkey. */
  readonly userId: number
}

export const passkeyApi = <Waiting extends WaitingLogin>(deps: PasskeyDeps<Waiting>) => {
  const { db, seal, clock, audit, codes, signIns } = deps

  /** Binds a challenge to this browser, to its use and to an account. */
  async function issue({ challenge, use, userId }: Issued, visit: Visit): Promise<void> {
    const visitorId = visit.visitorId ?? randomBytes(16).toString('base64url')
    await codes.issue({ purpose: 'passkey', address: challenge, secret: visitorId, userId, detail: use })
    visit.setVisitor(visitorId)
  }

  /** Uses up the challenge of a response. @throws AppError passkey_rejected */
  async function spend(clientDataJSON: string, { visitorId }: Visit): Promise<Issued> {
    const challenge = challengeOf(clientDataJSON)
    const issued = challenge === '' || visitorId === null ? null : await codes.check('passkey', challenge, visitorId)
    if (issued === null) throw new AppError('passkey_rejected')
    const use = (['add', 'login', 'second-step'] as const).find((one) => one === issued.detail)
    if (use === undefined) throw new AppError('passkey_rejected')
    return { challenge, use, userId: issued.userId }
  }

  /** Names an account for authenticators. It does not identify the person, because anybody who holds the authenticator can read it. */
  const handleOf = (userId: number): string => seal.lookup(String(userId), 'passkey-user').slice(0, 32)

  /** Checks the response of a passkey. @throws AppError */
  async function proven(credential: Assertion, issued: Issued, visit: Visit): Promise<StoredPasskey> {
    const place = placeOf(visit.pageOrigin)
    const stored = await findPasskey(db, credential.id)
    if (stored === undefined) throw new AppError('passkey_unknown')
    const isOfAccount = issued.userId === 0 || issued.userId === stored.user_id
    if (stored.host !== place.host || !isOfAccount) throw new AppError('passkey_rejected')
    const { counter, userVerified } = await verifyRequest(credential, { challenge: issued.challenge, place, stored }).catch((error) =>
      reportCopy(error, stored, visit),
    )
    if (issued.use === 'login' && !userVerified) throw new AppError('passkey_unverified')
    const isNoted = await noteUse(db, stored.id, { counterBefore: stored.counter, counter, now: nowSeconds(clock) })
    if (!isNoted) throw new AppError('passkey_rejected')
    return stored
  }

  async function reportCopy(error: unknown, { user_id: id, username, name }: StoredPasskey, { address }: Visit): Promise<never> {
    if (error instanceof AppError && error.code === 'passkey_counter')
      await audit({ actor: { id, username }, messageKey: 'log_passkey_counter', params: { name, address } })
    throw error
  }

  return implement(contract.passkey, {
    list: async (_input, caller) => await listPasskeys(db, caller.id),

    async begin(_input, caller, visit) {
      checkRecent(caller)
      const place = placeOf(visit.pageOrigin)
      if ((await countPasskeys(db, caller.id)) >= passkeysMax) throw new AppError('passkeys_too_many', { params: { max: passkeysMax } })
      const present = (await listCredentials(db, caller.id, place.host)).map(named)
      const user = { username: caller.username, handle: handleOf(caller.id) }
      const options = await creationOptions({ place, system: deps.settings().SystemName, user, present })
      await issue({ challenge: options.challenge, use: 'add', userId: caller.id }, visit)
      return { ...options }
    },

    async create({ name, credential }, caller, visit) {
      checkRecent(caller)
      const place = placeOf(visit.pageOrigin)
      const { challenge, use, userId } = await spend(credential.response.clientDataJSON, visit)
      if (use !== 'add' || userId !== caller.id) throw new AppError('passkey_rejected')
      const verified = await verifyCreation(credential, challenge, place)
      const transports = (credential.response.transports ?? []).join(',')
      return await db.transaction().execute(async (tx) => {
        await lockFactors(tx, caller.id)
        if ((await countPasskeys(tx, caller.id)) >= passkeysMax) throw new AppError('passkeys_too_many', { params: { max: passkeysMax } })
        const row = { user_id: caller.id, ...verified, host: place.host, name, transports, created_time: nowSeconds(clock) }
        const inserted = await insertPasskey(tx, row)
        if (inserted === undefined) throw new AppError('passkey_already_registered')
        await audit({ actor: caller, messageKey: 'log_passkey_added', params: { name } }, tx)
        return inserted
      })
    },

    async rename({ id, name }, caller) {
      if (!(await renamePasskey(db, caller.id, { id, name }))) throw new AppError('not_found', { messageKey: 'no_such_passkey' })
      return null
    },

    async remove({ id, revoke_access_tokens: hasTokens }, caller) {
      checkRecent(caller)
      await db.transaction().execute(async (tx) => {
        await lockFactors(tx, caller.id)
        const name = await deletePasskey(tx, caller.id, id)
        if (name === undefined) throw new AppError('not_found', { messageKey: 'no_such_passkey' })
        await audit({ actor: caller, messageKey: 'log_passkey_removed', params: { name } }, tx)
        if (await deps.turnOffIfBare(caller.id, tx)) await audit({ actor: caller, messageKey: 'log_second_factor_off' }, tx)
        await deps.access.revoke(caller, { actor: caller, keptHash: caller.sessionHash, hasTokens }, tx)
      })
      return null
    },

    async beginLogin({ is_second_step }, _caller, visit) {
      const place = placeOf(visit.pageOrigin)
      const user = is_second_step ? (await signIns.waiting(visit)).user : null
      const present = user === null ? null : (await listCredentials(db, user.id, place.host)).map(named)
      const options = await requestOptions(place, present)
      const use: Use = user === null ? 'login' : 'second-step'
      await issue({ challenge: options.challenge, use, userId: user?.id ?? 0 }, visit)
      return { ...options }
    },

    async login({ credential }, _caller, visit) {
      const issued = await spend(credential.response.clientDataJSON, visit)
      if (issued.use === 'add') throw new AppError('passkey_rejected')
      if (issued.use === 'second-step') {
        const waiting = await signIns.waiting(visit)
        await proven(credential, { ...issued, userId: waiting.user.id }, visit)
        return await signIns.complete(waiting, visit, 'passkey')
      }
      const { user_id: id } = await proven(credential, issued, visit)
      const user = await deps.findForLogin(id)
      if (user === undefined) throw new AppError('user_banned')
      visit.setVisitor(null)
      return await signIns.begin(user, visit, 'passkey')
    },
  })
}

/** @throws AppError session_required, reauthentication_required */
function checkRecent(caller: Caller): void {
  const refusal = authorizeReauthentication(caller)
  if (refusal !== null) throw new AppError(refusal)
}
