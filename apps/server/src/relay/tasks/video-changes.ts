import { type VideoChange, videoChanges } from '@sluice/contract'
import type { TaskFields as VendorFields } from '@sluice/vendors/core/task'
import { vendorByType } from '@sluice/vendors/registry/list'
import { taskDialectOf } from '@sluice/vendors/registry/task-dialect-of'
import type { TaskRow } from './task-queries.ts'
import type { StoredResult } from './task-texts.ts'

/** What can be made of the video of a task at the channel that has it. A video that is kept here is sent along with the order. */
export function changesOf(row: TaskRow, results: StoredResult['results']): readonly VideoChange[] {
  return videoChanges.filter((change) => changeFieldsOf(row, results, change) !== null)
}

/** What an order of that may have; `null`: the vendor has no such order. */
export function changeFieldsOf(
  { kind, state, channel_type: type, upstream_model: model }: TaskRow,
  results: StoredResult['results'],
  change: VideoChange,
): VendorFields | null {
  const vendor = vendorByType(type)
  if (kind !== 'videos' || state !== 'completed' || vendor === null) return null
  const dialect = taskDialectOf(vendor, kind, model)
  const fields = dialect?.changeFields?.(model, change) ?? null
  const isSent = change !== 'remix' && results.some(({ variant, isKept }) => variant === 'video' && isKept === true)
  const isPossible = isSent ? dialect?.videoActions?.includes(change) === true : fields?.needsVideo !== true
  return isPossible ? fields : null
}
