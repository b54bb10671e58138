import type { BatchForm, BatchState } from '../../core/batch-form.ts'
import { lookUp, textOr } from '../../core/is-object.ts'
import { isCount } from '../../core/usage-count.ts'
import { firstMs, idsIn, messageIn, openaiBatches } from '../../protocols/batches/openai-forms.ts'

/** States of a job that has ended (@mistralai/mistralai 2.7, `BatchJobStatus`, read 2026-11-27). */
const states: Readonly<Record<string, BatchState['state']>> = {
  SUCCESS: 'ended',
  FAILED: 'failed',
  TIMEOUT_EXCEEDED: 'expired',
  CANCELLED: 'cancelled',
}

/** docs.mistral.ai, "Batch", and its client 2.7 (`CreateBatchJobRequest`, `BatchJob`), read 2026-11-27: a job names the model of all its lines. */
export const mistralBatches: BatchForm = {
  ...openaiBatches,
  hasOneModel: true,
  path: '/v1/batch/jobs',
  line: (customId, { model: _model, ...body }) => ({ custom_id: customId, body }),
  createBody: ({ file, endpoint, model }) => ({ input_files: [file], endpoint, model, timeout_hours: 24 }),
  read(job) {
    const [id, status] = [textOr(job['id'], ''), textOr(job['status'], '')]
    if (id === '' || status === '') return null
    const { succeeded_requests: succeeded, failed_requests: errored, input_files: inputs } = job
    return {
      id,
      state: lookUp(states, status) ?? 'running',
      message: messageIn(job),
      createdMs: firstMs(job['created_at']),
      endedMs: firstMs(job['completed_at']),
      files: idsIn(job['output_file'], job['error_file']),
      input: Array.isArray(inputs) ? (idsIn(...inputs)[0] ?? '') : '',
      counts: isCount(succeeded) && isCount(errored) ? { succeeded, errored } : null,
    }
  },
}
