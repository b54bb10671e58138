import type { Settings } from '@sluice/contract'
import type { ByteBudget } from '@sluice/http1/byte-budget'
import type { Reply } from '@sluice/http1/reply'
import type { Logger } from 'pino'
import type { Store } from '../db/connect.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Clock } from '../lib/clock.ts'
import type { Reached } from '../lib/failpoints.ts'
import type { Seal } from '../lib/seal.ts'
import type { Spending } from './billing/billing.ts'
import type { Incoming } from './model/incoming.ts'
import type { RelayLimits } from './model/limits.ts'
import type { Telemetry } from './model/telemetry.ts'
import type { ProbeResult } from './operations/probe.ts'
import type { VendorQueries } from './operations/vendor-queries.ts'
import type { ChannelReport } from './routing/health.ts'
import type { KeyRefusal } from './routing/key-refusals.ts'
import type { TargetGuard } from './upstream/resolve-guard.ts'

/** Everything the relay needs from the outside; `app.ts` puts it together. */
export interface RelayDeps {
  readonly store: Store
  readonly ledger: Ledger
  readonly seal: Seal
  readonly settings: () => Settings
  readonly clock: Clock
  readonly log: Logger
  readonly limits: RelayLimits
  /** Where channels may lead. */
  readonly guard: TargetGuard
  /** Called when a vendor refused the key of a channel, or says that it is out of money. @returns whether the channel was disabled */
  readonly keyRefused: (refusal: KeyRefusal) => Promise<boolean>
  /** Hears of every charge, at once, and takes no time for it. */
  readonly spent: (spending: Spending) => void
  readonly telemetry: Telemetry
  /** What the long messages of all sessions may have together while they arrive and wait to be sent. */
  readonly longMessages: ByteBudget
  /** The same for the bodies of requests, until a vendor answers them. */
  readonly bodies: ByteBudget
  /** Where tests let our own files fail. */
  readonly reached: Reached
}

/** What changed in the tables, so that running copies are dropped: it takes effect on the next request. */
export type Change =
  | { readonly what: 'user'; readonly id: number }
  | { readonly what: 'token'; readonly id: number }
  | { readonly what: 'channels' }
  | { readonly what: 'options' }

export interface Relay extends VendorQueries {
  /** Answers every path below `/v1` and `/dashboard/billing`. Never throws. */
  handle(incoming: Incoming): Promise<Reply>
  /**
   * Asks the channel for the least that the model can do, free of charge for everybody here. The vendor may charge for it, and a picture is
   * what costs most. An empty model: gpt-3.5-turbo if configured, else the first.
   */
  probe(channelId: number, model: string): Promise<ProbeResult>
  /** Drops running copies of what changed. */
  changed(change: Change): void
  /** Whether somebody has set a price for a model. */
  hasPrice(model: string): boolean
  /** Names of the models that a user of these groups can use now, sorted. */
  modelsOf(groups: string): Promise<readonly string[]>
  /** How the channels do that have been used. */
  health(): readonly ChannelReport[]
  /** Resolves when no answer is running any more, or after `graceMs`, when those that remain have been cut. */
  drain(graceMs: number): Promise<void>
}
