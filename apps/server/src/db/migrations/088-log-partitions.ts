import { type Kysely, sql } from 'kysely'
import { daySeconds, dayStart } from '../../lib/day.ts'
import { isPostgres } from '../is-postgres.ts'
import { buildIndex, type PreparedMigration } from '../prepared-migration.ts'

/**
 * Days after today for which the first partition is. More than `makeLogPartitions` makes ahead, because the constraint of `prepareSplit`
 * stays if the process is killed between the two: until then, a server of the version before can write all its rows.
 */
const daysAhead = 7

/** What the first partition has when it becomes one, so that nothing is read or built while others wait. */
const prepared = {
  constraint: 'logs_until_split',
  indexes: {
    logs_before_pkey: sql`CREATE UNIQUE INDEX CONCURRENTLY logs_before_pkey ON logs (id, created_at)`,
    logs_before_brin: sql`CREATE INDEX CONCURRENTLY logs_before_brin ON logs USING brin (created_at)`,
  },
} as const

/** A log that was split before cannot be prepared again. */
async function isWhole(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM pg_class WHERE oid = to_regclass('logs') AND relkind = 'r'`.execute(db)
  return rows.length > 0
}

/** Seconds since the epoch before which all rows are: of the day after the last row, or after today. */
async function endOfRows(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ last: string }>`SELECT greatest(coalesce(max(created_at), 0), extract(epoch FROM now())::bigint) AS last
    FROM logs`.execute(db)
  return dayStart(Number(rows[0]?.last ?? 0)) + (1 + daysAhead) * daySeconds
}

/**
 * The end of the constraint that says until when there are rows, so that PostgreSQL does not read them to see whether they belong into the
 * partition. In seconds since the epoch; `null`: there is no such constraint.
 */
async function preparedEnd(db: Kysely<unknown>): Promise<number | null> {
  const { rows } = await sql<{ definition: string }>`SELECT pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE conrelid = 'logs'::regclass AND conname = ${prepared.constraint}`.execute(db)
  const end = /< '?(\d+)/.exec(rows[0]?.definition ?? '')?.[1]
  return end === undefined ? null : Number(end)
}

/** The log is waited for this long only, because everything else waits behind; then all is tried again. */
const lockMs = 1_000

/** Nobody else uses the log from now on. @param change a transaction */
async function lockLog(change: Kysely<unknown>): Promise<void> {
  await sql`SET LOCAL lock_timeout = ${sql.lit(lockMs)}`.execute(change)
  await sql`LOCK TABLE logs IN ACCESS EXCLUSIVE MODE`.execute(change)
  await sql`SET LOCAL lock_timeout TO DEFAULT`.execute(change)
}

/** @param end seconds since the epoch; `null`: the log has no such constraint */
async function setEnd(db: Kysely<unknown>, end: number | null): Promise<void> {
  const name = sql.ref(prepared.constraint)
  await db.transaction().execute(async (change) => {
    await lockLog(change)
    await sql`ALTER TABLE logs DROP CONSTRAINT IF EXISTS ${name}`.execute(change)
    if (end === null) return
    const holds = sql`created_at IS NOT NULL AND created_at < ${sql.lit(end)}`
    await sql`ALTER TABLE logs ADD CONSTRAINT ${name} CHECK (${holds}) NOT VALID`.execute(change)
  })
}

/** Reads the log and builds indexes while other servers write it. May be called again after it was interrupted. */
async function prepareSplit(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db) || !(await isWhole(db))) return
  for (const [name, create] of Object.entries(prepared.indexes)) await buildIndex(db, name, create)
  const end = await endOfRows(db)
  // One of yesterday is good enough; one that is older is not.
  if (((await preparedEnd(db)) ?? 0) < end - daySeconds) await setEnd(db, end)
  await sql`ALTER TABLE logs VALIDATE CONSTRAINT ${sql.ref(prepared.constraint)}`.execute(db)
}

/** Takes back what would refuse rows of the version before. */
async function abandonSplit(db: Kysely<unknown>): Promise<void> {
  if (isPostgres(db) && (await isWhole(db))) await setEnd(db, null)
}

interface Index {
  readonly name: string
  readonly definition: string
}

/**
 * Splits the log on PostgreSQL into partitions by its time (`log-partitions.ts`). What is there becomes the first one: its rows and indexes
 * stay where they are. Its key is a new index, because PostgreSQL wants it to contain the time.
 */
async function splitLog(db: Kysely<unknown>): Promise<void> {
  if (!isPostgres(db)) return
  await lockLog(db)
  const { rows } = await sql<Index>`SELECT indexname AS name, indexdef AS definition FROM pg_indexes
    WHERE schemaname = current_schema() AND tablename = 'logs' AND indexname <> 'logs_pkey'`.execute(db)
  const isPrepared = (name: string): boolean => Object.hasOwn(prepared.indexes, name)
  const indexes = rows.filter(({ name }) => !isPrepared(name))
  const end = (await preparedEnd(db)) ?? (await endOfRows(db))
  await sql`ALTER TABLE logs RENAME TO logs_before`.execute(db)
  for (const { name } of indexes)
    await sql`ALTER INDEX ${sql.ref(name)} RENAME TO ${sql.ref(name.replace('logs_', 'logs_before_'))}`.execute(db)
  await sql`CREATE TABLE logs (LIKE logs_before INCLUDING DEFAULTS) PARTITION BY RANGE (created_at)`.execute(db)
  await sql`ALTER SEQUENCE logs_id_seq OWNED BY logs.id`.execute(db)
  await sql`ALTER TABLE logs_before DROP CONSTRAINT logs_pkey`.execute(db)
  if (rows.some(({ name }) => name === 'logs_before_pkey'))
    await sql`ALTER TABLE logs_before ADD CONSTRAINT logs_before_pkey PRIMARY KEY USING INDEX logs_before_pkey`.execute(db)
  await sql`ALTER TABLE logs ADD CONSTRAINT logs_pkey PRIMARY KEY (id, created_at)`.execute(db)
  for (const { definition } of indexes) await sql.raw(definition).execute(db)
  await sql`CREATE INDEX logs_brin ON logs USING brin (created_at)`.execute(db)
  await sql`ALTER TABLE logs ATTACH PARTITION logs_before FOR VALUES FROM (MINVALUE) TO (${sql.lit(end)})`.execute(db)
  await sql`ALTER TABLE logs_before DROP CONSTRAINT IF EXISTS ${sql.ref(prepared.constraint)}`.execute(db)
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

export const logPartitions: PreparedMigration = { prepare: prepareSplit, up: splitLog, abandon: abandonSplit }
