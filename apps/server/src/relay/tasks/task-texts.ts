import { type TaskPart, taskParts } from '@sluice/contract'
import type { BatchDialect } from '@sluice/vendors/core/batch'
import { isObject, parseJson } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { FollowedKind, RunningTask, TaskAction, TaskCounts, TaskDialect, TaskParams, TaskResult } from '@sluice/vendors/core/task'
import { followedDialectOf } from '@sluice/vendors/registry/batches/batch-dialect-of'
import { addressed } from '@sluice/vendors/registry/channel-facts'
import { vendorByType } from '@sluice/vendors/registry/list'
import type { StoredRates } from '../../ledger/price.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Seal } from '../../lib/seal.ts'
import type { Channel } from '../model/channel.ts'
import type { PriceParts } from '../pricing/resolve-price.ts'
import type { QueryableChannel } from '../upstream/query-vendor.ts'
import type { TaskRow } from './task-queries.ts'

// The columns of a task that hold JSON. What an administrator must not read by opening the database is sealed.

/** How a task's vendor is reached: the channel as it was when the task was submitted, and what the vendor gave. */
interface StoredUpstream {
  readonly type: number
  readonly name: string
  readonly baseUrl: string
  readonly key: string
  readonly config: Channel['config']
  readonly other: string
  readonly proxy: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly memo: JsonObject
}

/** The client's task parameters, without files. */
export interface StoredTaskParams {
  readonly prompt: string
  readonly seconds: number | null
  readonly size: string | null
  /** Addresses of images. */
  readonly pictures: readonly string[]
  /** Whether the client sent content that is not stored here, so that the order cannot be sent again. */
  readonly isPartial: boolean
  /** Id of the task that it continues or changes. */
  readonly source: string | null
  readonly extra: JsonObject
}

/** A result; its content may be kept apart. */
export interface StoredTaskResult extends Omit<TaskResult, 'base64'> {
  readonly isKept?: true
}

export interface StoredResult {
  readonly results: readonly StoredTaskResult[]
  /** The vendor's own data. */
  readonly data: Json
}

/** What a task will cost, and the prices at the time of the order. */
export interface StoredPrice {
  readonly counts: TaskCounts
  /** The most that a task of the model can count; missing: the task was created before this was stored. */
  readonly most?: TaskCounts
  readonly rates: StoredRates
  /** What the vendor charges; missing: that is not known. */
  readonly costRates?: StoredRates
  readonly seconds: number | null
  readonly size: string | null
}

/** The prices of the models of a batch at the time of its order. */
export interface StoredBatchPrice extends Pick<StoredPrice, 'seconds' | 'size'> {
  readonly models: Readonly<Record<string, BatchPrice>>
}

export interface BatchPrice {
  readonly price: PriceParts
  /** What the vendor charges; `null`: that is not known. */
  readonly cost: PriceParts | null
  /** Missing: it is of an earlier version. */
  readonly upstreamModel?: string
  /** The channel adds a system prompt to the requests. */
  readonly isPrompted?: boolean
}

export interface TaskTexts {
  sealParams(publicId: string, params: StoredTaskParams): string
  /** Without anything, and as one that cannot be sent again, where it cannot be read. */
  taskParamsOf(task: TaskRow): StoredTaskParams
  sealUpstream(publicId: string, channel: Channel, memo: JsonObject): string
  /** The sealed column with the memo of the vendor in it. */
  withMemo(task: Pick<TaskRow, 'public_id' | 'upstream_sealed'>, memo: JsonObject): string
  /** Whether what reaches the task can be read with this master key, or nothing was sent yet. */
  isReadable(task: Pick<TaskRow, 'public_id' | 'upstream_sealed'>): boolean
  /** What cannot be read with this master key, or is no JSON object. */
  unreadableOf(task: Pick<TaskRow, 'public_id' | `${TaskPart}_sealed`>): readonly TaskPart[]
  /** `null`: nothing was sent yet, the type of channel is not known any more, or it cannot be read. */
  upstreamOf(task: TaskReference): TaskUpstream | null
  sealResult(publicId: string, result: StoredResult): string
  /** `null`: there is none, or it cannot be read. */
  resultOf(task: TaskRow): StoredResult | null
  /** The path of a result at this server, with the base path. @param index its place among the results */
  resultPath(publicId: string, index: number): string
}

/** The columns that say how to reach a task. */
type TaskReference = Pick<TaskRow, 'public_id' | 'upstream_sealed' | 'channel_id' | 'vendor_id' | 'kind' | 'action' | 'upstream_model'>

export interface TaskUpstream {
  readonly channel: QueryableChannel & Pick<Channel, 'id' | 'name'>
  readonly task: RunningTask
}

/** Stands in for an order that cannot be read. */
const unreadableParams: StoredTaskParams = { prompt: '', seconds: null, size: null, pictures: [], isPartial: true, source: null, extra: {} }

export const purposeOf = (publicId: string): string => `task:${publicId}`

/** @param basePath `BASE_PATH`; empty = the root */
export function createTaskTexts(seal: Seal, basePath: string): TaskTexts {
  const put = (publicId: string, value: object): string => seal.seal(JSON.stringify(value), purposeOf(publicId))

  /** `null`: there is none, or it cannot be read with this master key. */
  function get(publicId: string, sealed: string): JsonObject | null {
    const text = sealed === '' ? null : seal.tryOpen(sealed, purposeOf(publicId))
    const value = text === null ? null : parseJson(text)
    return isObject(value) ? value : null
  }

  return {
    sealParams: put,
    sealResult: put,
    resultPath: (publicId, index) => `${basePath}/v1/tasks/${publicId}/content?index=${index}`,
    // Holds: only `sealOrder` writes this column.
    taskParamsOf: ({ public_id, order_sealed }) => (get(public_id, order_sealed) ?? unreadableParams) as unknown as StoredTaskParams,
    // Holds: only `sealResult` writes this column.
    resultOf: ({ public_id, result_sealed }) => get(public_id, result_sealed) as unknown as StoredResult | null,
    sealUpstream(publicId, channel, memo) {
      const { name, vendor, baseUrl, key, config, other, settings } = channel
      const { proxy, headers } = settings
      return put(publicId, { type: vendor.type, name, baseUrl, key, config, other, proxy, headers, memo } satisfies StoredUpstream)
    },
    isReadable: ({ public_id, upstream_sealed }) => upstream_sealed === '' || get(public_id, upstream_sealed) !== null,
    unreadableOf: (task) =>
      taskParts.filter((part) => {
        const sealed = task[`${part}_sealed`]
        return sealed !== '' && get(task.public_id, sealed) === null
      }),
    withMemo({ public_id, upstream_sealed }, memo) {
      // Holds: only `sealUpstream` writes this column, before there is a memo.
      const stored = get(public_id, upstream_sealed) as unknown as StoredUpstream
      return put(public_id, { ...stored, memo })
    },
    upstreamOf(row) {
      // Holds: only `sealUpstream` and `withMemo` write this column.
      const stored = get(row.public_id, row.upstream_sealed) as unknown as StoredUpstream | null
      if (stored === null) return null
      const { type, name, baseUrl, key, config, other, proxy, headers, memo } = stored
      const vendor = vendorByType(type)
      const target = vendor === null ? null : addressed(vendor, { baseUrl, key, config: JSON.stringify(config), other })
      if (target === null) return null
      const channel = { id: row.channel_id, name, vendor: target.vendor, ...target.facts, settings: { proxy, headers } }
      return { channel, task: runningTask(row, memo) }
    },
  }
}

/** Member of a task's memo: its vendor was requested to cancel it, so the vendor may forget it. */
export const stopRequested = 'isStopAsked'

function runningTask({ vendor_id: vendorId, kind, action, upstream_model: model }: TaskReference, memo: JsonObject): RunningTask {
  // Holds: kind and action were written from these types.
  return { vendorId, memo, kind: kind as FollowedKind, action: action as TaskAction, model }
}

/** A task with what reaches it at its vendor. */
export interface ReachableTask<Dialect extends TaskDialect | BatchDialect = TaskDialect | BatchDialect> {
  readonly upstream: TaskUpstream
  readonly dialect: Dialect
}

/** `null`: nothing reaches it: it was not sent, or this version does not know its type of channel or kind any more. */
export function reachableTask(row: TaskReference, texts: Pick<TaskTexts, 'upstreamOf'>): ReachableTask | null {
  const upstream = texts.upstreamOf(row)
  const dialect = upstream === null ? null : followedDialectOf(upstream.channel.vendor, upstream.task.kind, upstream.task.model)
  return upstream === null || dialect === null ? null : { upstream, dialect }
}

/** @throws AppError task_unreadable if one of the parts cannot be read with this master key */
export function assertReadable(row: TaskRow, parts: readonly TaskPart[], texts: Pick<TaskTexts, 'unreadableOf'>): void {
  if (texts.unreadableOf(row).some((part) => parts.includes(part))) throw new AppError('task_unreadable')
}

/** The order as it was sent; `null`: a part of it was not stored. */
export function storedParamsOf(row: TaskRow, texts: TaskTexts): TaskParams | null {
  const { prompt, seconds, size, pictures: images, isPartial, source, extra } = texts.taskParamsOf(row)
  if (isPartial || source !== null) return null
  const { kind, action, model } = runningTask(row, {})
  if (kind === 'batches') return null
  return {
    kind,
    action,
    model,
    prompt,
    seconds,
    size: sizeOf(size),
    images: images.map((url) => ({ url })),
    video: null,
    source: null,
    extra,
  }
}

/** `1280x720` as numbers; `null`: no size. */
export function sizeOf(size: string | null): TaskParams['size'] {
  const [width, height] = (size ?? '').split('x').map(Number)
  return width === undefined || height === undefined || Number.isNaN(width) ? null : { width, height }
}

/** Of a batch it has no counts and no rates: those are `batchPricesOf`. */
export function priceOf({ price }: Pick<TaskRow, 'price'>): StoredPrice {
  const read = parseJson(price)
  // Holds: only `submit-task.ts` writes it.
  return (isObject(read) ? read : {}) as unknown as StoredPrice
}

export function batchPricesOf({ price }: Pick<TaskRow, 'price'>): StoredBatchPrice['models'] {
  const read = parseJson(price)
  // Holds: only `submit-batch.ts` writes it for a batch.
  return (isObject(read) ? read['models'] : {}) as unknown as StoredBatchPrice['models']
}
