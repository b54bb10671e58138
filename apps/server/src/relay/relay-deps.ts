import type { CreatableTaskKind, Settings, TaskEstimate, TaskFields } from '@sluice/contract'
import type { ByteBudget } from '@sluice/http1/byte-budget'
import type { ServerResponse } from '@sluice/http1/response'
import type { Logger } from 'pino'
import type { Store } from '../db/connect.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { BodyMemory } from '../lib/body-memory.ts'
import type { Clock } from '../lib/clock.ts'
import type { Reached } from '../lib/failpoints.ts'
import type { Seal } from '../lib/seal.ts'
import type { Spool } from '../lib/spool.ts'
import type { Spending } from './billing/billing.ts'
import type { Channel } from './model/channel.ts'
import type { FilePlace } from './model/file-place.ts'
import type { Incoming } from './model/incoming.ts'
import type { RelayLimits } from './model/limits.ts'
import type { Telemetry } from './model/telemetry.ts'
import type { ExplainRoute } from './operations/explain-route.ts'
import type { ListModels } from './operations/list-models.ts'
import type { Probe } from './operations/probe.ts'
import type { VendorQueries } from './operations/vendor-queries.ts'
import type { Prices } from './pricing/prices.ts'
import type { Channels } from './routing/channels.ts'
import type { ChannelReport } from './routing/health.ts'
import type { KeyRefusal } from './routing/key-refusals.ts'
import type { Tasks } from './tasks/create-tasks.ts'
import type { EstimateRequest } from './tasks/estimate-task.ts'
import type { Poller } from './tasks/poller.ts'
import type { TaskFormRequest } from './tasks/task-fields.ts'
import type { TaskFiles } from './tasks/task-files.ts'
import type { TaskViews } from './tasks/task-view.ts'
import type { TargetGuard } from './upstream/resolve-guard.ts'

/** External dependencies of the relay; `app.ts` provides them. */
export interface RelayDeps {
  readonly store: Store
  readonly ledger: Ledger
  readonly seal: Seal
  readonly settings: () => Settings
  /** The configured public address of this server; empty = none. */
  readonly publicAddress: () => string
  /** Path below which a proxy publishes the server, without a final slash; empty = the root. */
  readonly basePath: string
  readonly clock: Clock
  readonly log: Logger
  readonly limits: RelayLimits
  /** Checks the addresses of channels. */
  readonly guard: TargetGuard
  /** Called when a vendor refused a channel's key or reports that its credit is used up. @returns whether the channel was disabled */
  readonly keyRefused: (refusal: KeyRefusal) => Promise<boolean>
  /** Called synchronously for every charge; it must not block. */
  readonly spent: (spending: Spending) => void
  /** Called when a channel's vendor sent a count that cannot be; it must not block. */
  readonly suspected: (channel: Pick<Channel, 'id' | 'name'>, reason: string) => void
  readonly telemetry: Telemetry
  /** Memory for the long messages of all sessions, while they arrive and until they are sent. */
  readonly longMessages: ByteBudget
  readonly bodyMemory: BodyMemory
  /** Keeps a request body that is read more than once. */
  readonly openSpool: () => Spool
  /** Where copies of results are kept. */
  readonly filePlace: FilePlace
  /** A hook at which tests inject failures. */
  readonly reached: Reached
  readonly configuration: Configuration
}

/** How much this process knows of what other nodes have changed. */
export interface Configuration {
  /** Whether it has not looked for so long that it must look before it admits a request. */
  isBehind(): boolean
  /** Looks, and takes over what is new. Does not throw. */
  catchUp(): Promise<void>
  /** The clock that all nodes share. */
  readonly databaseClock: Pick<Clock, 'nowMs'>
}

/** A change in the database that invalidates caches; it takes effect on the next request. */
export type Change =
  | { readonly what: 'user'; readonly id: number }
  | { readonly what: 'token'; readonly id: number }
  | { readonly what: 'new-tokens' }
  /** `null`: any of them. */
  | { readonly what: 'channels'; readonly ids: readonly number[] | null }
  | { readonly what: 'options' }
  | { readonly what: 'everything' }

export interface Relay extends VendorQueries {
  /** Handles every path below `/v1` and `/dashboard/billing`. Never throws. */
  handle(incoming: Incoming): Promise<ServerResponse>
  /**
   * Sends a channel a minimal call of the model. Nobody here is charged, but the vendor may charge: an image costs most. Without a model:
   * gpt-3.5-turbo if the channel has it, else its first one.
   */
  probe: Probe['probe']
  /** Sends a minimal request to a channel that is not saved. */
  probeForm: Probe['probeForm']
  /** Invalidates caches. @returns when what is read again in the background has been read */
  changed(change: Change): Promise<void>
  /** Whether a price is set for the model. */
  hasPrice(model: string): boolean
  readonly listPrices: Prices['listPrices']
  /** The models of an account's groups, with what the console shows of them. */
  listModels: ListModels
  /** What all channels have together. */
  readonly channelTotals: Channels['totals']
  /** Names of the models of all channels, enabled or not, sorted. */
  offeredModels(): Promise<readonly string[]>
  /** Which channels a request would try now, and why not others. */
  explainRoute: ExplainRoute
  /** Models available to users of these groups, sorted; of a kind of task those that make it. */
  modelsOf(groups: string, kind: CreatableTaskKind | ''): Promise<readonly string[]>
  /** Exchanges with other nodes what tokens used in the last minute; to be called each second. */
  exchangeMinutes(): Promise<void>
  /** Asks vendors about the tasks that are due. */
  pollTasks: Poller['poll']
  /** Tasks for the management API, which finds their rows itself. */
  readonly tasks: TaskViews & Pick<Tasks, 'cancelRow' | 'removeRow'>
  /** The webhook address that an administrator enters at a channel's vendor, which calls it when a task is completed; `null`: there is none. */
  webhookOf(channel: { readonly id: number; readonly type: number }): string | null
  /** What an order of a model may have, for users of these groups. */
  fieldsOf(request: Omit<TaskFormRequest, 'groups'> & { readonly groups: string }): Promise<TaskFields | null>
  /** What an order of an account would cost. @throws AppError */
  estimateTask(request: Omit<EstimateRequest, 'groups'> & { readonly groups: string }): Promise<TaskEstimate>
  /** Deletes tasks that ended long ago. */
  cleanTasks(): Promise<void>
  /** Copies results that are to be kept, and deletes those that were kept long enough. */
  copyResults: TaskFiles['work']
  /** The health of the channels that were used. */
  health(): readonly ChannelReport[]
  /** Resolves when no response is running any more, or after `graceMs`, when the remaining ones were cut. */
  drain(graceMs: number): Promise<void>
}
