import { logType } from '@sluice/contract'
import type { Logger } from 'pino'
import type { Operation } from './commit.ts'
import { codedText, type LogEntry, plainLog } from './log-entry.ts'
import type { OpenHold } from './open-hold.ts'

interface SweepDeps {
  readonly holds: readonly OpenHold[]
  readonly log: Logger
  readonly commit: (operation: Operation) => Promise<boolean>
}

/**
 * Resolves the reservations of a crashed process: charges what its progress mark recorded, or releases it without a mark. Each gets a log
 * row, so that every request is in the log.
 */
export async function sweepHolds({ holds, log, commit }: SweepDeps): Promise<void> {
  if (holds.length === 0) return
  await Promise.all(holds.map((hold) => commit(endingOf(hold))))
  const charged = holds.filter(isDelivered).length
  log.warn({ requests: holds.length, charged }, 'interrupted requests charged by their progress marks after a crash')
}

const isDelivered = ({ completion_tokens }: OpenHold): boolean => completion_tokens > 0

function endingOf(open: OpenHold): Operation {
  const hold = { requestId: open.request_id, userId: open.user_id, tokenId: open.token_id, amount: open.amount }
  if (!isDelivered(open)) return { do: 'release', hold, log: rowOf(open) }
  return { do: 'settle', hold, settlement: { amount: open.delivered_quota, channelId: open.channel_id, log: rowOf(open) } }
}

function rowOf(open: OpenHold): LogEntry {
  return plainLog({
    userId: open.user_id,
    createdAt: open.created_at,
    type: logType.consume,
    ...codedText({ code: isDelivered(open) ? 'log_crashed_charged' : 'log_crashed', params: {} }),
    username: open.username ?? '',
    tokenName: open.token_name ?? '',
    modelName: open.model_name,
    requestId: open.request_id,
    quota: open.delivered_quota,
    promptTokens: open.prompt_tokens,
    completionTokens: open.completion_tokens,
    channelId: open.channel_id,
    // Only streamed responses have progress marks.
    isStream: isDelivered(open),
    isEstimated: isDelivered(open),
    endReason: 'crashed',
    isServed: false,
  })
}
