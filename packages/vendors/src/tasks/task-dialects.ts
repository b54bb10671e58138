import type { VendorInterface } from '../vendor.ts'
import { type TaskDialect, type TaskKind, taskKinds } from './task.ts'
import { taskTable } from './task-table.ts'

/** The dialect of a vendor for a kind of task; `null`: it does not have the kind. @param model the upstream model */
export function taskDialectOf({ tasks }: Pick<VendorInterface, 'tasks'>, kind: TaskKind, model: string): TaskDialect | null {
  const choice = tasks?.[kind]
  const name = typeof choice === 'function' ? choice(model) : choice
  if (name === undefined || name === null) return null
  const named: Readonly<Record<string, TaskDialect>> = taskTable[kind]
  return named[name] ?? null
}

export function isTaskKind(kind: string): kind is TaskKind {
  return taskKinds.some((name) => name === kind)
}

/** Whether any dialect of a vendor can be asked about several tasks at once. */
export function mayAskMany({ tasks = {} }: Pick<VendorInterface, 'tasks'>): boolean {
  return taskKinds.some(
    (kind) => tasks[kind] !== undefined && Object.values<TaskDialect>(taskTable[kind]).some(({ pollMany }) => pollMany !== undefined),
  )
}
