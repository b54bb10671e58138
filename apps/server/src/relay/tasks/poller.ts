import { pauseMaxMs } from './poll-pause.ts'
import { createQuestions, type QuestionDeps, type Questions, questionMs } from './questions.ts'
import { claim, type DueTask, listDue, nextDueMs, takeOver } from './task-queries.ts'

/** Asks vendors about running tasks. Several pollers may run at once: each question is claimed in the database first. */
export interface Poller {
  /** Starts the questions that are due, which run on after it has returned. */
  poll(): Promise<Asked>
  /** A task was submitted, or is wanted sooner. */
  wake(): void
  /** Resolves when no question runs. */
  idle(): Promise<void>
}

/** Questions that have been started. */
export interface Asked {
  /** Resolves when all of them were answered and the answers are stored. */
  readonly answered: Promise<unknown>
}

interface PollerDeps extends QuestionDeps {
  /** Whether new questions may begin. */
  readonly isOpen: () => boolean
}

/** Questions at a time, in all and for one channel. */
const inFlightMax = 64
const perChannelMax = 8
/** A question that is not answered by then may be asked by another poller. It is longer than a question takes. */
const claimMs = questionMs + 30_000
/** The database is looked at at least this often, for tasks of other pollers. */
const lookEveryMs = 5_000

export function createPoller(deps: PollerDeps): Poller {
  const { db, clock, log } = deps
  const asking = new Map<string, Promise<void>>()
  const perChannel = new Map<number, number>()
  let lookAtMs = Number.NEGATIVE_INFINITY
  let hasTakenOver = false
  const questions = createQuestions({
    ...deps,
    lookIn(ms) {
      lookAtMs = Math.min(lookAtMs, clock.monotonicMs() + ms)
    },
  })

  async function poll(): Promise<Asked> {
    if (!deps.isOpen() || asking.size >= inFlightMax || clock.monotonicMs() < lookAtMs) return nothingAsked
    const nowMs = clock.nowMs()
    const due = await findDue(nowMs)
    const begun: Promise<void>[] = []
    for (const batch of inBatches(
      due.filter(({ public_id: id }) => !asking.has(id)),
      questions.batchOf,
    )) {
      const claimed = isFull(batch) ? [] : await claimAll(batch, nowMs)
      if (claimed.length > 0) begun.push(begin(claimed))
    }
    if (begun.length === 0) await rest()
    return { answered: Promise.all(begun) }
  }

  const isFull = ([task]: readonly DueTask[]): boolean => (perChannel.get(task?.channel_id ?? 0) ?? 0) >= perChannelMax

  async function claimAll(batch: readonly DueTask[], nowMs: number): Promise<readonly DueTask[]> {
    const claimed: DueTask[] = []
    for (const task of batch) if (await claim(db, task, nowMs + claimMs)) claimed.push(task)
    return claimed
  }

  async function findDue(nowMs: number): Promise<readonly DueTask[]> {
    if (!hasTakenOver) await takeOver(db, nowMs)
    hasTakenOver = true
    const full = [...perChannel].flatMap(([channelId, count]) => (count >= perChannelMax ? [channelId] : []))
    return await listDue(db, { nowMs, aheadMs: nowMs + farAheadMs, limit: inFlightMax - asking.size, without: full })
  }

  /** Waits for the next task that is due, if it is near. */
  async function rest(): Promise<void> {
    const next = await nextDueMs(db)
    const wait = next === null ? lookEveryMs : Math.min(lookEveryMs, Math.max(0, next - clock.nowMs()))
    lookAtMs = clock.monotonicMs() + wait
  }

  function begin(batch: readonly DueTask[]): Promise<void> {
    const channelId = batch[0]?.channel_id ?? 0
    perChannel.set(channelId, (perChannel.get(channelId) ?? 0) + 1)
    const running = questions
      .ask(batch)
      .catch((err: unknown) => log.error({ err, tasks: batch.length }, 'tasks could not be asked about; it will be tried again'))
      .finally(() => {
        for (const { public_id: id } of batch) asking.delete(id)
        const left = (perChannel.get(channelId) ?? 1) - 1
        if (left === 0) perChannel.delete(channelId)
        else perChannel.set(channelId, left)
      })
    for (const { public_id: id } of batch) asking.set(id, running)
    return running
  }

  return {
    poll,
    wake() {
      lookAtMs = Number.NEGATIVE_INFINITY
    },
    async idle() {
      await Promise.all(asking.values())
    },
  }
}

/** Tasks that are asked about together. */
function inBatches(tasks: readonly DueTask[], batchOf: Questions['batchOf']): readonly (readonly DueTask[])[] {
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

const nothingAsked: Asked = { answered: Promise.resolve() }

/** No time that is set lies further ahead. */
const farAheadMs = 60 * 60 * 1000 + pauseMaxMs
