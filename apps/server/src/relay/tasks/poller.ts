import { countGarbage } from '../../lib/count-garbage.ts'
import { claimMs, pauseMaxMs } from './poll-pause.ts'
import { createTaskPolls, type PollDeps, type TaskPolls } from './task-polls.ts'
import { claim, type DueTask, listDue, nextDueMs, takeOver, takeOverCreations } from './task-queries.ts'

/** Asks vendors about running tasks. Several pollers may run at once: each question is claimed in the database first. */
export interface Poller extends Pick<TaskPolls, 'take'> {
  /** Starts the questions that are due, which run on after it has returned. */
  poll(): Promise<StartedPolls>
  /** A task was submitted, or is wanted sooner. */
  wake(): void
  /** Begins no further questions: the server is being stopped. */
  close(): void
  /** Resolves when no question runs. */
  idle(): Promise<void>
}

/** Questions that have been started. */
export interface StartedPolls {
  /** Resolves when all of them have responses and those are stored. */
  readonly responded: Promise<unknown>
}

/** Questions at a time, in all and for one channel. */
const inFlightMax = 64
const perChannelMax = 8
/** Questions of a round, which takes half a second: so many tasks may run that questions about them would leave nothing for other requests. */
const perRoundMax = 150
/** Tasks that are read at a time. */
const listedMax = 256
/** Each leaves eight kilobytes or more, which the runtime collects by itself only when they are tens of megabytes. */
const pollsPerCollection = 1_000
/** The database is looked at at least this often, for tasks of other pollers. */
const scanEveryMs = 5_000

export function createPoller(deps: PollDeps): Poller {
  const { db, clock, log, running } = deps
  const inFlight = new Map<string, Promise<void>>()
  const perChannel = new Map<number, number>()
  const countPoll = countGarbage(pollsPerCollection)
  let inFlightCount = 0
  let nextScanMs = Number.NEGATIVE_INFINITY
  /** When it is looked next for orders that a dead node has left. */
  let nextCreationScanMs = Number.NEGATIVE_INFINITY
  let hasTakenOver = false
  let isClosed = false
  /** Tasks that are due and not claimed yet, by the batch. */
  let waiting: (readonly DueTask[])[] = []
  let scanning: Promise<void> | null = null
  /** Questions that may still begin in this round. */
  let left = 0
  /** More are due than were read. */
  let isMore = false
  const taskPolls = createTaskPolls({
    ...deps,
    onDueIn(ms) {
      nextScanMs = Math.min(nextScanMs, clock.monotonicMs() + ms)
    },
  })

  async function poll(): Promise<StartedPolls> {
    if (isClosed) return noPolls
    left = perRoundMax
    await startDuePolls()
    return { responded: idle() }
  }

  /** Begins what may run now. */
  async function startDuePolls(): Promise<void> {
    if (waiting.length === 0 && clock.monotonicMs() >= nextScanMs) await scanOnce()
    fillSlots()
  }

  /** Responses that arrive together read once what is due. */
  function scanOnce(): Promise<void> {
    scanning ??= scan().finally(() => {
      scanning = null
    })
    return scanning
  }

  /** Reads what is due. */
  async function scan(): Promise<void> {
    const nowMs = clock.nowMs()
    // Where other nodes run, the questions may be theirs; those of a dead one come up by themselves.
    if (!hasTakenOver && deps.isAlone()) await takeOver(db, nowMs)
    hasTakenOver = true
    if (clock.monotonicMs() >= nextCreationScanMs) {
      nextCreationScanMs = clock.monotonicMs() + scanEveryMs
      await takeOverCreations(db, nowMs)
    }
    const due = await listDue(db, { nowMs, aheadMs: nowMs + farAheadMs, limit: listedMax })
    isMore = due.length === listedMax
    waiting = [
      ...inBatches(
        due.filter(({ public_id: id }) => !inFlight.has(id)),
        taskPolls.batchOf,
      ),
    ]
    if (due.length === 0) await scheduleScan()
  }

  /** Waits for the next task that is due, if it is near. */
  async function scheduleScan(): Promise<void> {
    const next = await nextDueMs(db)
    const wait = next === null ? scanEveryMs : Math.min(scanEveryMs, Math.max(0, next - clock.nowMs()))
    nextScanMs = clock.monotonicMs() + wait
  }

  /** Begins as many questions as may run. They count from here, before they are claimed, so that rounds at once share the limits. */
  function fillSlots(): void {
    while (!isClosed && inFlight.size < inFlightMax && left > 0) {
      const index = waiting.findIndex((batch) => !isFull(batch))
      const [batch] = index === -1 ? [] : waiting.splice(index, 1)
      if (batch === undefined) return
      const fresh = batch.filter(({ public_id: id }) => !inFlight.has(id))
      if (fresh.length > 0) startPoll(fresh)
      left -= 1
    }
  }

  const isFull = ([task]: readonly DueTask[]): boolean => (perChannel.get(task?.channel_id ?? 0) ?? 0) >= perChannelMax

  function startPoll(batch: readonly DueTask[]): void {
    const channelId = batch[0]?.channel_id ?? 0
    perChannel.set(channelId, (perChannel.get(channelId) ?? 0) + 1)
    inFlightCount += 1
    const polling = claimAndPoll(batch)
      .catch((err: unknown) => log.error({ err, tasks: batch.length }, 'task polling failed, will retry'))
      .finally(() => {
        for (const { public_id: id } of batch) inFlight.delete(id)
        inFlightCount -= 1
        const left = (perChannel.get(channelId) ?? 1) - 1
        if (left === 0) perChannel.delete(channelId)
        else perChannel.set(channelId, left)
        // Only requests of clients would wait: a question that is a little late harms nobody.
        countPoll(running.count <= inFlightCount)
        continueRound()
      })
    for (const { public_id: id } of batch) inFlight.set(id, polling)
  }

  async function claimAndPoll(batch: readonly DueTask[]): Promise<void> {
    const untilMs = clock.nowMs() + claimMs
    const claimed: DueTask[] = []
    for (const task of batch) if (!isClosed && (await claim(db, task, untilMs))) claimed.push(task)
    if (claimed.length > 0) await taskPolls.poll(claimed)
  }

  /** Under load the next question does not wait for the next round. */
  function continueRound(): void {
    if (left === 0 || (waiting.length === 0 && !isMore)) return
    startDuePolls().catch((err: unknown) => log.error({ err }, 'due tasks not readable'))
  }

  /** Questions begin when what is due has been read, so a reading is waited for too. */
  async function idle(): Promise<void> {
    while (inFlight.size > 0 || scanning !== null) await Promise.allSettled([scanning, ...inFlight.values()])
  }

  return {
    take: taskPolls.take,
    poll,
    wake() {
      nextScanMs = Number.NEGATIVE_INFINITY
    },
    close() {
      isClosed = true
    },
    idle,
  }
}

/** Tasks that are polled together. */
function inBatches(tasks: readonly DueTask[], batchOf: TaskPolls['batchOf']): readonly (readonly DueTask[])[] {
  const open = new Map<string, DueTask[]>()
  const batches: DueTask[][] = []
  for (const task of tasks) {
    const { name, max } = batchOf(task)
    const batch = open.get(name) ?? []
    if (batch.length === 0) batches.push(batch)
    batch.push(task)
    if (batch.length < max) open.set(name, batch)
    else open.delete(name)
  }
  return batches
}

const noPolls: StartedPolls = { responded: Promise.resolve() }

/** No time that is set lies further ahead. */
const farAheadMs = 60 * 60 * 1000 + pauseMaxMs
