import { spokenFor } from '../core/dialects-of-vendor.ts'
import type { Json } from '../core/json.ts'
import { type FollowedKind, followedKinds, type TaskDialect, type TaskKind, taskKinds } from '../core/task.ts'
import type { Vendor, VendorInterface } from '../core/vendor.ts'

/** The dialect of a vendor for a kind of task; `null`: it does not have the kind. @param model the upstream model */
export function taskDialectOf({ tasks }: Pick<VendorInterface, 'tasks'>, kind: TaskKind, model: string): TaskDialect | null {
  return spokenFor(tasks?.[kind], model)
}

export function isTaskKind(kind: string): kind is TaskKind {
  return taskKinds.some((name) => name === kind)
}

export function isFollowedKind(kind: string): kind is FollowedKind {
  return followedKinds.some((name) => name === kind)
}

/** Whether any dialect of a vendor can be polled for several tasks at once, as far as its listed models show. */
export function mayAskMany(vendor: Pick<Vendor, 'tasks' | 'models'>): boolean {
  return taskKinds.some((kind) => ['', ...vendor.models.names].some((model) => taskDialectOf(vendor, kind, model)?.pollMany !== undefined))
}

/** Models of tasks at vendors that have chats, too, and name no models of their tasks. */
const namesTask = /sora|veo-|video/i

/** Reads the messages that a vendor sends to the address of a channel; `null`: it sends none. */
export function taskIdReaderOf({ tasks = {} }: Pick<VendorInterface, 'tasks'>): ((message: Json) => string | null) | null {
  for (const kind of taskKinds) {
    const { taskIdIn } = typeof tasks[kind] === 'object' ? tasks[kind] : {}
    if (taskIdIn !== undefined) return taskIdIn
  }
  return null
}

type TaskVendor = Pick<VendorInterface, 'tasks' | 'dialects'>

/** The kind of tasks that a model of a vendor makes; `null`: it makes none, or its name does not show it. */
export function taskKindOf(vendor: TaskVendor, model: string): TaskKind | null {
  return taskKinds.find((kind) => makesTasks(vendor, kind, model)) ?? null
}

/** Whether a model of a vendor makes tasks of a kind, as far as its name shows. */
export function makesTasks(vendor: TaskVendor, kind: TaskKind, model: string): boolean {
  const isTold = vendor.dialects.chat === undefined || typeof vendor.tasks?.[kind] === 'function' || namesTask.test(model)
  return isTold && taskDialectOf(vendor, kind, model) !== null
}
