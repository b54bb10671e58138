import { ownData } from '@sluice/vendors/core/batch'
import { isObject } from '@sluice/vendors/core/is-object'
import type { JsonObject } from '@sluice/vendors/core/json'
import { utcTime } from '../../lib/clock.ts'
import { daySeconds } from '../../lib/day.ts'
import type { TaskRow } from './task-queries.ts'
import { stopRequested, type TaskTexts } from './task-texts.ts'

/**
 * A batch as Anthropic's clients know it (Anthropic API, "The Message Batch object", read 2026-11-25): what its vendor reports, with our id and
 * address. It has ended when it is charged.
 */
export function batchObject(row: TaskRow, texts: TaskTexts, address: string): JsonObject {
  const { stage, state, public_id: id, created_at: createdAt, ended_at: endedAt } = row
  const memo = texts.upstreamOf(row)?.task.memo ?? {}
  const ended = texts.resultOf(row)?.data
  const { [ownData]: _own, ...upstreamFields } = isObject(ended) ? ended : isObject(memo['batch']) ? memo['batch'] : {}
  const isOver = stage === 'ended'
  return {
    created_at: utcTime(createdAt),
    expires_at: utcTime(createdAt + daySeconds),
    ended_at: isOver ? utcTime(endedAt) : null,
    cancel_initiated_at: null,
    archived_at: null,
    ...upstreamFields,
    id,
    type: 'message_batch',
    processing_status: isOver ? 'ended' : memo[stopRequested] === true ? 'canceling' : 'in_progress',
    request_counts: isObject(ended) ? (ended['request_counts'] ?? null) : countsOf(row, texts),
    results_url: state === 'completed' ? `${address}/v1/messages/batches/${id}/results` : null,
  }
}

/** What all requests of a batch without results are. */
const outcomes: Readonly<Record<string, string>> = { failed: 'errored', cancelled: 'canceled', expired: 'expired' }

function countsOf(row: TaskRow, texts: Pick<TaskTexts, 'taskParamsOf'>): JsonObject {
  const { requests = 0 } = texts.taskParamsOf(row).extra
  return { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0, [outcomes[row.state] ?? 'processing']: requests }
}
