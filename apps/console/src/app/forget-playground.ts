import { accountId, onSession } from '../lib/session.ts'

/**
 * Deletes what the playground keeps of an account in this browser when its session ends: at the logout, when the account is deleted, and when the
 * server has refused the session. Whoever uses this browser next must not find conversations.
 */
export function forgetPlaygroundAtEnd(): void {
  let account = accountId()
  onSession(() => {
    const ended = account
    account = accountId()
    if (ended !== null && ended !== account) void forgetPlayground(ended)
  })
}

async function forgetPlayground(account: number): Promise<void> {
  try {
    await (await import('../features/playground/browser-store.ts')).clearAccount(account)
  } catch {
    // The browser has no database, or the server cannot be reached. The session has ended all the same.
  }
}
