import type { BatchForm } from '../../core/batch-form.ts'
import { isObject } from '../../core/is-object.ts'
import { openaiBatches, readBatch } from '../../protocols/batches/openai-forms.ts'

/**
 * docs.together.ai, "Create a batch job", "Batch tutorial" and "Upload a file", read 2026-11-27: a line names no call, and creating a batch returns
 * a `job`.
 */
export const togetherBatches: BatchForm = {
  ...openaiBatches,
  hasOneModel: true,
  uploadPath: '/v1/files/upload',
  fields: [
    { name: 'purpose', text: 'batch-api' },
    { name: 'file_name', text: 'requests.jsonl' },
    { name: 'file_type', text: 'jsonl' },
  ],
  line: (customId, body) => ({ custom_id: customId, body }),
  read: (response) => readBatch(isObject(response['job']) ? response['job'] : response),
}
