import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'

/** A second by the database's clock, and what is added to its requests and its LLM tokens. */
export type Count = readonly [second: number, requests: number, llmTokens: number]

/** What a node asks of the minute of one token. */
export interface MinuteQuestion {
  readonly token: number
  /** Requests to grant ahead, as far as the limit leaves any. */
  readonly requested: number
  readonly limit: number
  readonly changes: readonly Count[]
}

export interface MinuteResult {
  readonly granted: number
  /** Of all nodes. */
  readonly minute: readonly Count[]
}

/** @returns the responses in the order of the questions, which must be that of the tokens: nodes that lock in one order do not wait for each other */
export async function exchangeMinutes(db: Db, questions: readonly MinuteQuestion[], nowSecond: number): Promise<readonly MinuteResult[]> {
  const { rows } = await sql<{ granted: number; minute: string }>`
    SELECT granted, minute::text AS minute
    FROM jsonb_array_elements(${JSON.stringify(questions)}::text::jsonb) WITH ORDINALITY AS asked (question, place),
      LATERAL exchange_minute((question->>'token')::bigint, ${nowSecond}::bigint, (question->>'limit')::bigint,
        (question->>'requested')::bigint, question->'changes')
    ORDER BY place`.execute(db)
  // Holds: the function returns lists of three numbers.
  return rows.map(({ granted, minute }) => ({ granted, minute: JSON.parse(minute) as readonly Count[] }))
}
