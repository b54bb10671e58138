import type { ReservedSQL } from 'bun'
import type { Member, NodeInfo } from './node.ts'
import type { Queryable } from './postgres-pool.ts'
import type { Heartbeat } from './silent-nodes.ts'

// The rows of the nodes. Their times are by the clock of the database, so that the clocks of the nodes need not agree. That clock may be set:
// other nodes only compare whether a heartbeat is the one that they have seen before (`silent-nodes.ts`).

const nowMs = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
/** Always another value than the last heartbeat, also while the clock of the database stands or is behind it for a moment. */
const nextHeartbeat = `CASE WHEN ${nowMs} BETWEEN heartbeat_ms - 10000 AND heartbeat_ms THEN heartbeat_ms + 1 ELSE ${nowMs} END`

/**
 * Adds this start. An earlier start of the same node has ended, because its lock was free; so has every node if the database is not shared.
 * @returns the number of this start
 */
export async function addNode(line: ReservedSQL, { id, version }: NodeInfo, isShared: boolean): Promise<number> {
  await line.unsafe("UPDATE nodes SET state = 'dead' WHERE state = 'live' AND (id = $1 OR NOT $2)", [id, isShared])
  const [row] = await line.unsafe<{ epoch: bigint }[]>(
    `INSERT INTO nodes (id, version, state, started_ms, heartbeat_ms) VALUES ($1, $2, 'live', ${nowMs}, ${nowMs}) RETURNING epoch`,
    [id, version],
  )
  return Number(row?.epoch)
}

/**
 * The last transaction that a node committed; `null`: it was declared dead. This is a commit of its own, which waits for the synchronous standby:
 * the last one may be visible although its session ended while it waited, and would be lost with the primary. The number of a start may be
 * given out again after a standby that was behind took over, so the name is compared too.
 */
export async function findNode(
  line: ReservedSQL,
  { id, epoch }: Pick<Member, 'id' | 'epoch'>,
): Promise<{ readonly number: number; readonly response: string } | null> {
  const [row] = await line.unsafe<{ last_number: bigint; last_answer: string }[]>(
    `UPDATE nodes SET heartbeat_ms = ${nextHeartbeat} WHERE epoch = $1 AND id = $2 AND state = 'live' RETURNING last_number, last_answer`,
    [epoch, id],
  )
  return row === undefined ? null : { number: Number(row.last_number), response: row.last_answer }
}

/** Says that a node has stopped in order. */
export async function endNode(line: ReservedSQL, epoch: number): Promise<void> {
  await line.unsafe("UPDATE nodes SET state = 'ended' WHERE epoch = $1 AND state = 'live'", [epoch])
}

/**
 * A transaction that is refused once the node was declared dead: it divides by the number of changed rows, and the error rolls the whole
 * statement back. The last two parameters are the number of the transaction and the node's epoch.
 */
export function fencedText({ parts, response }: { readonly parts: string; readonly response: string }, parameters: number): string {
  return `WITH ${parts}${parts === '' ? '' : ', '}noted AS (
  UPDATE nodes SET last_number = $${parameters + 1}, last_answer = (${response}), heartbeat_ms = ${nextHeartbeat}
  WHERE epoch = $${parameters + 2} AND state = 'live' RETURNING last_answer
) SELECT max(last_answer) AS answer, 1 / count(*) AS noted FROM noted`
}

/** `false`: the node was declared dead. */
export async function beat(pool: Queryable, epoch: number): Promise<boolean> {
  const rows = await pool.unsafe(`UPDATE nodes SET heartbeat_ms = ${nextHeartbeat} WHERE epoch = $1 AND state = 'live' RETURNING epoch`, [
    epoch,
  ])
  return rows.length > 0
}

/** Declares a node dead, unless it has had another heartbeat than this one. The heartbeat is compared again once the row is locked. */
export async function declareDead(pool: Queryable, { epoch, heartbeatMs }: Heartbeat): Promise<void> {
  await pool.unsafe("UPDATE nodes SET state = 'dead' WHERE state = 'live' AND epoch = $1 AND heartbeat_ms = $2", [epoch, heartbeatMs])
}

interface MemberRow {
  readonly id: string
  readonly epoch: bigint
  readonly version: string
  readonly started_ms: bigint
  readonly heartbeat_ms: bigint
}

export async function listLive(pool: Queryable): Promise<readonly Member[]> {
  const rows = await pool.unsafe<MemberRow[]>(
    "SELECT id, epoch, version, started_ms, heartbeat_ms FROM nodes WHERE state = 'live' ORDER BY epoch",
  )
  return rows.map(({ id, version, ...row }) => ({
    id,
    epoch: Number(row.epoch),
    version,
    startedMs: Number(row.started_ms),
    heartbeatMs: Number(row.heartbeat_ms),
  }))
}
