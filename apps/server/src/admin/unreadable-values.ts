import type { UnreadableCounts } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import type { Clock } from '../lib/clock.ts'
import { createPauses } from '../lib/pauses.ts'
import type { Seal } from '../lib/seal.ts'
import { listAppSecrets, listChannelSecrets, listUsableKeys, listWebhooks } from './queries.ts'

interface UnreadableDeps {
  readonly db: Db
  readonly seal: Seal
  /** Options whose stored values cannot be read. */
  readonly options: () => Promise<readonly string[]>
}

const pageRows = 500

/** How many rows of each kind have a value that cannot be read with this master key and can be entered again. Other work gets turns meanwhile. */
export async function countUnreadable({ db, seal, options }: UnreadableDeps): Promise<UnreadableCounts> {
  const isLost = (sealed: string, purpose: string): boolean => sealed !== '' && seal.tryOpen(sealed, purpose) === null
  const keys = (table: 'tokens' | 'redemptions', purpose: string) =>
    countIn(
      (page) => listUsableKeys(db, table, page),
      ({ key_lookup, key_sealed }) => isLost(key_sealed, `${purpose}:${key_lookup}`),
    )
  return {
    channels: await countIn(
      (page) => listChannelSecrets(db, page),
      ({ id, key_sealed, config_sealed, settings_sealed }) =>
        isLost(key_sealed, seal.rowPurpose('channel-key', id)) ||
        isLost(config_sealed, 'channel-config') ||
        isLost(settings_sealed, 'channel-settings'),
    ),
    tokens: await keys('tokens', 'token'),
    redemptions: await keys('redemptions', 'redemption'),
    options: (await options()).length,
    notification_rules: (await listWebhooks(db)).filter(
      ({ url_sealed, secret_sealed }) => isLost(url_sealed, 'webhook-url') || isLost(secret_sealed, 'webhook-secret'),
    ).length,
    second_factors: (await listAppSecrets(db)).filter(({ user_id, app_sealed }) => isLost(app_sealed, `authenticator-app:${user_id}`))
      .length,
  }
}

async function countIn<Row extends { readonly id: number }>(
  list: (page: { readonly after: number; readonly limit: number }) => Promise<readonly Row[]>,
  isUnreadable: (row: Row) => boolean,
): Promise<number> {
  const pause = createPauses()
  let count = 0
  for (let after = 0; ; ) {
    const rows = await list({ after, limit: pageRows })
    for (const row of rows) {
      await pause()
      if (isUnreadable(row)) count += 1
    }
    after = rows.at(-1)?.id ?? 0
    if (rows.length < pageRows) return count
  }
}

/** What was counted last. */
export interface UnreadableValues {
  /** Counts, unless that was done a short time ago. */
  count(): Promise<void>
  current(): UnreadableCounts
  /** The kinds of which there are any. */
  kinds(): readonly string[]
}

/** A count of a large store takes seconds of CPU time: of the time between two counts it may take this part. */
const pausesPerCount = 100
/** Where values must be entered again, whoever does so sees soon what is left. */
const soonMs = 10_000
const laterMs = 3_600_000

export function createUnreadableValues({ clock, ...deps }: UnreadableDeps & { readonly clock: Clock }): UnreadableValues {
  let counts: UnreadableCounts = { channels: 0, tokens: 0, redemptions: 0, options: 0, notification_rules: 0, second_factors: 0 }
  let nextMs = Number.NEGATIVE_INFINITY
  return {
    current: () => counts,
    kinds: () => Object.entries(counts).flatMap(([kind, count]) => (count > 0 ? [kind] : [])),
    async count() {
      const beganMs = clock.monotonicMs()
      if (beganMs < nextMs) return
      nextMs = Number.POSITIVE_INFINITY
      counts = await countUnreadable(deps).finally(() => {
        nextMs = clock.monotonicMs() + soonMs
      })
      const tookMs = clock.monotonicMs() - beganMs
      const isComplete = Object.values(counts).every((count) => count === 0)
      nextMs = beganMs + Math.max(tookMs * pausesPerCount, isComplete ? laterMs : soonMs)
    },
  }
}
