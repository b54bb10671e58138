import type { Settings } from '@sluice/contract'
import { accessTokenApi } from './api/access-token/handlers.ts'
import { createAccounts } from './api/account/create-account.ts'
import type { Grants } from './api/account/grants.ts'
import { accountApi } from './api/account/handlers.ts'
import { findForLogin } from './api/account/login-queries.ts'
import { createLoginThrottle } from './api/account/login-throttle.ts'
import { createReauthenticate } from './api/account/reauthenticate.ts'
import { createRemoveAccount } from './api/account/remove-account.ts'
import { createReplacePassword } from './api/account/replace-password.ts'
import { type Sessions, sessionLifetimes } from './api/account/sessions.ts'
import { createSignIns, type SignIns } from './api/account/sign-in.ts'
import { type AccountAccess, createAccountAccess } from './api/account-access.ts'
import type { Audit } from './api/audit.ts'
import type { Usage } from './api/log/usage.ts'
import { oauthApi } from './api/oauth/handlers.ts'
import type { SettingsStore } from './api/option/settings.ts'
import { passkeyApi } from './api/passkey/handlers.ts'
import { secondFactorApi } from './api/second-factor/handlers.ts'
import { createSecondFactors, type SecondFactors } from './api/second-factor/second-factors.ts'
import { sessionApi } from './api/session/handlers.ts'
import { firstToken, newToken } from './api/token/new-token.ts'
import { userApi } from './api/user/handlers.ts'
import type { Codes } from './api/verification/codes.ts'
import { verificationApi } from './api/verification/handlers.ts'
import { createCheckMailProves, createSpendMailCode } from './api/verification/mail-codes.ts'
import type { CountMail } from './api/verification/mailbox-limit.ts'
import type { Db } from './db/connect.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Clock } from './lib/clock.ts'
import type { Limiters } from './lib/limiters.ts'
import type { Passwords } from './lib/passwords.ts'
import type { Seal } from './lib/seal.ts'
import type { Outbox } from './notify/outbox.ts'
import type { Outside } from './outside/open-outside.ts'
import type { Mail } from './outside/smtp.ts'
import type { Relay } from './relay/relay-deps.ts'

interface AccountParts {
  readonly db: Db
  /** For reads that may take long. */
  readonly reads: Db
  readonly seal: Seal
  readonly ledger: Ledger
  readonly passwords: Passwords
  readonly clock: Clock
  readonly settingsStore: SettingsStore
  readonly sessions: Sessions
  readonly grants: Grants
  readonly codes: Codes
  readonly usage: Usage
  readonly limiters: Limiters
}

interface AccountSurroundings {
  readonly countMail: CountMail
  readonly audit: Audit
  readonly outbox: Outbox
  readonly publicAddress: () => string
  readonly outside: Outside
}

/** Accounts: their own side, that of administrators, and what proves who somebody is. */
export function accountEndpoints(
  parts: AccountParts,
  { changed: relayChanged, modelsOf }: Pick<Relay, 'changed' | 'modelsOf'>,
  around: AccountSurroundings,
) {
  const { db, seal, ledger, passwords, clock, settingsStore, sessions, grants, codes, usage } = parts
  const { audit, outbox, publicAddress } = around
  const { mailer, checkHuman, identify, authorize } = around.outside
  const settings = settingsStore.current
  const changed = (id: number): void => void relayChanged({ what: 'user', id })
  const createAccount = createAccounts({
    db,
    clock,
    settings,
    grants,
    firstToken: (userId) => newToken({ seal, clock }, userId, firstToken),
  })
  const factors = createSecondFactors({ db, seal, clock, limiters: parts.limiters })
  const signIns = createSignIns({ db, seal, sessions, audit, codes, secondSteps: factors.stepsOf })
  const { signIn } = signIns
  const checkCode = async (email: string, code: string): Promise<boolean> => (await codes.check('register', email, code)) !== null
  const removeAccount = createRemoveAccount({ db, audit, changed })
  const sendLater = (mail: Mail): void => outbox.add('mail', () => mailer.send(mail))
  const access = createAccountAccess({ db, audit })
  const replacePassword = createReplacePassword({ db, passwords, access, audit, changed })
  const throttle = createLoginThrottle(parts.limiters)
  const reauthenticate = createReauthenticate({ db, passwords, throttle, audit, hasSecondStep: factors.isOn })
  const { isConfirmed } = settingsStore
  const isMailConfirmed = (): boolean => isConfirmed('mail')
  const checkMailProves = createCheckMailProves(isMailConfirmed)
  const spendMailCode = createSpendMailCode(codes, checkMailProves)
  const shared = { db, clock, settings, passwords, audit, reauthenticate, createAccount, removeAccount, access, changed }
  return [
    ...accountApi({
      ...shared,
      reads: parts.reads,
      seal,
      sessions,
      signIn,
      throttle,
      spendMailCode,
      modelsOf,
      usageByDay: usage.byDay,
      checkCode,
      checkHuman,
    }),
    ...userApi({ ...shared, reads: parts.reads, ledger }),
    ...verificationApi({
      db,
      settings,
      codes,
      isMailConfirmed,
      checkMailProves,
      audit,
      countMail: around.countMail,
      checkHuman,
      mailer,
      publicAddress,
      sendLater,
      replacePassword,
    }),
    ...securityEndpoints({ ...shared, seal, sessions, codes, factors, signIns }),
    ...oauthApi({ ...shared, seal, codes, isConfirmed, spendMailCode, identify, authorize, checkHuman, signIn }),
  ]
}

interface SecurityParts extends Pick<AccountParts, 'db' | 'seal' | 'clock' | 'sessions' | 'codes'> {
  readonly settings: () => Settings
  readonly audit: Audit
  readonly access: AccountAccess
  readonly factors: SecondFactors
  readonly signIns: SignIns
}

/** How an account is protected: its sessions, second factors, passkeys and personal access tokens. */
function securityEndpoints(parts: SecurityParts) {
  const { db, factors } = parts
  return [
    ...sessionApi({ ...parts, lifetimes: sessionLifetimes }),
    ...secondFactorApi(parts),
    ...passkeyApi({ ...parts, turnOffIfBare: factors.turnOffIfBare, findForLogin: (id) => findForLogin(db, id) }),
    ...accessTokenApi(parts),
  ]
}
