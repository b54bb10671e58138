import { contract, type DataOf, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'
import type { AccountAccess } from '../account-access.ts'
import type { Audit } from '../audit.ts'
import { authorize, authorizeReauthentication } from '../authorize.ts'
import { type Caller, implement, type Visit } from '../implement.ts'
import { appUri, newAppSecret, stepOfCode } from './app-codes.ts'
import {
  confirmApp,
  countCodes,
  deleteFactors,
  findAccount,
  findFactors,
  hasPasskey,
  lockFactors,
  removeApp,
  saveApp,
  setOn,
} from './queries.ts'
import { appPurpose, type SecondFactors } from './second-factors.ts'

type LoginUser = DataOf<typeof contract.secondFactor.login>

/** A login that is pending its second factor. */
interface WaitingLogin {
  readonly user: { readonly id: number; readonly username: string }
}

interface SecondFactorDeps<Waiting extends WaitingLogin> {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  readonly settings: () => Settings
  readonly audit: Audit
  readonly factors: SecondFactors
  readonly access: AccountAccess
  readonly signIns: {
    /** @throws AppError two_factor_login_expired */
    waiting(visit: Visit): Promise<Waiting>
    complete(login: Waiting, visit: Visit, step: string): Promise<LoginUser>
  }
}

export const secondFactorApi = <Waiting extends WaitingLogin>(deps: SecondFactorDeps<Waiting>) => {
  const { db, seal, clock, audit, factors, signIns } = deps

  /** A change and its audit event, after other changes of the same account. */
  async function change<Result>(caller: Caller, work: (tx: Db) => Promise<Result>): Promise<Result> {
    checkRecent(caller)
    return await db.transaction().execute(async (tx) => {
      await lockFactors(tx, caller.id)
      return await work(tx)
    })
  }

  async function turnOn(caller: Caller, tx: Db) {
    const { app_confirmed = 0 } = (await findFactors(tx, caller.id)) ?? {}
    if (app_confirmed !== 1 && !(await hasPasskey(tx, caller.id))) throw new AppError('second_factor_missing')
    if (!(await setOn(tx, caller.id, true))) return { recovery_codes: [] }
    await audit({ actor: caller, messageKey: 'log_second_factor_on' }, tx)
    return { recovery_codes: [...(await factors.newCodes(caller.id, tx))] }
  }

  async function confirm(caller: Caller, code: string, tx: Db) {
    const factorRow = await findFactors(tx, caller.id)
    const secret = factorRow === undefined ? null : seal.tryOpen(factorRow.app_sealed, appPurpose(caller.id))
    if (factorRow === undefined || secret === null) throw new AppError('authenticator_setup_not_started')
    const step = await stepOfCode(secret, code.replace(/\D/g, ''), clock.nowMs())
    if (step === null) throw new AppError('two_factor_code_invalid')
    if (!(await confirmApp(tx, caller.id, { sealed: factorRow.app_sealed, step }))) throw new AppError('authenticator_already_set_up')
    await audit({ actor: caller, messageKey: 'log_app_added' }, tx)
    if (factorRow.is_on !== 1) await audit({ actor: caller, messageKey: 'log_second_factor_on' }, tx)
    return { recovery_codes: [...(await factors.newCodes(caller.id, tx))] }
  }

  return implement(contract.secondFactor, {
    async get(_input, caller) {
      const [factorRow, codes] = await Promise.all([findFactors(db, caller.id), countCodes(db, caller.id)])
      const isLost = factorRow?.app_confirmed === 1 && seal.tryOpen(factorRow.app_sealed, appPurpose(caller.id)) === null
      return {
        is_on: factorRow?.is_on === 1,
        has_app: factorRow?.app_confirmed === 1,
        unreadable: isLost ? ['app' as const] : [],
        recovery_codes: codes,
        is_missing: caller.lacksSecondFactor,
      }
    },

    update: ({ is_on, revoke_access_tokens: hasTokens }, caller) =>
      change(caller, async (tx) => {
        if (is_on) return await turnOn(caller, tx)
        if (!(await setOn(tx, caller.id, false))) return { recovery_codes: [] }
        await audit({ actor: caller, messageKey: 'log_second_factor_off' }, tx)
        await deps.access.revoke(caller, { actor: caller, keptHash: caller.sessionHash, hasTokens }, tx)
        return { recovery_codes: [] }
      }),

    beginApp: (_input, caller) =>
      change(caller, async (tx) => {
        const secret = await newAppSecret()
        if (!(await saveApp(tx, caller.id, seal.seal(secret, appPurpose(caller.id))))) throw new AppError('authenticator_already_set_up')
        return { secret, uri: await appUri(secret, { issuer: deps.settings().SystemName, account: caller.username }) }
      }),

    confirmApp: ({ code }, caller) => change(caller, (tx) => confirm(caller, code, tx)),

    removeApp: ({ revoke_access_tokens: hasTokens }, caller) =>
      change(caller, async (tx) => {
        if (!(await removeApp(tx, caller.id))) return null
        await audit({ actor: caller, messageKey: 'log_app_removed' }, tx)
        if (await factors.turnOffIfBare(caller.id, tx)) await audit({ actor: caller, messageKey: 'log_second_factor_off' }, tx)
        await deps.access.revoke(caller, { actor: caller, keptHash: caller.sessionHash, hasTokens }, tx)
        return null
      }),

    renewCodes: (_input, caller) =>
      change(caller, async (tx) => {
        if ((await findFactors(tx, caller.id))?.is_on !== 1) throw new AppError('second_factor_missing')
        await audit({ actor: caller, messageKey: 'log_recovery_codes' }, tx)
        return { recovery_codes: [...(await factors.newCodes(caller.id, tx))] }
      }),

    async login({ code }, _caller, visit) {
      const waiting = await signIns.waiting(visit)
      const { user } = waiting
      const kind = await factors.spend(user.id, code, visit.address).catch(async (error: unknown) => {
        await audit({ actor: user, messageKey: 'log_second_step_failed', params: { address: visit.address } })
        throw error
      })
      if (kind === 'recovery') {
        const left = await countCodes(db, user.id)
        await audit({ actor: user, messageKey: 'log_recovery_code_used', params: { left } })
      }
      return await signIns.complete(waiting, visit, kind)
    },

    async clear({ id, revoke_access_tokens: hasTokens }, caller) {
      const target = await findAccount(db, id)
      if (target === undefined) throw new AppError('not_found', { messageKey: 'no_such_user' })
      const refusal = authorize(caller, 'clearSecondFactor', target)
      if (refusal !== null) throw new AppError(refusal)
      await db.transaction().execute(async (tx) => {
        await lockFactors(tx, id)
        await deleteFactors(tx, id)
        await audit({ actor: caller, target, messageKey: 'log_second_factor_cleared' }, tx)
        await deps.access.revoke(target, { actor: caller, keptHash: null, hasTokens }, tx)
      })
      return null
    },
  })
}

/** @throws AppError session_required, reauthentication_required */
function checkRecent(caller: Caller): void {
  const refusal = authorizeReauthentication(caller)
  if (refusal !== null) throw new AppError(refusal)
}
