import type { TaskKind } from '@sluice/vendors/core/task'
import { makesTasks } from '@sluice/vendors/registry/task-dialect-of'
import { PairCache } from '../../lib/pair-cache.ts'
import { type Channel, type ChannelMap, modelAt, type Route, type Tier } from '../model/channel.ts'
import { tierOf } from './candidates.ts'

/** All channels by what requests ask for. A change takes time in proportion to the channel's own models. */
export interface ChannelIndex {
  /** Always of the present channels. */
  readonly map: ChannelMap
  /** The different names of models. */
  readonly models: { readonly size: () => number; readonly has: (name: string) => boolean }
  /** Adds a channel, or puts it in the place of the one with its id. */
  put(channel: Channel): void
  remove(id: number): void
}

/** A list of models and the channels that have exactly this list. Copies of a channel share one, so that its models are indexed once. */
interface ModelList {
  readonly models: readonly string[]
  /** By id. */
  readonly channels: Map<number, Channel>
}

/** Cached routes per group list and model; beyond it they are computed again. */
const routesMax = 10_000
/** Cached lists of models, each of a group list and a kind of task. */
const listingsMax = 100

export function createChannelIndex(): ChannelIndex {
  const all = new Map<number, Channel>()
  /** By the array of the models, which is the same for channels with the same list. */
  const lists = new Map<readonly string[], ModelList>()
  const byModel = new Map<string, ModelList[]>()
  /** By model, then by groups. */
  const routes = new PairCache<Route | null>(routesMax)
  /** By kind of task, then by groups. */
  const listings = new PairCache<readonly string[]>(listingsMax)

  function changed(): void {
    routes.clear()
    listings.clear()
  }

  function listOf({ models }: Channel): ModelList {
    const known = lists.get(models)
    if (known !== undefined) return known
    const added: ModelList = { models, channels: new Map() }
    lists.set(models, added)
    for (const model of models) {
      const listed = byModel.get(model)
      if (listed === undefined) byModel.set(model, [added])
      else listed.push(added)
    }
    return added
  }

  function leave(list: ModelList, id: number): void {
    list.channels.delete(id)
    if (list.channels.size > 0) return
    lists.delete(list.models)
    for (const model of list.models) {
      const others = (byModel.get(model) ?? []).filter((other) => other !== list)
      if (others.length === 0) byModel.delete(model)
      else byModel.set(model, others)
    }
  }

  function route(groups: readonly string[], model: string): Route | null {
    const list = groups.join()
    const known = routes.get(model, list)
    if (known !== undefined) return known
    const isServed = groupCheck(groups)
    const usable = channelsOf(byModel.get(model)).filter((channel) => channel.isEnabled && isServed(channel))
    const group = groups.find((name) => usable.some((channel) => channel.groups.includes(name)))
    const computed =
      group === undefined ? null : { tiers: inTiers(usable), group, types: [...new Set(usable.map(({ vendor }) => vendor.type))] }
    routes.set(model, list, computed)
    return computed
  }

  function knows(groups: readonly string[], model: string): boolean {
    const isServed = groupCheck(groups)
    return channelsOf(byModel.get(model)).some(isServed)
  }

  function models(groups: readonly string[], kind: TaskKind | ''): readonly string[] {
    const list = groups.join()
    const known = listings.get(kind, list)
    if (known !== undefined) return known
    const isServed = groupCheck(groups)
    const canServe = (channel: Channel): boolean => channel.isEnabled && isServed(channel)
    const offering = new Map([...lists.values()].map((one) => [one, distinctServers(one, kind, canServe)]))
    const isOffered = (model: string, listed: readonly ModelList[]): boolean =>
      listed.some((one) => offering.get(one)?.some((channel) => makesModel(channel, kind, model)) ?? false)
    const names = [...byModel].flatMap(([model, listed]) => (isOffered(model, listed) ? [model] : [])).sort()
    listings.set(kind, list, names)
    return names
  }

  return {
    map: { all, route, knows, names: () => [...byModel.keys()].sort(), models, channelsOf: (model) => channelsOf(byModel.get(model)) },
    models: { size: () => byModel.size, has: (name) => byModel.has(name) },
    put(channel) {
      const before = all.get(channel.id)
      const list = listOf(channel)
      if (before !== undefined && before.models !== channel.models) leave(listOf(before), channel.id)
      list.channels.set(channel.id, channel)
      all.set(channel.id, channel)
      changed()
    },
    remove(id) {
      const before = all.get(id)
      if (before === undefined) return
      leave(listOf(before), id)
      all.delete(id)
      changed()
    },
  }
}

/** Sorted by id. */
function channelsOf(lists: readonly ModelList[] = []): readonly Channel[] {
  return lists.flatMap(({ channels }) => [...channels.values()]).sort((one, other) => one.id - other.id)
}

/** Whether a channel serves any of the groups. Channels with the same groups share one array, which is looked at once. */
function groupCheck(groups: readonly string[]): (channel: Channel) => boolean {
  const servable = new Set(groups)
  const checked = new Map<readonly string[], boolean>()
  return ({ groups: served }) => {
    const known = checked.get(served)
    if (known !== undefined) return known
    const isServed = served.some((group) => servable.has(group))
    checked.set(served, isServed)
    return isServed
  }
}

/** Of the channels of a list that can serve, those that differ in what models they make: one if any serves, and by vendor and mapping for tasks. */
function distinctServers({ channels }: ModelList, kind: TaskKind | '', canServe: (channel: Channel) => boolean): readonly Channel[] {
  if (kind === '') return [...channels.values()].filter(canServe).slice(0, 1)
  const distinct = new Map<unknown, Map<unknown, Channel>>()
  for (const channel of channels.values()) {
    const { vendor, mapping } = channel
    if (vendor.tasks?.[kind] === undefined || !canServe(channel)) continue
    const ofVendor = distinct.get(vendor) ?? new Map<unknown, Channel>()
    distinct.set(vendor, ofVendor.set(mapping, channel))
  }
  return [...distinct.values()].flatMap((ofVendor) => [...ofVendor.values()])
}

/** Whether a channel makes tasks of a kind by a model; any model, if the kind is empty. */
function makesModel(channel: Channel, kind: TaskKind | '', model: string): boolean {
  return kind === '' || makesTasks(channel.vendor, kind, modelAt(channel, model))
}

function inTiers(channels: readonly Channel[]): readonly Tier[] {
  const byPriority = Map.groupBy(channels, ({ priority }) => priority)
  return [...byPriority].sort(([one], [other]) => other - one).map(([, ofPriority]) => tierOf(ofPriority))
}
