import { type TokenRow, token, tokenStatus } from '@sluice/contract'
import { CirclePause, CirclePlay, Trash2 } from 'lucide-react'
import { call } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import type { ListView } from '../../lib/use-list.ts'
import type { BulkAction } from '../../ui/table/actions.ts'

/** The actions on many tokens. */
export function useTokenBulk({ patch, remove }: ListView<TokenRow>): readonly BulkAction<TokenRow>[] {
  const t = useT()
  const set = async (row: TokenRow, status: 1 | 2) => patch(row.id, await call(token.setStatus, { id: row.id, status }))
  return [
    { id: 'enable', label: t('action.enable'), icon: CirclePlay, act: (row) => set(row, tokenStatus.enabled) },
    { id: 'disable', label: t('action.disable'), icon: CirclePause, act: (row) => set(row, tokenStatus.disabled) },
    {
      id: 'delete',
      label: t('action.delete'),
      icon: Trash2,
      isDangerous: true,
      confirm: (count) => ({ title: t('token.delete.many', { count }), text: t('token.delete.text') }),
      act: async ({ id }) => {
        await call(token.remove, { id })
        remove(id)
      },
    },
  ]
}
