import { type CodedMessage, logType, type MessageKey, readCodedMessage, type Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { codedText, type LogEntry, plainLog } from '../../ledger/log-entry.ts'
import { eachAlone } from '../../lib/each-alone.ts'
import { tryParseJson } from '../../lib/parse-json.ts'
import { amountText } from '../audit.ts'
import { deleteGrant, listGrants } from './account-queries.ts'

/** Due grants of quota. */
export interface Grants {
  /** Posts all due grants, each exactly once, however often this is called or interrupted. */
  give(): Promise<void>
}

interface Gift {
  readonly ref: string
  readonly user_id: number
  readonly amount: number
  readonly content: string
}

interface AccountName {
  readonly id: number
  readonly username: string
}

interface GrantsDeps {
  readonly db: Db
  readonly ledger: Ledger
  /** Called for a grant that cannot be posted. It stays due, and the others are posted. */
  readonly report: (error: unknown, what: string) => void
}

type DueGrant = Awaited<ReturnType<typeof listGrants>>[number]

export function createGrants({ db, ledger, report }: GrantsDeps): Grants {
  async function post({ ref, user_id, amount, content, created_at, username }: DueGrant): Promise<void> {
    const log = plainLog({ userId: user_id, username, createdAt: created_at, type: logType.system, ...textOf(content) })
    await ledger.post({ userId: user_id, kind: 'grant', ref, amount, log })
    await deleteGrant(db, ref)
  }

  const postOne = eachAlone(post, (error, { ref }) => report(error, `grant not posted: ${ref}`))
  return {
    async give() {
      for (const grant of await listGrants(db)) await postOne(grant)
    },
  }
}

/** The log text of a grant: a coded message, or plain text from earlier versions. */
function textOf(content: string): Pick<LogEntry, 'content'> & Partial<LogEntry> {
  const message = content.startsWith('{') ? readCodedMessage(tryParseJson(content)) : null
  return message === null ? { content } : codedText(message)
}

/** The grants for a new account and its inviter. The refs contain the new account's id, so each grant is posted once for it. */
export function giftsOf(account: AccountName, inviter: AccountName | null, settings: Settings): readonly Gift[] {
  const { QuotaForNewUser, QuotaForInvitee, QuotaForInviter } = settings
  const textFor = (code: MessageKey, amount: number): string =>
    JSON.stringify({ code, params: { amount: amountText(amount, settings), user: account.username } } satisfies CodedMessage)
  const gift = (ref: string, user_id: number, amount: number) => ({ ref: `${ref}:${account.id}`, user_id, amount })
  const own: Gift[] = [{ ...gift('register', account.id, QuotaForNewUser), content: textFor('log_gift_register', QuotaForNewUser) }]
  const byInvitation: Gift[] =
    inviter === null
      ? []
      : [
          { ...gift('invitee', account.id, QuotaForInvitee), content: textFor('log_gift_invitee', QuotaForInvitee) },
          { ...gift('invite', inviter.id, QuotaForInviter), content: textFor('log_gift_inviter', QuotaForInviter) },
        ]
  return [...own, ...byInvitation].filter(({ amount }) => amount > 0)
}
