import { type TaskRow, task } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { Clapperboard } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useSession } from '../../lib/session.ts'
import { useKey } from '../../lib/shortcuts.ts'
import { useT } from '../../lib/t.ts'
import { preloadOf, useList } from '../../lib/use-list.ts'
import { useRowSheet } from '../../lib/use-row-sheet.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { NewLink } from '../../ui/new-link.tsx'
import { Page } from '../../ui/page.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { isEmptyList } from '../../ui/table/is-empty-list.ts'
import { TaskToolbar } from './task-toolbar.tsx'
import { useTaskActions, useTaskBulk } from './use-task-actions.ts'
import { taskCard, useTaskColumns } from './use-task-columns.tsx'
import { listOf, useFollowedTasks, useTaskFilters } from './use-tasks.ts'

export const preload = preloadOf(listOf)

/** What the table has no columns for. */
const alsoExported = ['id', 'error']

const TaskSheet = lazy(async () => ({ default: (await import('./task-sheet.tsx')).TaskSheet }))

export function TaskListPage() {
  const t = useT()
  const navigate = useNavigate()
  const { isAdmin } = useSession()
  const filters = useTaskFilters()
  const list = useList(listOf(filters.values))
  const sheet = useRowSheet<TaskRow>(list, task.get)
  const rowActions = useTaskActions(list, sheet.open)
  useFollowedTasks(list)
  useKey('n', () => void navigate({ to: '/task/add' }))
  const newTask = <NewLink to="/task/add" label={t('task.new')} />
  return (
    <Page
      title={t('task.title')}
      lead={t(isAdmin ? 'task.lead' : 'task.lead.own')}
      action={isEmptyList(list, filters.clear) ? null : newTask}
    >
      <DataTable
        list={list}
        label={t('task.title')}
        columns={useTaskColumns()}
        card={taskCard}
        rowActions={rowActions}
        bulkActions={useTaskBulk(list)}
        alsoExported={alsoExported}
        onOpen={sheet.open}
        toolbar={<TaskToolbar filters={filters} />}
        {...(filters.clear !== null && { clearFilters: filters.clear })}
        empty={<EmptyState icon={<Clapperboard />} title={t('task.empty.title')} text={t('task.empty.text')} action={newTask} />}
      />
      {sheet.id === 0 ? null : (
        <Suspense fallback={null}>
          <TaskSheet sheet={sheet} actions={rowActions} />
        </Suspense>
      )}
    </Page>
  )
}
