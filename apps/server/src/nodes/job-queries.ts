import { sql } from 'kysely'
import type { Db } from '../db/connect.ts'

// Every time here is by the database's clock, which may be set: so the work of a node is its own as long as the node is live, whatever time it is.

/** Whether a row belongs to a node: to a live one, or, if its process is none of the nodes, to one that has claimed it lately. */
const isOwned = sql`owner.owned_until > '-infinity' AND coalesce(
  (SELECT n.state = 'live' FROM nodes AS n WHERE n.id || ' ' || n.epoch = owner.node), owner.owned_until >= clock_timestamp())`

interface Claim {
  readonly name: string
  readonly node: string
  readonly seconds: number
}

/** Takes or keeps the ownership, unless another node has it. @returns whether this node has it now */
export async function claimOwnership(db: Db, { name, node, seconds }: Claim): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO job_owners AS owner (name, node, owned_until) VALUES (${name}, ${node}, clock_timestamp() + make_interval(secs => ${seconds}))
    ON CONFLICT (name) DO UPDATE SET node = excluded.node, owned_until = excluded.owned_until
    WHERE owner.node = excluded.node OR NOT (${isOwned})
    RETURNING 1`.execute(db)
  return rows.length > 0
}

export async function endOwnership(db: Db, { name, node }: Pick<Claim, 'name' | 'node'>): Promise<void> {
  await sql`UPDATE job_owners SET owned_until = '-infinity' WHERE name = ${name} AND node = ${node}`.execute(db)
}

/** Stores how far the work is, unless another node has taken it over. */
export async function saveProgress(
  db: Db,
  { name, node, progress }: Omit<Claim, 'seconds'> & { readonly progress: string },
): Promise<void> {
  await sql`UPDATE job_owners SET progress = ${progress} WHERE name = ${name} AND node = ${node}`.execute(db)
}

interface StoredProgress {
  readonly progress: string
  readonly isOwned: boolean
}

export async function findProgress(db: Db, name: string): Promise<StoredProgress | null> {
  const { rows } = await sql<{ progress: string; is_owned: number }>`
    SELECT progress, ${isOwned} AS is_owned FROM job_owners AS owner WHERE name = ${name}`.execute(db)
  const [row] = rows
  return row === undefined ? null : { progress: row.progress, isOwned: row.is_owned === 1 }
}

interface Due {
  readonly name: string
  /** When it counts as begun if no node has begun it yet. */
  readonly firstMs: number
  readonly nowMs: number
  readonly everyMs: number
}

/** Begins what is due at an interval, once for all nodes. */
export async function beginDue(db: Db, { name, firstMs, nowMs, everyMs }: Due): Promise<boolean> {
  await sql`INSERT INTO job_owners (name, begun_ms) VALUES (${name}, ${firstMs}) ON CONFLICT (name) DO NOTHING`.execute(db)
  const { numAffectedRows = 0n } = await sql`
    UPDATE job_owners SET begun_ms = ${nowMs} WHERE name = ${name} AND begun_ms <= ${nowMs - everyMs}`.execute(db)
  return numAffectedRows > 0n
}
