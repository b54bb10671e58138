import { systemClock } from '../lib/clock.ts'
import type { Member, Node, NodeInfo } from './node.ts'
import { beat, declareDead, listLive } from './node-rows.ts'
import { declaredDead } from './owned-connection.ts'
import { openPool } from './postgres-pool.ts'
import { settingsOf } from './session-settings.ts'
import { createSilentNodes } from './silent-nodes.ts'

const heartbeatMs = 2_000
/** A node whose heartbeat has not changed for this long, by the monotonic clock of another one, is declared dead by that one. */
const silentMs = 10_000
/** How long after a heartbeat a node may be sure that it has not been declared dead: the rest is for a clock that runs faster. */
const trustedMs = 8_000
/** A longer gap between two heartbeats means that this process or the database was suspended. */
const gapMs = 5_000
/** Longest time of one statement. */
const statementMs = 5_000
/** A connection without a response for this long is considered half-open, and another one is opened in time for the next heartbeat. */
const responseMs = 3_000
const closeSeconds = 1

export interface OpenNode extends Node {
  /** Another connection found that this node must end. @param why for the log */
  fence(why: string): void
  close(): Promise<void>
}

interface NodeOptions {
  readonly url: string
  readonly info: NodeInfo
  readonly epoch: number
  readonly report: (what: string, error: unknown) => void
}

/** Keeps this process among the live nodes, on a connection of its own, so that neither a long batch nor a slow list delays a heartbeat. */
export async function openNode({ url, info, epoch, report }: NodeOptions): Promise<OpenNode> {
  const open = () => openPool(url, { max: 1, name: `sluice node ${epoch}`, settings: settingsOf({ statementMs }) })
  let pool = open()
  const downListeners: ((member: Member) => void)[] = []
  const fencedListeners: (() => void)[] = []
  let members = await listLive(pool)
  let lastMs = systemClock.monotonicMs()
  /** When the last heartbeat that was recorded was sent. */
  let lastHeartbeatMs = lastMs
  const silentNodes = createSilentNodes(epoch)
  silentNodes.observe(members, lastMs)
  let isFenced = false
  let running: Promise<void> | null = null

  async function turn(): Promise<void> {
    const nowMs = systemClock.monotonicMs()
    if (!(await beat(pool, epoch))) return fence(declaredDead)
    lastHeartbeatMs = nowMs
    // After a database outage, the other nodes get time to send a heartbeat again.
    if (nowMs - lastMs > gapMs) silentNodes.restart()
    lastMs = nowMs
    const live = await listLive(pool)
    silentNodes.observe(live, systemClock.monotonicMs())
    const silent = silentNodes.list(silentMs, systemClock.monotonicMs())
    for (const heartbeat of silent) await declareDead(pool, heartbeat)
    keep(silent.length === 0 ? live : await listLive(pool))
  }

  /** @throws if the database does not respond */
  async function turnInTime(): Promise<void> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late.reject(new Error('the database does not respond'))
      const silent = pool
      pool = open()
      void silent.close({ timeout: 0 }).catch(() => {})
    }, responseMs)
    await Promise.race([turn(), late.promise]).finally(() => clearTimeout(timer))
  }

  function keep(now: readonly Member[]): void {
    const downMembers = members.filter((member) => !now.some((other) => other.epoch === member.epoch))
    members = now
    for (const member of downMembers) for (const react of downListeners) react(member)
  }

  function fence(why: string): void {
    if (isFenced) return
    isFenced = true
    clearInterval(timer)
    report(`${why}, and this process ends`, null)
    for (const react of fencedListeners) react()
  }

  const timer = setInterval(() => {
    running ??= turnInTime()
      // Reported by the ledger's connection, which notices it at once.
      .catch(() => {})
      .finally(() => {
        running = null
      })
  }, heartbeatMs)
  timer.unref()

  return {
    id: info.id,
    epoch,
    live: () => members,
    onNodeDown: (react) => void downListeners.push(react),
    onFenced: (react) => void fencedListeners.push(react),
    fence,
    isHeard: () => systemClock.monotonicMs() - lastHeartbeatMs < trustedMs,
    async close() {
      clearInterval(timer)
      await running
      await pool.close({ timeout: closeSeconds })
    },
  }
}
