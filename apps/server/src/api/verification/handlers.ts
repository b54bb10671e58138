import { contract, messageText, type Settings, userStatus } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { randomBase62 } from '../../lib/id.ts'
import type { Audit } from '../audit.ts'
import { needsConfirmedWays } from '../authorize.ts'
import { type Caller, implement, type Visit } from '../implement.ts'
import { type Codes, codeSeconds, longSecret } from './codes.ts'
import { type CheckMailProves, heldDetail } from './mail-codes.ts'
import type { CountMail } from './mailbox-limit.ts'
import { findByEmail } from './queries.ts'
import type { RegisterCodes } from './register-codes.ts'

interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

interface AccountName {
  readonly id: number
  readonly username: string
}

interface NewPassword {
  readonly password: string
  readonly revokesTokens: boolean
}

interface VerificationDeps {
  readonly db: Db
  readonly settings: () => Settings
  readonly codes: Codes
  readonly registerCodes: RegisterCodes
  /** Whether no mail setting waits for confirmation by root. */
  readonly isMailConfirmed: () => boolean
  readonly checkMailProves: CheckMailProves
  readonly audit: Audit
  /** Counts unknown addresses like known ones, so that the limit does not reveal which exist. */
  readonly countMail: CountMail
  /** @throws AppError when the bot check is on and not passed */
  readonly checkHuman: (token: string, address: string) => Promise<void>
  readonly mailer: {
    isSet(): boolean
    send(mail: Mail): Promise<void>
  }
  /** Sends a mail in the background. */
  readonly sendLater: (mail: Mail) => void
  /** Sets a password and ends every session of the account, and its access tokens if so chosen. */
  readonly replacePassword: (user: AccountName, change: NewPassword) => Promise<void>
  /** The address of this server for links in mails: from the options, never from a request. */
  readonly publicAddress: () => string
}

/** About 119 bits. */
const newPasswordLength = 20

export const verificationApi = (deps: VerificationDeps) => {
  const { db, settings, codes, mailer } = deps

  const detailNow = (): string => (deps.isMailConfirmed() ? '' : heldDetail)

  /** @throws AppError email_domain_forbidden */
  function checkDomain(email: string): void {
    const { EmailDomainRestrictionEnabled, EmailDomainWhitelist } = settings()
    if (EmailDomainRestrictionEnabled && !EmailDomainWhitelist.includes(email.slice(email.lastIndexOf('@') + 1)))
      throw new AppError('email_domain_forbidden')
  }

  /** The mail with a code. A taken address gets a mail too, so that the response does not reveal that it is taken. */
  async function textFor(email: string, { language, address }: Visit, caller: Caller | null): Promise<string> {
    const system = settings().SystemName
    const owner = await findByEmail(db, email)
    if (owner !== undefined && owner.id !== caller?.id) return messageText('mail_taken_text', { system }, language)
    const detail = detailNow()
    const code = await (caller === null
      ? deps.registerCodes.issue({ email, detail, client: address })
      : codes.issue({ purpose: `bind:${caller.id}`, address: email, detail }))
    return messageText('mail_code_text', { system, code, minutes: codeSeconds / 60 }, language)
  }

  return implement(contract.verification, {
    async sendCode({ email, turnstile }, caller, visit) {
      if (caller !== null) deps.checkMailProves(caller)
      checkDomain(email)
      if (!mailer.isSet()) throw new AppError('mail_not_set')
      await deps.checkHuman(turnstile, visit.address)
      await deps.countMail(email)
      const text = await textFor(email, visit, caller)
      await mailer.send({ to: email, subject: messageText('mail_code_subject', { system: settings().SystemName }, visit.language), text })
      return null
    },

    async requestReset({ email, turnstile }, _caller, visit) {
      if (!mailer.isSet()) throw new AppError('mail_not_set')
      await deps.checkHuman(turnstile, visit.address)
      await deps.countMail(email)
      const user = await findByEmail(db, email)
      if (user === undefined || user.status !== userStatus.enabled) return null
      if (needsConfirmedWays(user) && !deps.isMailConfirmed()) {
        await deps.audit({ actor: user, messageKey: 'log_reset_held' })
        return null
      }
      const token = await codes.issue({ purpose: 'reset', address: email, userId: user.id, secret: longSecret(), detail: detailNow() })
      const link = `${deps.publicAddress()}/user/reset?${new URLSearchParams({ email, token })}`
      const params = { system: settings().SystemName, link, minutes: codeSeconds / 60 }
      // Not awaited: the time of sending would reveal that the account exists.
      deps.sendLater({
        to: email,
        subject: messageText('mail_reset_subject', params, visit.language),
        text: messageText('mail_reset_text', params, visit.language),
      })
      return null
    },

    async reset({ email, token, revoke_access_tokens }) {
      const issued = await codes.check('reset', email, token)
      const owner = issued === null ? undefined : await findByEmail(db, email)
      // Since the link was sent, the address may have moved to another account, or the account may have been banned.
      if (issued === null || owner === undefined || owner.id !== issued.userId || owner.status !== userStatus.enabled)
        throw new AppError('reset_link_invalid')
      deps.checkMailProves(owner, issued.detail)
      const password = randomBase62(newPasswordLength)
      await deps.replacePassword(owner, { password, revokesTokens: revoke_access_tokens })
      return password
    },
  })
}
