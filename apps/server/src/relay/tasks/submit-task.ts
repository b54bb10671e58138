import { createHash } from 'node:crypto'
import type { RunningTask, TaskCounts, TaskDialect, TaskParams, TaskPlan } from '@sluice/vendors/core/task'
import { isLength } from '@sluice/vendors/protocols/tasks/lengths'
import { mostCounts } from '@sluice/vendors/protocols/tasks/max-counts'
import { taskDialectOf } from '@sluice/vendors/registry/task-dialect-of'
import { type Rates, storedRates } from '../../ledger/price.ts'
import { AppError } from '../../lib/app-error.ts'
import { randomHex128 } from '../../lib/id.ts'
import { assertAffordable, leastQuota } from '../billing/open-charge.ts'
import { needModel } from '../ingress/admission.ts'
import type { ClientTaskParams } from '../ingress/read-task-params.ts'
import type { Caller, Permit } from '../model/caller.ts'
import { type Channel, type ChannelMap, modelAt, type Route } from '../model/channel.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { Prices } from '../pricing/prices.ts'
import type { ResolvedPrice } from '../pricing/resolve-price.ts'
import { lengthNotOffered, makesNone } from '../routing/not-offered.ts'
import { route, routeTo } from '../routing/route.ts'
import { type Cast, withCast } from './cast.ts'
import { createOnce, isKeyTaken } from './create-once.ts'
import { type Offer, type SendDeps, sendTask } from './send-task.ts'
import { taskCostRates, taskQuota, taskRates } from './task-costs.ts'
import type { TaskRow } from './task-queries.ts'
import type { StoredPrice, StoredTaskParams } from './task-texts.ts'

export interface Submission {
  readonly incoming: RelayRequest
  readonly caller: Caller
  readonly permit: Permit
  readonly params: ClientTaskParams
  /** The task that the order continues or changes, and its id. */
  readonly source: { readonly task: RunningTask; readonly channelId: number; readonly key: string; readonly publicId: string } | null
  /** The characters that the order names; missing: none. */
  readonly cast?: Cast | null
  /** The id of its reservation and its log row; missing: that of the request. */
  readonly requestId?: string
  /** The name that its client gave the order; missing: none. */
  readonly clientKey?: string | null
}

/** Orders a task: a video, songs, or an image. @throws AppError */
export async function submitTask(submission: Submission, deps: SendDeps): Promise<TaskRow> {
  const { clientKey = null, caller, params, source } = submission
  const publicId = `${prefixes[params.kind]}${randomHex128()}`
  if (clientKey === null) return await submitNew(publicId, submission, deps)
  const { db, clock } = deps
  const hash = hashOf(params, source?.publicId ?? null)
  const once = { db, clock, caller, key: clientKey, hash, publicId }
  return await createOnce(once, () => submitNew(publicId, submission, deps))
}

/** Of the whole task request, the bytes of images and videos included. */
function hashOf({ images, video, ...rest }: ClientTaskParams, source: string | null): string {
  const hash = createHash('sha256').update(JSON.stringify([rest, source]))
  for (const image of images) hash.update('url' in image ? image.url : image.file.bytes)
  if (video !== null) hash.update(video.file.bytes)
  return hash.digest('hex')
}

async function submitNew(id: string, submission: Submission, deps: SendDeps): Promise<TaskRow> {
  const { incoming, caller, permit, params, source, requestId = incoming.requestId } = submission
  const { kind, model } = params
  const routed = routeOf(await deps.channels.current(), submission)
  deps.telemetry.routed(incoming.span, { kind, model })
  const { pricing, most } = quote(routed, submission, deps)
  const task = {
    ...{ public_id: id, kind, action: params.action, model, group_name: routed.group, price: most.priceText() },
    order_sealed: deps.texts.sealParams(id, storedParams(params, source?.publicId ?? null)),
  }
  const offerOf = (channel: Channel) => costAt(channel, submission, pricing)
  return await sendTask({ id, kind, model, incoming, caller, permit, requestId, route: routed, amount: most.amount, task, offerOf }, deps)
}

/** An order whose files have not been read. */
interface Announced extends Pick<Submission, 'caller' | 'permit' | 'clientKey'> {
  readonly kind: ClientTaskParams['kind']
  readonly model: string
}

/** Refuses an order that could not be taken, whatever its files are, unless it repeats one that was. @throws AppError as `submitTask` */
export async function admitTask({ caller, permit, kind, model, clientKey = null }: Announced, deps: SendDeps): Promise<void> {
  needModel(caller, model)
  const routed = route(await deps.channels.current(), caller, model)
  const price = priceOf(routed, { kind, model }, deps)
  if (!(await isKeyTaken(deps.db, caller.userId, clientKey))) await assertAffordable(deps, { caller, permit }, leastQuota(price))
  deps.telemetry.measuring(kind)
}

/** What an order is expected to cost. */
export interface Estimate {
  /** The quota that is reserved for it. */
  readonly amount: number
  readonly seconds: number | null
  readonly size: string | null
}

/** What would be reserved for an order. @throws AppError as `submitTask` */
export async function estimateTask(request: QuoteRequest, deps: Pick<SendDeps, 'channels' | 'prices'>): Promise<Estimate> {
  const { amount, plan } = quote(routeOf(await deps.channels.current(), request), request, deps).most
  return { amount, seconds: plan.seconds ?? null, size: plan.size ?? null }
}

/** What of a submission decides its price. */
export interface QuoteRequest extends Pick<Submission, 'params' | 'source' | 'cast'> {
  readonly caller: Pick<Caller, 'groups' | 'pin'>
}

/** The dearest plan of all channels that can take the order, whose amount is reserved. @throws AppError */
function quote(routed: Route, request: QuoteRequest, deps: Pick<SendDeps, 'prices'>): { readonly pricing: Pricing; readonly most: Costed } {
  const pricing = { resolved: priceOf(routed, request.params, deps), vendorPrice: deps.prices.vendorPrice }
  const all = routed.tiers.flatMap(({ channels }) => channels)
  return { pricing, most: dearest(all, request, pricing) }
}

/** What no channel makes needs no price. @throws AppError */
function priceOf(
  { tiers, group }: Route,
  { kind, model }: Pick<ClientTaskParams, 'kind' | 'model'>,
  { prices }: Pick<SendDeps, 'prices'>,
): ResolvedPrice {
  const isMade = tiers.some(({ channels }) =>
    channels.some((channel) => taskDialectOf(channel.vendor, kind, modelAt(channel, model)) !== null),
  )
  if (!isMade) throw makesNone(model)
  return prices.resolve(model, group)
}

/** The channels that may take the order: the one that made its characters or its source, if it has any. @throws AppError */
function routeOf(map: ChannelMap, { caller, params, source, cast = null }: QuoteRequest): Route {
  const maker = cast ?? source
  if (maker === null) return route(map, caller, params.model)
  const channel = map.all.get(maker.channelId)
  const isSame = channel?.isEnabled === true && (cast !== null || channel.key === source?.key)
  if (channel === undefined || !isSame) throw new AppError('task_unreachable')
  return routeTo(channel, caller.groups)
}

/** What customers pay for the model, and what the vendor of a channel charges. */
interface Pricing extends Pick<Prices, 'vendorPrice'> {
  readonly resolved: ResolvedPrice
}

/** The plan of a channel with its cost. */
interface Costed extends Offer {
  readonly amount: number
  readonly plan: TaskPlan
}

function toTaskParams({ params, source, cast = null }: QuoteRequest, model: string): TaskParams {
  return { ...withCast(params, cast), model, source: source?.task ?? null }
}

/** What a channel would do for the order, and what that costs; or the parameter that it refuses. `null`: it has no such tasks. */
function costAt(channel: Channel, request: QuoteRequest, { resolved, vendorPrice }: Pricing): Costed | { readonly refused: string } | null {
  const { params } = request
  const upstreamModel = modelAt(channel, params.model)
  const dialect = taskDialectOf(channel.vendor, params.kind, upstreamModel)
  if (dialect === null) return null
  const refused = refusedAction(params, dialect)
  if (refused !== null) return { refused }
  const taskParams = toTaskParams(request, upstreamModel)
  const plan = dialect.plan(taskParams)
  if ('refused' in plan) return plan
  const rates = taskRates(params.model, resolved.ofType(channel.vendor.type), plan.counts)
  const costRates = taskCostRates(vendorPrice(channel, params.model), plan.counts)
  return {
    upstreamModel,
    amount: taskQuota(rates, plan.counts),
    plan,
    secondsMax: dialect.secondsMax,
    priceText: (counts) => priceText(plan, { rates, costRates, most: mostCounts(dialect, taskParams) }, counts),
    submit: (context, responses) => dialect.submit(context, taskParams, responses),
  }
}

/** The parameter that requests what the vendor's tasks do not support; `null`: there is none. */
function refusedAction({ kind, action, video }: ClientTaskParams, { actions, videoActions }: TaskDialect): string | null {
  // The calls for images name a model; those for videos are about a video of one.
  if (action !== 'create' && actions?.includes(action) !== true) return kind === 'pictures' ? 'model' : action
  return video !== null && videoActions?.includes(action) !== true ? 'video' : null
}

/** The dearest plan of all channels that can take the order. @throws AppError parameter_not_offered */
function dearest(channels: readonly Channel[], request: QuoteRequest, pricing: Pricing): Costed {
  let most: Costed | null = null
  let refusal: AppError | null = null
  for (const channel of channels) {
    const cost = costAt(channel, request, pricing)
    if (cost === null) continue
    if ('refused' in cost) refusal ??= refusalBy(channel, request.params, cost.refused)
    else if (most === null || cost.amount > most.amount) most = cost
  }
  if (most === null) throw refusal ?? new AppError('parameter_not_offered', { params: { name: 'model' } })
  return most
}

/** Why a channel does not take an order, with the lengths that it makes if that is the reason. */
function refusalBy(channel: Channel, { kind, model, action, seconds }: ClientTaskParams, name: string): AppError {
  const upstreamModel = modelAt(channel, model)
  const dialect = taskDialectOf(channel.vendor, kind, upstreamModel)
  const fields = action === 'create' ? dialect?.fields(upstreamModel) : dialect?.changeFields?.(upstreamModel, action)
  const lengths = fields?.seconds ?? null
  const isLengthWrong = name === 'seconds' && seconds !== null && lengths !== null && !isLength(lengths, seconds)
  return isLengthWrong ? lengthNotOffered(lengths) : new AppError('parameter_not_offered', { params: { name } })
}

interface PlanRates {
  readonly rates: Rates
  /** What the vendor charges; `null`: that is not known. */
  readonly costRates: Rates | null
  /** What an order of the model can be counted at most. */
  readonly most: TaskCounts
}

function priceText(plan: TaskPlan, { rates, costRates, most }: PlanRates, counted: TaskCounts = {}): string {
  const { counts, seconds = null, size = null } = plan
  const cost = costRates === null ? {} : { costRates: storedRates(costRates) }
  const stored: StoredPrice = { counts: { ...counts, ...counted }, most, rates: storedRates(rates), ...cost, seconds, size }
  return JSON.stringify(stored)
}

const prefixes = { videos: 'video_', songs: 'task_', pictures: 'task_' } as const

/** Longest part of an order that is stored: content of images is not. */
const storedCharsMax = 100_000

function storedParams({ prompt, seconds, size, images, video, extra }: ClientTaskParams, source: string | null): StoredTaskParams {
  const addresses = images.flatMap((image) => ('url' in image && image.url.length <= storedCharsMax ? [image.url] : []))
  const kept = JSON.stringify(extra).length <= storedCharsMax ? extra : {}
  return {
    prompt,
    seconds,
    size: size === null ? null : `${size.width}x${size.height}`,
    pictures: addresses,
    isPartial: addresses.length < images.length || video !== null || kept !== extra,
    source,
    extra: kept,
  }
}
