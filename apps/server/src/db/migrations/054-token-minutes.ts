import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Requests and LLM tokens of each token in the last minute, which all nodes count together: `counts` is a list of a second by the database's
 * clock, requests and LLM tokens. The table is not logged: a commit waits for no disk, and after a crash of the database a minute begins
 * anew. `exchange_minute` adds what a node has counted, grants requests ahead as far as the limit leaves any, and returns the minute; the row
 * is locked meanwhile, so that nodes which ask at once are granted no more than the limit.
 */
async function createTokenMinutes(db: Kysely<unknown>): Promise<void> {
  if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`CREATE UNLOGGED TABLE token_minutes (
    token_id bigint PRIMARY KEY,
    touched_second bigint NOT NULL DEFAULT 0,
    counts jsonb NOT NULL DEFAULT '[]'
  ) WITH (fillfactor = 50)`)
  await run(`CREATE FUNCTION exchange_minute(token bigint, now_second bigint, request_limit bigint, wanted bigint, changes jsonb)
  RETURNS TABLE (granted bigint, minute jsonb) LANGUAGE plpgsql AS $$
  DECLARE known jsonb;
  BEGIN
    INSERT INTO token_minutes (token_id) VALUES (token) ON CONFLICT (token_id) DO NOTHING;
    SELECT counts INTO known FROM token_minutes WHERE token_id = token FOR UPDATE;
    known := known || changes;
    SELECT greatest(0, least(wanted, request_limit - coalesce(sum((entry->>1)::bigint), 0))) INTO granted
    FROM jsonb_array_elements(known) AS entry WHERE (entry->>0)::bigint > now_second - 60;
    IF granted > 0 THEN known := known || jsonb_build_array(jsonb_build_array(now_second, granted, 0)); END IF;
    SELECT coalesce(jsonb_agg(jsonb_build_array(second, requests, llm_tokens) ORDER BY second), '[]') INTO minute FROM (
      SELECT (entry->>0)::bigint AS second, sum((entry->>1)::bigint) AS requests, sum((entry->>2)::bigint) AS llm_tokens
      FROM jsonb_array_elements(known) AS entry WHERE (entry->>0)::bigint > now_second - 60
      GROUP BY 1 HAVING sum((entry->>1)::bigint) <> 0 OR sum((entry->>2)::bigint) <> 0
    ) AS by_second;
    UPDATE token_minutes SET counts = minute, touched_second = now_second WHERE token_id = token;
    RETURN NEXT;
  END $$`)
}

export const tokenMinutes: Migration = { up: createTokenMinutes }
