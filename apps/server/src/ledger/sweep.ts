import { logType, messageText } from '@sluice/contract'
import type { Logger } from 'pino'
import type { Store } from '../db/connect.ts'
import type { Operation } from './commit.ts'
import { plainLog } from './log-entry.ts'
import { readOpenHolds } from './queries.ts'

interface SweepDeps {
  readonly store: Store
  readonly log: Logger
  readonly commit: (operation: Operation) => Promise<boolean>
}

/**
 * Resolves the reservations of a process that died. Their users pay nothing: what was delivered before the crash is not known.
 * Each gets its log row, so that the request does not vanish.
 */
export async function sweepHolds({ store, log, commit }: SweepDeps): Promise<void> {
  const holds = await readOpenHolds(store.db)
  if (holds.length === 0) return
  await Promise.all(
    holds.map((hold) =>
      commit({
        do: 'release',
        hold: { requestId: hold.request_id, userId: hold.user_id, tokenId: 0 },
        log: plainLog({
          userId: hold.user_id,
          createdAt: hold.created_at,
          type: logType.consume,
          content: messageText('log_crashed'),
          username: hold.username ?? '',
          tokenName: hold.token_name ?? '',
          modelName: hold.model_name,
          requestId: hold.request_id,
          endReason: 'crashed',
        }),
      }),
    ),
  )
  log.warn({ requests: holds.length }, 'requests that a crash cut off were released without a charge')
}
