import { logType, messageText, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { plainLog } from '../../ledger/log-entry.ts'
import { amountText } from '../audit.ts'
import { deleteGrant, listGrants } from './account-queries.ts'

/** Gifts that are owed. */
export interface Grants {
  /** Posts everything that is owed, each once, however often this is called and wherever it was cut off before. */
  give(): Promise<void>
}

interface Gift {
  readonly ref: string
  readonly user_id: number
  readonly amount: number
  readonly content: string
}

interface Named {
  readonly id: number
  readonly username: string
}

export function createGrants({ db, ledger }: { readonly db: Db; readonly ledger: Ledger }): Grants {
  return {
    async give() {
      for (const { ref, user_id, amount, content, created_at, username } of await listGrants(db)) {
        const log = plainLog({ userId: user_id, username, createdAt: created_at, type: logType.system, content })
        await ledger.post({ userId: user_id, kind: 'grant', ref, amount, log })
        await deleteGrant(db, ref)
      }
    },
  }
}

/** What a new account and whoever invited it are to get. The refs name the new account, so each gift is given once for it. */
export function giftsOf(account: Named, inviter: Named | null, settings: Settings): readonly Gift[] {
  const { QuotaForNewUser, QuotaForInvitee, QuotaForInviter } = settings
  const text = (amount: number) => ({ amount: amountText(amount, settings), user: account.username })
  const gift = (ref: string, user_id: number, amount: number) => ({ ref: `${ref}:${account.id}`, user_id, amount })
  const own: Gift[] = [
    { ...gift('register', account.id, QuotaForNewUser), content: messageText('log_gift_register', text(QuotaForNewUser)) },
  ]
  const byInvitation: Gift[] =
    inviter === null
      ? []
      : [
          { ...gift('invitee', account.id, QuotaForInvitee), content: messageText('log_gift_invitee', text(QuotaForInvitee)) },
          { ...gift('invite', inviter.id, QuotaForInviter), content: messageText('log_gift_inviter', text(QuotaForInviter)) },
        ]
  return [...own, ...byInvitation].filter(({ amount }) => amount > 0)
}
