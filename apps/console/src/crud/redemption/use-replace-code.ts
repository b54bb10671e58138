import { type RedemptionRow, redemption, redemptionStatus } from '@sluice/contract'
import { KeyRound } from 'lucide-react'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import type { ListView } from '../../lib/use-list.ts'
import type { RowAction } from '../../ui/table/actions.ts'

/** Gives a code that was not redeemed a new key. @returns no action for others */
export function useReplaceCode(list: ListView<RedemptionRow>): (row: RedemptionRow) => readonly RowAction[] {
  const t = useT()
  const { mutateAsync: replaceKey } = useCall(redemption.replaceKey, { onRefused: list.refresh })
  return ({ id, name, status }) =>
    status === redemptionStatus.used
      ? []
      : [
          {
            id: 'replace',
            label: t('redemption.replace'),
            icon: KeyRound,
            confirm: { title: t('redemption.replace.title', { name }), text: t('redemption.replace.text') },
            act: async () => {
              list.patch(id, await replaceKey({ id }))
              showToast('success', t('redemption.replaced'))
            },
          },
        ]
}
