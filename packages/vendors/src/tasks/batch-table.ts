import { anthropicBatches } from '../anthropic/batches.ts'
import type { BatchDialect } from './batch.ts'

/** The dialects of batches of messages. A vendor record can only name one of these. */
export const batchTable = { anthropic: anthropicBatches } as const satisfies Record<string, BatchDialect>
export type BatchName = keyof typeof batchTable
