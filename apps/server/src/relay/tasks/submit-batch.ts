import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type BatchedRequest, placeInBatch } from '@sluice/vendors/core/batch'
import { batchDialectOf } from '@sluice/vendors/registry/batches/batch-dialect-of'
import { AppError } from '../../lib/app-error.ts'
import { randomHex128 } from '../../lib/id.ts'
import { mapInSteps } from '../../lib/map-in-steps.ts'
import { assertAffordable, leastQuota } from '../billing/open-charge.ts'
import { type PayableRequest, paramsInUnits, wholeReservation } from '../billing/reserve-request.ts'
import { needModel } from '../ingress/admission.ts'
import { messages } from '../ingress/kinds/messages.ts'
import type { ClientBatch, ClientRequest } from '../ingress/read-batch.ts'
import type { Caller, Permit } from '../model/caller.ts'
import { type Channel, type ChannelMap, modelAt, type Route } from '../model/channel.ts'
import type { RelayRequest } from '../model/incoming.ts'
import { measureMedia } from '../pricing/measure-media.ts'
import type { MediaMeter } from '../pricing/media-meter.ts'
import type { Prices } from '../pricing/prices.ts'
import { type PriceParts, type ResolvedPrice, resolvePrice } from '../pricing/resolve-price.ts'
import { tierOf } from '../routing/candidates.ts'
import { route } from '../routing/route.ts'
import { unservedParameter } from '../routing/unserved-parameter.ts'
import { withSystemPrompt } from '../upstream/system-prompt.ts'
import { unreadable } from '../wire/unreadable.ts'
import { type BatchPlans, planOf } from './batch-plans.ts'
import { createOnce, isKeyTaken } from './create-once.ts'
import { type Offered, type SendDeps, sendTask } from './send-task.ts'
import type { TaskRow } from './task-queries.ts'
import type { BatchPrice, StoredBatchPrice, StoredTaskParams } from './task-texts.ts'

export interface BatchSubmission {
  readonly incoming: RelayRequest
  readonly caller: Caller
  readonly permit: Permit
  readonly batch: ClientBatch
  /** The name that its client gave the order; `null`: none. */
  readonly clientKey: string | null
}

type BatchDeps = SendDeps & { readonly plans: BatchPlans; readonly mediaMeter: MediaMeter }

/** Orders a batch of messages from one channel that serves all of its models. @throws AppError */
export async function submitBatch(submission: BatchSubmission, deps: BatchDeps): Promise<TaskRow> {
  const { clientKey, caller, batch } = submission
  const publicId = `msgbatch_${randomHex128()}`
  if (clientKey === null) return await submitNew(publicId, submission, deps)
  const { db, clock } = deps
  const once = { db, clock, caller, key: clientKey, hash: await hashOf(batch), publicId }
  return await createOnce(once, () => submitNew(publicId, submission, deps))
}

/** Refuses a batch of these models before its requests are read, unless it repeats one that was taken. @throws AppError as `submitBatch` */
export async function admitBatch(
  models: readonly string[],
  { caller, permit, clientKey }: Pick<BatchSubmission, 'caller' | 'permit' | 'clientKey'>,
  deps: BatchDeps,
): Promise<void> {
  for (const model of models) needModel(caller, model)
  const { routes } = routesOf(await deps.channels.current(), caller, models)
  const least = Math.max(...routes.map(([model, { group }]) => leastQuota(deps.prices.resolve(model, group))))
  if (!(await isKeyTaken(deps.db, caller.userId, clientKey))) await assertAffordable(deps, { caller, permit }, least)
  deps.telemetry.measuring('batches')
}

/** Of the whole batch request. */
async function hashOf({ body: { requests: _requests, ...rest }, requests, clientHeaders }: ClientBatch): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(['batches', rest, clientHeaders]))
  for (const [index, { entry }] of requests.entries()) {
    hash.update(JSON.stringify(entry))
    if (index % hashedAtOnce === hashedAtOnce - 1) await setImmediate()
  }
  return hash.digest('hex')
}

async function submitNew(id: string, submission: BatchSubmission, deps: BatchDeps): Promise<TaskRow> {
  const { incoming, caller, permit, batch } = submission
  const models = [...new Set(batch.requests.map(({ params }) => params.model))]
  for (const model of models) needModel(caller, model)
  const routed = routesOf(await deps.channels.current(), caller, models)
  const prices = new Map(routed.routes.map(([model, { group }]) => [model, deps.prices.resolve(model, group)]))
  const dearest = new Map([...prices].map(([model, price]) => [model, dearestOf(model, price, routed.route)]))
  const model = namesOf(models)
  deps.telemetry.routed(incoming.span, { kind: 'batches', model })
  const refusals = refusalsOf(batch.requests)
  await needOneChannel(routed.route, refusals)
  const payable = { prices: dearest, types: routed.route.types, settings: deps.settings() }
  const requests = await measured(submission, payable, deps)
  const task = {
    ...{ public_id: id, kind: 'batches', action: 'create', model, group_name: routed.route.group },
    price: priceText(dearest, null, { at: ({ parts }) => parts, cost: () => null }),
    order_sealed: deps.texts.sealParams(id, storedParams(batch, models)),
  }
  return await sendTask(
    {
      ...{ id, kind: 'batches', model, incoming, caller, permit, requestId: incoming.requestId, route: routed.route, task },
      amount: await reservedFor(requests, payable),
      offerOf: (channel) => offerOf(channel, batch, { prices, vendorPrice: deps.prices.vendorPrice, refusals }),
      prepare: async () => await deps.plans.keep(id, await planOf(requests)),
    },
    deps,
  )
}

interface Routes {
  /** The route of each model. */
  readonly routes: ReadonlyArray<readonly [model: string, route: Route]>
  /** The channels that take the whole batch. */
  readonly route: Route
}

/** @throws AppError batch_unsupported, batch_models_mixed, and those of a single request */
function routesOf(map: ChannelMap, caller: Caller, models: readonly string[]): Routes {
  const routes = models.map((model) => [model, route(map, caller, model)] as const)
  for (const [model, { tiers }] of routes) {
    const isOffered = tiers.some(({ channels }) => channels.some(({ vendor }) => batchDialectOf(vendor) !== null))
    if (!isOffered) throw new AppError('batch_unsupported', { params: { model } })
  }
  const [[, first] = raise(), ...others] = routes
  const takesAll = (channel: Channel): boolean =>
    batchDialectOf(channel.vendor) !== null &&
    others.every(([, { tiers }]) => tiers.some(({ channels }) => channels.some(({ id }) => id === channel.id)))
  const tiers = first.tiers.map(({ channels }) => channels.filter(takesAll)).filter((channels) => channels.length > 0)
  if (tiers.length === 0) throw new AppError('batch_models_mixed', { params: { models: models.join(', ').slice(0, 400) } })
  const types = [...new Set(tiers.flat().map(({ vendor }) => vendor.type))]
  return { routes, route: { tiers: tiers.map(tierOf), group: first.group, types } }
}

function raise(): never {
  throw new AppError('invalid_parameter', { params: { name: 'requests' } })
}

/** Models that a row names; the others are counted. */
const namedMax = 4

function namesOf(models: readonly string[]): string {
  const more = models.length - namedMax
  return models.slice(0, namedMax).join(', ') + (more > 0 ? ` +${more}` : '')
}

type ByModel = ReadonlyMap<string, ResolvedPrice>

function priceOfModel(prices: ByModel, model: string): ResolvedPrice {
  const price = prices.get(model)
  if (price === undefined) throw new AppError('model_price_not_set', { params: { model } })
  return price
}

/** Requests that are hashed before others are served. */
const hashedAtOnce = 200
/** Requests that are priced before others are served. */
const pricedAtOnce = 1_000

/** What the requests of a batch may cost. */
interface Payable extends Pick<PayableRequest, 'types' | 'settings'> {
  readonly prices: ByModel
}

/** The requests with what their media cost, in units of their prices, whose caller can pay at least the rest. @throws AppError */
async function measured({ batch, caller, permit }: BatchSubmission, payable: Payable, deps: BatchDeps): Promise<readonly ClientRequest[]> {
  const requests = await mapInSteps(batch.requests, ({ entry, params }) => ({
    entry,
    params: paramsInUnits('batches', params, priceOfModel(payable.prices, params.model)),
  }))
  if (requests.every(({ params }) => params.unmeasured === undefined)) return requests
  await assertAffordable(deps, { caller, permit }, await reservedFor(requests, payable))
  const all: ClientRequest[] = []
  for (const request of requests) all.push({ ...request, params: await measureMedia(request.params, deps.mediaMeter) })
  return all
}

/** What each of the requests would reserve by itself; the least reservation applies to all of them together. */
async function reservedFor(requests: readonly ClientRequest[], { prices, types, settings }: Payable): Promise<number> {
  const each = { ...settings, PreConsumedQuota: 0 }
  let amount = 0
  for (const [index, { params }] of requests.entries()) {
    amount += wholeReservation({ params, price: priceOfModel(prices, params.model), types, settings: each }).amount
    if (index % pricedAtOnce === pricedAtOnce - 1) await setImmediate()
  }
  return amount === 0 ? 0 : Math.min(Number.MAX_SAFE_INTEGER, Math.max(amount, settings.PreConsumedQuota))
}

interface BatchPricing {
  at(price: ResolvedPrice): PriceParts
  /** What the vendor charges for a model; `null`: that is not known. */
  cost(model: string): PriceParts | null
}

function priceText(prices: ByModel, channel: Channel | null, { at, cost }: BatchPricing): string {
  const upstreamModel = (model: string): string => modelAt(channel, model)
  const isPrompted = (channel?.settings.systemPrompt ?? '') !== ''
  const models = Object.fromEntries(
    [...prices].map(([model, price]) => [
      model,
      { price: at(price), cost: cost(model), upstreamModel: upstreamModel(model), isPrompted } satisfies BatchPrice,
    ]),
  )
  return JSON.stringify({ models, seconds: null, size: null } satisfies StoredBatchPrice)
}

function storedParams({ requests }: ClientBatch, models: readonly string[]): StoredTaskParams {
  const extra = { requests: requests.length, models }
  return { prompt: '', seconds: null, size: null, pictures: [], isPartial: true, source: null, extra }
}

/** What a channel would do of a batch; the parameter that it refuses; `null`: it has no batches. */
async function offerOf(
  channel: Channel,
  { body, requests, clientHeaders }: ClientBatch,
  { prices, vendorPrice, refusals }: { readonly prices: ByModel; readonly refusals: Refusals } & Pick<Prices, 'vendorPrice'>,
): Promise<Offered> {
  const dialect = batchDialectOf(channel.vendor)
  if (dialect === null) return null
  const refused = await refusals(channel)
  if (refused !== null) return { refused }
  const upstreamModels = [...prices.keys()].map((model) => modelAt(channel, model))
  const params = { body, requests: requests.map(({ entry }) => entryFor(channel, entry)), clientHeaders }
  const prepared = await dialect.prepare(channel, params, setImmediate)
  if ('refused' in prepared) return prepared
  return {
    upstreamModel: namesOf([...new Set(upstreamModels)]),
    secondsMax: dialect.secondsMax,
    priceText: () =>
      priceText(prices, channel, {
        at: (price) => inBatches(price.ofType(channel.vendor.type), channel),
        cost: (model) => {
          const price = vendorPrice(channel, model)
          return price === null ? null : inBatches(price, channel)
        },
      }),
    submit: prepared.submit,
  }
}

/** The highest price of a model among the channels that may run the batch. */
function dearestOf(model: string, price: ResolvedPrice, { tiers, types }: Route): ResolvedPrice {
  const dearest = price.dearestOf(types)
  const { parts } = dearest
  const discounts = tiers.flatMap(({ channels }) => channels.map(({ vendor }) => vendor.batches?.factor ?? 1))
  const batch = parts.price.batch ?? Math.max(...discounts)
  return { ...dearest, ...resolvePrice(model, { ...parts.price, batch }, parts.factors) }
}

/** A price with the discount of the vendor that runs the batch: models of one name cost less in batches at one vendor than at another. */
function inBatches({ parts }: ResolvedPrice, { vendor: { batches } }: Channel): PriceParts {
  const { price, factors } = parts
  const batch = price.batch ?? batches?.factor
  return batch === undefined ? parts : { price: { ...price, batch }, factors }
}

/** The first place of a batch that may not be sent to a channel; `null`: all of it may. */
type Refusals = (channel: Channel) => Promise<string | null>

/** Each channel is checked once. */
function refusalsOf(requests: readonly ClientRequest[]): Refusals {
  const known = new Map<number, Promise<string | null>>()
  return async (channel) => {
    const refusal = known.get(channel.id) ?? refusedOf(channel, requests)
    known.set(channel.id, refusal)
    return await refusal
  }
}

/** Refuses a batch that no channel may be sent, before anything is reserved, as a single request is. @throws AppError parameter_not_offered */
async function needOneChannel({ tiers }: Route, refusals: Refusals): Promise<void> {
  let first: string | null = null
  for (const channel of tiers.flatMap(({ channels }) => channels)) {
    const place = await refusals(channel)
    if (place === null) return
    first ??= place
  }
  throw new AppError('parameter_not_offered', { params: { name: first ?? 'requests' } })
}

/** Requests that are checked before others are served. */
const checkedAtOnce = 200

async function refusedOf(channel: Channel, requests: readonly ClientRequest[]): Promise<string | null> {
  for (const [index, request] of requests.entries()) {
    const place = refusedIn(channel, request)
    if (place !== null) return placeInBatch(index, request.entry.custom_id, place)
    if (index % checkedAtOnce === checkedAtOnce - 1) await setImmediate()
  }
  return null
}

/** What the channel refuses of one request of a batch: what it is not sent alone, it is not sent in a batch. `null`: nothing. */
function refusedIn(channel: Channel, { entry, params }: ClientRequest): string | null {
  const place = unreadable(channel, entry.params)
  return place ?? unservedParameter(channel.vendor, channel, { params, rules: messages }) ?? outOfBatches(entry.params, params)
}

/**
 * What a batch has no price for: it is priced by the models of its requests, and not by others that they name, or by further calls of the same,
 * and at the tier of batches, which a faster one would replace.
 */
function outOfBatches({ speed }: BatchedRequest['params'], { use }: ClientRequest['params']): string | null {
  return use?.models[0]?.place ?? (speed === 'fast' ? 'speed' : null)
}

/** A request with the channel's name of its model and its system prompt. */
function entryFor(channel: Channel, { params, ...request }: BatchedRequest): BatchedRequest {
  const { model } = params
  const promptedParams = withSystemPrompt(params, { kind: 'messages', prompt: channel.settings.systemPrompt })
  return {
    ...request,
    custom_id: request.custom_id,
    params: { ...promptedParams, model: typeof model === 'string' ? modelAt(channel, model) : model },
  }
}
