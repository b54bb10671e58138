import { type CodedMessageParams, logType, type MessageKey, type Settings } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { codedText, type LogEntry, plainLog } from '../ledger/log-entry.ts'
import { insertLog } from '../ledger/log-queries.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import { type Change, insertChange } from './change-queries.ts'

interface AccountName {
  readonly id: number
  readonly username: string
}

/** Who did what, for the log. Texts and parameters contain no secrets. */
export interface AuditEvent {
  /** Its name is `{actor}` in the text. */
  readonly actor: AccountName
  /** The affected account, in whose log the row appears: `{user}` in the text. Default: the actor. */
  readonly target?: AccountName
  readonly messageKey: MessageKey
  readonly params?: CodedMessageParams
  /** What the history of an option or a channel keeps of it. */
  readonly change?: Change | undefined
}

/**
 * Writes an audit event into the log, as type 3. With `db` it is a part of that transaction, so that change and row are written together
 * or not at all. Without `db` the row is written alone, as for an attempt that changed nothing; it has no `change` then. Resolves when it is written.
 */
export type Audit = (event: AuditEvent, db?: Db) => Promise<void>

/** The actor of an attempt that named no existing account. */
export const stranger: AccountName = { id: 0, username: '' }

/** The actor of what the server does by itself. */
export const program: AccountName = { id: 0, username: '' }

/** The actor of a command on the machine itself. */
export const operator: AccountName = { id: 0, username: 'operator' }

export function createAudit({ ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock }): Audit {
  return async (event, db) => {
    const at = nowSeconds(clock)
    const row = auditRow(event, at)
    if (db === undefined) return await ledger.writeLog(row)
    await insertLog(db, row)
    if (event.change !== undefined) await insertChange(db, event.change, { actor: event.actor, at })
  }
}

/** The row of an audit event that the ledger commits together with a balance. */
export function auditRow({ actor, target = actor, messageKey, params = {} }: AuditEvent, createdAt: number): LogEntry {
  return plainLog({
    userId: target.id,
    username: target.username,
    createdAt,
    type: logType.admin,
    ...codedText({ code: messageKey, params: { actor: actor.username, user: target.username, ...params }, actor: actor.id }),
  })
}

/** Quota as people read it: an amount of money where the option says so. */
export function amountText(quota: number, { DisplayInCurrencyEnabled, QuotaPerUnit }: Settings): string {
  return DisplayInCurrencyEnabled ? `$${(quota / QuotaPerUnit).toFixed(6)}` : String(quota)
}
