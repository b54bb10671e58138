import type { SelfRow } from '@sluice/contract'

/** The toast of each reason, which a login shows. */
export const passwordToasts = { default: 'ownPassword.default.toast', setup: 'ownPassword.setup.toast' } as const

/** Why the owner of an account must set a password at once: it has the built-in one, or none but its setup link. `null` = no reason. */
export function passwordWarning(self: Pick<SelfRow, 'default_password' | 'setup_pending'>): 'default' | 'setup' | null {
  if (self.default_password) return 'default'
  return self.setup_pending ? 'setup' : null
}
