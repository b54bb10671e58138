import { account } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { signOut } from '../lib/session.ts'
import { useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { useCall } from '../lib/use-call.ts'

export function useLogout() {
  const t = useT()
  const client = useQueryClient()
  const navigate = useNavigate()
  return useCall(account.logout, {
    onDone: async () => {
      signOut()
      client.clear()
      showToast('success', t('user.logout.done'))
      await navigate({ to: '/login' })
    },
  })
}
