import { isTaskEnd, type TaskRow, taskChannelName, taskStates } from '@sluice/contract'
import { useMemo } from 'react'
import { useSession } from '../../lib/session.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { DataText } from '../../ui/data-text.tsx'
import { ShortUsername } from '../../ui/short-username.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { Card, Column } from '../../ui/table/column.ts'
import { TimeText, textColumn, timeColumn } from '../../ui/table/column-builders.tsx'
import { nameOf, TaskBar, TaskCost, TaskProgress, UnreadableTask } from './task-format.tsx'
import { taskLooks } from './task-looks.ts'
import { TaskPreview } from './task-preview.tsx'

/** The columns of the list. Those of administrators say whose task it is and what serves it. */
export function useTaskColumns(): readonly Column<TaskRow>[] {
  const t = useT()
  const { isAdmin } = useSession()
  return useMemo(() => [...what(t), ...(isAdmin ? whose(t) : []), ...course(t)], [t, isAdmin])
}

function what(t: Translate): readonly Column<TaskRow>[] {
  return [
    {
      id: 'preview',
      header: t('task.preview'),
      cell: (row) => <TaskPreview key={row.state} row={row} />,
    },
    {
      id: 'prompt',
      header: t('task.prompt'),
      isFlexible: true,
      cell: ({ prompt }) => <DataText text={prompt} />,
    },
    {
      id: 'state',
      header: t('task.state'),
      cell: (row) => (
        <span className="flex gap-1 max-xl:flex-wrap">
          <TaskProgress row={row} />
          <UnreadableTask row={row} />
        </span>
      ),
      sortValue: ({ state, progress }) => taskStates.indexOf(state) * 1_000 + progress,
    },
    textColumn<TaskRow>({ id: 'kind', header: t('task.kind'), value: ({ kind }) => t(`task.kind.${kind}`) }),
    textColumn<TaskRow>({ id: 'model', header: t('task.model'), value: ({ model }) => model }),
  ]
}

function whose(t: Translate): readonly Column<TaskRow>[] {
  return [
    {
      ...textColumn<TaskRow>({ id: 'user', header: t('task.user'), value: ({ username = '' }) => username }),
      cell: ({ username = '' }) => <ShortUsername name={username} />,
    },
    textColumn<TaskRow>({ id: 'channel', header: t('task.channel'), value: taskChannelName }),
  ]
}

function course(t: Translate): readonly Column<TaskRow>[] {
  return [
    {
      id: 'cost',
      header: t('task.cost'),
      cell: (row) => <TaskCost row={row} />,
      sortValue: (row) => (isTaskEnd(row.state) ? row.charged : row.estimated),
      isNumber: true,
    },
    timeColumn<TaskRow>({ id: 'created', header: t('task.created'), value: ({ created_at }) => created_at }),
    {
      ...timeColumn<TaskRow>({ id: 'ended', header: t('task.ended'), value: ({ ended_at }) => ended_at, never: t('task.ended.not') }),
      isHiddenAtFirst: true,
    },
  ]
}

export const taskCard = (t: Translate): Card<TaskRow> => ({
  title: nameOf,
  badge: (row) => (
    <span className="inline-flex gap-1">
      <StatusBadge looks={taskLooks} status={row.state} />
      <UnreadableTask row={row} />
    </span>
  ),
  facts: (row) => [
    isTaskEnd(row.state)
      ? { label: t('task.preview'), value: <TaskPreview key={row.state} row={row} /> }
      : { label: t('task.progress'), value: <TaskBar row={row} /> },
    { label: t('task.model'), value: row.model },
    { label: t('task.cost'), value: <TaskCost row={row} /> },
    { label: t('task.created'), value: <TimeText seconds={row.created_at} /> },
    ...(row.username === undefined ? [] : [{ label: t('task.user'), value: <ShortUsername name={row.username} /> }]),
  ],
})
