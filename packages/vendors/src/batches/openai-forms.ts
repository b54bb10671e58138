import { isCount } from '../count.ts'
import { isObject, lookUp, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import type { BatchForm, ToldBatch } from './batch-form.ts'

/** States of a batch, in lower case (OpenAI API reference, "Batches"; `progress` is Novita's, "Batch inference"; both read 2026-11-27). */
const states: Readonly<Record<string, ToldBatch['state']>> = {
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

function firstMs(...times: ReadonlyArray<Json | undefined>): number | null {
  return times.map(msOf).find((ms) => ms !== null) ?? null
}

const idsIn = (...ids: ReadonlyArray<Json | undefined>): readonly string[] =>
  ids.filter((id): id is string => typeof id === 'string' && id !== '')

function messageIn({ errors, error }: JsonObject): string {
  const listed = isObject(errors) && Array.isArray(errors['data']) ? errors['data'] : Array.isArray(errors) ? errors : []
  const told = listed.filter(isObject).map(({ message }) => textOr(message, ''))
  return told.find((message) => message !== '') ?? textOr(error, textOr(errors, ''))
}

function countsIn(counts: Json | undefined): ToldBatch['counts'] {
  if (!isObject(counts)) return null
  const { completed, failed } = counts
  return isCount(completed) && isCount(failed) ? { succeeded: completed, errored: failed } : null
}

function readBatch(batch: JsonObject): ToldBatch | null {
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
  order: ({ file, endpoint }) => ({ input_file_id: file, endpoint, completion_window: '24h' }),
  read: readBatch,
}

/** The same where a batch has one model: Moonshot ("Batch API", read 2026-11-27), Novita ("Batch inference", read 2026-11-27). */
export const oneModelBatches: BatchForm = { ...openaiBatches, hasOneModel: true }

/** docs.bigmodel.cn, "Create a batch", read 2026-11-27. The vendor deletes the file of requests by itself. */
export const zhipuBatches: BatchForm = {
  ...openaiBatches,
  chats: '/v4/chat/completions',
  order: ({ file, endpoint }) => ({ input_file_id: file, endpoint, auto_delete_input_file: true }),
}

/** docs.together.ai, "Create a batch job" and "Batch tutorial", read 2026-11-27: a line names no call, and an order is answered with a `job`. */
export const togetherBatches: BatchForm = {
  ...openaiBatches,
  hasOneModel: true,
  uploadPath: '/v1/files/upload',
  fields: [...purpose('batch-api'), { name: 'file_name', text: 'requests.jsonl' }, { name: 'file_type', text: 'jsonl' }],
  line: (customId, body) => ({ custom_id: customId, body }),
  read: (answer) => readBatch(isObject(answer['job']) ? answer['job'] : answer),
}

/** States of a job of Mistral (mistralai/client-python, `BatchJobStatus`, read 2026-11-27). */
const jobStates: Readonly<Record<string, ToldBatch['state']>> = {
  SUCCESS: 'ended',
  FAILED: 'failed',
  TIMEOUT_EXCEEDED: 'expired',
  CANCELLED: 'cancelled',
}

/** docs.mistral.ai, "Batch", and its OpenAPI document (`BatchJobIn`, `BatchJobOut`), read 2026-11-27: a job names the model of all its lines. */
export const mistralBatches: BatchForm = {
  ...openaiBatches,
  hasOneModel: true,
  path: '/v1/batch/jobs',
  line: (customId, { model: _model, ...body }) => ({ custom_id: customId, body }),
  order: ({ file, endpoint, model }) => ({ input_files: [file], endpoint, model }),
  read(job) {
    const [id, status] = [textOr(job['id'], ''), textOr(job['status'], '')]
    if (id === '' || status === '') return null
    const { succeeded_requests: succeeded, failed_requests: errored, input_files: inputs } = job
    return {
      id,
      state: lookUp(jobStates, status) ?? 'running',
      message: messageIn(job),
      createdMs: firstMs(job['created_at']),
      endedMs: firstMs(job['completed_at']),
      files: idsIn(job['output_file'], job['error_file']),
      input: Array.isArray(inputs) ? (idsIn(...inputs)[0] ?? '') : '',
      counts: isCount(succeeded) && isCount(errored) ? { succeeded, errored } : null,
    }
  },
}
