import {
  bindingColumns,
  contract,
  exportedUser,
  logType,
  type MessageKey,
  type ParsedInputOf,
  role,
  type Settings,
  type UserAction,
  type UserRow,
  userStatus,
} from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { lockRow } from '../../db/lock-row.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { codedText, plainLog } from '../../ledger/log-entry.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { newFormId, newRequestId } from '../../lib/id.ts'
import { createMutex } from '../../lib/mutex.ts'
import type { Passwords } from '../../lib/passwords.ts'
import type { AccountAccess } from '../account-access.ts'
import { assertUnchanged } from '../assert-unchanged.ts'
import { type Audit, amountText, auditRow } from '../audit.ts'
import { type AccountAction, authorize } from '../authorize.ts'
import { checkRename } from '../check-username.ts'
import { exportFile, plainRowOf, stepAfter } from '../export-file.ts'
import { type Caller, implement, type Visit } from '../implement.ts'
import { checkCredentials } from './check-credentials.ts'
import { changedColumns, changesEntry, quotaChange, renames, type UserEdit } from './edit.ts'
import { userFileColumns } from './export.ts'
import {
  editRef,
  findTopUp,
  findUser,
  findUserByName,
  listUsers,
  type StoredUser,
  searchUsers,
  setStanding,
  sumFormEdits,
  topUpRef,
  updateUser,
} from './queries.ts'

interface AccountName {
  readonly id: number
  readonly username: string
}

/** What a top-up adds to a balance, with its ref in the ledger. */
interface Added {
  readonly quota: number
  readonly remark?: string | null | undefined
  readonly ref: string
}

interface UserDeps {
  readonly db: Db
  /** For lists and searches of all accounts. */
  readonly reads: Db
  readonly ledger: Ledger
  readonly clock: Clock
  readonly settings: () => Settings
  readonly passwords: Passwords
  readonly audit: Audit
  /** @throws AppError username_taken */
  readonly createAccount: (account: {
    readonly username: string
    readonly displayName: string
    readonly passwordHash: string
    readonly email: string
    readonly inviteCode: string
    readonly alsoWrite: (account: AccountName, tx: Db) => Promise<void>
  }) => Promise<AccountName>
  readonly removeAccount: (account: StoredUser, actor: AccountName) => Promise<void>
  /** @throws AppError when the caller has neither logged in recently nor given the current password */
  readonly reauthenticate: (caller: Caller, currentPassword: string, visit: Visit) => Promise<void>
  readonly access: AccountAccess
  /** Before an account becomes an administrator. */
  readonly beforeAdministrator: () => Promise<void>
  /** Notifies the relay that an account has changed. */
  readonly changed: (userId: number) => void
}

type Standing = Pick<StoredUser, 'role' | 'status'>
interface PasswordChange {
  /** `null`: it stays. */
  readonly passwordHash: string | null
  /** Whether access tokens are revoked too. */
  readonly hasTokens: boolean
}

type UserActing = Omit<ParsedInputOf<typeof contract.user.manage>, 'username'>

/** The result of an action on a row of the list, its log text, and whether access tokens are revoked with the sessions. */
interface ActionEffect {
  readonly to: Partial<Standing>
  readonly messageKey: MessageKey
  readonly revokesTokens: boolean
}

const actions: Readonly<Record<Exclude<UserAction, 'delete'>, ActionEffect>> = {
  // Tokens from before would have an administrator's rights.
  promote: { to: { role: role.admin }, messageKey: 'log_user_promoted', revokesTokens: true },
  demote: { to: { role: role.user }, messageKey: 'log_user_demoted', revokesTokens: false },
  disable: { to: { status: userStatus.banned }, messageKey: 'log_user_disabled', revokesTokens: true },
  enable: { to: { status: userStatus.enabled }, messageKey: 'log_user_enabled', revokesTokens: false },
}

interface AccountLookup {
  readonly user: Promise<StoredUser | undefined>
  /** The member of the input that names the account; `id` if left out. */
  readonly field?: string
}

export const userApi = (deps: UserDeps) => {
  const { db, reads, ledger, clock, settings, passwords, audit, changed } = deps
  // Edits of balances run one after another, so that each sees what the same form changed before.
  const edits = createMutex()

  async function existing(caller: Caller, action: AccountAction, { user: pending, field = 'id' }: AccountLookup): Promise<StoredUser> {
    const user = await pending
    if (user === undefined) throw new AppError('not_found', { messageKey: 'no_such_user', field })
    const refusal = authorize(caller, action, user)
    if (refusal !== null) throw new AppError(refusal)
    return user
  }

  /**
   * For what the owner of another account cannot undo. Access tokens are limited by their scopes instead.
   * @throws AppError as `reauthenticate`
   */
  async function checkPresence(caller: Caller, currentPassword: string, visit: Visit): Promise<void> {
    if (caller.sessionHash !== null) await deps.reauthenticate(caller, currentPassword, visit)
  }

  async function saveColumns(caller: Caller, user: StoredUser, edit: UserEdit): Promise<void> {
    const outcome = await db.transaction().execute(async (tx) => {
      await lockRow(tx, 'users', user.id)
      const present = await existing(caller, 'edit', { user: findUser(tx, user.id) })
      if (changesEntry(present, edit)) checkCredentials(caller, present)
      const columns = changedColumns(present, edit)
      const fields = Object.keys(columns)
      const stored = toRow(present)
      assertUnchanged(edit.shown, { stored, edited: toRow({ ...present, ...columns }) })
      if (fields.length === 0) return 'same'
      if (!(await updateUser(tx, user.id, columns))) return 'taken'
      await audit({ actor: caller, target: user, messageKey: 'log_user_edited', params: { fields: fields.join(', ') } }, tx)
      return 'saved'
    })
    if (outcome === 'taken') throw new AppError(await takenBy(edit, user))
    if (outcome === 'saved') changed(user.id)
  }

  async function takenBy({ username }: UserEdit, { id }: StoredUser): Promise<'username_taken' | 'email_taken'> {
    const other = username === undefined || username === null ? undefined : await findUserByName(db, username)
    return other === undefined || other.id === id ? 'email_taken' : 'username_taken'
  }

  async function savePassword(caller: Caller, user: StoredUser, { passwordHash, hasTokens }: PasswordChange): Promise<void> {
    if (passwordHash === null) return
    const change = { password_hash: passwordHash, default_password: 0 }
    await db.transaction().execute(async (tx) => {
      await updateUser(tx, user.id, change)
      const keptHash = user.id === caller.id ? caller.sessionHash : null
      await deps.access.revoke(user, { actor: caller, keptHash, hasTokens }, tx)
      await audit({ actor: caller, target: user, messageKey: 'log_password' }, tx)
    })
  }

  async function saveQuota(caller: Caller, user: StoredUser, edit: UserEdit): Promise<void> {
    if (edit.quota === undefined || edit.quota === null) return
    const form = { userId: user.id, formId: edit.form_id ?? newRequestId() }
    const done = await edits.acquire()
    try {
      const earlier = await sumFormEdits(db, form)
      await ledger.adjust({
        userId: user.id,
        kind: 'admin',
        ref: editRef(form, earlier.count + 1),
        amountAt: (balance) => quotaChange(edit, earlier.change, balance),
        log: (params) => auditRow({ actor: caller, target: user, messageKey: 'log_user_quota', params: { ...params } }, nowSeconds(clock)),
      })
    } finally {
      done()
    }
  }

  async function addToBalance(caller: Caller, { id, username }: StoredUser, { quota, remark, ref }: Added): Promise<void> {
    const params = { actor: caller.username, amount: amountText(quota, settings()), remark: remark ?? '' }
    const text = codedText({ code: params.remark === '' ? 'log_top_up' : 'log_top_up_remark', params, actor: caller.id })
    await ledger.adjust({
      ...{ userId: id, kind: 'top-up', ref },
      amountAt: () => quota,
      log: () => plainLog({ userId: id, username, createdAt: nowSeconds(clock), type: logType.topUp, ...text, quota }),
    })
  }

  async function act(caller: Caller, user: StoredUser, { action, revoke_access_tokens }: UserActing): Promise<Standing> {
    if (action === 'delete') {
      await deps.removeAccount(user, caller)
      return { role: user.role, status: userStatus.deleted }
    }
    const { to, messageKey, revokesTokens } = actions[action]
    const standing = { role: user.role, status: user.status, ...to }
    if (action === 'promote') await deps.beforeAdministrator()
    await db.transaction().execute(async (tx) => {
      if (!(await setStanding(tx, user.id, { from: user, to: standing }))) throw new AppError('user_changed_meanwhile')
      await audit({ actor: caller, target: user, messageKey }, tx)
      await deps.access.revoke(user, { actor: caller, keptHash: null, hasTokens: revokesTokens && revoke_access_tokens }, tx)
    })
    changed(user.id)
    return standing
  }

  return implement(contract.user, {
    list: async (input) => (await listUsers(reads, input)).map(toRow),
    search: async (query) => (await searchUsers(reads, query)).map(toRow),

    export: ({ keyword, role: roleFilter, status, group, columns, zone, format }, _caller, { language }) =>
      exportFile({
        ...{ name: 'user', format, columnIds: columns, columns: userFileColumns({ zone, language }) },
        plain: plainRowOf(exportedUser),
        next: async (last) => {
          const step = { ...stepAfter(last), role: roleFilter, status, group }
          return (await (keyword === '' ? listUsers(reads, step) : searchUsers(reads, { keyword, ...step }))).map(toRow)
        },
      }),

    async get({ id }, caller) {
      const user = await existing(caller, 'read', { user: findUser(db, id) })
      return { ...toRow(user), quota_was: user.quota, form_id: newFormId() }
    },

    async create({ username, display_name, password }, caller) {
      const passwordHash = await passwords.hashChosen(password)
      const { id } = await deps.createAccount({
        ...{ username, displayName: display_name, passwordHash, email: '', inviteCode: '' },
        alsoWrite: (account, tx) => audit({ actor: caller, target: account, messageKey: 'log_user_created' }, tx),
      })
      return { id }
    },

    async update(edit, caller, visit) {
      const user = await existing(caller, 'edit', { user: findUser(db, edit.id) })
      const isOwn = user.id === caller.id
      if (isOwn && changesEntry(user, edit)) await deps.reauthenticate(caller, edit.current_password, visit)
      if (!isOwn && renames(user, edit)) await checkPresence(caller, edit.current_password, visit)
      checkRename({ from: user.username, to: edit.username, by: caller })
      // Before the first write, so that a refused password changes nothing.
      const passwordHash = edit.password === '' ? null : await passwords.hashChosen(edit.password)
      await saveColumns(caller, user, edit)
      await savePassword(caller, user, { passwordHash, hasTokens: edit.revoke_access_tokens })
      // Last, because a repeated form must find this part done or not done at all.
      await saveQuota(caller, user, edit)
      return null
    },

    async manage({ username, ...acting }, caller, visit) {
      const user = await existing(caller, acting.action, { user: findUserByName(db, username), field: 'username' })
      if (contract.user.manage.credentialParts.includes(acting.action)) checkCredentials(caller, user)
      if (acting.action === 'delete') await checkPresence(caller, '', visit)
      return await act(caller, user, acting)
    },

    async remove({ id }, caller, visit) {
      const user = await existing(caller, 'delete', { user: findUser(db, id) })
      checkCredentials(caller, user)
      await checkPresence(caller, '', visit)
      await deps.removeAccount(user, caller)
      return null
    },

    async unbind({ id, way }, caller) {
      const user = await existing(caller, 'edit', { user: findUser(db, id) })
      checkCredentials(caller, user)
      const column = bindingColumns[way]
      if (user[column] === '') return null
      await db.transaction().execute(async (tx) => {
        await updateUser(tx, id, { [column]: '' })
        await audit({ actor: caller, target: user, messageKey: 'log_unbound', params: { way } }, tx)
      })
      changed(id)
      return null
    },

    accessTokens: async ({ id }, caller) =>
      await deps.access.tokens((await existing(caller, 'accessTokens', { user: findUser(db, id) })).id),

    async removeAccessToken({ id, token }, caller) {
      const target = await existing(caller, 'accessTokens', { user: findUser(db, id) })
      await deps.access.removeToken({ actor: caller, target, token })
      return null
    },

    async topUp({ user_id, form_id, ...added }, caller) {
      const user = await existing(caller, 'topUp', { user: findUser(db, user_id) })
      const form = { userId: user.id, formId: form_id ?? newRequestId() }
      const done = await edits.acquire()
      try {
        const earlier = await findTopUp(db, form)
        if (earlier === undefined) await addToBalance(caller, user, { ...added, ref: topUpRef(form) })
        // A response that says "added" would be about another amount.
        else if (earlier !== added.quota) throw new AppError('invalid_parameter', { params: { name: 'form_id' } })
        return null
      } finally {
        done()
      }
    },
  })
}

function toRow({ groups, second_factor, ...user }: StoredUser): UserRow {
  return { ...user, group: groups, password: '', second_factor: second_factor === 1 }
}
