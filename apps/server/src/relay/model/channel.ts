import type { Vendor } from '@sluice/vendors/vendor'

/** What only some channels have set. `null`: nothing is, so that what holds for all holds. */
export interface ChannelSettings {
  /** Requests that may run at once. */
  readonly inFlightMax: number | null
  /** Address of the proxy, with its login. */
  readonly proxy: string | null
  /** Sent along with every request; the key is not in them yet. */
  readonly headers: Readonly<Record<string, string>>
  /** Stands before what the client says, as `system-prompt.ts` has it; empty: none. */
  readonly systemPrompt: string
  readonly firstByteMs: number | null
  readonly idleMs: number | null
  readonly totalMs: number | null
  /** Empty: chosen by the test. */
  readonly testModel: string
  /** Whether the program may disable the channel by itself. */
  readonly mayBeDisabled: boolean
}

/** One upstream connection, ready to be used. A request keeps the one it began with, whatever is edited meanwhile. */
export interface Channel {
  readonly id: number
  readonly name: string
  readonly vendor: Vendor
  readonly key: string
  /** The key as it is stored: whether it is still the one that was used. */
  readonly keySealed: string
  readonly baseUrl: string
  readonly priority: number
  readonly weight: number
  readonly isEnabled: boolean
  readonly groups: readonly string[]
  readonly models: readonly string[]
  /** Requested model -> upstream model. */
  readonly mapping: ReadonlyMap<string, string>
  readonly settings: ChannelSettings
}

/** Channels of one priority. Everything that drawing one by weight needs is worked out beforehand. */
export interface Tier {
  readonly channels: readonly Channel[]
  /** The weights added up to and including each channel. */
  readonly sums: readonly number[]
}

/** How the channels stand at one moment. */
export interface ChannelMap {
  readonly all: ReadonlyMap<number, Channel>
  /** Enabled channels for a model that any of the groups may use: highest priority first. */
  tiers(groups: readonly string[], model: string): readonly Tier[]
  /** The first of the groups that has an enabled channel for the model. */
  pricingGroup(groups: readonly string[], model: string): string | null
  /** Whether any channel of the groups, enabled or not, lists the model. */
  knows(groups: readonly string[], model: string): boolean
  /** Models that the groups can use now, sorted. */
  models(groups: readonly string[]): readonly string[]
}
