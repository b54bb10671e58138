import { Layers } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useT } from '../lib/t.ts'
import type { BulkAction } from '../ui/table/actions.ts'

const GroupDialog = lazy(async () => ({ default: (await import('./group-dialog.tsx')).GroupDialog }))

interface BulkGroupSpec<Row> {
  readonly hint: string
  readonly allowsCustom: boolean
  /** Stores the comma list. Rejects if refused. */
  readonly save: (row: Row, group: string) => Promise<unknown>
}

/** Replaces the groups of many rows. */
export function useBulkGroup<Row>({ hint, allowsCustom, save }: BulkGroupSpec<Row>): BulkAction<Row> {
  const t = useT()
  return {
    id: 'group',
    label: t('bulk.group'),
    icon: Layers,
    choose: ({ count, isOpen, onCancel, onChosen }) => (
      <Suspense fallback={null}>
        <GroupDialog
          title={t('bulk.group.title', { count })}
          hint={hint}
          groups={['default']}
          allowsCustom={allowsCustom}
          isOpen={isOpen}
          onCancel={onCancel}
          onChosen={(group) => onChosen((row) => save(row, group))}
        />
      </Suspense>
    ),
  }
}
