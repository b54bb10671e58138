import type { Clock } from '../../../lib/clock.ts'
import type { Deadlines } from '../../../lib/deadlines.ts'
import type { Connection } from './connection.ts'

/** Idle connections, by route (`way`). */
export interface ConnectionPool {
  /** The most recently used one, if the other side should still have it open. */
  take(way: string): Connection | undefined
  /** Whether a connection of this route will be idle within two turns. */
  isSettling(way: string): boolean
  /** Calls back when the settling connections are idle. */
  whenSettled(act: () => void): void
  /** Adds a connection whose exchange is over. It can be taken two turns of the event loop later. */
  add(way: string, connection: Connection): void
  /** Removes a closed connection. */
  remove(way: string, connection: Connection): void
  /** Closes all connections, and those added later. */
  close(): void
}

/** Interval at which idle connections are checked, in milliseconds. */
const sweepMs = 60_000

interface IdleConnection {
  readonly connection: Connection
  readonly untilMs: number
}

type IdleConnections = Map<string, IdleConnection[]>

/** Connections released within one turn of the event loop, and who waits for them. */
interface Settling {
  readonly connections: IdleConnections
  readonly waiting: Array<() => void>
}

/**
 * A connection is reused only after a turn of the event loop in which no data came: bytes that a vendor sends after a complete response
 * would be taken for the response to the next request, which may be another client's.
 */
export function createConnectionPool({ clock, deadlines }: { readonly clock: Clock; readonly deadlines: Deadlines }): ConnectionPool {
  const idle: IdleConnections = new Map()
  /** Released connections whose sockets were not read since (`fresh`), or read once (`settling`). */
  let fresh = newSettling()
  let settling = newSettling()
  let isStepping = false
  let sweeping: ReturnType<Deadlines['start']> | null = null
  let isClosed = false

  /** Closes connections that were idle for too long, and schedules the next check. */
  function sweep(): void {
    sweeping = null
    const now = clock.monotonicMs()
    for (const [way, resters] of idle) {
      const kept = resters.filter(({ untilMs }) => untilMs > now)
      for (const { connection, untilMs } of resters) if (untilMs <= now) connection.destroy()
      if (kept.length === 0) idle.delete(way)
      else idle.set(way, kept)
    }
    planSweep()
  }

  function planSweep(): void {
    if (idle.size > 0 && !isClosed) sweeping ??= deadlines.start(sweepMs, sweep)
  }

  /** Runs once per turn, between two reads of the sockets. */
  function step(): void {
    const settled = settling
    settling = fresh
    fresh = newSettling()
    isStepping = settling.connections.size > 0 || settling.waiting.length > 0
    if (isStepping) setImmediate(step)
    for (const [way, resters] of settled.connections) for (const resting of resters) put(idle, way, resting)
    planSweep()
    for (const act of settled.waiting) act()
  }

  function planStep(): void {
    if (isStepping) return
    isStepping = true
    setImmediate(step)
  }

  return {
    take(way) {
      const resting = idle.get(way)?.pop()
      if (resting === undefined || resting.untilMs > clock.monotonicMs()) return resting?.connection
      resting.connection.destroy()
      return undefined
    },
    isSettling: (way) => fresh.connections.has(way) || settling.connections.has(way),
    whenSettled(act) {
      fresh.waiting.push(act)
      planStep()
    },
    add(way, connection) {
      if (isClosed) {
        connection.destroy()
        return
      }
      put(fresh.connections, way, { connection, untilMs: clock.monotonicMs() + connection.keepMs })
      planStep()
    },
    remove(way, connection) {
      for (const resters of [idle, fresh.connections, settling.connections]) drop(resters, way, connection)
    },
    close() {
      isClosed = true
      const all = [idle, fresh.connections, settling.connections]
      const resters = all.flatMap((ways) => [...ways.values()].flat())
      for (const ways of all) ways.clear()
      for (const { connection } of resters) connection.destroy()
      if (sweeping !== null) deadlines.cancel(sweeping)
    },
  }
}

function newSettling(): Settling {
  return { connections: new Map(), waiting: [] }
}

function put(resters: IdleConnections, way: string, resting: IdleConnection): void {
  const known = resters.get(way)
  if (known === undefined) resters.set(way, [resting])
  else known.push(resting)
}

function drop(resters: IdleConnections, way: string, connection: Connection): void {
  const known = resters.get(way)
  const at = known?.findIndex((resting) => resting.connection === connection) ?? -1
  if (known === undefined || at === -1) return
  known.splice(at, 1)
  if (known.length === 0) resters.delete(way)
}
