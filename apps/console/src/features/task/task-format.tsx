import { isTaskEnd, type TaskRow, type TaskState } from '@sluice/contract'
import { gatewayAddress } from '../../lib/gateway-address.ts'
import { useT } from '../../lib/t.ts'
import { Badge, type Shape, type Tone } from '../../ui/badge.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { QuotaText } from '../../ui/table/column-builders.tsx'

const looks: Readonly<Record<TaskState, { readonly tone: Tone; readonly shape: Shape }>> = {
  queued: { tone: 'grey', shape: 'ring' },
  in_progress: { tone: 'blue', shape: 'half' },
  completed: { tone: 'green', shape: 'filled' },
  failed: { tone: 'red', shape: 'filled' },
  cancelled: { tone: 'yellow', shape: 'ring' },
  expired: { tone: 'orange', shape: 'half' },
}

interface TaskProps {
  readonly row: TaskRow
}

export function TaskStateBadge({ row: { state } }: TaskProps) {
  const t = useT()
  return <Badge {...looks[state]}>{t(`task.state.${state}`)}</Badge>
}

/** The state, and while it runs how far it is. */
export function TaskProgress({ row }: TaskProps) {
  if (isTaskEnd(row.state)) return <TaskStateBadge row={row} />
  return (
    <span className="flex items-center gap-2">
      <TaskStateBadge row={row} />
      <TaskBar row={row} />
    </span>
  )
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

/** The address of a result for this page, which may be served elsewhere than the gateway. */
export const resultAddress = (url: string): string => `${gatewayAddress}${url}`

/** What a task is called where a row needs a name: the beginning of its prompt. */
export function nameOf({ prompt, public_id: id }: Pick<TaskRow, 'prompt' | 'public_id'>): string {
  const [line = ''] = prompt.trim().split('\n')
  if (line === '') return id
  return [...line].length > nameMax ? `${[...line].slice(0, nameMax - 1).join('')}…` : line
}

const nameMax = 48
