import type { Member } from './node.ts'

/** Which of the other nodes have been silent for how long: by this process's monotonic clock only, whatever the clock of the database shows. */
export interface SilentNodes {
  /** Notes the rows of all live nodes, as they were read at a time of the monotonic clock. */
  observe(members: readonly Member[], nowMs: number): void
  /** Nodes whose heartbeat has been one and the same for this long. */
  list(silentMs: number, nowMs: number): readonly Heartbeat[]
  /** Begins all observations anew: after a gap nobody is known to have been silent. */
  restart(): void
}

export type Heartbeat = Pick<Member, 'epoch' | 'heartbeatMs'>

export function createSilentNodes(ownEpoch: number): SilentNodes {
  /** The last heartbeat that was seen of each node, and since when it has been the last one. */
  let seen = new Map<number, { readonly heartbeatMs: number; readonly sinceMs: number }>()
  return {
    observe(members, nowMs) {
      const others = members.filter(({ epoch }) => epoch !== ownEpoch)
      seen = new Map(
        others.map(({ epoch, heartbeatMs }) => {
          const before = seen.get(epoch)
          return [epoch, before?.heartbeatMs === heartbeatMs ? before : { heartbeatMs, sinceMs: nowMs }]
        }),
      )
    },
    list: (silentMs, nowMs) =>
      [...seen].filter(([, { sinceMs }]) => nowMs - sinceMs >= silentMs).map(([epoch, { heartbeatMs }]) => ({ epoch, heartbeatMs })),
    restart() {
      seen.clear()
    },
  }
}
