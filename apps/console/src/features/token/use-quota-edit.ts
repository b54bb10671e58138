import { type TokenRow, token } from '@sluice/contract'
import { useCallback } from 'react'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import type { ListView } from '../../lib/use-list.ts'

/** Changes the remaining quota of a listed token, with Undo. What is spent meanwhile stays spent: the server applies the difference. */
export function useQuotaEdit({
  patch,
  refresh,
}: Pick<ListView<TokenRow>, 'patch' | 'refresh'>): (row: TokenRow, quota: number) => Promise<void> {
  const t = useT()
  const { mutateAsync: send } = useCall(token.update, { onDone: (saved) => patch(saved.id, saved), onRefused: refresh })
  return useCallback(
    async (row, quota) => {
      const store = (from: number, to: number) => send({ id: row.id, remain_quota: to, remain_quota_was: from })
      await store(row.remain_quota, quota)
      // The call itself reports a refusal.
      showToast('success', t('action.done'), () => void store(quota, row.remain_quota).catch(() => null))
    },
    [send, t],
  )
}
