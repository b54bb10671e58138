import { logType, type MessageKey, type MessageParams, messageText, type Settings } from '@sluice/contract'
import type { Ledger } from '../ledger/ledger.ts'
import { type LogEntry, plainLog } from '../ledger/log-entry.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'

interface Named {
  readonly id: number
  readonly username: string
}

/** Something that somebody did and that is to be found again. Texts and parameters hold no secret. */
export interface Deed {
  /** `{actor}` of the text is the name. */
  readonly actor: Named
  /** Whom it was done to, in whose log it then stands: `{user}` of the text. The actor, where nobody else is meant. */
  readonly target?: Named
  readonly says: MessageKey
  readonly params?: MessageParams
}

/** Writes a deed into the log, as type 3. Resolves when it is committed. */
export type Audit = (deed: Deed) => Promise<void>

/** Who an attempt came from that named no account. */
export const stranger: Named = { id: 0, username: '' }

export function createAudit({ ledger, clock }: { readonly ledger: Ledger; readonly clock: Clock }): Audit {
  return (deed) => ledger.writeLog(auditRow(deed, nowSeconds(clock)))
}

/** The row of a deed, for those that the ledger commits together with a balance. */
export function auditRow({ actor, target = actor, says, params = {} }: Deed, createdAt: number): LogEntry {
  return plainLog({
    userId: target.id,
    username: target.username,
    createdAt,
    type: logType.admin,
    content: messageText(says, { actor: actor.username, user: target.username, ...params }),
  })
}

/** Quota as people read it: an amount of money where the option says so. */
export function amountText(quota: number, { DisplayInCurrencyEnabled, QuotaPerUnit }: Settings): string {
  return DisplayInCurrencyEnabled ? `$${(quota / QuotaPerUnit).toFixed(6)}` : String(quota)
}
