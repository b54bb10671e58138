import type { PriceRule } from '@sluice/contract'
import type { ChannelConfig, ChannelFacts } from '@sluice/vendors/core/channel-config'
import type { TaskKind } from '@sluice/vendors/core/task'
import type { Vendor } from '@sluice/vendors/core/vendor'

/** Settings that most channels leave empty. `null`: the general value applies. */
export interface ChannelSettings {
  /** Maximum number of concurrent requests. */
  readonly inFlightMax: number | null
  /** Address of the proxy, with its credentials. */
  readonly proxy: string | null
  /** Headers added to every request, before the key is put in. */
  readonly headers: Readonly<Record<string, string>>
  /** Put before the client's messages by `system-prompt.ts`; empty: none. */
  readonly systemPrompt: string
  readonly firstByteMs: number | null
  readonly idleMs: number | null
  readonly totalMs: number | null
  /** Empty: the channel test chooses. */
  readonly testModel: string
  /** Whether the server may disable the channel automatically. */
  readonly mayBeDisabled: boolean
  /** Whether requests may name what the vendor keeps for the account of the key. */
  readonly hasContentOfKey: boolean
  /** The methods and the beginnings of paths that a raw proxy forwards; `null`: all. */
  readonly proxyMethods: readonly string[] | null
  readonly proxyPaths: readonly string[] | null
  /** Kinds of rewriting that are switched off. */
  readonly rewritesOff: ReadonlySet<string>
  /** Members of bodies and types of tools that it gets although what they cost is not known. */
  readonly allowedMembers: Pick<ReadonlySet<string>, 'has'>
  /** The part of the vendor's list price that the operator pays; 1: all of it. */
  readonly costFactor: number
  /** What the operator pays for a model, where it is not the vendor's list price. */
  readonly costPrices: Pick<ReadonlyMap<string, PriceRule>, 'get'>
}

/** One upstream connection. A request keeps the object it began with, even if the channel is edited meanwhile. */
export interface Channel extends ChannelFacts {
  readonly id: number
  readonly name: string
  readonly vendor: Vendor
  readonly key: string
  /** The key as stored, to check whether the channel still has the key that was used. */
  readonly keySealed: string
  readonly baseUrl: string
  /** The members of its configuration that are not empty, and its further setting: see `Vendor`. */
  readonly config: ChannelConfig
  readonly other: string
  readonly priority: number
  readonly weight: number
  readonly isEnabled: boolean
  readonly groups: readonly string[]
  readonly models: readonly string[]
  /** Requested model -> upstream model. */
  readonly mapping: Pick<ReadonlyMap<string, string>, 'get'>
  readonly settings: ChannelSettings
}

/** The name of a model at the vendor of a channel. @param channel none: that of the request */
export function modelAt(channel: Pick<Channel, 'mapping'> | null | undefined, model: string): string {
  return channel?.mapping.get(model) ?? model
}

/** Channels of one priority, prepared for a weighted draw. */
export interface Tier {
  readonly channels: readonly Channel[]
  /** Cumulative weights, up to and including each channel. */
  readonly sums: readonly number[]
}

/** The channels that a request may try, and what sets its price. */
export interface Route {
  /** Highest priority first. */
  readonly tiers: readonly Tier[]
  /** The group that sets the price. */
  readonly group: string
  /** The types of the channels: the reservation covers the dearest. */
  readonly types: readonly number[]
}

/** All channels. It changes with them, so what must not change meanwhile is looked up once. */
export interface ChannelMap {
  readonly all: ReadonlyMap<number, Channel>
  /** The enabled channels for a model that any of the groups may use; the first group that has one sets the price. `null`: none has. */
  route(groups: readonly string[], model: string): Route | null
  /** Whether any channel of the groups, enabled or not, lists the model. */
  knows(groups: readonly string[], model: string): boolean
  /** Every channel, enabled or not, that lists the model, by id. */
  channelsOf(model: string): readonly Channel[]
  /** Names of the models of all channels, sorted. */
  names(): readonly string[]
  /** Models that the groups can use now, sorted; of a kind of task those that make it. */
  models(groups: readonly string[], kind: TaskKind | ''): readonly string[]
}
