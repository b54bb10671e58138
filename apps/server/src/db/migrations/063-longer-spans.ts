import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const hours = 384

/** Sums of 16 days of each account and token, beside those of one day and of four. */
async function addSpans(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `INSERT INTO usage_account_spans
        SELECT CAST(${hours} AS BIGINT), hour - hour % ${hours * 3_600}, user_id, token_name, SUM(requests), SUM(failures), SUM(quota),
          SUM(prompt_tokens), SUM(completion_tokens), SUM(elapsed_ms)
        FROM usage_hours GROUP BY 1, 2, 3, 4`,
    )
    .execute(db)
}

export const longerSpans: Migration = { up: addSpans }
