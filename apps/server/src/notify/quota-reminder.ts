import type { Settings } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import type { Mailer } from '../outside/smtp.ts'
import { inBothLanguages } from './both-languages.ts'
import { quotaText } from './notices.ts'
import type { Outbox } from './outbox.ts'
import { findAddress } from './queries.ts'

/** The effect of a charge on a balance. */
interface Spending {
  readonly userId: number
  readonly before: number
  readonly after: number
}

/** Mails an account when a charge takes its balance below the threshold, once per crossing. Returns at once and never throws. */
export type RemindOfQuota = (spending: Spending) => void

interface ReminderDeps {
  readonly db: Db
  readonly settings: () => Settings
  readonly mailer: Mailer
  readonly outbox: Outbox
  /** The server's public URL. */
  readonly publicAddress: () => string
}

export function createRemindOfQuota({ db, settings, mailer, outbox, publicAddress }: ReminderDeps): RemindOfQuota {
  async function send(userId: number, balance: number): Promise<void> {
    const to = await findAddress(db, userId)
    if (to === '') return
    const text = balance > 0 ? 'mail_quota_low_text' : 'mail_quota_gone_text'
    const mail = inBothLanguages(
      { title: 'mail_quota_subject', text },
      { system: settings().SystemName, quota: quotaText(balance, settings()), link: `${publicAddress()}/topup` },
    )
    await mailer.send({ to, subject: mail.title, text: mail.text })
  }

  return ({ userId, before, after }) => {
    const threshold = settings().QuotaRemindThreshold
    if (before >= threshold && after < threshold && mailer.isSet()) outbox.add('quota reminder', () => send(userId, after))
  }
}
