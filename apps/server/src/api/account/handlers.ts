import { contract, type Settings, userStatus } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { clientKey } from '../../lib/cidr.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Passwords } from '../../lib/passwords.ts'
import { createThrottle } from '../../lib/throttle.ts'
import { implement } from '../implement.ts'
import { findLogin, findSelf, renameUser, renewHash, setPassword } from './queries.ts'
import type { Sessions } from './sessions.ts'

interface AccountDeps {
  readonly db: Db
  readonly clock: Clock
  readonly settings: () => Settings
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly modelsOf: (groups: string) => Promise<readonly string[]>
  /** Tells the relay that an account is not what it was. */
  readonly changed: (userId: number) => void
}

const quarterHourMs = 15 * 60_000

export const accountApi = ({ db, clock, settings, sessions, passwords, modelsOf, changed }: AccountDeps) => {
  const byAccount = createThrottle(clock, { free: 10, windowMs: quarterHourMs, waitMaxMs: 60_000 })
  const byAddress = createThrottle(clock, { free: 30, windowMs: quarterHourMs, waitMaxMs: quarterHourMs })

  /** @throws AppError login_failed */
  async function checkPassword(username: string, password: string) {
    const user = await findLogin(db, username)
    const isRight = user === undefined ? await passwords.pretend(password) : await passwords.verify(password, user.password_hash)
    // One message for all of these: it must not say which names exist.
    if (user === undefined || !isRight || user.status !== userStatus.enabled) throw new AppError('login_failed')
    if (passwords.isOld(user.password_hash)) await renewHash(db, user.id, { from: user.password_hash, to: await passwords.hash(password) })
    return user
  }

  return implement(contract.account, {
    async login({ username, password }, _caller, visit) {
      if (!settings().PasswordLoginEnabled) throw new AppError('login_disabled')
      const account = username.toLowerCase()
      const from = clientKey(visit.address)
      const wait = byAddress.take(from) || byAccount.take(account)
      if (wait > 0) throw new AppError('login_throttled', { params: { seconds: wait }, retryAfterSeconds: wait })
      const user = await checkPassword(username, password)
      byAccount.forget(account)
      byAddress.giveBack(from)
      if (user.default_password === 1 && !visit.isNearby) throw new AppError('default_password_remote')
      // A new id at every login: one that somebody planted before is worth nothing.
      if (visit.sessionId !== null) await sessions.end(visit.sessionId)
      visit.setSession(await sessions.begin(user, visit))
      const { id, display_name, role, status } = user
      return { id, username: user.username, display_name, role, status }
    },

    async logout(_input, _caller, visit) {
      if (visit.sessionId !== null) await sessions.end(visit.sessionId)
      visit.setSession(null)
      return null
    },

    async self(_input, caller) {
      const user = await findSelf(db, caller.id)
      if (user === undefined) throw new AppError('not_found', { params: { what: 'user' } })
      const { groups, default_password, password_hash: _hash, ...row } = user
      return { ...row, group: groups, password: '', default_password: default_password === 1 }
    },

    async updateSelf({ username, display_name, password }, caller) {
      if (!(await renameUser(db, caller.id, { username, display_name: display_name || username }))) throw new AppError('username_taken')
      if (password !== '') {
        await setPassword(db, caller.id, await passwords.hash(password))
        await sessions.endOthers(caller.id, caller.sessionHash)
      }
      changed(caller.id)
      return null
    },

    availableModels: async (_input, caller) => [...(await modelsOf(caller.groups))],
  })
}
