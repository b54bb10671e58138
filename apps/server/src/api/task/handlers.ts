import {
  type CreatableTaskKind,
  type CreateAction,
  contract,
  type ExportFormat,
  exportedTask,
  listedPromptMax,
  type TaskEstimate,
  type TaskFields,
  type TaskKind,
  type TaskPart,
  type TaskRow,
  type TaskState,
  type VideoFacts,
} from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { mapInSteps } from '../../lib/map-in-steps.ts'
import type { Audit } from '../audit.ts'
import { mayReadRouting, reachOfTasks } from '../authorize.ts'
import { exportFile, plainRowOf, stepBehind } from '../export-file.ts'
import { type Caller, implement, type Visit } from '../implement.ts'
import { taskFileColumns } from './export.ts'
import { listTasksInSteps } from './list-in-steps.ts'
import { findTask, type StoredTask, type TaskFilters } from './queries.ts'

/** What the relay knows and does about a task whose row is given. */
interface TaskWork {
  /** What its sealed columns hold. */
  viewOf(row: StoredTask): TaskView
  /** @throws AppError */
  cancelRow(row: StoredTask): Promise<void>
  /** @throws AppError */
  removeRow(row: StoredTask): Promise<void>
}

interface TaskView extends Pick<TaskRow, 'prompt' | 'seconds' | 'size' | 'cancellable'> {
  readonly film_changes: readonly TaskRow['film_changes'][number][]
  readonly results: readonly TaskRow['results'][number][]
  readonly pictures: readonly string[]
  readonly parameters: object
  readonly unreadable: readonly TaskPart[]
}

interface TaskDeps {
  readonly db: Db
  /** For lists. */
  readonly reads: Db
  readonly tasks: TaskWork
  readonly fieldsOf: (
    params: Pick<EstimateParams, 'userId' | 'groups' | 'kind' | 'action' | 'source'> & { readonly model: string },
  ) => Promise<TaskFields | null>
  readonly estimateTask: (params: EstimateParams) => Promise<TaskEstimate>
  readonly audit: Audit
}

/** An order that is not sent yet. */
interface EstimateParams {
  readonly userId: number
  readonly groups: string
  readonly kind: CreatableTaskKind
  readonly action: CreateAction
  readonly source: string
  readonly body: TaskRow['parameters']
  readonly files: number
  readonly video: VideoFacts | null
}

interface FileParams {
  readonly columns: string
  readonly zone: string
  readonly format: ExportFormat
}

/** Filters that callers cannot set for their own tasks. */
const own = ({ id }: Caller) => ({ userId: id, username: '', channel: 0 })

export const taskApi = ({ db, reads, tasks, fieldsOf, estimateTask, audit }: TaskDeps) => {
  /** A task with everything. */
  const whole =
    (caller: Caller) =>
    (row: StoredTask): TaskRow => {
      const { results, pictures: images, parameters, film_changes: changes, unreadable, ...view } = tasks.viewOf(row)
      return {
        ...plainRow(row),
        ...view,
        results: [...results],
        pictures: [...images],
        unreadable: [...unreadable],
        film_changes: row.user_id === caller.id ? [...changes] : [],
        // Holds: what was stored had been parsed from JSON.
        parameters: parameters as TaskRow['parameters'],
        ...(mayReadRouting(caller) ? routingOf(row) : {}),
      }
    }

  /** A task as a row of a list, without the fields that would make the list long. */
  const listed =
    (caller: Caller) =>
    (row: StoredTask): TaskRow => {
      const task = whole(caller)(row)
      return { ...task, prompt: [...task.prompt].slice(0, listedPromptMax).join(''), pictures: [], parameters: {} }
    }

  /** @throws AppError task_not_found */
  async function reached(id: number, caller: Caller): Promise<StoredTask> {
    const row = await findTask(db, id, reachOfTasks(caller))
    if (row === undefined) throw new AppError('task_not_found')
    return row
  }

  /** What is done to the task of somebody else is in that account's log. */
  async function report(actor: Caller, row: StoredTask, messageKey: 'log_task_cancelled' | 'log_task_deleted'): Promise<void> {
    if (row.user_id === actor.id) return
    await audit({ actor, target: { id: row.user_id, username: row.username ?? '' }, messageKey, params: { task: row.public_id } })
  }

  async function file({ columns, zone, format, ...filters }: TaskFilters & FileParams, caller: Caller, { language }: Visit) {
    return await exportFile({
      ...{ name: 'task', format, columnIds: columns },
      columns: taskFileColumns({ zone, language, seesAll: filters.userId === null }),
      plain: plainRowOf(exportedTask),
      next: (last) => mapInSteps(listTasksInSteps(reads, filters, stepBehind(last)), listed(caller)),
    })
  }

  return implement(contract.task, {
    list: ({ p, after, size, ...filters }, caller) =>
      mapInSteps(listTasksInSteps(reads, { ...filters, userId: null }, { p, after, size }), listed(caller)),
    self: ({ p, after, size, ...filters }, caller) =>
      mapInSteps(listTasksInSteps(reads, { ...filters, ...own(caller) }, { p, after, size }), listed(caller)),
    export: (params, caller, visit) => file({ ...params, userId: null }, caller, visit),
    exportSelf: (params, caller, visit) => file({ ...params, ...own(caller) }, caller, visit),
    fields: (params, { id: userId, groups }) => fieldsOf({ ...params, userId, groups }),
    estimate: ({ order: body, film: video, ...params }, { id: userId, groups }) => estimateTask({ ...params, userId, groups, body, video }),
    get: async ({ id }, caller) => whole(caller)(await reached(id, caller)),

    async cancel({ id }, caller) {
      const row = await reached(id, caller)
      await tasks.cancelRow(row)
      await report(caller, row, 'log_task_cancelled')
      return whole(caller)(await reached(id, caller))
    },

    async remove({ id }, caller) {
      const row = await reached(id, caller)
      await tasks.removeRow(row)
      await report(caller, row, 'log_task_deleted')
      return null
    },
  })
}

/** The columns that are not sealed. Both engines give large numbers as such. */
function plainRow(row: StoredTask) {
  const { id, public_id, request_id, action, model, error_code: code, error_message: message } = row
  return {
    ...{ id, public_id, request_id, action, model },
    // Holds: the relay writes these names only.
    kind: row.kind as TaskKind,
    // Holds for the same reason.
    state: row.state as TaskState,
    progress: row.progress,
    created_at: row.created_at,
    ended_at: row.ended_at,
    expires_at: row.expires_at,
    estimated: row.held,
    charged: row.charged,
    error: code === '' ? null : { code, message },
  }
}

const routingOf = ({ user_id, username, channel_id, channel_name, upstream_model }: StoredTask) => ({
  user_id,
  username: username ?? '',
  channel: channel_id,
  channel_name: channel_name ?? '',
  upstream_model,
})
