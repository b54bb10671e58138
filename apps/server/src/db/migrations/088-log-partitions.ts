import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { daySeconds, dayStart } from '../day.ts'
import { isPostgres } from '../is-postgres.ts'

/** Days after today for which the first partition is, as many as `makeLogPartitions` makes ahead. */
const daysAhead = 2

interface Index {
  readonly name: string
  readonly definition: string
}

/**
 * Splits the log on PostgreSQL into partitions by its time (`log-partitions.ts`). What is there becomes the first one: its rows and indexes
 * stay where they are, but they are read once, and the key gets a new index, because PostgreSQL wants it to contain the time.
 */
async function splitLog(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return
  await sql`LOCK TABLE logs IN ACCESS EXCLUSIVE MODE`.execute(db)
  const { rows: indexes } = await sql<Index>`SELECT indexname AS name, indexdef AS definition FROM pg_indexes
    WHERE schemaname = current_schema() AND tablename = 'logs' AND indexname <> 'logs_pkey'`.execute(db)
  const { rows } = await sql<{ last: string }>`SELECT greatest(coalesce(max(created_at), 0), extract(epoch FROM now())::bigint) AS last
    FROM logs`.execute(db)
  const end = dayStart(Number(rows[0]?.last ?? 0)) + (1 + daysAhead) * daySeconds
  await sql`ALTER TABLE logs RENAME TO logs_before`.execute(db)
  for (const { name } of indexes)
    await sql`ALTER INDEX ${sql.ref(name)} RENAME TO ${sql.ref(name.replace('logs_', 'logs_before_'))}`.execute(db)
  await sql`CREATE TABLE logs (LIKE logs_before INCLUDING DEFAULTS) PARTITION BY RANGE (created_at)`.execute(db)
  await sql`ALTER SEQUENCE logs_id_seq OWNED BY logs.id`.execute(db)
  await sql`ALTER TABLE logs_before DROP CONSTRAINT logs_pkey`.execute(db)
  await sql`ALTER TABLE logs ADD CONSTRAINT logs_pkey PRIMARY KEY (id, created_at)`.execute(db)
  for (const { definition } of indexes) await sql.raw(definition).execute(db)
  await sql`CREATE INDEX logs_brin ON logs USING brin (created_at)`.execute(db)
  await sql`ALTER TABLE logs ATTACH PARTITION logs_before FOR VALUES FROM (MINVALUE) TO (${sql.lit(end)})`.execute(db)
  await sql`CREATE TABLE logs_other PARTITION OF logs DEFAULT`.execute(db)
  await grantAgain(db)
}

/** Whoever may read or write the table before may do so with the one in its place. */
async function grantAgain(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ privilege: string; role: string | null }>`SELECT privilege_type AS privilege, rolname AS role
    FROM pg_class CROSS JOIN LATERAL aclexplode(relacl) LEFT JOIN pg_roles ON pg_roles.oid = grantee
    WHERE pg_class.oid = 'logs_before'::regclass AND grantee <> relowner`.execute(db)
  for (const { privilege, role } of rows)
    await sql`GRANT ${sql.raw(privilege)} ON logs TO ${role === null ? sql.raw('PUBLIC') : sql.ref(role)}`.execute(db)
}

export const logPartitions: Migration = { up: splitLog }
