import type { Generated } from 'kysely'

// What the nodes that share a database on PostgreSQL know of each other.

/** A part of the quota of an account or a token that only one node may spend. PostgreSQL only. Changed only in `ledger/`. */
export interface LeaseTable {
  /** The node's start. */
  epoch: number
  /** 1 = an account, 2 = a token. */
  kind: number
  id: number
  /** What is left of it. */
  granted: number
  /** 1 = another node lacks it, or the amounts were changed: the node gives back what it does not use. */
  recalled: number
}

/** A process that shares the database: one row for each start. PostgreSQL only. */
export interface NodeTable {
  /** Number of the start, which no other start of any node ever has. */
  epoch: Generated<number>
  /** Name of the node, the same after a restart. */
  id: string
  version: string
  /** By the clock of the database. */
  started_ms: number
  heartbeat_ms: number
  /** live; ended = it stopped in order; dead = its heartbeat stopped or its next start took its place, so that it may write nothing more. */
  state: 'live' | 'ended' | 'dead'
  /** The last batch of the ledger that it committed, and the response to it. */
  last_number: Generated<number>
  last_answer: Generated<string>
}
