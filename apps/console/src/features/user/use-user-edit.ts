import { type UserRow, user } from '@sluice/contract'
import { useCallback } from 'react'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import type { ListView } from '../../lib/use-list.ts'

export type UserEdit = (row: UserRow, change: Partial<Pick<UserRow, 'group' | 'quota'>>) => Promise<void>

/**
 * Changes fields of a listed account: shown at once and taken back if the server refuses, with Undo. A balance is sent with the value that
 * the row showed, so that the server applies the difference, and what is spent meanwhile stays spent.
 */
export function useUserEdit({ patch, refresh }: Pick<ListView<UserRow>, 'patch' | 'refresh'>): UserEdit {
  const t = useT()
  const { mutateAsync: send } = useCall(user.update, { onRefused: refresh })
  return useCallback(
    async (row, change) => {
      const store = async (before: UserRow, next: typeof change): Promise<void> => {
        patch(row.id, next)
        try {
          await send({
            id: row.id,
            password: '',
            current_password: '',
            ...next,
            ...(next.quota !== undefined && { quota_was: before.quota }),
          })
        } catch (error) {
          patch(row.id, { group: before.group, quota: before.quota })
          throw error
        }
      }
      await store(row, change)
      const before = { ...(change.group !== undefined && { group: row.group }), ...(change.quota !== undefined && { quota: row.quota }) }
      // The call itself reports a refusal.
      showToast('success', t('action.done'), () => void store({ ...row, ...change }, before).catch(() => null))
    },
    [patch, send, t],
  )
}
