import type { Settings } from '@sluice/contract'
import type { InputVideo } from '@sluice/vendors/core/task'
import { taskIdReaderOf } from '@sluice/vendors/registry/task-dialect-of'
import type { Logger } from 'pino'
import type { Db } from '../../db/connect.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { AppError } from '../../lib/app-error.ts'
import { nowSeconds } from '../../lib/clock.ts'
import { daySeconds } from '../../lib/day.ts'
import type { Seal } from '../../lib/seal.ts'
import type { Billing, Spending } from '../billing/billing.ts'
import { videoIn } from '../ingress/read-task-params.ts'
import type { Caller, Viewer } from '../model/caller.ts'
import type { Channel } from '../model/channel.ts'
import type { FilePlace } from '../model/file-place.ts'
import type { MediaMeter } from '../pricing/media-meter.ts'
import { runStep, withoutVendorValues } from '../upstream/run-step.ts'
import { type BatchPlans, createBatchPlans } from './batch-plans.ts'
import { type Cast, castOf } from './cast.ts'
import type { CharacterRow } from './character-queries.ts'
import { type CharacterDeps, createCharacter, type NewCharacter, readCharacter } from './characters.ts'
import { createFileStore } from './create-file-store.ts'
import { keptSeconds } from './create-once.ts'
import { type EndDeps, fail, stopped } from './end-task.ts'
import { deleteOldIdempotencyKeys } from './idempotency-key-queries.ts'
import type { OpenDeps } from './open-result.ts'
import { createPoller, type Poller } from './poller.ts'
import { admitBatch, type BatchSubmission, submitBatch } from './submit-batch.ts'
import { admitTask, type Estimate, estimateTask, type QuoteRequest, type Submission, submitTask } from './submit-task.ts'
import { createTaskContents, type TaskContents } from './task-contents.ts'
import { createTaskFiles, type TaskFiles } from './task-files.ts'
import { createTaskLinks, type TaskLinks } from './task-links.ts'
import type { TaskPage } from './task-page-queries.ts'
import { type DueTask, deleteEnded, deleteTask, dueNow, dueNowAt, readAnyTask, readTask, type TaskRow, updateTask } from './task-queries.ts'
import { assertReadable, createTaskTexts, reachableTask, stopRequested, type TaskTexts } from './task-texts.ts'
import { createTaskWatch, type TaskWatch } from './task-watch.ts'
import { listTasksInSteps, readTasksInSteps } from './tasks-in-steps.ts'

/** Work that takes minutes: created, polled until it ends, charged once. */
export interface Tasks {
  readonly texts: TaskTexts
  readonly links: TaskLinks
  readonly contents: TaskContents
  readonly files: TaskFiles
  readonly plans: BatchPlans
  readonly watch: TaskWatch
  /** @throws AppError */
  submit(submission: Submission): Promise<TaskRow>
  /** Refuses an order before its files are read. @throws AppError as `submit` */
  admit(announced: Parameters<typeof admitTask>[0]): Promise<void>
  /** What would be reserved for an order. @throws AppError */
  estimate(request: QuoteRequest): Promise<Estimate>
  /** Refuses a batch of these models before its requests are read. @throws AppError as `submitBatch` */
  admitBatch(models: readonly string[], announced: Parameters<typeof admitBatch>[1]): Promise<void>
  /** @throws AppError */
  submitBatch(submission: BatchSubmission): Promise<TaskRow>
  /** A task that the caller may see. @throws AppError task_not_found */
  read(caller: Caller, publicId: string): Promise<TaskRow>
  /** The task that a valid link leads to. @throws AppError task_not_found */
  readLinked(publicId: string, index: number, query: URLSearchParams): Promise<TaskRow>
  /** A vendor reports that a task is done: it is polled at once. @throws AppError task_not_found for a forged message */
  acceptWebhook(publicId: string, query: URLSearchParams): Promise<void>
  /** The address of a channel for the messages of its vendor; `null`: the vendor sends none, or cannot reach this server. */
  webhookOf(channel: Pick<Channel, 'id' | 'vendor'>): string | null
  /** The vendor of a channel reports that one of its tasks is done: it is polled at once. @param vendorId `null`: the message names none */
  acceptChannelWebhook(channelId: number, vendorId: string | null): Promise<void>
  readMany(caller: Caller, publicIds: readonly string[]): AsyncGenerator<TaskRow>
  list(page: TaskPage): AsyncGenerator<TaskRow>
  /** The task that a new one continues or changes. @throws AppError */
  sourceOf(caller: Viewer, publicId: string): Promise<NonNullable<Submission['source']> & { readonly row: TaskRow }>
  /** The video of a completed task whose vendor does not keep it; `null`: its vendor knows it. */
  videoOf(row: TaskRow): Promise<InputVideo | null>
  /** Makes a character that later orders may name. @throws AppError */
  makeCharacter(character: NewCharacter): Promise<CharacterRow>
  /** A character that the caller may see. @throws AppError task_not_found */
  readCharacter(caller: Caller, publicId: string): Promise<CharacterRow>
  /** The characters that an order names; `null`: none. @throws AppError */
  castOf(caller: Viewer, params: Submission['params']): Promise<Cast | null>
  /** Asks the vendor to stop it. The task after that. @throws AppError */
  cancel(caller: Caller, publicId: string): Promise<TaskRow>
  /** Deletes an ended task, here and at its vendor. @throws AppError */
  remove(caller: Caller, publicId: string): Promise<void>
  /** Asks the vendor to stop a task that was found without its client, whose names are taken from its log row. @throws AppError */
  cancelRow(row: DueTask): Promise<void>
  /** @throws AppError */
  removeRow(row: TaskRow): Promise<void>
  poll: Poller['poll']
  /** Deletes what ended long ago. */
  clean(): Promise<void>
  /** Begins no further questions and copies. */
  close(): void
  /** Resolves when neither a question nor a copy runs. */
  idle(): Promise<void>
}

interface TasksDeps extends Omit<CharacterDeps, 'texts' | 'submitting' | 'wake' | 'take' | 'webhookFor' | 'settings' | 'ledger'>, OpenDeps {
  readonly filePlace: FilePlace
  readonly db: Db
  readonly seal: Seal
  readonly log: Logger
  readonly isAlone: () => boolean
  readonly ledger: Ledger
  readonly settings: () => Settings
  /** The configured public address of this server; empty = none. */
  readonly publicAddress: () => string
  /** Path below which a proxy publishes the server, without a final slash; empty = the root. */
  readonly basePath: string
  readonly billing: Pick<Billing, 'release' | 'settleFlat' | 'countTokens'>
  readonly spent: (spending: Spending) => void
  readonly mediaMeter: MediaMeter
  readonly suspected: EndDeps['suspected']
}

const cancelMs = 30_000

export function createTasks({ seal, log, spent, suspected, ...deps }: TasksDeps): Tasks {
  const { db, clock, settings } = deps
  const texts = createTaskTexts(seal, deps.basePath)
  const contents = createTaskContents({ db, seal })
  const files = createTaskFiles({ ...deps, log, texts, store: createFileStore(deps.filePlace, deps) })
  const links = createTaskLinks({ seal, clock, address: deps.publicAddress, basePath: deps.basePath })
  const plans = createBatchPlans(contents)
  const submitting = new Set<string>()
  const ending = {
    ...{ ledger: deps.ledger, clock, texts, contents, files, plans, spent, suspected },
    isLogging: () => settings().LogConsumeEnabled,
    countTokens: deps.billing.countTokens,
  }
  const poller = createPoller({ ...deps, ...ending, db, log, random: Math.random, submitting })

  const submitDeps = { ...deps, db, texts, plans, submitting, settings, webhookFor: links.webhookFor, wake: poller.wake, take: poller.take }

  async function read(viewer: Viewer, publicId: string): Promise<TaskRow> {
    const row = /^\w{8,64}$/.test(publicId) ? await readTask(db, viewer, publicId) : undefined
    if (row === undefined) throw new AppError('task_not_found')
    return row
  }

  const optionsOf = (row: Pick<TaskRow, 'idempotency_key'>) => ({ timeoutMs: cancelMs, idempotencyKey: row.idempotency_key, isPoll: false })

  /** What stops a task at its vendor. @throws AppError task_unreadable, task_not_cancellable */
  function cancelOf(row: DueTask) {
    if (!texts.isReadable(row)) throw new AppError('task_unreadable')
    const reachable = row.stage === 'running' ? reachableTask(row, texts) : null
    const cancel = reachable?.dialect.cancel
    if (reachable === null || cancel === undefined) throw new AppError('task_not_cancellable')
    return { upstream: reachable.upstream, cancel }
  }

  async function cancelRow(row: DueTask): Promise<void> {
    if (row.stage === 'ended') return
    const { upstream, cancel } = cancelOf(row)
    const response = await runStep(upstream.channel, (context, responses) => cancel(context, upstream.task, responses), {
      deps,
      options: optionsOf(row),
      parse: withoutVendorValues,
    })
    if (!('done' in response)) throw new AppError('upstream_failed', { params: { detail: 'the task could not be canceled' } })
    if (response.done === 'stopped') await fail(row, stopped, ending)
    else {
      const isAsked = response.done === 'asked'
      const changes = isAsked ? { upstream_sealed: texts.withMemo(row, { ...upstream.task.memo, [stopRequested]: true }) } : {}
      await updateTask(db, row.public_id, { ...changes, next_poll_ms: clock.nowMs() })
    }
    poller.wake()
  }

  async function removeRow(row: TaskRow): Promise<void> {
    if (row.stage !== 'ended') throw new AppError('task_running')
    const reachable = row.vendor_id === '' ? null : reachableTask(row, texts)
    const remove = reachable?.dialect.remove
    if (reachable !== null && remove !== undefined) {
      const { upstream } = reachable
      // What the vendor keeps expires there; the client's own copy goes in any case.
      await runStep(upstream.channel, (context, responses) => remove(context, upstream.task, responses), {
        deps,
        options: optionsOf(row),
        parse: withoutVendorValues,
      })
    }
    if (await deleteTask(db, row)) await files.drop([row.public_id])
  }

  return {
    texts,
    links,
    contents,
    files,
    plans,
    watch: createTaskWatch({ db, texts }),
    read,
    async readLinked(publicId, index, query) {
      const row = links.isValid(publicId, index, query) ? await readAnyTask(db, publicId) : undefined
      if (row === undefined) throw new AppError('task_not_found')
      return row
    },
    async acceptWebhook(publicId, query) {
      if (!links.isWebhook(publicId, query)) throw new AppError('task_not_found')
      await dueNow(db, publicId, clock.nowMs())
      poller.wake()
    },
    webhookOf: ({ id, vendor }) => (taskIdReaderOf(vendor) === null ? null : links.channelWebhookFor(id)),
    async acceptChannelWebhook(channelId, vendorId) {
      if (vendorId === null) return
      await dueNowAt(db, { channelId, vendorId }, clock.nowMs())
      poller.wake()
    },
    submit: (submission) => submitTask(submission, submitDeps),
    admit: (announced) => admitTask(announced, submitDeps),
    estimate: (request) => estimateTask(request, submitDeps),
    admitBatch: (models, announced) => admitBatch(models, announced, submitDeps),
    submitBatch: (submission) => submitBatch(submission, submitDeps),
    async videoOf(row) {
      const place = texts.resultOf(row)?.results.findIndex(({ variant, isKept }) => variant === 'video' && isKept === true) ?? -1
      const bytes = place === -1 ? null : await contents.read(row.public_id, place)
      return bytes === null ? null : videoIn({ name: 'video', fileName: 'video.mp4', contentType: 'video/mp4', bytes })
    },
    makeCharacter: (character) => createCharacter(character, submitDeps),
    readCharacter: (caller, publicId) => readCharacter(db, caller, publicId),
    castOf: (caller, params) => castOf(db, caller, params),
    readMany: (caller, publicIds) => readTasksInSteps(db, caller, publicIds),
    list: (page) => listTasksInSteps(db, page),
    async sourceOf(caller, publicId) {
      const row = await read(caller, publicId)
      if (row.state !== 'completed') throw new AppError('task_not_completed', { params: { state: row.state } })
      assertReadable(row, ['upstream'], texts)
      const upstream = texts.upstreamOf(row)
      if (upstream === null) throw new AppError('task_unreachable')
      return { row, task: upstream.task, channelId: row.channel_id, key: upstream.channel.key, publicId }
    },
    async cancel(caller, publicId) {
      const row = await read(caller, publicId)
      await cancelRow({ ...row, username: caller.username, token_name: caller.tokenName })
      return await read(caller, publicId)
    },
    remove: async (caller, publicId) => await removeRow(await read(caller, publicId)),
    cancelRow,
    removeRow,
    poll: poller.poll,
    close() {
      poller.close()
      files.close()
    },
    async idle() {
      await poller.idle()
      await files.idle()
    },
    async clean() {
      await deleteOldIdempotencyKeys(db, nowSeconds(clock) - keptSeconds)
      const days = settings().TaskRetentionDays
      if (days > 0) await deleteEnded(db, nowSeconds(clock) - days * daySeconds)
    },
  }
}
