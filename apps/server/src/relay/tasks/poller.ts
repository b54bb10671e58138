import type { TaskDialect, TaskReport } from '@sluice/vendors/tasks/task'
import { taskDialectOf } from '@sluice/vendors/tasks/task-dialects'
import type { Logger } from 'pino'
import type { Db } from '../../db/connect.ts'
import { nowSeconds } from '../../lib/clock.ts'
import { createSampler } from '../../lib/sampler.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import { type EndDeps, endTask, fail } from './end-task.ts'
import { pauseMaxMs, pollPauseMs, silentPauseMs } from './poll-pause.ts'
import { runStep, type StepDeps, type StepEnd } from './run-step.ts'
import { claim, type DueTask, listDue, nextDueMs, takeOver, updateTask } from './task-queries.ts'
import { storedOrderOf, type TaskUpstream } from './task-texts.ts'

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

interface PollerDeps extends StepDeps, EndDeps {
  readonly db: Db
  readonly log: Logger
  readonly random: () => number
  /** Tasks that this process is submitting now, by `public_id`. */
  readonly submitting: ReadonlySet<string>
  /** Whether new questions may begin. */
  readonly isOpen: () => boolean
}

/** Questions at a time, in all and for one channel. */
const inFlightMax = 64
const perChannelMax = 8
/** A question that is not answered by then may be asked by another poller. It is longer than a question takes. */
const claimMs = 90_000
const questionMs = 60_000
/** The database is looked at at least this often, for tasks of other pollers. */
const lookEveryMs = 5_000
/** A task that its vendor does not know is lost after so many questions, which take more than two minutes. */
const missesMax = 12
/** A task is given up after its time only if it was asked about this often: a clock that jumps ends nothing. */
const pollsMin = 30

export function createPoller(deps: PollerDeps): Poller {
  const { db, clock, log, random } = deps
  const asking = new Map<string, Promise<void>>()
  const perChannel = new Map<number, number>()
  const sample = createSampler(clock, 60_000)
  let lookAtMs = Number.NEGATIVE_INFINITY
  let hasTakenOver = false

  async function poll(): Promise<Asked> {
    if (!deps.isOpen() || asking.size >= inFlightMax || clock.monotonicMs() < lookAtMs) return nothingAsked
    const nowMs = clock.nowMs()
    const due = await findDue(nowMs)
    const begun: Promise<void>[] = []
    for (const task of due) {
      if (asking.has(task.public_id) || isFull(task)) continue
      if (!(await claim(db, task, nowMs + claimMs))) continue
      begun.push(begin(task))
    }
    if (begun.length === 0) await rest()
    return { answered: Promise.all(begun) }
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

  const isFull = ({ channel_id: id }: DueTask): boolean => (perChannel.get(id) ?? 0) >= perChannelMax

  function begin(task: DueTask): Promise<void> {
    const { public_id: id, channel_id: channelId } = task
    perChannel.set(channelId, (perChannel.get(channelId) ?? 0) + 1)
    const running = ask(task)
      .catch((err: unknown) => log.error({ err, task: id }, 'a task could not be asked about; it will be tried again'))
      .finally(() => {
        asking.delete(id)
        const left = (perChannel.get(channelId) ?? 1) - 1
        if (left === 0) perChannel.delete(channelId)
        else perChannel.set(channelId, left)
      })
    asking.set(id, running)
    return running
  }

  async function ask(task: DueTask): Promise<void> {
    if (deps.submitting.has(task.public_id)) return
    if (task.stage === 'written') return await fail(task, { state: 'failed', error: neverSent }, deps)
    const upstream = deps.texts.upstreamOf(task)
    const dialect = upstream === null ? null : taskDialectOf(upstream.channel.vendor, upstream.task.kind, upstream.task.model)
    if (upstream === null || dialect === null) return await fail(task, { state: 'failed', error: unknownType }, deps)
    if (task.stage === 'sending') return await recover(task, upstream, dialect)
    await question(task, upstream, dialect)
  }

  async function question(task: DueTask, upstream: TaskUpstream, dialect: TaskDialect): Promise<void> {
    const options = { timeoutMs: questionMs, idempotencyKey: task.idempotency_key, isPoll: true }
    const answer = await runStep(upstream.channel, (context, answers) => dialect.poll(context, upstream.task, answers), { deps, options })
    await apply(task, answer)
  }

  /** It is not known whether the vendor has the order. Where a repetition gives the same task, it is sent again. */
  async function recover(task: DueTask, { channel }: TaskUpstream, dialect: TaskDialect): Promise<void> {
    const order = dialect.isRepeatable === true ? storedOrderOf(task, deps.texts) : null
    if (order === null) return await fail(task, { state: 'failed', error: maybeSent }, deps)
    const options = { timeoutMs: questionMs, idempotencyKey: task.idempotency_key, isPoll: true }
    const answer = await runStep(channel, (context, answers) => dialect.submit(context, order, answers), { deps, options })
    if ('silent' in answer) return await noteSilence(task, answer)
    if ('failed' in answer) return await fail(task, { state: 'failed', error: refusalIn(answer.failed) }, deps)
    const { vendorId, memo } = answer.done
    const now = nowSeconds(clock)
    await updateTask(db, task.public_id, {
      stage: 'running',
      vendor_id: vendorId,
      upstream_sealed: deps.texts.withMemo(task, memo),
      give_up_at: now + dialect.secondsMax,
    })
    await goOn(task, pollPauseMs(0, random()), {})
  }

  async function apply(task: DueTask, answer: StepEnd<TaskReport | null>): Promise<void> {
    if ('silent' in answer) return await noteSilence(task, answer)
    if ('failed' in answer) {
      // The vendor answered, and not about a task: it may be its page of an error.
      return await noteSilence(task, { silent: answer.failed, retryAfterSeconds: null })
    }
    if (answer.done === null) return await noteMiss(task)
    await take(task, answer.done)
  }

  async function take(task: DueTask, report: TaskReport): Promise<void> {
    const isEmpty = report.state === 'completed' && (report.results ?? []).length === 0
    if (isEmpty) return await fail(task, { state: 'failed', error: noResult }, deps)
    if (report.state !== 'queued' && report.state !== 'in_progress') return await endTask(task, report, deps)
    if (isOverdue(task)) return await fail(task, { state: 'expired', error: overdue }, deps)
    const progress = Math.max(task.progress, Math.min(99, Math.floor(report.progress ?? 0)))
    await goOn(task, pollPauseMs((nowSeconds(clock) - task.created_at) * 1000, random()), { state: report.state, progress, misses: 0 })
  }

  async function noteMiss(task: DueTask): Promise<void> {
    if (task.misses + 1 >= missesMax) return await fail(task, { state: 'failed', error: lost }, deps)
    await goOn(task, silentPauseMs(task.misses, null, random()), { misses: task.misses + 1 })
  }

  async function noteSilence(
    task: DueTask,
    { silent, retryAfterSeconds }: Extract<StepEnd<unknown>, { readonly silent: unknown }>,
  ): Promise<void> {
    const keptBack = sample(`${task.channel_id}`)
    if (keptBack !== null)
      log.warn({ task: task.public_id, channel: task.channel_id, silent, keptBack }, 'a vendor says nothing about its tasks')
    if (isOverdue(task)) return await fail(task, { state: 'expired', error: overdue }, deps)
    await goOn(task, silentPauseMs(task.polls, retryAfterSeconds, random()), {})
  }

  async function goOn(task: DueTask, pauseMs: number, change: { state?: string; progress?: number; misses?: number }): Promise<void> {
    await updateTask(db, task.public_id, { ...change, polls: task.polls + 1, next_poll_ms: clock.nowMs() + pauseMs })
    lookAtMs = Math.min(lookAtMs, clock.monotonicMs() + pauseMs)
  }

  function isOverdue({ give_up_at: giveUpAt, polls }: DueTask): boolean {
    return nowSeconds(clock) >= giveUpAt && polls >= pollsMin
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

function refusalIn(failed: AttemptFailure): { readonly code: string; readonly message: string } {
  if (failed.by === 'vendor') return { code: failed.failure.code ?? failed.failure.kind, message: failed.failure.message }
  return { code: failed.code, message: '' }
}

const nothingAsked: Asked = { answered: Promise.resolve() }

/** No time that is set lies further ahead. */
const farAheadMs = 60 * 60 * 1000 + pauseMaxMs

const neverSent = { code: 'task_not_sent', message: 'the server was stopped before the task was sent; nothing was charged' }
const maybeSent = {
  code: 'task_submission_lost',
  message: 'the server was stopped while it sent the task, and cannot know whether the upstream service has it; nothing was charged',
}
const unknownType = { code: 'task_channel_unknown', message: 'this version does not know the type of channel that the task was sent to' }
const noResult = { code: 'task_without_result', message: 'the upstream service reports success, but no result; nothing was charged' }
const lost = { code: 'task_unknown', message: 'the upstream service does not know the task any more; nothing was charged' }
const overdue = { code: 'task_expired', message: 'the upstream service did not finish the task in time; nothing was charged' }
