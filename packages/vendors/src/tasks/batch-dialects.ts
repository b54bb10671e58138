import type { VendorInterface } from '../vendor.ts'
import type { BatchDialect } from './batch.ts'
import { batchTable } from './batch-table.ts'
import type { FollowedKind, TaskDialect } from './task.ts'
import { taskDialectOf } from './task-dialects.ts'

/** The dialect of a vendor for batches of messages; `null`: it has none. */
export function batchDialectOf({ batches }: Pick<VendorInterface, 'batches'>): BatchDialect | null {
  return batches === undefined ? null : batchTable[batches]
}

/** The dialect of a vendor for work of a kind that is followed; `null`: it does not have the kind. @param model the upstream model */
export function followedDialectOf(
  vendor: Pick<VendorInterface, 'tasks' | 'batches'>,
  kind: FollowedKind,
  model: string,
): TaskDialect | BatchDialect | null {
  return kind === 'batches' ? batchDialectOf(vendor) : taskDialectOf(vendor, kind, model)
}
