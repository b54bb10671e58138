import type { Endpoint } from '@sluice/contract'
import { CirclePause, CirclePlay, Pencil, Trash2 } from 'lucide-react'
import { call } from '../lib/api.ts'
import { type MessageKey, useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { useCall } from '../lib/use-call.ts'
import type { ListView } from '../lib/use-list.ts'
import type { PagePath } from '../ui/page-path.ts'
import type { BulkAction, RowAction } from '../ui/table/actions.ts'
import type { Update, UpdateEndpoint } from './use-update.ts'

interface CrudRow {
  readonly id: number
  readonly name: string
  readonly status: number
}

/** A noun whose rows can be edited, enabled, disabled and deleted. */
export interface Crud<Row extends CrudRow> {
  readonly editPath: PagePath
  readonly setStatus: UpdateEndpoint<Row>
  readonly remove: Endpoint
  /** The status after "enable" and after "disable". */
  readonly statuses: { readonly on: number; readonly off: number }
  /** Rows whose status the server does not change. */
  readonly isFinal?: (row: Row) => boolean
  /** Questions before a deletion; they have the parameters `name` and `count`. */
  readonly texts: { readonly deleteOne: MessageKey; readonly deleteMany: MessageKey; readonly deleteText: MessageKey }
}

interface CrudActions<Row> {
  readonly edit: (row: Row) => RowAction
  readonly toggle: (row: Row) => RowAction
  readonly remove: (row: Row) => RowAction
}

/** The actions that every such row has, for a page to combine with its own. */
export function useCrudActions<Row extends CrudRow>(crud: Crud<Row>, list: ListView<Row>, update: Update<Row>): CrudActions<Row> {
  const t = useT()
  const { on, off } = crud.statuses
  const { mutateAsync: remove } = useCall(crud.remove, { onRefused: list.refresh })
  return {
    edit: ({ id }) => ({
      id: 'edit',
      label: t('action.edit'),
      icon: Pencil,
      key: 'e',
      isInline: true,
      link: { to: crud.editPath, params: { id: String(id) } },
    }),
    toggle: (row) => ({
      id: 'toggle',
      label: t(row.status === on ? 'action.disable' : 'action.enable'),
      icon: row.status === on ? CirclePause : CirclePlay,
      isDisabled: crud.isFinal?.(row) === true,
      // Holds: every row has a status.
      act: () => update(row, { status: row.status === on ? off : on } as Partial<Row>),
    }),
    remove: ({ id, name }) => ({
      id: 'delete',
      label: t('action.delete'),
      icon: Trash2,
      key: 'Delete',
      isDangerous: true,
      confirm: { title: t(crud.texts.deleteOne, { name }), text: t(crud.texts.deleteText) },
      act: async () => {
        await remove({ id })
        list.remove(id)
        showToast('success', t('action.done'))
      },
    }),
  }
}

/** Actions on the selected rows: enable, disable, delete. */
export function useCrudBulk<Row extends CrudRow>(crud: Crud<Row>, list: ListView<Row>): readonly BulkAction<Row>[] {
  const t = useT()
  const set = async ({ id }: Row, status: number) => list.patch(id, await call(crud.setStatus, { id, status }))
  return [
    { id: 'enable', label: t('action.enable'), icon: CirclePlay, act: (row) => set(row, crud.statuses.on) },
    { id: 'disable', label: t('action.disable'), icon: CirclePause, act: (row) => set(row, crud.statuses.off) },
    {
      id: 'delete',
      label: t('action.delete'),
      icon: Trash2,
      isDangerous: true,
      confirm: (count) => ({ title: t(crud.texts.deleteMany, { count }), text: t(crud.texts.deleteText) }),
      act: async ({ id }) => {
        await call(crud.remove, { id })
        list.remove(id)
      },
    },
  ]
}
