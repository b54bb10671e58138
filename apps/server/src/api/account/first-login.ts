import { type MessageKey, messageText } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { adminCommand } from '../../lib/inside-executable.ts'
import { findDefaultPassword } from './login-queries.ts'
import { isSecretOf, readSetupFile, removeSetupFile, setupFile, setupLinks, writeSetupFile } from './setup-link.ts'
import { deleteSetupLinks, findSetup } from './setup-queries.ts'

interface FirstLoginDeps {
  readonly db: Db
  readonly dataDir: string
  readonly allowsDefaultPassword: boolean
  /** Of the link that this process has made; `null` = none. */
  readonly setupSecret: string | null
}

/** How root logs in until it has a password of its own. */
export interface FirstLogin {
  /** `root` with the built-in password may log in on this machine. */
  readonly allowsDefaultPassword: boolean
  /** What the operator reads when the server serves. @param addresses at which the console can be opened */
  startLines(addresses: readonly string[]): Promise<readonly string[]>
  /** A warning for the log; `null` = root has a password. Removes what is left of a link that has ended. */
  check(): Promise<string | null>
}

export function openFirstLogin({ db, dataDir, allowsDefaultPassword, setupSecret }: FirstLoginDeps): FirstLogin {
  return {
    allowsDefaultPassword,
    async startLines(addresses) {
      const setup = await findSetup(db)
      const secret = setupSecret ?? readSetupFile(dataDir)
      // Otherwise another server has made the link, and printed it.
      if (setup !== undefined && isSecretOf(setup.secret_hash, secret)) {
        writeLinks(dataDir, secret, addresses)
        const [first = '', ...others] = setupLinks(secret, addresses)
        return [`Open this link to log in as ${setup.username} and set a password: ${first}`, ...others.map((link) => `  or ${link}`)]
      }
      const name = allowsDefaultPassword ? await findDefaultPassword(db) : undefined
      return name === undefined ? [] : [`Log in on this machine as ${name} with the password 123456, and change the password.`]
    },
    async check() {
      if ((await findSetup(db)) !== undefined) return warning('log_setup_pending', { file: setupFile(dataDir), admin: adminCommand })
      removeSetupFile(dataDir)
      await deleteSetupLinks(db)
      const username = await findDefaultPassword(db)
      if (username === undefined) return null
      return warning(allowsDefaultPassword ? 'log_default_password' : 'log_default_password_refused', { username, admin: adminCommand })
    },
  }
}

/** The file was made before the addresses were known. */
function writeLinks(dataDir: string, secret: string, addresses: readonly string[]): void {
  if (readSetupFile(dataDir) !== secret) return
  try {
    writeSetupFile(dataDir, secret, addresses)
  } catch {
    // It stays as it is: the secret is in it.
  }
}

const warning = (key: MessageKey, params: Readonly<Record<string, string>>): string => messageText(key, params)
