import { account } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { accountId, signOut } from '../lib/session.ts'
import { useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { useCall } from '../lib/use-call.ts'

export function useLogout() {
  const t = useT()
  const client = useQueryClient()
  const navigate = useNavigate()
  return useCall(account.logout, {
    onDone: async () => {
      const account = accountId()
      signOut()
      client.clear()
      showToast('success', t('user.logout.done'))
      await Promise.all([navigate({ to: '/login' }), account === null ? null : forgetPlayground(account)])
    },
  })
}

/** Whoever uses this browser next must not find conversations. */
async function forgetPlayground(account: number): Promise<void> {
  try {
    await (await import('../features/playground/browser-store.ts')).clearAccount(account)
  } catch {
    // The browser has no database, or the server cannot be reached. The session has ended all the same.
  }
}
