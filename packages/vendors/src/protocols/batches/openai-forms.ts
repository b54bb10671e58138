import type { BatchForm, BatchState } from '../../core/batch-form.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isCount } from '../../core/usage-count.ts'

/** States of a batch that has ended, in lower case (OpenAI API reference, "Batches", read 2026-11-27). */
const states: Readonly<Record<string, BatchState['state']>> = {
  completed: 'ended',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
}

/** A time as seconds since the epoch, or as ISO 8601. */
function msOf(time: Json | undefined): number | null {
  if (typeof time === 'number' && Number.isFinite(time) && time > 0 && time < 1e11) return time * 1000
  const ms = Date.parse(textOr(time, ''))
  return Number.isNaN(ms) ? null : ms
}

export function firstMs(...times: ReadonlyArray<Json | undefined>): number | null {
  return times.map(msOf).find((ms) => ms !== null) ?? null
}

export const idsIn = (...ids: ReadonlyArray<Json | undefined>): readonly string[] =>
  ids.filter((id): id is string => typeof id === 'string' && id !== '')

export function messageIn({ errors, error }: JsonObject): string {
  const listed = isObject(errors) && Array.isArray(errors['data']) ? errors['data'] : Array.isArray(errors) ? errors : []
  const messages = listed.filter(isObject).map(({ message }) => textOr(message, ''))
  return messages.find((message) => message !== '') ?? textOr(error, textOr(errors, ''))
}

function countsIn(counts: Json | undefined): BatchState['counts'] {
  if (!isObject(counts)) return null
  const { completed, failed } = counts
  return isCount(completed) && isCount(failed) ? { succeeded: completed, errored: failed } : null
}

export function readBatch(batch: JsonObject): BatchState | null {
  const status = textOr(batch['status'], '').toLowerCase()
  const id = textOr(batch['id'], '')
  if (id === '' || status === '') return null
  return {
    id,
    state: lookUp(states, status) ?? 'running',
    message: messageIn(batch),
    createdMs: firstMs(batch['created_at']),
    endedMs: firstMs(batch['completed_at'], batch['cancelled_at'], batch['expired_at'], batch['failed_at']),
    files: idsIn(batch['output_file_id'], batch['error_file_id']),
    input: textOr(batch['input_file_id'], ''),
    counts: countsIn(batch['request_counts']),
  }
}

const purpose = (text: string) => [{ name: 'purpose', text }]

/** OpenAI API reference, "Batches" and "Files", read 2026-11-27. */
export const openaiBatches: BatchForm = {
  chats: '/v1/chat/completions',
  fields: purpose('batch'),
  path: '/v1/batches',
  line: (customId, body, url) => ({ custom_id: customId, method: 'POST', url, body }),
  createBody: ({ file, endpoint }) => ({ input_file_id: file, endpoint, completion_window: '24h' }),
  read: readBatch,
}

/** OpenAI's form for vendors whose batches have one model each. */
export const oneModelBatches: BatchForm = { ...openaiBatches, hasOneModel: true }
