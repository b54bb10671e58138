import { logType, messageText } from '@sluice/contract'
import type { TaskError, TaskReport } from '@sluice/vendors/core/task'
import type { Ledger } from '../../ledger/ledger.ts'
import { codedText, detailWith, type LogEntry, plainLog } from '../../ledger/log-entry.ts'
import type { TaskEnd } from '../../ledger/task-rows.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { type Spending, withCallType } from '../billing/billing.ts'
import type { Channel } from '../model/channel.ts'
import type { ClientProtocol } from '../model/client-protocol.ts'
import { chargedText, detailOf } from '../pricing/charge-text.ts'
import { withoutSecrets } from '../wire/without-secrets.ts'
import type { TaskContents } from './task-contents.ts'
import { finalCost } from './task-costs.ts'
import type { TaskFiles } from './task-files.ts'
import type { DueTask } from './task-queries.ts'
import { priceOf, type StoredResult, type TaskTexts } from './task-texts.ts'

export interface EndDeps {
  readonly ledger: Pick<Ledger, 'settle' | 'release' | 'fund' | 'payable' | 'balanceOf'>
  readonly clock: Clock
  readonly texts: TaskTexts
  readonly contents: TaskContents
  readonly files: Pick<TaskFiles, 'want'>
  readonly isLogging: () => boolean
  readonly spent: (spending: Spending) => void
  readonly suspected: (channel: Pick<Channel, 'id' | 'name'>, reason: string) => void
}

/** Ends a task with what its vendor reports: completed work is charged, everything else is free. */
export async function endTask(task: DueTask, report: TaskReport, deps: EndDeps): Promise<void> {
  if (report.state === 'completed') await complete(task, report, deps)
  else
    await fail(
      task,
      { state: report.state === 'cancelled' ? 'cancelled' : 'failed', error: cleared(report.error ?? noReason, task, deps) },
      deps,
    )
}

/** Shorter names of a task could be words. */
const nameCharsMin = 6

/** The vendor's words without what clients must not read: the channel's secrets and address, and the vendor's name of the task. */
function cleared(error: TaskError, task: DueTask, { texts }: Pick<EndDeps, 'texts'>): TaskError {
  const upstream = texts.upstreamOf(task)
  if (upstream === null) return error
  const { channel } = upstream
  const { vendorId } = upstream.task
  const names = [vendorId, vendorId.slice(vendorId.lastIndexOf('/') + 1)].filter((name) => name.length >= nameCharsMin)
  const traces = [...names, ...[URL.parse(channel.baseUrl)].flatMap((url) => (url === null ? [] : [url.origin, url.host]))]
  const clean = (text: string): string => traces.reduce((words, trace) => words.replaceAll(trace, '***'), withoutSecrets(text, channel))
  return { code: clean(error.code), message: clean(error.message) }
}

const noReason = { code: 'task_failed', message: 'the upstream service gave no reason' }

const holdOf = ({ request_id: requestId, user_id: userId, token_id: tokenId, held: amount }: DueTask) => ({
  requestId,
  userId,
  tokenId,
  amount,
})

async function complete(
  task: DueTask,
  { results = [], data = null, counts: counted, expiresAt = 0 }: TaskReport,
  deps: EndDeps,
): Promise<void> {
  const { counts, rates, amount, vendorCost, isSuspect } = finalCost(priceOf(task), counted)
  const upstream = isSuspect ? deps.texts.upstreamOf(task) : null
  if (upstream !== null) deps.suspected(upstream.channel, `${task.model}: ${JSON.stringify(counted)}`)
  await deps.files.want(task, results)
  const kept = await deps.contents.keep(task.public_id, results)
  const note = isSuspect ? ` (${messageText('log_usage_suspect')})` : ''
  const contentFor = (unpaid: number): string => chargedText([{ model: task.model, counts, rates }], unpaid) + note
  const row = { cost: vendorCost, detail: detailOf({ counts, rates }, []), isUsageSuspect: isSuspect, isEstimated: isSuspect }
  await settleTask(task, { amount, result: { results: kept, data }, expiresAt, contentFor, row }, deps)
}

/** More than this as one value makes a batch that an engine could refuse: PostgreSQL takes 256 MB of JSON, and memory is needed several times. */
const resultCharsMax = 67_108_864

const resultTooLarge = { code: 'task_result_too_large', message: 'the result is too large to be kept; nothing was charged' }

/** Completed work and what it costs. */
export interface Completed {
  /** Quota. */
  readonly amount: number
  readonly result: StoredResult
  /** 0: not known. */
  readonly expiresAt: number
  /** The text of its log row. @param unpaid quota that the balance could not pay */
  readonly contentFor: (unpaid: number) => string
  /** The other members of the row. */
  readonly row: Pick<LogEntry, 'detail' | 'cost'> & Partial<LogEntry>
}

/** Charges completed work, and ends its task with that. */
export async function settleTask(
  task: DueTask,
  { amount: owed, result, expiresAt, contentFor, row }: Completed,
  deps: EndDeps,
): Promise<void> {
  const { ledger, texts } = deps
  const hold = holdOf(task)
  const resultSealed = texts.sealResult(task.public_id, result)
  if (resultSealed.length > resultCharsMax) return await fail(task, { state: 'failed', error: resultTooLarge }, deps)
  await ledger.fund(hold, owed - hold.amount)
  const amount = ledger.payable(hold, owed)
  const end: TaskEnd = {
    publicId: task.public_id,
    state: 'completed',
    progress: 100,
    resultSealed,
    errorCode: '',
    errorMessage: '',
    expiresAt,
  }
  const log = rowOf(task, { ...row, content: contentFor(owed - amount), quota: amount, endReason: 'complete', isServed: true }, deps)
  const settled = ledger.settle(hold, { amount, channelId: task.channel_id, log, task: end })
  const after = ledger.balanceOf(hold.userId)
  if (after !== null) deps.spent({ userId: hold.userId, before: after + amount, after })
  await settled
}

export interface Failed {
  readonly state: Exclude<TaskEnd['state'], 'completed'>
  readonly error: { readonly code: string; readonly message: string }
}

export const stopped = {
  state: 'cancelled',
  error: { code: 'task_cancelled', message: 'the client stopped the task; nothing was charged' },
} as const satisfies Failed

/** Whether a vendor refused a task because of its content. */
export const isModerated = (code: string): boolean => code === 'moderation_blocked'

/** Ends a task that brought nothing, for free. */
export async function fail(task: DueTask, { state, error }: Failed, deps: EndDeps): Promise<void> {
  const text = codedText({ code: 'log_failed', params: { reason: error.code } })
  const isServed = state === 'cancelled' || isModerated(error.code) ? null : false
  const log = rowOf(task, { ...text, quota: 0, cost: 0, endReason: 'failed', isServed }, deps)
  await deps.ledger.release(holdOf(task), log, taskEnd(task.public_id, { state, error }))
}

export function taskEnd(publicId: string, { state, error }: Failed): TaskEnd {
  return {
    publicId,
    state,
    progress: 0,
    resultSealed: '',
    errorCode: error.code.slice(0, 100),
    errorMessage: error.message.slice(0, 2_000),
    expiresAt: 0,
  }
}

function rowOf(
  task: DueTask,
  rowText: Pick<LogEntry, 'content' | 'detail' | 'quota' | 'cost' | 'endReason' | 'isServed'> & Partial<LogEntry>,
  { clock, isLogging }: Pick<EndDeps, 'clock' | 'isLogging'>,
): LogEntry | null {
  if (!isLogging()) return null
  const now = nowSeconds(clock)
  return plainLog({
    userId: task.user_id,
    createdAt: now,
    type: logType.consume,
    username: task.username ?? '',
    tokenName: task.token_name ?? '',
    modelName: task.model,
    upstreamModel: task.upstream_model,
    requestId: task.request_id,
    channelId: task.channel_id,
    elapsedMs: Math.max(0, now - task.created_at) * 1000,
    attempts: task.channel_id === 0 ? 0 : 1,
    ...rowText,
    detail: withCallType(detailWith(rowText.detail, 'task', task.public_id), {
      protocol: protocols[task.kind] ?? 'openai',
      kind: task.kind,
    }),
  })
}

/** Every other task is created in OpenAI's protocol, or in one with the same responses. */
const protocols: Readonly<Record<string, ClientProtocol['name']>> = { batches: 'anthropic' }
