import { messageText } from '@sluice/contract'
import type { BatchDialect } from '@sluice/vendors/core/batch'
import { isObject, textOr } from '@sluice/vendors/core/is-object'
import type { TaskReport } from '@sluice/vendors/core/task'
import type { Usage } from '@sluice/vendors/core/usage'
import type { Db } from '../../db/connect.ts'
import type { LogEntry } from '../../ledger/log-entry.ts'
import { quotaForAll, type Rates } from '../../ledger/price.ts'
import type { Billing } from '../billing/billing.ts'
import { countUsage, withPieces } from '../billing/count-usage.ts'
import { causedUsage, type EvidenceSource, evidenceOf, suspicionText } from '../billing/evidence.ts'
import { judgedBy, judgeUsage } from '../billing/judge-usage.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import { countsOf } from '../pricing/billable-counts.ts'
import { chargedText, detailOfAll } from '../pricing/charge-text.ts'
import { type PriceParts, resolvePrice, type WithoutVariants } from '../pricing/resolve-price.ts'
import { addItem, type ModelLineItem } from '../pricing/tool-line-items.ts'
import type { BatchPlans, JudgedRequest } from './batch-plans.ts'
import { type BatchLine, type EndedBatch, openResults } from './batch-results.ts'
import { type EndDeps, settleTask } from './end-task.ts'
import type { OpenDeps } from './open-result.ts'
import { claimMs } from './poll-pause.ts'
import { type DueTask, updateTask } from './task-queries.ts'
import { type BatchPrice, batchPricesOf, type ReachableTask } from './task-texts.ts'

export interface BatchEndDeps extends EndDeps, OpenDeps {
  readonly db: Db
  readonly plans: BatchPlans
  readonly countTokens: Billing['countTokens']
}

/** A batch with what reaches it. */
export interface RunningBatch extends ReachableTask<BatchDialect> {
  readonly row: DueTask
}

/** How long a file with fewer results than the batch has requests is read again, in milliseconds after its end. */
const incompleteMs = 60 * 60 * 1000

/**
 * Reads the results of a batch that its vendor has ended, and charges its responses. The client gets none of them before.
 * @returns why they cannot be read now; `null` = it is charged
 */
export async function endBatch(
  { row, upstream, dialect }: RunningBatch,
  report: TaskReport,
  deps: BatchEndDeps,
): Promise<AttemptFailure | null> {
  const ended = isObject(report.data) ? report.data : {}
  const plan = await deps.plans.read(row.public_id)
  let used: UsedOfBatch
  try {
    used = await readUsage({ upstream, dialect, ended, plan }, row, deps)
  } catch (cause) {
    return { by: 'transport', code: 'upstream_invalid_response', cause }
  }
  const requests = Math.min(dialect.count(ended), Object.keys(plan.requests).length)
  const endedMs = Date.parse(textOr(ended['ended_at'], ''))
  if (used.results < requests && deps.clock.nowMs() < endedMs + incompleteMs)
    return { by: 'transport', code: 'upstream_invalid_response', cause: new Error(`${used.results} of ${requests} results`) }
  const { items, isEstimated, usage } = used
  const text = (unpaid: number): string => (items.length === 0 ? row.model : chargedText(items, unpaid))
  await settleTask(
    row,
    {
      amount: quotaForAll(items),
      result: { results: [], data: ended },
      expiresAt: report.expiresAt ?? 0,
      contentFor: (unpaid) =>
        text(unpaid) + (isEstimated ? ` (${messageText(usage.isUsageSuspect ? 'log_usage_suspect' : 'log_estimated')})` : ''),
      row: { detail: detailOfAll(items), cost: used.cost, isEstimated, ...usage },
    },
    deps,
  )
  return null
}

/** The usage of a batch's responses. */
interface UsedOfBatch {
  readonly items: readonly ModelLineItem[]
  /** What the vendor charges for it; `null`: that is not known. */
  readonly cost: number | null
  readonly usage: Pick<LogEntry, 'promptTokens' | 'completionTokens' | 'cachedTokens' | 'isUsageSuspect'>
  /** The vendor did not report all of it. */
  readonly isEstimated: boolean
  /** Requests of which the file has a result. */
  readonly results: number
}

/** @throws what keeps the results from being read */
async function readUsage(batch: EndedBatch, row: DueTask, deps: BatchEndDeps): Promise<UsedOfBatch> {
  const prices = pricesOf(row)
  const items = new Map<Rates, ModelLineItem>()
  const costs = new Map<Rates, ModelLineItem>()
  const sum = { promptTokens: 0, completionTokens: 0, cachedTokens: 0 }
  let results = 0
  let isEstimated = false
  let isCostKnown = true
  let suspicion: string | null = null
  const claim = claimOf(row, deps)
  const { lines } = await openResults(batch, deps)
  for await (const line of lines) {
    results += 1
    await claim()
    const { response } = line.result
    const { model } = line.request.params
    const known = prices.get(model)
    if (response === null || known === undefined) continue
    const used = await usageOf(line, batch.upstream, { price: known, countTokens: deps.countTokens })
    if (used === null) continue
    const { usage, isTold, isSuspect } = used
    isEstimated ||= !isTold
    if (isSuspect) suspicion ??= suspicionText(response.usage, model)
    isCostKnown &&= known.cost !== null
    sum.promptTokens += usage.promptTokens
    sum.completionTokens += usage.completionTokens
    sum.cachedTokens += usage.cachedTokens
    addItem(items, itemAt(known.price, model, { usage, isTold }))
    if (known.cost !== null) addItem(costs, itemAt(known.cost, model, { usage, isTold }))
  }
  if (suspicion !== null) deps.suspected(batch.upstream.channel, suspicion)
  const cost = isCostKnown ? quotaForAll([...costs.values()]) : null
  return { items: [...items.values()], cost, usage: { ...sum, isUsageSuspect: suspicion !== null }, isEstimated, results }
}

interface ModelPrices extends Pick<BatchPrice, 'upstreamModel' | 'isPrompted'> {
  readonly price: WithoutVariants
  readonly cost: WithoutVariants | null
}

function pricesOf(row: DueTask): ReadonlyMap<string, ModelPrices> {
  const resolved = (model: string, { price, factors }: PriceParts): WithoutVariants => resolvePrice(model, price, factors)
  return new Map(
    Object.entries(batchPricesOf(row)).map(([model, { price, cost, ...rest }]) => [
      model,
      { ...rest, price: resolved(model, price), cost: cost === null ? null : resolved(model, cost) },
    ]),
  )
}

function itemAt(
  { price, ratesFor }: WithoutVariants,
  model: string,
  { usage, isTold }: { readonly usage: Usage; readonly isTold: boolean },
): ModelLineItem {
  return { model, counts: countsOf(usage, price, isTold), rates: ratesFor(usage) }
}

interface LineUsage {
  readonly usage: Usage
  /** The vendor reported it. */
  readonly isTold: boolean
  readonly isSuspect: boolean
}

/** A request as its channel was sent it. */
function evidenceSourceOf({ params }: JudgedRequest, { id, vendor }: EndedBatch['upstream']['channel'], price: ModelPrices) {
  const { upstreamModel = params.model, isPrompted } = price
  return {
    // A prompt that the channel adds is not counted here.
    params: isPrompted === true ? { ...params, textPrompt: undefined } : params,
    channel: { id, vendor, mapping: new Map([[params.model, upstreamModel]]), settings: { systemPrompt: '' } },
    budget: { upstreamLimit: params.maxTokens },
    resolvedPrice: price.price,
    callType: { kind: 'messages' },
  } satisfies EvidenceSource & { readonly resolvedPrice: WithoutVariants }
}

/**
 * A response that was delivered is charged, whether or not its vendor reports usage, and is judged as that of a single request. `null`: the
 * vendor refused it for free.
 */
async function usageOf(
  { request, result }: BatchLine,
  { channel }: EndedBatch['upstream'],
  { price, countTokens }: { readonly price: ModelPrices } & Pick<BatchEndDeps, 'countTokens'>,
): Promise<LineUsage | null> {
  const { usage: reported = null, text = '', hasReasoning = false } = result.response ?? {}
  const source = evidenceSourceOf(request, channel, price)
  const { params } = source
  const ownCounts = { prompt: () => params.promptTokens, output: () => countTokens(text, params.model) }
  const counted = async (usage: Usage | null): Promise<LineUsage> => {
    const end = { reason: 'complete', text, hasReasoning, usage } as const
    return { usage: await countUsage(source, end, ownCounts), isTold: false, isSuspect: usage !== null }
  }
  if (reported === null) return await counted(null)
  const caused = causedUsage(source, reported)
  const { usage, isDoubtful } = judgeUsage(caused, text, request.isUnknown ? null : evidenceOf(source, { usage: caused }))
  const judged = isDoubtful ? judgedBy(await ownCounts.output(), usage) : usage
  if (judged.isRefused && text === '' && channel.vendor.freeRefusals === true) return null
  return judged.isSuspect ? await counted(judged) : { usage: withPieces(judged, source), isTold: true, isSuspect: false }
}

/** Keeps other pollers from reading the same results: the file of a large batch takes longer than a question. */
function claimOf({ public_id: id }: DueTask, { db, clock }: BatchEndDeps): () => Promise<void> {
  const everyMs = claimMs / 3
  let nextMs = clock.monotonicMs() + everyMs
  return async () => {
    if (clock.monotonicMs() < nextMs) return
    nextMs = clock.monotonicMs() + everyMs
    await updateTask(db, id, { next_poll_ms: clock.nowMs() + claimMs })
  }
}
