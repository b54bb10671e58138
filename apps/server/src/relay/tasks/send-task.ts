import { messageText } from '@sluice/contract'
import type { FollowedKind, SubmittedTask, TaskContext, TaskCounts, TaskReport, TaskResponse, TaskStep } from '@sluice/vendors/core/task'
import type { Db } from '../../db/connect.ts'
import type { NewTask } from '../../ledger/task-rows.ts'
import { AppError } from '../../lib/app-error.ts'
import { nowSeconds } from '../../lib/clock.ts'
import type { Reached } from '../../lib/failpoints.ts'
import type { Running } from '../../lib/running.ts'
import type { Billing, FlatCharge } from '../billing/billing.ts'
import { type HoldDeps, openFlatCharge, releaseUnserved } from '../billing/open-charge.ts'
import type { Caller, Permit } from '../model/caller.ts'
import type { Channel, ChannelMap, Route } from '../model/channel.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { Telemetry } from '../model/telemetry.ts'
import type { Prices } from '../pricing/prices.ts'
import { type Tried, tryChannels } from '../response/try-channels.ts'
import type { Routing } from '../routing/routing.ts'
import { parseSubmittedTask } from '../upstream/parse-task.ts'
import { runStep, type StepDeps } from '../upstream/run-step.ts'
import { taskEnd } from './end-task.ts'
import { pollPauseMs } from './poll-pause.ts'
import { type DueTask, readTask, type TaskRow, updateTask } from './task-queries.ts'
import type { TaskTexts } from './task-texts.ts'

export interface SendDeps extends StepDeps, HoldDeps {
  readonly db: Db
  readonly texts: TaskTexts
  readonly channels: { current(): ChannelMap | Promise<ChannelMap> }
  readonly prices: Pick<Prices, 'resolve' | 'vendorPrice'>
  readonly routing: Routing
  readonly billing: Pick<Billing, 'release'>
  readonly telemetry: Telemetry
  readonly running: Running
  readonly submitting: Set<string>
  readonly wake: () => void
  /** Does what follows from a report about a running task. */
  readonly take: (task: DueTask, report: TaskReport) => Promise<void>
  /** See `TaskLinks`. */
  readonly webhookFor: (publicId: string) => string | null
  /** A hook at which tests inject failures. */
  readonly reached: Reached
}

/** What a channel would do of the work. */
export interface Offer {
  readonly upstreamModel: string
  /** The column `price`. @param counts what the vendor counts otherwise than planned */
  priceText(counts?: TaskCounts): string
  submit(context: TaskContext, responses: readonly TaskResponse[]): TaskStep<SubmittedTask>
  /** See `FollowedDialect`. */
  readonly secondsMax: number
}

/** What a channel would do, or the parameter that it refuses. `null`: it has no such work. */
export type Offered = Offer | { readonly refused: string } | null

/** Work that is to be sent to one of several channels. */
export interface Work {
  /** Its id for clients. */
  readonly id: string
  readonly kind: FollowedKind
  readonly model: string
  readonly incoming: RelayRequest
  readonly caller: Caller
  readonly permit: Permit
  /** The id of its reservation and its log row. */
  readonly requestId: string
  readonly route: Route
  /** The quota that is reserved. */
  readonly amount: number
  readonly task: Omit<NewTask, 'stage' | 'state' | 'upstream_model' | 'idempotency_key' | 'give_up_at' | 'next_poll_ms'>
  offerOf(channel: Channel): Offered | Promise<Offered>
  /** Stores what its end needs besides the row; it is called once, when the row is there and nothing was sent. */
  prepare?(): Promise<unknown>
}

/** Longest wait for a vendor's response to an order. */
const submitMs = 180_000
/** A poller takes over a task request without a response by then. It is longer than all attempts of one request take. */
const unansweredMs = 20 * 60_000
/** A task that none of its vendor's channels could take longer. */
const giveUpSeconds = 48 * 3_600

/**
 * Commits the row of a task with its reservation, then sends it. Each step is written before it is taken, so that after a crash it is known
 * whether the vendor may have the order. @throws AppError
 */
export async function sendTask(work: Work, deps: SendDeps): Promise<TaskRow> {
  const { id, kind, model, incoming, caller, permit, requestId, route } = work
  const { span, request } = incoming
  const isOver = deps.running.isAborted(request.signal)
  const rules = { kind, isRepeatable: false }
  const failover = deps.routing.begin({
    tiers: route.tiers,
    params: { model },
    rules,
    tokenId: caller.tokenId,
    groups: caller.groups,
    isOver,
  })
  const task = newTask(work, deps)
  deps.submitting.add(id)
  let report: TaskReport | null = null
  try {
    const params = { model, isStream: false }
    const callType = { protocol: incoming.protocol.name, kind }
    const charge = await openFlatCharge(deps, { callType, requestId, span, caller, params, permit, task }, work.amount)
    const accepted = await sendTo(work, charge, { failover, key: task.idempotency_key, deps }).catch(async (error: unknown) => {
      await giveBack(charge, id, { error, deps })
      throw error
    })
    if (accepted === null) {
      const error = failover.error().after(charge.attempts, charge.failures)
      await giveBack(charge, id, { error, deps })
      throw error
    }
    report = accepted.report
    deps.telemetry.ended(span, { reason: 'complete', usage: null, quota: 0 })
  } finally {
    failover.end()
    deps.submitting.delete(id)
    deps.wake()
  }
  const row = await rowOf(work, deps)
  if (report === null || row.stage !== 'running') return row
  await deps.take({ ...row, username: caller.username, token_name: caller.tokenName }, report)
  return await rowOf(work, deps)
}

async function rowOf({ id, caller }: Work, { db }: SendDeps): Promise<TaskRow> {
  const row = await readTask(db, caller, id)
  if (row === undefined) throw new AppError('internal_error')
  return row
}

/** What a vendor has accepted. */
interface Accepted {
  /** The end of work that was done when it was accepted; `null`: it goes on. */
  readonly report: TaskReport | null
}

function newTask({ task, model }: Work, { clock }: SendDeps): NewTask {
  return {
    ...task,
    upstream_model: model,
    state: 'queued',
    stage: 'written',
    idempotency_key: Bun.randomUUIDv7(),
    give_up_at: nowSeconds(clock) + giveUpSeconds,
    next_poll_ms: clock.nowMs() + unansweredMs,
  }
}

interface Sending {
  readonly failover: ReturnType<Routing['begin']>
  readonly key: string
  readonly deps: SendDeps
}

async function sendTo(work: Work, charge: FlatCharge, { failover, key, deps }: Sending): Promise<Accepted | null> {
  await work.prepare?.()
  return await tryChannels(charge, { failover, telemetry: deps.telemetry, clock: deps.clock }, (channel) =>
    attempt(channel, work, { key, deps }),
  )
}

async function giveBack(
  charge: FlatCharge,
  id: string,
  { error, deps }: { readonly error: unknown; readonly deps: SendDeps },
): Promise<void> {
  const code = error instanceof AppError ? (error.options.upstream?.code ?? error.code) : 'internal_error'
  const message = error instanceof AppError ? (error.options.upstream?.message ?? messageText(error.code, error.options.params)) : ''
  const end = taskEnd(id, { state: 'failed', error: { code, message } })
  await releaseUnserved(deps.billing, { ...charge, taskEnd: end }, { error, isClientGone: false })
}

async function attempt(channel: Channel, work: Work, { key, deps }: Pick<Sending, 'key' | 'deps'>): Promise<Tried<Accepted>> {
  const { id, incoming } = work
  const offer = await work.offerOf(channel)
  if (offer === null || 'refused' in offer) {
    const parameter = offer?.refused ?? 'model'
    return { failed: { by: 'form', code: 'parameter_not_offered', parameter }, address: '', hash: likeNoOther }
  }
  const reached = {
    channel_id: channel.id,
    channel_type: channel.vendor.type,
    upstream_model: offer.upstreamModel,
    price: offer.priceText(),
  }
  const upstream = deps.texts.sealUpstream(id, channel, {})
  // Another node has ended the task, because this one was taken for dead: nothing may be sent for it any more.
  if (!(await updateTask(deps.db, id, { ...reached, stage: 'sending', upstream_sealed: upstream }))) throw new AppError('internal_error')
  deps.reached('task-sending')
  const options = {
    timeoutMs: channel.settings.totalMs ?? submitMs,
    idempotencyKey: key,
    hops: incoming.hops,
    isPoll: false,
    webhook: deps.webhookFor(id),
  }
  const ended = await runStep(channel, offer.submit, { deps, options, parse: parseSubmittedTask })
  deps.reached('task-accepted')
  if ('silent' in ended) throw new AppError('internal_error')
  if ('failed' in ended) return { ...ended, hash: likeNoOther }
  const { vendorId, memo, report, counts } = ended.done
  const now = nowSeconds(deps.clock)
  await updateTask(deps.db, id, {
    stage: 'running',
    vendor_id: vendorId,
    upstream_sealed: deps.texts.sealUpstream(id, channel, memo),
    state: report?.state === 'in_progress' ? 'in_progress' : 'queued',
    progress: Math.min(99, Math.floor(report?.progress ?? 0)),
    give_up_at: now + offer.secondsMax,
    next_poll_ms: deps.clock.nowMs() + pollPauseMs(work.kind, 0, 0.5),
    ...(counts === undefined ? {} : { price: offer.priceText(counts) }),
  })
  deps.reached('task-running')
  return { response: { report: report === undefined || report.state === 'queued' || report.state === 'in_progress' ? null : report } }
}

/** Orders are not compared with each other: an image that one of them draws is not what the next one asks for. */
const likeNoOther = (): null => null
