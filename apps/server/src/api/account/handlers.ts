import { type CreatableTaskKind, contract, type DashboardRow, userStatus } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds, utcDay } from '../../lib/clock.ts'
import { daySeconds } from '../../lib/day.ts'
import { randomBase62 } from '../../lib/id.ts'
import type { Seal } from '../../lib/seal.ts'
import { saveSystemToken } from '../access-queries.ts'
import type { AccountAccess } from '../account-access.ts'
import { type Audit, stranger } from '../audit.ts'
import { authorize } from '../authorize.ts'
import { checkRename } from '../check-username.ts'
import { type Caller, implement, type Visit } from '../implement.ts'
import { findInviteCode, listInvited, setInviteCode, sumInvited } from './account-queries.ts'
import { drawsMax, inviteCodeLength } from './create-account.ts'
import type { FirstLogin } from './first-login.ts'
import { checkFirstPassword } from './first-password.ts'
import { findLogin, findSelf, renameUser, renewHash, setPassword } from './login-queries.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { Reauthenticate } from './reauthenticate.ts'
import { type RegisterDeps, register } from './register.ts'
import type { RemoveAccount } from './remove-account.ts'
import type { Sessions } from './sessions.ts'
import { isSecretOf } from './setup-link.ts'
import { findSetup } from './setup-queries.ts'
import type { SignIns } from './sign-in.ts'

interface AccountDeps extends RegisterDeps {
  readonly clock: Clock
  /** For reads that may take long. */
  readonly reads: Db
  readonly seal: Seal
  readonly sessions: Sessions
  readonly access: AccountAccess
  readonly signIn: SignIns['signIn']
  readonly audit: Audit
  readonly throttle: LoginThrottle
  readonly reauthenticate: Reauthenticate
  /** Uses up a code that was mailed to an address for this account. @throws AppError */
  readonly spendMailCode: (account: { readonly id: number; readonly role: number }, email: string, code: string) => Promise<void>
  readonly removeAccount: RemoveAccount
  readonly firstLogin: Pick<FirstLogin, 'allowsDefaultPassword' | 'check'>
  readonly modelsOf: (groups: string, kind: CreatableTaskKind | '') => Promise<readonly string[]>
  /** Consumption of an account by day and model, from midnight in UTC. */
  readonly usageByDay: (userId: number, since: number) => Promise<readonly DayOfUsage[]>
  /** Notifies the relay that an account has changed. */
  readonly changed: (userId: number) => void
}

/** Proofs that replace a recent login; empty = not given. */
interface PasswordProof {
  readonly current_password: string
  readonly verification_code: string
}

interface NewPassword {
  readonly passwordHash: string
  readonly revokesTokens: boolean
  readonly visit: Visit
}

interface DayOfUsage {
  readonly day: number
  readonly model_name: string
  readonly requests: number
  readonly quota: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

/** Characters of a system access token: 256 bits. */
const accessTokenLength = 43

const dashboardDays = 7

/** Stands for the account in the limits of guesses. */
const setupName = 'setup link'

export const accountApi = (deps: AccountDeps) => {
  const { db, clock, seal, settings, sessions, signIn, passwords, audit, throttle, reauthenticate, modelsOf, usageByDay, changed } = deps

  /** @throws AppError login_failed */
  async function checkPassword(username: string, password: string, visit: Visit) {
    const user = await findLogin(db, username)
    const isRight = user === undefined ? await passwords.pretend(password) : await passwords.verify(password, user.password_hash)
    // One message for all of these, so that it does not reveal which names exist.
    if (user === undefined || !isRight || user.status !== userStatus.enabled) {
      // An unknown name may be a password that was typed into the wrong field, so it is not logged.
      await audit({ actor: user ?? stranger, messageKey: 'log_login_failed', params: { address: visit.address } })
      throw new AppError('login_failed')
    }
    if (passwords.isOld(user.password_hash)) await renewHash(db, user.id, { from: user.password_hash, to: await passwords.hash(password) })
    return user
  }

  /** An account with a password needs it or a recent login; one without must verify its mail address, unless it is being set up. */
  async function checkPasswordChange(caller: Caller, proof: PasswordProof, visit: Visit): Promise<void> {
    const self = await findSelf(db, caller.id)
    if (self === undefined) throw new AppError('not_found', { messageKey: 'no_such_user' })
    if (caller.sessionHash === null) throw new AppError('session_required')
    if (self.password_hash !== '') await reauthenticate(caller, proof.current_password, visit)
    // Whoever has opened the setup link may, however long ago: the link would let them in again.
    else if (self.setup_link === null) await checkFirstPassword(self, proof.verification_code, deps.spendMailCode)
  }

  /** Sets a password, and ends every session, and access tokens if so chosen. The caller's session gets a new id, so that copies of the old id stop working. */
  async function renewAccess(self: Caller, { passwordHash, revokesTokens, visit }: NewPassword, tx: Db): Promise<string | null> {
    await setPassword(tx, self.id, passwordHash)
    await audit({ actor: self, messageKey: 'log_password' }, tx)
    await deps.access.revoke(self, { actor: self, keptHash: null, hasTokens: revokesTokens }, tx)
    return self.sessionHash === null ? null : await sessions.begin(self, { ...visit, way: 'password' }, tx)
  }

  async function makeAccessToken(caller: Caller, currentPassword: string, visit: Visit): Promise<string> {
    await reauthenticate(caller, currentPassword, visit)
    const token = randomBase62(accessTokenLength)
    await db.transaction().execute(async (tx) => {
      await saveSystemToken(tx, caller.id, { lookup: seal.lookup(token, 'access-token'), now: nowSeconds(clock) })
      await audit({ actor: caller, messageKey: 'log_access_token' }, tx)
    })
    return token
  }

  return implement(contract.account, {
    async register(form, _caller, visit) {
      await register(deps, form, visit.address)
      return null
    },

    async login({ username, password }, _caller, visit) {
      if (!settings().PasswordLoginEnabled) throw new AppError('login_disabled')
      const wait = await throttle.take(username, visit.address)
      if (wait > 0) throw new AppError('login_throttled', { params: { seconds: wait }, retryAfterSeconds: wait })
      const user = await checkPassword(username, password, visit)
      await throttle.succeeded(username, visit.address)
      if (user.default_password === 1 && !(deps.firstLogin.allowsDefaultPassword && visit.isFromHere()))
        throw new AppError('default_password_refused', { params: { username: user.username } })
      return await signIn(user, visit, 'password')
    },

    async setup({ secret }, _caller, visit) {
      const wait = await throttle.take(setupName, visit.address)
      if (wait > 0) throw new AppError('login_throttled', { params: { seconds: wait }, retryAfterSeconds: wait })
      const root = await findSetup(db)
      if (!isSecretOf(root?.secret_hash, secret) || root === undefined) {
        await audit({ actor: stranger, messageKey: 'log_login_failed', params: { address: visit.address } })
        throw new AppError('setup_link_invalid')
      }
      await throttle.succeeded(setupName, visit.address)
      return await signIn(root, visit, 'setup')
    },

    async logout(_input, _caller, visit) {
      if (visit.sessionId !== null) await sessions.end(visit.sessionId)
      visit.setSession(null)
      return null
    },

    async self(_input, caller) {
      const user = await findSelf(db, caller.id)
      if (user === undefined) throw new AppError('not_found', { messageKey: 'no_such_user' })
      const { groups, default_password, password_hash, second_factor, setup_link, ...row } = user
      return {
        ...row,
        group: groups,
        password: '',
        second_factor: second_factor === 1,
        setup_pending: setup_link !== null && password_hash === '',
        ...{ default_password: default_password === 1, has_password: password_hash !== '', recent_login: caller.hasJustLoggedIn },
      }
    },

    async updateSelf({ username, display_name, password, revoke_access_tokens: revokesTokens, ...proof }, caller, visit) {
      // Checked first, so that a refusal changes nothing.
      if (password !== '') await checkPasswordChange(caller, proof, visit)
      else if ((username ?? caller.username) !== caller.username) await reauthenticate(caller, proof.current_password, visit)
      const passwordHash = password === '' ? null : await passwords.hashChosen(password)
      const sessionId = await db.transaction().execute(async (tx) => {
        const name = username ?? caller.username
        if (!(await renameUser(tx, caller.id, namesOf({ username, display_name }, name)))) throw new AppError('username_taken')
        checkRename({ from: caller.username, to: username, by: caller })
        return passwordHash === null ? null : await renewAccess({ ...caller, username: name }, { passwordHash, revokesTokens, visit }, tx)
      })
      if (sessionId !== null) visit.setSession(sessionId)
      if (passwordHash !== null) await deps.firstLogin.check()
      changed(caller.id)
      return null
    },

    async removeSelf(_input, caller, visit) {
      const refusal = authorize(caller, 'leave', caller)
      if (refusal !== null) throw new AppError(refusal)
      await reauthenticate(caller, '', visit)
      await deps.removeAccount({ ...caller, status: userStatus.enabled }, caller)
      visit.setSession(null)
      return null
    },

    accessToken: (_input, caller, visit) => makeAccessToken(caller, '', visit),
    newAccessToken: ({ current_password }, caller, visit) => makeAccessToken(caller, current_password, visit),

    async removeAccessToken(_input, caller) {
      await deps.access.removeToken({ actor: caller, target: caller, token: 'system' })
      return null
    },

    async inviteCode(_input, caller) {
      for (let draw = 0; draw < drawsMax; draw++) {
        const code = await findInviteCode(db, caller.id)
        if (code !== '') return code
        await setInviteCode(db, caller.id, randomBase62(inviteCodeLength))
      }
      throw new AppError('internal_error', { cause: new Error('every generated invite code is taken') })
    },

    async invited(page, caller) {
      const [sum, rows] = await Promise.all([sumInvited(deps.reads, caller.id), listInvited(deps.reads, caller.id, page)])
      return {
        ...sum,
        rows: rows.map(({ status, username, earned, ...row }) => ({
          ...row,
          username: status === userStatus.deleted ? '' : username,
          earned: earned ?? 0,
        })),
      }
    },

    async dashboard(_input, caller) {
      const now = nowSeconds(clock)
      const today = now - (now % daySeconds)
      const days = await usageByDay(caller.id, today - (dashboardDays - 1) * daySeconds)
      return days.map(toDashboardRow)
    },

    availableModels: async ({ kind }, caller) => [...(await modelsOf(caller.groups, kind))],
  })
}

interface NameFields {
  readonly username?: string | null | undefined
  readonly display_name?: string | null | undefined
}

/** The names that an edit changes; an empty display name is the username. */
function namesOf({ username, display_name }: NameFields, name: string): { readonly username?: string; readonly display_name?: string } {
  return {
    ...(typeof username === 'string' && { username }),
    ...(typeof display_name === 'string' && { display_name: display_name || name }),
  }
}

function toDashboardRow(day: DayOfUsage): DashboardRow {
  return {
    Day: utcDay(day.day),
    ModelName: day.model_name,
    RequestCount: day.requests,
    Quota: day.quota,
    PromptTokens: day.prompt_tokens,
    CompletionTokens: day.completion_tokens,
  }
}
