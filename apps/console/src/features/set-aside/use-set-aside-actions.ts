import { ledger, type SetAsideRow } from '@sluice/contract'
import { Check, RotateCcw } from 'lucide-react'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import type { ListView } from '../../lib/use-list.ts'
import { detailsAction, type RowAction } from '../../ui/table/actions.ts'
import { nameOf } from './set-aside-looks.ts'

interface Openers {
  /** Opens the sheet of a row. */
  readonly open: (row: SetAsideRow) => void
  /** Opens the dialog that resolves a row. */
  readonly resolve: (row: SetAsideRow) => void
}

/** What root can do with a charge. One that has ended has its details only. */
export function useSetAsideActions(list: ListView<SetAsideRow>, { open, resolve }: Openers): (row: SetAsideRow) => readonly RowAction[] {
  const t = useT()
  const { mutateAsync: retry } = useCall(ledger.retry, {
    onDone: (row) => {
      list.patch(row.id, row)
      showToast('success', t('aside.retry.done'))
    },
    onRefused: list.refresh,
  })
  return (row) => {
    const isOpen = row.state === 'open'
    const details: RowAction = { ...detailsAction(t('action.details'), () => open(row)), isInline: !isOpen }
    if (!isOpen) return [details]
    return [
      {
        ...{ id: 'retry', label: t('action.retry'), icon: RotateCcw, key: 'e', isInline: true, isDisabled: !row.can_retry },
        confirm: { title: t('aside.retry.title', { name: nameOf(row) }), text: t('aside.retry.text') },
        act: () => retry({ id: row.id }),
      },
      { id: 'resolve', label: t('aside.resolve'), icon: Check, key: 's', isInline: true, act: () => resolve(row) },
      details,
    ]
  }
}
