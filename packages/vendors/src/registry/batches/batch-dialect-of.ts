import { type BatchDialect, placeInBatch } from '../../core/batch.ts'
import { textOr } from '../../core/is-object.ts'
import type { FollowedKind, TaskDialect } from '../../core/task.ts'
import type { Vendor } from '../../core/vendor.ts'
import { taskDialectOf } from '../task-dialect-of.ts'
import { batchesByChats } from './by-chats.ts'

/** The dialect of a vendor for batches of messages; `null`: it has none. */
export function batchDialectOf(vendor: Vendor): BatchDialect | null {
  const { batches } = vendor
  if (batches === undefined) return null
  const dialect = 'dialect' in batches ? batches.dialect : batchesByChats(vendor, batches.form)
  return batches.models === undefined ? dialect : withModels(dialect, batches.models)
}

/** The dialect for models that match only. */
function withModels(dialect: BatchDialect, models: RegExp): BatchDialect {
  return {
    ...dialect,
    async prepare(channel, batchParams, pause) {
      for (const [index, { custom_id: id, params }] of batchParams.requests.entries())
        if (!models.test(textOr(params['model'], ''))) return { refused: placeInBatch(index, id, 'model') }
      return await dialect.prepare(channel, batchParams, pause)
    },
  }
}

/** The dialect of a vendor for work of a kind that is followed; `null`: it does not have the kind. @param model the upstream model */
export function followedDialectOf(vendor: Vendor, kind: FollowedKind, model: string): TaskDialect | BatchDialect | null {
  return kind === 'batches' ? batchDialectOf(vendor) : taskDialectOf(vendor, kind, model)
}
