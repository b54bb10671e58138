import type { BatchForm } from '../../core/batch-form.ts'
import { openaiBatches } from '../../protocols/batches/openai-forms.ts'

/** docs.bigmodel.cn, "Create a batch", read 2026-11-27. The vendor deletes the file of requests by itself. */
export const zhipuBatches: BatchForm = {
  ...openaiBatches,
  chats: '/v4/chat/completions',
  createBody: ({ file, endpoint }) => ({ input_file_id: file, endpoint, auto_delete_input_file: true }),
}
