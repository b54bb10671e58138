import { type ChannelRow, channel } from '@sluice/contract'
import { ListOrdered } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useBulkGroup } from '../../crud/use-bulk-group.tsx'
import { call } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import type { ListView } from '../../lib/use-list.ts'
import type { BulkAction } from '../../ui/table/actions.ts'

const PriorityDialog = lazy(async () => ({ default: (await import('./priority-dialog.tsx')).PriorityDialog }))

/** Sets the groups or the priority of many channels. */
export function useBulkValues({ patch }: Pick<ListView<ChannelRow>, 'patch'>): readonly BulkAction<ChannelRow>[] {
  const t = useT()
  const set = async (row: ChannelRow, change: Partial<Pick<ChannelRow, 'group' | 'priority'>>) =>
    patch(row.id, await call(channel.update, { id: row.id, ...change }))
  return [
    useBulkGroup<ChannelRow>({ hint: t('channel.bulk.group.hint'), allowsCustom: false, save: (row, group) => set(row, { group }) }),
    {
      id: 'priority',
      label: t('channel.bulk.priority'),
      icon: ListOrdered,
      choose: ({ count, isOpen, onCancel, onChosen }) => (
        <Suspense fallback={null}>
          <PriorityDialog {...{ count, isOpen, onCancel }} onChosen={(priority) => onChosen((row) => set(row, { priority }))} />
        </Suspense>
      ),
    },
  ]
}
