import { hostname } from 'node:os'
import { systemClock } from '../lib/clock.ts'

/** A running process that shares the database. */
export interface Member {
  /** Its name, the same after a restart. */
  readonly id: string
  /** Number of its start, which no other start of any node ever has. */
  readonly epoch: number
  readonly version: string
  /** Milliseconds since the epoch by the clock of the database. */
  readonly startedMs: number
  readonly heartbeatMs: number
}

/** This process among those that share the database. */
export interface Node extends Pick<Member, 'id' | 'epoch'> {
  /** The running nodes with the oldest first, this one included, as of the last heartbeat. */
  live(): readonly Member[]
  /** Whether a heartbeat is recent enough that no other node can have declared this one dead. */
  isHeard(): boolean
  /** Called for each node that has ended or was declared dead, at most a heartbeat after every node can see it. */
  onNodeDown(react: (member: Member) => void): void
  /** Called once when this node was declared dead: it may write nothing more and must end. */
  onFenced(react: () => void): void
}

/** What a process reports about itself. */
export interface NodeInfo {
  readonly id: string
  readonly version: string
}

/** The name of a process that has none of its own. Port 0 is not the same after a restart. */
export function nodeIdAt(port: number): string {
  return `${hostname()}:${port === 0 ? process.pid : port}`
}

/** A process that reports nothing about itself. */
export function processInfo(): NodeInfo {
  return { id: nodeIdAt(0), version: '' }
}

/** The only process of a store that admits one. */
export function soleNode({ id, version }: NodeInfo): Node {
  const nowMs = systemClock.nowMs()
  const self: Member = { id, epoch: 1, version, startedMs: nowMs, heartbeatMs: nowMs }
  return { id, epoch: self.epoch, live: () => [self], isHeard: () => true, onNodeDown: () => {}, onFenced: () => {} }
}
