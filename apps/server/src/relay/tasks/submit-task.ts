import { messageText } from '@sluice/contract'
import type { RunningTask, TaskDialect, TaskOrder, TaskPlan } from '@sluice/vendors/tasks/task'
import { taskDialectOf } from '@sluice/vendors/tasks/task-dialects'
import type { Db } from '../../db/connect.ts'
import { type Rates, storedRates } from '../../ledger/price.ts'
import type { NewTask } from '../../ledger/task-rows.ts'
import { AppError } from '../../lib/app-error.ts'
import { nowSeconds } from '../../lib/clock.ts'
import type { Reached } from '../../lib/failpoints.ts'
import { randomHex128 } from '../../lib/id.ts'
import type { Running } from '../../lib/running.ts'
import type { Billing, FlatCharge } from '../billing/billing.ts'
import { type HoldDeps, openFlatCharge, releaseUnanswered } from '../billing/open-charge.ts'
import type { ClientOrder } from '../ingress/task-order.ts'
import type { Caller, Permit } from '../model/caller.ts'
import type { Channel, ChannelMap, Route } from '../model/channel.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { Telemetry } from '../model/telemetry.ts'
import type { Prices } from '../pricing/prices.ts'
import type { ResolvedPrice } from '../pricing/resolve-price.ts'
import { type Tried, tryChannels } from '../response/try-channels.ts'
import { route, routeTo } from '../routing/route.ts'
import type { Routing } from '../routing/routing.ts'
import { runStep, type StepDeps } from '../upstream/run-step.ts'
import { type Cast, withCast } from './cast.ts'
import { taskEnd } from './end-task.ts'
import { orderOnce } from './order-once.ts'
import { pollPauseMs } from './poll-pause.ts'
import { taskCostRates, taskQuota, taskRates } from './task-costs.ts'
import { readTask, type TaskRow, updateTask } from './task-queries.ts'
import type { StoredOrder, StoredPrice, TaskTexts } from './task-texts.ts'

export interface SubmitDeps extends StepDeps, HoldDeps {
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
  /** See `TaskLinks`. */
  readonly webhookFor: (publicId: string) => string | null
  /** A hook at which tests inject failures. */
  readonly reached: Reached
}

export interface Submission {
  readonly incoming: RelayRequest
  readonly caller: Caller
  readonly permit: Permit
  readonly order: ClientOrder
  /** The task that the order continues or changes, and its id. */
  readonly source: { readonly task: RunningTask; readonly channelId: number; readonly key: string; readonly publicId: string } | null
  /** The characters that the order names; missing: none. */
  readonly cast?: Cast | null
  /** The id of its reservation and its log row; missing: that of the request. */
  readonly requestId?: string
  /** The name that its client gave the order; missing: none. */
  readonly clientKey?: string | null
}

/** Longest wait for a vendor's answer to an order. */
const submitMs = 180_000
/** A poller looks after an order that was not answered by then. It is longer than all attempts of one take. */
const unansweredMs = 20 * 60_000
/** A task that none of its vendor's channels could take longer. */
const giveUpSeconds = 48 * 3_600

/**
 * Orders a task: its row and its reservation are committed, then it is sent. Each step is written before it is taken, so that after a crash
 * it is known whether the vendor may have the order. @throws AppError
 */
export async function submitTask(submission: Submission, deps: SubmitDeps): Promise<TaskRow> {
  const { clientKey = null, caller, order, source } = submission
  const publicId = `${prefixes[order.kind]}${randomHex128()}`
  if (clientKey === null) return await submitNew(publicId, submission, deps)
  const { db, clock } = deps
  const once = { db, clock, userId: caller.userId, key: clientKey, order, source: source?.publicId ?? null, publicId }
  return await orderOnce(once, () => submitNew(publicId, submission, deps))
}

async function submitNew(id: string, submission: Submission, deps: SubmitDeps): Promise<TaskRow> {
  const { incoming, caller, permit, order } = submission
  const { span, request } = incoming
  const requestId = submission.requestId ?? incoming.requestId
  const routed = routeOf(await deps.channels.current(), submission)
  deps.telemetry.routed(span, { kind: order.kind, model: order.model })
  const resolved = deps.prices.resolve(order.model, routed.group)
  const held = dearest(routed, submission, resolved)
  const isOver = deps.running.overWith(request.signal)
  const wanted = { model: order.model }
  const rules = { kind: order.kind, isRepeatable: false }
  const failover = deps.routing.begin({
    tiers: routed.tiers,
    params: wanted,
    rules,
    tokenId: caller.tokenId,
    groups: caller.groups,
    isOver,
  })
  const task = newTask(id, submission, { group: routed.group, plan: held, deps })
  deps.submitting.add(id)
  try {
    const params = { model: order.model, isStream: false }
    const asked = { protocol: incoming.protocol.name, kind: order.kind }
    const charge = await openFlatCharge(deps, { asked, requestId, span, caller, params, permit, task }, held.amount)
    const sent = { id, key: task.idempotency_key, resolved, deps }
    const accepted = await tryChannels(charge, { failover, telemetry: deps.telemetry }, (channel) =>
      attempt(channel, submission, sent),
    ).catch(async (error: unknown) => {
      await giveBack(charge, id, { error, deps })
      throw error
    })
    if (accepted === null) {
      const error = failover.error().after(charge.attempts, charge.failures)
      await giveBack(charge, id, { error, deps })
      throw error
    }
    deps.telemetry.ended(span, { reason: 'complete', usage: null, quota: 0 })
  } finally {
    failover.end()
    deps.submitting.delete(id)
    deps.wake()
  }
  const row = await readTask(deps.db, caller.userId, id)
  if (row === undefined) throw new AppError('internal_error')
  return row
}

async function giveBack(
  charge: FlatCharge,
  id: string,
  { error, deps }: { readonly error: unknown; readonly deps: SubmitDeps },
): Promise<void> {
  const code = error instanceof AppError ? (error.options.upstream?.code ?? error.code) : 'internal_error'
  const message = error instanceof AppError ? (error.options.upstream?.message ?? messageText(error.code, error.options.params)) : ''
  const brought = taskEnd(id, { state: 'failed', error: { code, message } })
  await releaseUnanswered(deps.billing, { ...charge, brought }, { error, isClientGone: false })
}

/** The channels that may take the order: the one that made its characters or its source, if it has any. @throws AppError */
function routeOf(map: ChannelMap, { caller, order, source, cast = null }: Submission): Route {
  const maker = cast ?? source
  if (maker === null) return route(map, caller, order.model)
  const channel = map.all.get(maker.channelId)
  const isSame = channel?.isEnabled === true && (cast !== null || channel.key === source?.key)
  if (channel === undefined || !isSame) throw new AppError('task_unreachable')
  return routeTo(channel, caller.groups)
}

/** The plan of a channel with its cost. */
interface Costed {
  readonly dialect: TaskDialect
  /** The upstream model name. */
  readonly model: string
  readonly plan: TaskPlan
  readonly rates: Rates
  readonly amount: number
}

function toOrder({ order, source, cast = null }: Submission, model: string): TaskOrder {
  return { ...withCast(order, cast), model, source: source?.task ?? null }
}

/** What a channel would do for the order, and what that costs; or the parameter that it refuses. `null`: it has no such tasks. */
function costAt(channel: Channel, submission: Submission, resolved: ResolvedPrice): Costed | { readonly refused: string } | null {
  const { order } = submission
  const model = channel.mapping.get(order.model) ?? order.model
  const dialect = taskDialectOf(channel.vendor, order.kind, model)
  if (dialect === null) return null
  // The calls for pictures name a model; those for videos are about a video of one.
  if (order.action !== 'create' && dialect.actions?.includes(order.action) !== true)
    return { refused: order.kind === 'pictures' ? 'model' : order.action }
  if (order.film !== null && dialect.filmActions?.includes(order.action) !== true) return { refused: 'video' }
  const plan = dialect.plan(toOrder(submission, model))
  if ('refused' in plan) return plan
  const rates = taskRates(order.model, resolved.ofType(channel.vendor.type), plan.counts)
  return { dialect, model, plan, rates, amount: taskQuota(rates, plan.counts) }
}

/** The dearest plan of all channels that can take the order. @throws AppError parameter_not_offered, no_channel */
function dearest({ tiers, group }: Route, submission: Submission, resolved: ResolvedPrice): Costed {
  let most: Costed | null = null
  let refused: string | null = null
  for (const channel of tiers.flatMap(({ channels }) => channels)) {
    const cost = costAt(channel, submission, resolved)
    if (cost === null) continue
    if ('refused' in cost) refused ??= cost.refused
    else if (most === null || cost.amount > most.amount) most = cost
  }
  if (most !== null) return most
  if (refused !== null) throw new AppError('parameter_not_offered', { params: { name: refused } })
  throw new AppError('no_channel', { params: { model: submission.order.model, group } })
}

/** @param costRates what the vendor charges; `null`: that is not known */
function priceText({ plan, rates }: Pick<Costed, 'plan' | 'rates'>, costRates: Rates | null): string {
  const { counts, seconds = null, size = null } = plan
  const cost = costRates === null ? {} : { costRates: storedRates(costRates) }
  return JSON.stringify({ counts, rates: storedRates(rates), ...cost, seconds, size } satisfies StoredPrice)
}

const prefixes = { videos: 'video_', songs: 'task_', pictures: 'task_' } as const

function newTask(
  id: string,
  { order, source }: Submission,
  { group, plan, deps: { clock, texts } }: { readonly group: string; readonly plan: Costed; readonly deps: SubmitDeps },
): NewTask {
  return {
    public_id: id,
    kind: order.kind,
    action: order.action,
    model: order.model,
    upstream_model: order.model,
    group_name: group,
    state: 'queued',
    stage: 'written',
    idempotency_key: Bun.randomUUIDv7(),
    order_sealed: texts.sealOrder(id, storedOrder(order, source?.publicId ?? null)),
    price: priceText(plan, null),
    give_up_at: nowSeconds(clock) + giveUpSeconds,
    next_poll_ms: clock.nowMs() + unansweredMs,
  }
}

/** Longest part of an order that is stored: content of pictures is not. */
const storedCharsMax = 100_000

function storedOrder({ prompt, seconds, size, pictures, film, extra }: ClientOrder, source: string | null): StoredOrder {
  const addresses = pictures.flatMap((picture) => ('url' in picture && picture.url.length <= storedCharsMax ? [picture.url] : []))
  const kept = JSON.stringify(extra).length <= storedCharsMax ? extra : {}
  return {
    prompt,
    seconds,
    size: size === null ? null : `${size.width}x${size.height}`,
    pictures: addresses,
    isPartial: addresses.length < pictures.length || film !== null || kept !== extra,
    source,
    extra: kept,
  }
}

interface Sent {
  readonly id: string
  readonly key: string
  readonly resolved: ResolvedPrice
  readonly deps: SubmitDeps
}

async function attempt(channel: Channel, submission: Submission, { id, key, resolved, deps }: Sent): Promise<Tried<true>> {
  const { order, incoming } = submission
  const cost = costAt(channel, submission, resolved)
  if (cost === null || 'refused' in cost) {
    const parameter = cost?.refused ?? 'model'
    return { failed: { by: 'form', code: 'parameter_not_offered', parameter }, address: '', hash: likeNoOther }
  }
  const { dialect, model } = cost
  const costRates = taskCostRates(deps.prices.vendorPrice(channel, order.model), cost.plan.counts)
  const reached = { channel_id: channel.id, channel_type: channel.vendor.type, upstream_model: model, price: priceText(cost, costRates) }
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
  const ended = await runStep(channel, (context, answers) => dialect.submit(context, toOrder(submission, model), answers), {
    deps,
    options,
  })
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
    give_up_at: now + dialect.secondsMax,
    next_poll_ms: deps.clock.nowMs() + pollPauseMs(order.kind, 0, 0.5),
    ...(counts === undefined
      ? {}
      : { price: priceText({ ...cost, plan: { ...cost.plan, counts: { ...cost.plan.counts, ...counts } } }, costRates) }),
  })
  deps.reached('task-running')
  return { answer: true }
}

/** Orders are not compared with each other: a picture that one of them draws is not what the next one asks for. */
const likeNoOther = (): null => null
