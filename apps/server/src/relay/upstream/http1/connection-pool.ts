import type { Clock } from '../../../lib/clock.ts'
import type { Deadlines } from '../../../lib/deadlines.ts'
import type { Connection } from './connection.ts'

/** Connections that wait for their next request, by the way they lead. */
export interface ConnectionPool {
  /** The one used last, as long as the other side can be trusted to keep it still. */
  take(way: string): Connection | undefined
  /** Whether a connection of this way is about to be free. */
  isSettling(way: string): boolean
  /** Calls back when the connections that are settling now are free. */
  whenSettled(act: () => void): void
  /** Keeps a connection whose exchange is over. It can be taken two turns later. */
  add(way: string, connection: Connection): void
  /** It is closed. */
  remove(way: string, connection: Connection): void
  /** Closes all of them, and whatever is added later. */
  close(): void
}

/** How often unused connections are looked at, in milliseconds. */
const sweepMs = 60_000

interface Resting {
  readonly connection: Connection
  readonly untilMs: number
}

type Resters = Map<string, Resting[]>

/** What became free, and who waits for it, within one turn of the event loop. */
interface Settling {
  readonly connections: Resters
  readonly waiting: Array<() => void>
}

/**
 * A connection is used again only after a turn of the event loop in which nothing came on it: what a vendor sends behind a complete answer would
 * be taken for the answer to the next request, which is somebody else's.
 */
export function createConnectionPool({ clock, deadlines }: { readonly clock: Clock; readonly deadlines: Deadlines }): ConnectionPool {
  const idle: Resters = new Map()
  /** Sockets have not been read since, and have been read once since. */
  let fresh = newSettling()
  let settling = newSettling()
  let isStepping = false
  let sweeping: ReturnType<Deadlines['start']> | null = null
  let isClosed = false

  /** Closes what nobody has used for long, and looks again later. */
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

  /** Runs once a turn, between two readings of the sockets. */
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

function put(resters: Resters, way: string, resting: Resting): void {
  const known = resters.get(way)
  if (known === undefined) resters.set(way, [resting])
  else known.push(resting)
}

function drop(resters: Resters, way: string, connection: Connection): void {
  const known = resters.get(way)
  const at = known?.findIndex((resting) => resting.connection === connection) ?? -1
  if (known === undefined || at === -1) return
  known.splice(at, 1)
  if (known.length === 0) resters.delete(way)
}
