import { type BatchDialect, placeInBatch } from '../../core/batch.ts'
import { lookUp, textOr } from '../../core/is-object.ts'
import type { FollowedKind, TaskDialect } from '../../core/task.ts'
import type { Vendor } from '../../core/vendor.ts'
import { batchForms, batchTable } from '../batch-table.ts'
import { taskDialectOf } from '../task-dialect-of.ts'
import { batchesByChats } from './by-chats.ts'

/** The dialect of a vendor for batches of messages; `null`: it has none. */
export function batchDialectOf(vendor: Vendor): BatchDialect | null {
  const { batches } = vendor
  if (batches === undefined) return null
  const own: BatchDialect | undefined = lookUp(batchTable, batches.form)
  const form = lookUp(batchForms, batches.form)
  const dialect = own ?? (form === undefined ? null : batchesByChats(vendor, form))
  return dialect === null || batches.models === undefined ? dialect : withModels(dialect, batches.models)
}

/** The same for some models only. */
function withModels(dialect: BatchDialect, models: RegExp): BatchDialect {
  return {
    ...dialect,
    async prepare(channel, order, pause) {
      for (const [index, { custom_id: id, params }] of order.requests.entries())
        if (!models.test(textOr(params['model'], ''))) return { refused: placeInBatch(index, id, 'model') }
      return await dialect.prepare(channel, order, pause)
    },
  }
}

/** The dialect of a vendor for work of a kind that is followed; `null`: it does not have the kind. @param model the upstream model */
export function followedDialectOf(vendor: Vendor, kind: FollowedKind, model: string): TaskDialect | BatchDialect | null {
  return kind === 'batches' ? batchDialectOf(vendor) : taskDialectOf(vendor, kind, model)
}
