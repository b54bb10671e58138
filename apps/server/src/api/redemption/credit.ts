import { logType } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { codedText, plainLog } from '../../ledger/log-entry.ts'
import { eachAlone } from '../../lib/each-alone.ts'
import { listUncredited, redeemRef } from './queries.ts'

/** A code that a user has claimed. */
export interface RedeemedCode {
  readonly id: number
  readonly name: string
  readonly quota: number
  readonly userId: number
  readonly username: string
  /** Seconds since the epoch. */
  readonly redeemedTime: number
}

/** Credits the quota of a code to its redeemer. Idempotent: a second posting for the same code changes nothing. */
export async function credit(ledger: Ledger, { id, name, quota, userId, username, redeemedTime }: RedeemedCode): Promise<void> {
  const text = codedText({ code: 'log_redeem', params: { id, name } })
  const log = plainLog({ userId, username, createdAt: redeemedTime, type: logType.topUp, ...text, quota })
  await ledger.post({ userId, kind: 'redeem', ref: redeemRef(id), amount: quota, log })
}

/** Claim and credit are two commits. If the process dies between them, the quota is credited at the next start or within the hour. */
export async function creditClaimed(db: Db, ledger: Ledger, report: (error: unknown, what: string) => void): Promise<void> {
  const creditOne = eachAlone(
    ({ user_id, redeemed_time, ...rest }: Uncredited) => credit(ledger, { ...rest, userId: user_id, redeemedTime: redeemed_time }),
    (error, { id }) => report(error, `redemption not credited: code ${id}`),
  )
  for (const code of await listUncredited(db)) await creditOne(code)
}

type Uncredited = Awaited<ReturnType<typeof listUncredited>>[number]
