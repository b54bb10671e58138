import { type ModelKind, type ModelRow, type ModelState, modelKinds } from '@sluice/contract'
import type { ChatFeature } from '@sluice/vendors/core/feature'
import { kindOf } from '@sluice/vendors/core/kind-of'
import type { Vendor } from '@sluice/vendors/core/vendor'
import { type ModelFacts, modelFactsOf } from '@sluice/vendors/registry/models/model-facts'
import { knownLimitsOf } from '@sluice/vendors/registry/models/output-limits'
import type { Price } from '@sluice/vendors/registry/models/prices'
import { taskKindOf } from '@sluice/vendors/registry/task-dialect-of'
import type { Unit } from '../../ledger/price.ts'
import { AppError } from '../../lib/app-error.ts'
import { createPauses } from '../../lib/pauses.ts'
import { groupsOf } from '../ingress/callers.ts'
import { type Channel, type ChannelMap, modelAt, type Route } from '../model/channel.ts'
import type { Prices } from '../pricing/prices.ts'
import type { PriceBasis, ResolvedPrice } from '../pricing/resolve-price.ts'
import type { Channels } from '../routing/channels.ts'
import type { Health } from '../routing/health.ts'

export interface ModelListParts {
  readonly channels: Pick<Channels, 'current'>
  readonly prices: Pick<Prices, 'resolve'>
  readonly health: Pick<Health, 'admits' | 'knows'>
}

/** What the relay knows of a model; how fast it responds is in the log. */
export type RelayModel = Omit<ModelRow, 'first_byte' | 'tokens_per_second'>

/** @param groups of an account, as they are stored */
export type ListModels = (groups: string) => Promise<readonly RelayModel[]>

/** The models that an account may use, with what the console shows of them. */
export function createListModels({ channels, prices, health }: ModelListParts): ListModels {
  /** What only changes with the channels, by the list of the names, which is another one after each change. */
  const known = new WeakMap<readonly string[], Promise<readonly ListedModel[]>>()

  async function listed(map: ChannelMap, groups: readonly string[], names: readonly string[]): Promise<readonly ListedModel[]> {
    const pause = createPauses()
    const models: ListedModel[] = []
    for (const name of names) {
      await pause()
      const route = map.route(groups, name)
      if (route !== null) models.push(listedModel(route, name))
    }
    return models
  }

  function rowOf({ facts, route, kind }: ListedModel): RelayModel {
    return { ...facts, ...pricesOf(facts.name, route), state: stateOf(channelsOf(route), facts.name, kind) }
  }

  function pricesOf(name: string, { group, types }: Route): Pick<ModelRow, 'is_priced' | 'prices' | 'tiers'> {
    const price = priceOrNull(() => prices.resolve(name, group).dearestOf(types))
    if (price === null) return { is_priced: false, prices: {}, tiers: [] }
    const tiers = (price.price.tiers ?? []).map(({ above = 0, aboveOutput = 0 }) => ({
      ...{ above, above_output: aboveOutput },
      prices: unitPrices(price, { promptTokens: above + 1, completionTokens: aboveOutput + 1 }),
    }))
    return { is_priced: true, prices: unitPrices(price, { promptTokens: 0, completionTokens: 0 }), tiers }
  }

  /** A channel that is not used now still counts if another one is. */
  function stateOf(serving: readonly Channel[], name: string, kind: ModelKind): ModelState {
    const subject = (channel: Channel) => ({ kind, model: modelAt(channel, name), tokenId: 0 })
    const unusable = serving.filter((channel) => health.knows(channel.id) && !health.admits(channel, subject(channel), false)).length
    if (unusable === 0) return 'up'
    return unusable === serving.length ? 'down' : 'degraded'
  }

  return async (groups) => {
    const map = await channels.current()
    const all = groupsOf(groups)
    const names = map.models(all, '')
    const models = known.get(names) ?? listed(map, all, names)
    known.set(names, models)
    const pause = createPauses()
    const rows: RelayModel[] = []
    for (const model of await models) {
      await pause()
      rows.push(rowOf(model))
    }
    return rows
  }
}

/** A model that some groups may use, without its prices and its state. */
interface ListedModel {
  readonly facts: Omit<RelayModel, 'is_priced' | 'prices' | 'tiers' | 'state'>
  readonly route: Route
  readonly kind: ModelKind
}

function listedModel(route: Route, name: string): ListedModel {
  const serving = channelsOf(route)
  const kinds = kindsOf(serving, name)
  const [kind = 'chat'] = kinds
  const upstream = upstreamOf(serving, name)
  const limits = knownLimitsOf(upstream)
  const facts = {
    ...{ name, kinds, vendors: [...route.types].sort((one, other) => one - other) },
    ...{ context: limits?.contextMax ?? 0, output: limits?.outputMax ?? 0 },
    ...factsOf(serving, upstream, kind),
  }
  return { facts, route, kind }
}

const channelsOf = ({ tiers }: Route): readonly Channel[] => tiers.flatMap((tier) => tier.channels)

/** The name that goes upstream at the first channel, which has the highest priority. */
const upstreamOf = ([first]: readonly Channel[], name: string): string => modelAt(first, name)

/** Names of a model at one vendor that are looked at; where channels name it by more, the further ones say nothing new. */
const upstreamNamesMax = 16

function kindsOf(serving: readonly Channel[], name: string): ModelKind[] {
  const upstreams = new Map<Vendor, Set<string>>()
  for (const channel of serving) {
    const { vendor } = channel
    const names = upstreams.get(vendor) ?? new Set()
    if (names.size < upstreamNamesMax) upstreams.set(vendor, names.add(modelAt(channel, name)))
  }
  const kinds = new Set([...upstreams].flatMap(([vendor, names]) => [...names].map((upstream) => kindAt({ vendor }, upstream))))
  return modelKinds.filter((kind) => kinds.has(kind))
}

/** What a vendor must have for each of these, among what its record says that its chats lack. */
const lackedAs: Readonly<Partial<Record<ModelFacts['inputs' | 'features'][number], ChatFeature>>> = {
  tools: 'tools',
  structured: 'structured output',
  image: 'images in',
  file: 'files in',
  audio: 'audio in',
}

/** What the model can, less what no channel that serves it lets through. */
function factsOf(serving: readonly Channel[], upstream: string, kind: ModelKind) {
  const { inputs, outputs, features, released } = modelFactsOf(upstream, kind)
  const isServed = (name: keyof typeof lackedAs): boolean => kind !== 'chat' || serving.some(({ vendor }) => !isLackedBy(vendor, name))
  return { inputs: inputs.filter(isServed), outputs: [...outputs], features: features.filter(isServed), released }
}

function isLackedBy({ chat }: Pick<Vendor, 'chat'>, name: keyof typeof lackedAs): boolean {
  const feature = lackedAs[name]
  return feature !== undefined && chat?.lacks?.includes(feature) === true
}

/** A model whose name says nothing else is a chat. */
export function kindAt({ vendor }: Pick<Channel, 'vendor'>, upstream: string): ModelKind {
  const task = taskKindOf(vendor, upstream)
  if (task !== null) return task
  return /realtime/i.test(upstream) && vendor.dialects.realtime !== undefined ? 'realtime' : kindOf(upstream)
}

/** `null`: requests for it are refused. */
function priceOrNull(resolve: () => ResolvedPrice): ResolvedPrice | null {
  try {
    return resolve()
  } catch (error) {
    if (error instanceof AppError && error.code === 'model_price_not_set') return null
    throw error
  }
}

/** What of a price says that a unit is charged apart, and not as another one. */
const priceFields: ReadonlyArray<readonly [Unit, keyof Price]> = [
  ['prompt', 'ratio'],
  ['completion', 'ratio'],
  ['cached', 'cached'],
  ['cacheWrite', 'cacheWrite'],
  ['cacheWrite1h', 'cacheWrite1h'],
  ['audioInput', 'audio'],
  ['audioOutput', 'audioCompletion'],
  ['imageInput', 'image'],
  ['imageOutput', 'imageCompletion'],
  ['audioMs', 'second'],
  ['audioMs', 'audioSecond'],
  ['characters', 'character'],
  ['images', 'picture'],
  ['calls', 'call'],
  ['searches', 'search'],
  ['fileSearches', 'fileSearch'],
  ['videoMs', 'video'],
  ['credits', 'credit'],
]

function unitPrices(
  { price, ratesFor }: ResolvedPrice,
  counts: Pick<PriceBasis, 'promptTokens' | 'completionTokens'>,
): Record<string, number> {
  const { each } = ratesFor({ ...counts, serviceTier: 'standard' })
  const other = ratesFor({ ...counts, reasoningTokens: 1, isCacheExplicit: true, serviceTier: 'standard' }).each
  const toMedia = ratesFor({ ...counts, imageInputTokens: 1, serviceTier: 'standard' }).each
  return Object.fromEntries([
    ...priceFields.flatMap(([unit, field]) => (price[field] !== undefined && each[unit] > 0 ? [[unit, each[unit]]] : [])),
    ...(other.completion === each.completion ? [] : [['thinking', other.completion]]),
    ...(toMedia.completion === each.completion ? [] : [['mediaCompletion', toMedia.completion]]),
    ...(other.cached === each.cached ? [] : [['cachedExplicit', other.cached]]),
  ])
}
