import { isTaskEnd, type TaskRow, task, type VideoChange } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { CircleStop, Copy, Download, type LucideIcon, Repeat2, Shuffle, StepForward, Trash2, WandSparkles } from 'lucide-react'
import { call } from '../../lib/api.ts'
import { gatewayPath } from '../../lib/gateway-address.ts'
import { invalidateUsage } from '../../lib/reads.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import { useCopy } from '../../lib/use-copy.ts'
import type { ListView } from '../../lib/use-list.ts'
import { type BulkAction, detailsAction, type RowAction } from '../../ui/table/actions.ts'
import { nameOf } from './task-format.tsx'

const changeIcons: Readonly<Record<VideoChange, LucideIcon>> = { remix: Shuffle, edit: WandSparkles, extend: StepForward }

/** What can be done with a task. */
export function useTaskActions(list: ListView<TaskRow>, open: (row: TaskRow) => void): (row: TaskRow) => readonly RowAction[] {
  const t = useT()
  const client = useQueryClient()
  const copy = useCopy(() => null)
  const { mutateAsync: cancel } = useCall(task.cancel, { onDone: () => invalidateUsage(client), onRefused: list.refresh })
  const { mutateAsync: remove } = useCall(task.remove, { onRefused: list.refresh })
  return (row) => {
    const isOver = isTaskEnd(row.state)
    const file = row.results.find(({ url }) => url !== null)?.url ?? null
    const stop: RowAction = {
      ...{ id: 'cancel', label: t('task.cancel'), icon: CircleStop, key: 's', isInline: true },
      act: async () => {
        list.patch(row.id, await cancel({ id: row.id }))
        showToast('success', t('task.cancelled'))
      },
    }
    const download: RowAction = {
      ...{ id: 'download', label: t('task.download'), icon: Download, key: 'd', isInline: true },
      act: () => (file === null ? null : saveResult(file, row)),
    }
    const again: RowAction = {
      ...{ id: 'retry', label: t('task.retry'), icon: Repeat2, key: 'e', isInline: isOver && file === null },
      link: { to: '/task/add', search: { from: row.id } },
    }
    const changes = row.film_changes.map(
      (action): RowAction => ({
        ...{ id: action, label: t(`task.change.${action}`), icon: changeIcons[action], group: t('task.change') },
        link: { to: '/task/add', search: { from: row.id, action } },
      }),
    )
    const first = [...(row.cancellable ? [stop] : []), ...(file === null ? [] : [download])]
    return [
      ...first,
      // The requests of a batch are not stored.
      ...(row.kind === 'batches' || row.unreadable.includes('order') ? [] : [again]),
      ...changes,
      { id: 'copy', label: t('task.copy'), icon: Copy, key: 'c', act: () => copy(row.public_id) },
      { ...detailsAction(t('action.details'), () => open(row)), isInline: first.length === 0 && !isOver },
      {
        ...{ id: 'delete', label: t('action.delete'), icon: Trash2, key: 'Delete', isDangerous: true, isDisabled: !isOver },
        confirm: { title: t('task.delete.title', { name: nameOf(row) }), text: t('task.delete.text') },
        act: async () => {
          await remove({ id: row.id })
          list.remove(row.id)
          showToast('success', t('action.done'))
        },
      },
    ]
  }
}

/** Actions on the selected tasks. The server refuses to delete running ones, each with its reason. */
export function useTaskBulk(list: ListView<TaskRow>): readonly BulkAction<TaskRow>[] {
  const t = useT()
  return [
    {
      ...{ id: 'delete', label: t('action.delete'), icon: Trash2, isDangerous: true },
      confirm: (count) => ({ title: t('task.delete.many', { count }), text: t('task.delete.text') }),
      act: async ({ id }) => {
        await call(task.remove, { id })
        list.remove(id)
      },
    },
  ]
}

/** Saves a result under the id of its task; the browser adds the ending by its type. */
export function saveResult(url: string, { public_id: id }: Pick<TaskRow, 'public_id'>): void {
  const link = document.createElement('a')
  link.href = gatewayPath(url)
  link.download = id
  // A gateway elsewhere decides itself whether the file is shown or saved.
  link.target = '_blank'
  link.click()
}
