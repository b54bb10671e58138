import type { Logger } from 'pino'
import { bootstrapRoot } from './api/account/bootstrap.ts'
import { type FirstLogin, openFirstLogin } from './api/account/first-login.ts'
import { writeSetupFile } from './api/account/setup-link.ts'
import { isOlderThanHostNames } from './api/account/setup-queries.ts'
import type { SettingsStore } from './api/option/settings.ts'
import type { Db } from './db/connect.ts'
import type { Env } from './env.ts'
import { createKnownHosts, type KnownHosts } from './http/known-hosts.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Clock } from './lib/clock.ts'
import type { Passwords } from './lib/passwords.ts'
import type { Seal } from './lib/seal.ts'

interface FirstAccountParts {
  readonly db: Db
  readonly ledger: Ledger
  readonly seal: Seal
  readonly clock: Clock
  readonly passwords: Passwords
  readonly env: Env
  readonly log: Logger
}

/** The root account of an empty database, and how it logs in. */
export async function openFirstAccount({ env, log, ...parts }: FirstAccountParts): Promise<FirstLogin> {
  const { allowsDefaultPassword, dataDir } = env
  const initial = { initialPassword: env.initialRootPassword, initialAccessToken: env.initialRootAccessToken, allowsDefaultPassword }
  const setupSecret = await bootstrapRoot({ ...parts, ...initial, warn: (problem) => log.warn(problem) })
  try {
    if (setupSecret !== null) writeSetupFile(dataDir, setupSecret, [])
  } catch (err) {
    log.error({ err }, 'setup link not written to DATA_DIR, only this start prints it')
  }
  return openFirstLogin({ db: parts.db, dataDir, allowsDefaultPassword, setupSecret })
}

interface KnownHostsParts {
  readonly db: Db
  readonly settingsStore: SettingsStore
  readonly env: Env
}

/** The names at which the console responds. */
export async function openKnownHosts({ db, settingsStore, env }: KnownHostsParts): Promise<KnownHosts> {
  return createKnownHosts({
    ...env,
    publicAddress: () => settingsStore.current().ServerAddress,
    isAddressConfirmed: () => settingsStore.isConfirmed('sessions'),
    isUpgraded: await isOlderThanHostNames(db),
  })
}
