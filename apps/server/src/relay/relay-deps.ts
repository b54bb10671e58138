import type { Settings } from '@sluice/contract'
import type { ByteBudget } from '@sluice/http1/byte-budget'
import type { Received } from '@sluice/http1/received'
import type { Reply } from '@sluice/http1/reply'
import type { SocketHandlers } from '@sluice/http1/server-web-socket'
import type { Logger } from 'pino'
import type { Store } from '../db/connect.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Clock } from '../lib/clock.ts'
import type { Reached } from '../lib/failpoints.ts'
import type { Seal } from '../lib/seal.ts'
import type { ChannelReport } from './health.ts'
import type { TargetGuard } from './resolve-guard.ts'
import type { Sight, Watch } from './watch.ts'

/** Waits of the data plane, in milliseconds; the defaults stand in `env.ts`. */
export interface RelayLimits {
  readonly bodyBytesMax: number
  /** The same for forms, which carry files. */
  readonly formBytesMax: number
  readonly bodyMs: number
  /** `null`: as the kind of call has it. */
  readonly firstByteMs: number | null
  readonly idleMs: number | null
  readonly totalMs: number
  /** How long a client may take nothing of its stream. */
  readonly stallMs: number
  readonly heartbeatMs: number
}

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
  readonly watch: Watch
  /** What the long messages of all sessions may have together while they arrive and wait to be sent. */
  readonly longMessages: ByteBudget
  /** Where tests let our own files fail. */
  readonly reached: Reached
}

export interface KeyRefusal {
  readonly channelId: number
  /** The key that was refused, as it was stored: another may have been given meanwhile. */
  readonly keySealed: string
  /** The vendor's words. */
  readonly reason: string
}

/** What a charge did to a balance. */
export interface Spending {
  readonly userId: number
  readonly before: number
  readonly after: number
}

/** What changed in the tables, so that running copies are dropped: it takes effect on the next request. */
export type Change =
  | { readonly what: 'user'; readonly id: number }
  | { readonly what: 'token'; readonly id: number }
  | { readonly what: 'channels' }
  | { readonly what: 'options' }

/** One client request as the server hands it over. */
export interface Incoming {
  readonly request: Received
  readonly requestId: string
  /** The client's address, trusted proxies already resolved. Asked for only where a token is bound to subnets. */
  readonly address: () => string
  /** Makes a connection of messages of it. `false`: it could not be made, because the client has gone. */
  readonly upgrade: (handlers: SocketHandlers, headers: Readonly<Record<string, string>>) => boolean
}

/** The same on its way through the relay. */
export interface WatchedRequest extends Incoming {
  readonly sight: Sight
  /** The servers that it has passed; empty = none. */
  readonly hops: string
}

export interface ProbeResult {
  readonly isOk: boolean
  /** Milliseconds the whole call took. */
  readonly elapsedMs: number
  readonly model: string
  readonly upstreamModel: string
  readonly promptTokens: number
  readonly completionTokens: number
  /** It failed because the vendor refused the key, not because it is busy or broken. */
  readonly isKeyRefused: boolean
  /** Whether the program may disable the channel for what was found. */
  readonly mayDisable: boolean
  /** Why it failed; empty when it did not. */
  readonly message: string
}

export interface Relay {
  /** Answers every path below `/v1` and `/dashboard/billing`. Never throws. */
  handle(incoming: Incoming): Promise<Reply>
  /**
   * Asks the channel for the least that the model can do, free of charge for everybody here. The vendor may charge for it, and a picture is
   * what costs most. An empty model: gpt-3.5-turbo if configured, else the first.
   */
  probe(channelId: number, model: string): Promise<ProbeResult>
  /** What the vendor says is left for the key of the channel, in the vendor's unit. @throws AppError */
  balanceOf(channelId: number): Promise<number>
  /** Names of the models that the key of the channel may use, as the vendor lists them, sorted. @throws AppError */
  upstreamModels(channelId: number): Promise<readonly string[]>
  /** The same for a channel that is not saved yet; an empty address is the vendor's own. @throws AppError */
  upstreamModelsOf(channel: { readonly type: number; readonly key: string; readonly baseUrl: string }): Promise<readonly string[]>
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
