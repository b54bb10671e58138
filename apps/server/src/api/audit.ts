import { type CodedMessageParams, logType, type MessageKey, type Settings } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { codedText, type LogEntry, plainLog } from '../ledger/log-entry.ts'
import { insertLog } from '../ledger/log-queries.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'

interface AccountName {
  readonly id: number
  readonly username: string
}

/** Something that somebody did and that is to be found again. Texts and parameters hold no secret. */
export interface AuditEvent {
  /** `{actor}` of the text is the name. */
  readonly actor: AccountName
  /** Whom it was done to, in whose log it then stands: `{user}` of the text. The actor, where nobody else is meant. */
  readonly target?: AccountName
  readonly messageKey: MessageKey
  readonly params?: CodedMessageParams
}

/**
 * Writes a deed into the log, as type 3: in the transaction of `db`, so that there is no change without its row and no row without its
 * change. Without `db` the row stands alone, as of an attempt that changed nothing. Resolves when it is written.
 */
export type Audit = (event: AuditEvent, db?: Db) => Promise<void>

/** Who an attempt came from that named no account. */
export const stranger: AccountName = { id: 0, username: '' }

export function createAudit({ ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock }): Audit {
  return (event, db) => {
    const row = auditRow(event, nowSeconds(clock))
    return db === undefined ? ledger.writeLog(row) : insertLog(db, row)
  }
}

/** The row of a deed, for those that the ledger commits together with a balance. */
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
