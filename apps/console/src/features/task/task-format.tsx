import { isTaskEnd, type TaskRow } from '@sluice/contract'
import { useT } from '../../lib/t.ts'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { QuotaText } from '../../ui/table/column-builders.tsx'
import { UnreadableBadge } from '../../ui/unreadable-badge.tsx'
import { taskLooks } from './task-looks.ts'

interface TaskProps {
  readonly row: TaskRow
}

/** The state, and while it runs how far it is. */
export function TaskProgress({ row }: TaskProps) {
  if (isTaskEnd(row.state)) return <StatusBadge looks={taskLooks} status={row.state} />
  return (
    <span className="flex items-center gap-2">
      <StatusBadge looks={taskLooks} status={row.state} />
      <TaskBar row={row} />
    </span>
  )
}

/** Marks a task of which a part cannot be read; nothing if all can. */
export function UnreadableTask({ row }: TaskProps) {
  return <UnreadableBadge row={row} text="task.unreadable" />
}

/** How far a running task is. */
export function TaskBar({ row: { progress } }: TaskProps) {
  const t = useT()
  return (
    <span className="flex w-28 items-center gap-2">
      <ProgressBar label={t('task.progress')} value={progress} max={100} />
      <span className="min-w-8 text-right text-xs text-muted tabular">{progress}%</span>
    </span>
  )
}

/** What it cost; until it ends, what is reserved for it. */
export function TaskCost({ row }: TaskProps) {
  const t = useT()
  if (isTaskEnd(row.state)) return <QuotaText quota={row.charged} />
  return (
    <span className="text-muted" title={t('task.cost.estimated')}>
      <span aria-hidden>≈ </span>
      <span className="sr-only">{t('task.cost.estimated')} </span>
      <QuotaText quota={row.estimated} />
    </span>
  )
}

/** What a task is called where a row needs a name: the beginning of its prompt. */
export function nameOf({ prompt, public_id: id }: Pick<TaskRow, 'prompt' | 'public_id'>): string {
  const [line = ''] = prompt.trim().split('\n')
  if (line === '') return id
  return [...line].length > nameMax ? `${[...line].slice(0, nameMax - 1).join('')}…` : line
}

const nameMax = 48
