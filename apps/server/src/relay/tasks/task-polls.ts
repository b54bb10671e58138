import type { RunningTask, TaskDialect, TaskParams, TaskReport } from '@sluice/vendors/core/task'
import { vendors } from '@sluice/vendors/registry/list'
import { mayAskMany } from '@sluice/vendors/registry/task-dialect-of'
import type { Logger } from 'pino'
import { nowSeconds } from '../../lib/clock.ts'
import { eachAlone } from '../../lib/each-alone.ts'
import { createSampler } from '../../lib/sampler.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import { parseKnownReport, parseSubmittedTask, parseTaskReports } from '../upstream/parse-task.ts'
import { runStep, type StepDeps, type StepEnd } from '../upstream/run-step.ts'
import { type BatchEndDeps, endBatch, type RunningBatch } from './end-batch.ts'
import { endTask, type Failed, fail, stopped } from './end-task.ts'
import { pollPauseMs, questionMs, silentPauseMs } from './poll-pause.ts'
import { type DueTask, readAnyTask, updateTask } from './task-queries.ts'
import { priceOf, type ReachableTask, reachableTask, stopRequested, storedParamsOf } from './task-texts.ts'

/** Asks vendors about tasks, and does what follows from their responses. */
export interface TaskPolls {
  /** One question about tasks of one channel: several only if `batchOf` allows it. */
  poll(tasks: readonly DueTask[]): Promise<void>
  /** Does what follows from a report about a running task. */
  take(task: DueTask, report: TaskReport): Promise<void>
  /** Tasks of one batch may be polled together, up to `max`. */
  batchOf(task: DueTask): { readonly name: string; readonly max: number }
}

export interface PollDeps extends BatchEndDeps, Pick<StepDeps, 'responses' | 'largeJson'> {
  readonly log: Logger
  readonly random: () => number
  /** Tasks that this process is submitting now, by `public_id`. */
  readonly submitting: ReadonlySet<string>
  /** Whether no other process uses the database. */
  readonly isAlone: () => boolean
}

/** A running task with what reaches it. */
interface PollTarget extends ReachableTask {
  readonly row: DueTask
}

/** A task that its vendor does not know is lost after so many questions, which take more than two minutes. */
const missesMax = 12
/** A task is given up after its time only if it was polled this often: a clock that jumps ends nothing. */
const pollsMin = 30

/** @param deps.onDueIn called with the milliseconds until a task is due again */
export function createTaskPolls(deps: PollDeps & { readonly onDueIn: (ms: number) => void }): TaskPolls {
  const { db, clock, log, random } = deps
  const sample = createSampler(clock, 60_000)

  /** What reaches a running task; `null`: the task has been dealt with. */
  async function resolveTarget(task: DueTask): Promise<PollTarget | null> {
    if (deps.submitting.has(task.public_id)) return null
    if (task.stage === 'written') return await endAsFailed(task, neverSubmitted)
    if (!deps.texts.isReadable(task)) throw new Error('the task is not decryptable with this master key')
    const reachable = reachableTask(task, deps.texts)
    if (reachable === null) return await endAsFailed(task, unknownType)
    if (task.stage !== 'sending') return { row: task, ...reachable }
    await recover(task, reachable)
    return null
  }

  /** A task whose own data cannot be read is looked at again until its time is over, and then it ends. It does not block the polling of others. */
  async function tryResolveTarget(task: DueTask): Promise<PollTarget | null> {
    try {
      return await resolveTarget(task)
    } catch (err) {
      log.error({ err, task: task.public_id }, 'task not prepared for polling')
      if (isOverdue(task)) await fail(task, { state: 'expired', error: overdue }, deps)
      else await scheduleNext(task, silentPauseMs(task.polls, null, random()), {})
      return null
    }
  }

  async function endAsFailed(task: DueTask, error: Failed['error']): Promise<null> {
    await fail(task, { state: 'failed', error }, deps)
    return null
  }

  async function poll(tasks: readonly DueTask[]): Promise<void> {
    const reachable = await Promise.all(tasks.map(tryResolveTarget))
    const running = reachable.filter((one) => one !== null)
    const { pollMany } = running[0]?.dialect ?? {}
    if (pollMany === undefined || running.length === 1) await Promise.all(running.map(pollOne))
    else await pollTogether(running, pollMany)
  }

  async function pollOne({ row, upstream, dialect }: PollTarget): Promise<void> {
    const options = { timeoutMs: questionMs, idempotencyKey: row.idempotency_key, isPoll: true }
    const response = await runStep(upstream.channel, (context, responses) => dialect.poll(context, upstream.task, responses), {
      deps,
      options,
      parse: parseKnownReport,
    })
    const isStopped = 'done' in response && response.done === null && upstream.task.memo[stopRequested] === true
    if (isStopped) await fail(row, stopped, deps)
    else if ('done' in response && response.done?.state === 'completed' && 'readResult' in dialect)
      await settleBatch({ row, upstream, dialect }, response.done)
    else await apply(row, response)
  }

  /** What a batch costs is in its results. */
  async function settleBatch(batch: RunningBatch, report: TaskReport): Promise<void> {
    const unread = await endBatch(batch, report, deps)
    if (unread !== null) await recordNoResponse(batch.row, { silent: unread, retryAfterSeconds: null })
  }

  /** One question about several tasks of one channel. */
  async function pollTogether(all: readonly PollTarget[], { step }: NonNullable<TaskDialect['pollMany']>): Promise<void> {
    const [first] = all
    if (first === undefined) return
    const runningTasks = all.map(({ upstream }) => upstream.task)
    const options = { timeoutMs: questionMs, idempotencyKey: first.row.idempotency_key, isPoll: true }
    const response = await runStep(first.upstream.channel, (context, responses) => step(context, runningTasks, responses), {
      deps,
      options,
      parse: parseTaskReports,
    })
    // One unreadable response does not keep the other tasks from being polled.
    if ('silent' in response && isUnreadable(response.silent)) return void (await Promise.all(all.map(pollOne)))
    const about = ({ vendorId }: RunningTask): StepEnd<TaskReport | null> =>
      'done' in response ? { done: response.done.get(vendorId) ?? null } : response
    for (const one of all) await applyAlone({ row: one.row, response: about(one.upstream.task) })
  }

  const applyAlone = eachAlone(
    ({ row, response }: { readonly row: DueTask; readonly response: StepEnd<TaskReport | null> }) => apply(row, response),
    (err, { row }) => log.error({ err, task: row.public_id }, 'task poll result not stored, will retry'),
  )

  /** The order as it was sent; `null`: a part of it was not stored. */
  async function taskParamsOf({ public_id: id }: DueTask): Promise<TaskParams | null> {
    const row = await readAnyTask(db, id)
    return row === undefined ? null : storedParamsOf(row, deps.texts)
  }

  /** It is not known whether the vendor has the order. Where a repetition gives the same task, it is sent again. */
  async function recover(task: DueTask, { upstream: { channel }, dialect }: ReachableTask): Promise<void> {
    const repeated = 'submit' in dialect && dialect.isRepeatable === true ? dialect : null
    const params = repeated === null ? null : await taskParamsOf(task)
    if (params === null || repeated === null) return await fail(task, { state: 'failed', error: maybeSubmitted }, deps)
    const options = { timeoutMs: questionMs, idempotencyKey: task.idempotency_key, isPoll: true }
    const response = await runStep(channel, (context, responses) => repeated.submit(context, params, responses), {
      deps,
      options,
      parse: parseSubmittedTask,
    })
    if ('silent' in response) return await recordNoResponse(task, response)
    if ('failed' in response) return await fail(task, { state: 'failed', error: refusalIn(response.failed) }, deps)
    const { vendorId, memo, counts } = response.done
    const price = priceOf(task)
    const now = nowSeconds(clock)
    await updateTask(db, task.public_id, {
      stage: 'running',
      vendor_id: vendorId,
      upstream_sealed: deps.texts.withMemo(task, memo),
      give_up_at: now + dialect.secondsMax,
      ...(counts === undefined ? {} : { price: JSON.stringify({ ...price, counts: { ...price.counts, ...counts } }) }),
    })
    await scheduleNext(task, pollPauseMs(task.kind, 0, random()), {})
  }

  async function apply(task: DueTask, response: StepEnd<TaskReport | null>): Promise<void> {
    if ('silent' in response) return await recordNoResponse(task, response)
    if ('failed' in response) {
      // The vendor responded, but not about a task: it may be its error page.
      return await recordNoResponse(task, { silent: response.failed, retryAfterSeconds: null })
    }
    if (response.done === null) return await recordMiss(task)
    await take(task, response.done)
  }

  async function take(task: DueTask, report: TaskReport): Promise<void> {
    const isEmpty = report.state === 'completed' && (report.results ?? []).length === 0
    if (isEmpty) return await fail(task, { state: 'failed', error: noResult }, deps)
    if (report.state !== 'queued' && report.state !== 'in_progress') return await endTask(task, report, deps)
    if (isOverdue(task)) return await fail(task, { state: 'expired', error: overdue }, deps)
    const progress = Math.max(task.progress, Math.min(99, Math.floor(report.progress ?? 0)))
    await scheduleNext(task, pollPauseMs(task.kind, (nowSeconds(clock) - task.created_at) * 1000, random()), {
      state: report.state,
      progress,
      misses: 0,
    })
  }

  async function recordMiss(task: DueTask): Promise<void> {
    if (task.misses + 1 >= missesMax) return await fail(task, { state: 'failed', error: lost }, deps)
    await scheduleNext(task, silentPauseMs(task.misses, null, random()), { misses: task.misses + 1 })
  }

  async function recordNoResponse(
    task: DueTask,
    { silent, retryAfterSeconds }: Extract<StepEnd<unknown>, { readonly silent: unknown }>,
  ): Promise<void> {
    const keptBack = sample(`${task.channel_id}`)
    if (keptBack !== null) log.warn({ task: task.public_id, channel: task.channel_id, ...kindOf(silent), keptBack }, 'task poll failed')
    if (isOverdue(task)) return await fail(task, { state: 'expired', error: overdue }, deps)
    await scheduleNext(task, silentPauseMs(task.polls, retryAfterSeconds, random()), {})
  }

  async function scheduleNext(
    task: DueTask,
    pauseMs: number,
    change: { state?: string; progress?: number; misses?: number },
  ): Promise<void> {
    await updateTask(db, task.public_id, { ...change, polls: task.polls + 1, next_poll_ms: clock.nowMs() + pauseMs })
    deps.onDueIn(pauseMs)
  }

  function isOverdue({ give_up_at: giveUpAt, polls }: DueTask): boolean {
    return nowSeconds(clock) >= giveUpAt && polls >= pollsMin
  }

  /** `null`: also where its own data cannot be read, which is detected again when it is polled. */
  function readable(task: DueTask): ReachableTask | null {
    try {
      return reachableTask(task, deps.texts)
    } catch {
      return null
    }
  }

  return {
    poll,
    take,
    batchOf(task) {
      // The data for reaching a task is unsealed only where it can be polled with others.
      const alone = { name: task.public_id, max: 1 }
      if (task.stage !== 'running' || !typesOfMany.has(task.channel_type)) return alone
      const reachable = readable(task)
      const pollMany = reachable?.dialect.pollMany
      if (reachable === null || pollMany === undefined) return alone
      const { baseUrl, key, other } = reachable.upstream.channel
      return { name: `${task.channel_id} ${task.kind} ${baseUrl} ${other} ${key}`, max: pollMany.max }
    },
  }
}

/** Types of channels that may be polled for several tasks at once. */
const typesOfMany: ReadonlySet<number> = new Set(vendors.filter(mayAskMany).map(({ type }) => type))

function isUnreadable(failed: AttemptFailure): boolean {
  return failed.by === 'transport' && failed.code === 'upstream_invalid_response'
}

function refusalIn(failed: AttemptFailure): { readonly code: string; readonly message: string } {
  if (failed.by === 'vendor') return { code: failed.failure.code ?? failed.failure.kind, message: failed.failure.message }
  return { code: failed.code, message: '' }
}

/** A failure for the log of the process, without the words of the vendor. */
function kindOf(failed: AttemptFailure): { readonly kind: string; readonly status: number } {
  return failed.by === 'vendor' ? { kind: failed.failure.kind, status: failed.status } : { kind: failed.code, status: 0 }
}

const neverSubmitted = { code: 'task_not_sent', message: 'the server was stopped before the task was sent; nothing was charged' }
const maybeSubmitted = {
  code: 'task_submission_lost',
  message: 'the server was stopped while it sent the task, and cannot know whether the upstream service has it; nothing was charged',
}
const unknownType = { code: 'task_channel_unknown', message: 'this version does not know the type of channel that the task was sent to' }
const noResult = { code: 'task_without_result', message: 'the upstream service reported success without a result; nothing was charged' }
const lost = { code: 'task_unknown', message: 'the upstream service does not know the task any more; nothing was charged' }
const overdue = { code: 'task_expired', message: 'the upstream service did not finish the task in time; nothing was charged' }
