import type { BatchDialect } from '../core/batch.ts'
import type { BatchForm } from '../protocols/batches/batch-form.ts'
import { oneModelBatches, openaiBatches } from '../protocols/batches/openai-forms.ts'
import { anthropicBatches } from '../vendors/anthropic/batches.ts'
import { azureBatches } from '../vendors/azure/batches.ts'
import { mistralBatches } from '../vendors/mistral/batches.ts'
import { togetherBatches } from '../vendors/together/batches.ts'
import { zhipuBatches } from '../vendors/zhipu/batches.ts'

/** The dialects of batches of messages. A vendor record can only name one of these, or a form of files. */
export const batchTable = { anthropic: anthropicBatches } as const satisfies Record<string, BatchDialect>

/** The forms of vendors that answer files of chats. */
export const batchForms = {
  azure: azureBatches,
  openai: openaiBatches,
  'openai-one-model': oneModelBatches,
  zhipu: zhipuBatches,
  together: togetherBatches,
  mistral: mistralBatches,
} as const satisfies Record<string, BatchForm>

export type BatchName = keyof typeof batchTable | keyof typeof batchForms

/** How a vendor's batches are run. */
export interface VendorBatches {
  readonly form: BatchName
  /** The part of the usual price that requests in batches cost. Missing: all of it, as far as a page tells. A price of a model that names `batch` takes precedence. */
  readonly factor?: number
  /** Upstream models that it takes in batches. Missing: no page limits them. */
  readonly models?: RegExp
}
