import { channelStatus } from '@sluice/contract'
import type { ChannelFacts } from '@sluice/vendors/channel-config'
import { addressed } from '@sluice/vendors/channel-facts'
import { vendorByType } from '@sluice/vendors/list'
import type { TaskKind } from '@sluice/vendors/tasks/task'
import { makesTasks } from '@sluice/vendors/tasks/task-dialects'
import type { Vendor } from '@sluice/vendors/vendor'
import type { Logger } from 'pino'
import type { Db } from '../../db/connect.ts'
import { PairCache } from '../../lib/pair-cache.ts'
import { tryParseJson } from '../../lib/parse-json.ts'
import type { Seal } from '../../lib/seal.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import type { Channel, ChannelMap, Route, Tier } from '../model/channel.ts'
import { tierOf } from './candidates.ts'
import { listChannels } from './channel-queries.ts'
import { readSettings } from './channel-settings.ts'

export interface Channels {
  /** The current map; it is read again only after a change. */
  current(): ChannelMap | Promise<ChannelMap>
  changed(): void
  /** Called for every failed attempt of a client's request. */
  failed: OnFailure
}

interface ChannelsDeps {
  readonly db: Db
  readonly seal: Seal
  readonly log: Logger
  readonly failed: OnFailure
  /** Called with every new map before a channel is chosen from it. */
  readonly mapped: (channels: ChannelMap['all']) => void
}

type OnFailure = (channel: Channel, failed: AttemptFailure) => void

export function createChannels({ db, seal, log, failed, mapped }: ChannelsDeps): Channels {
  let map: ChannelMap | null = null
  let reading: Promise<ChannelMap> | null = null
  let version = 0
  /** The rows of the current map as texts: a channel whose row is the same stays the same object, and keeps what was found out about it. */
  let known: ReadonlyMap<number, KnownRow> = new Map()

  function channelsOf(rows: readonly ChannelRow[]): readonly Channel[] {
    const next = new Map<number, KnownRow>()
    for (const row of rows) {
      const text = JSON.stringify(row)
      const before = known.get(row.id)
      next.set(row.id, before?.text === text ? before : { text, channel: toChannel(row, seal, log) })
    }
    known = next
    return [...next.values()].flatMap(({ channel }) => channel ?? [])
  }

  async function read(): Promise<ChannelMap> {
    for (;;) {
      const readVersion = version
      const rows = await listChannels(db)
      // If something changed during this read, read again: the map must not be older than the last change.
      if (readVersion !== version) continue
      map = mapChannels(channelsOf(rows))
      mapped(map.all)
      reading = null
      return map
    }
  }

  return {
    current() {
      if (map !== null) return map
      reading ??= read().catch((error) => {
        reading = null
        throw error
      })
      return reading
    },
    changed() {
      version += 1
      map = null
    },
    failed,
  }
}

type ChannelRow = Awaited<ReturnType<typeof listChannels>>[number]

interface KnownRow {
  readonly text: string
  /** `null`: it cannot be used. */
  readonly channel: Channel | null
}

function toChannel(row: ChannelRow, seal: Seal, log: Logger): Channel | null {
  const vendor = vendorByType(row.type)
  if (vendor === null) {
    log.warn({ channel: row.id, type: row.type }, 'a channel has a type that this version does not know and is not used')
    return null
  }
  try {
    const opened = {
      ...row,
      key: seal.open(row.key_sealed, 'channel-key'),
      config: row.config_sealed === '' ? '' : seal.open(row.config_sealed, 'channel-config'),
      settings: row.settings_sealed === '' ? '' : seal.open(row.settings_sealed, 'channel-settings'),
    }
    const way = reached(opened, vendor)
    if (way === null) return null
    return {
      id: row.id,
      name: row.name,
      keySealed: row.key_sealed,
      priority: row.priority,
      weight: row.weight,
      isEnabled: row.status === channelStatus.enabled,
      groups: row.groups.split(','),
      ...way,
    }
  } catch (error) {
    log.error({ channel: row.id, err: error }, 'the key of a channel cannot be opened with this master key, so it is not used')
    return null
  }
}

/** A channel as its form describes it. */
export interface UnsavedChannel {
  readonly type: number
  readonly key: string
  /** Empty = the vendor's. */
  readonly base_url: string
  /** As it is stored, not encrypted. */
  readonly config: string
  readonly other: string
  readonly models: string
  readonly model_mapping: string
  /** As they are stored, not encrypted. */
  readonly settings: string
}

/** A channel that is not stored, for a test of it. `null`: its type is unknown, or it has no address. */
export function unsavedChannel(form: UnsavedChannel): Channel | null {
  const vendor = vendorByType(form.type)
  const way = vendor === null ? null : reached(form, vendor)
  if (way === null) return null
  return { id: 0, name: '', keySealed: '', priority: 0, weight: 0, isEnabled: false, groups: [], ...way }
}

type Reached = Pick<Channel, 'vendor' | keyof ChannelFacts | 'models' | 'mapping' | 'settings'>

/** The part of a channel that says how requests reach its vendor. `null`: it has no address. */
function reached({ key, base_url, config, other, models, model_mapping, settings }: UnsavedChannel, vendor: Vendor): Reached | null {
  const found = addressed(vendor, { baseUrl: base_url, key, config, other })
  if (found === null) return null
  return {
    vendor: found.vendor,
    ...found.facts,
    models: models.split(',').filter((model) => model !== ''),
    mapping: parseMapping(model_mapping),
    settings: readSettings(settings),
  }
}

/** Mappings were checked when saved; an invalid one is treated as empty. */
function parseMapping(text: string): ReadonlyMap<string, string> {
  if (text === '') return new Map()
  const parsed = tryParseJson(text)
  if (typeof parsed !== 'object' || parsed === null) return new Map()
  return new Map(Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** Cached routes per group list and model; beyond it they are computed again. */
const routesMax = 10_000

function mapChannels(channels: readonly Channel[]): ChannelMap {
  const all = new Map(channels.map((channel) => [channel.id, channel]))
  const byModel = new Map<string, Channel[]>()
  for (const channel of channels) {
    for (const model of channel.models) {
      const listed = byModel.get(model)
      if (listed === undefined) byModel.set(model, [channel])
      else listed.push(channel)
    }
  }
  /** By model, then by groups. */
  const routes = new PairCache<Route | null>(routesMax)
  const serves = (channel: Channel, groups: readonly string[]): boolean => channel.groups.some((group) => groups.includes(group))

  function route(groups: readonly string[], model: string): Route | null {
    const list = groups.join()
    const known = routes.get(model, list)
    if (known !== undefined) return known
    const usable = (byModel.get(model) ?? []).filter((channel) => channel.isEnabled && serves(channel, groups))
    const group = groups.find((name) => usable.some((channel) => channel.groups.includes(name)))
    const found =
      group === undefined ? null : { tiers: inTiers(usable), group, types: [...new Set(usable.map(({ vendor }) => vendor.type))] }
    routes.set(model, list, found)
    return found
  }

  return {
    all,
    route,
    knows: (groups, model) => (byModel.get(model) ?? []).some((channel) => serves(channel, groups)),
    models: (groups, kind) => [...byModel.keys()].filter((model) => isServed(route(groups, model), kind, model)).sort(),
  }
}

/** Whether a route leads to a channel that makes tasks of a kind by this model; to any channel, if the kind is empty. */
function isServed(route: Route | null, kind: TaskKind | '', model: string): boolean {
  if (route === null || kind === '') return route !== null
  const found = route.tiers.flatMap(({ channels }) => channels)
  return found.some(({ vendor, mapping }) => makesTasks(vendor, kind, mapping.get(model) ?? model))
}

function inTiers(channels: readonly Channel[]): readonly Tier[] {
  const priorities = [...new Set(channels.map(({ priority }) => priority))].sort((a, b) => b - a)
  return priorities.map((priority) => tierOf(channels.filter((channel) => channel.priority === priority)))
}
