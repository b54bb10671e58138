import { exportColumns, isTaskEnd, type TaskRow, taskChannelName } from '@sluice/contract'
import { type ColumnsFor, exportWords, type FileColumn, namedColumns, timeWriter } from '../export-file.ts'

interface TaskColumnsFor extends ColumnsFor {
  /** Whether the columns for administrators may be in the file. */
  readonly seesAll: boolean
}

/** The columns of exported tasks. */
export function taskFileColumns({ zone, language, seesAll }: TaskColumnsFor): Readonly<Record<string, FileColumn<TaskRow>>> {
  const words = exportWords(language)
  const timeOf = timeWriter(zone)
  const { user, channel, ...columns } = namedColumns<TaskRow, typeof exportColumns.task>(exportColumns.task, words, {
    id: ({ public_id }) => public_id,
    prompt: ({ prompt, unreadable }) => (unreadable.includes('order') ? words('value.unreadable') : prompt),
    state: ({ state }) => words(`task.state.${state}`),
    kind: ({ kind }) => words(`task.kind.${kind}`),
    model: ({ model }) => model,
    user: ({ username = '' }) => username,
    channel: taskChannelName,
    cost: ({ state, charged, estimated }) => (isTaskEnd(state) ? charged : estimated),
    created: ({ created_at }) => timeOf(created_at),
    ended: ({ ended_at }) => (ended_at === 0 ? words('task.ended.not') : timeOf(ended_at)),
    error: ({ error }) => error?.message ?? '',
  })
  return seesAll && user !== undefined && channel !== undefined ? { ...columns, user, channel } : columns
}
