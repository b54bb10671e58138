import { messageText } from '@sluice/contract'
import { causableUsage } from '@sluice/vendors/bodies/causable-usage'
import type { Usage } from '@sluice/vendors/dialect'
import { isObject, textOr } from '@sluice/vendors/is-object'
import { noUsage } from '@sluice/vendors/no-usage'
import type { BatchDialect } from '@sluice/vendors/tasks/batch'
import type { TaskReport } from '@sluice/vendors/tasks/task'
import type { Db } from '../../db/connect.ts'
import type { LogEntry } from '../../ledger/log-entry.ts'
import { quotaForAll, type Rates } from '../../ledger/price.ts'
import type { Billing } from '../billing/billing.ts'
import { suspicionText } from '../billing/evidence.ts'
import { judgedBy, judgeUsage } from '../billing/judge-usage.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import { countsOf } from '../pricing/billable-counts.ts'
import { chargedText, detailOfAll } from '../pricing/charge-text.ts'
import { type PriceParts, resolvePrice, type WithoutVariants } from '../pricing/resolve-price.ts'
import { addItem, type ModelLineItem } from '../pricing/tool-line-items.ts'
import type { BatchPlans } from './batch-plans.ts'
import { type BatchLine, type EndedBatch, openResults } from './batch-results.ts'
import { type EndDeps, settleTask } from './end-task.ts'
import type { OpenDeps } from './open-result.ts'
import { claimMs } from './poll-pause.ts'
import { type DueTask, updateTask } from './task-queries.ts'
import { batchPricesOf, type ReachableTask } from './task-texts.ts'

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
 * Reads the results of a batch that its vendor has ended, and charges what was answered. Nothing of it is given to the client before.
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

/** What was answered of a batch. */
interface UsedOfBatch {
  readonly items: readonly ModelLineItem[]
  /** What the vendor charges for it; `null`: that is not known. */
  readonly cost: number | null
  readonly usage: Pick<LogEntry, 'promptTokens' | 'completionTokens' | 'cachedTokens' | 'isUsageSuspect'>
  /** The vendor did not tell all of it. */
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
    const { answer } = line.result
    const known = prices.get(line.model)
    if (answer === null || known === undefined) continue
    const used = await usageOf(line, batch.upstream, deps)
    if (used === null) continue
    const { usage, isTold, isSuspect } = used
    isEstimated ||= !isTold
    if (isSuspect) suspicion ??= suspicionText(answer.usage, line.model)
    isCostKnown &&= known.cost !== null
    sum.promptTokens += usage.promptTokens
    sum.completionTokens += usage.completionTokens
    sum.cachedTokens += usage.cachedTokens
    addItem(items, itemAt(known.price, line.model, { usage, isTold }))
    if (known.cost !== null) addItem(costs, itemAt(known.cost, line.model, { usage, isTold }))
  }
  if (suspicion !== null) deps.suspected(batch.upstream.channel, suspicion)
  const cost = isCostKnown ? quotaForAll([...costs.values()]) : null
  return { items: [...items.values()], cost, usage: { ...sum, isUsageSuspect: suspicion !== null }, isEstimated, results }
}

interface ModelPrices {
  readonly price: WithoutVariants
  readonly cost: WithoutVariants | null
}

function pricesOf(row: DueTask): ReadonlyMap<string, ModelPrices> {
  const resolved = (model: string, { price, factors }: PriceParts): WithoutVariants => resolvePrice(model, price, factors)
  return new Map(
    Object.entries(batchPricesOf(row)).map(([model, { price, cost }]) => [
      model,
      { price: resolved(model, price), cost: cost === null ? null : resolved(model, cost) },
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
  /** The vendor told it. */
  readonly isTold: boolean
  readonly isSuspect: boolean
}

/** An answer that was delivered is charged, whether or not its vendor tells what it used. `null`: the vendor refused it for free. */
async function usageOf(
  { model, promptTokens, result, known, use }: BatchLine,
  { channel }: BatchUpstream,
  { countTokens }: BatchEndDeps,
): Promise<LineUsage | null> {
  const { usage: reported = null, text = '' } = result.answer ?? {}
  const own = async (told: Usage): Promise<Usage> => ({
    ...told,
    promptTokens: told.promptTokens > 0 ? told.promptTokens : promptTokens,
    completionTokens: Math.max(told.completionTokens, await countTokens(text, model)),
    serviceTier: 'batch',
  })
  if (reported === null) return { usage: await own(noUsage), isTold: false, isSuspect: false }
  const evidence = known === null ? null : { ...known, model, choices: 1, isPartial: false, callsMax: null, soundMsMax: null, promptTokens }
  const caused = use === null ? reported : causableUsage(reported, { ...causeOfBatch, use, model, nameOf: (named) => named })
  const { usage, isDoubtful } = judgeUsage(caused, text, evidence)
  const told = isDoubtful ? judgedBy(await countTokens(text, model), usage) : usage
  if (told.isRefused && text === '' && channel.vendor.freeRefusals === true) return null
  return told.isSuspect ? { usage: await own(told), isTold: false, isSuspect: true } : { usage: told, isTold: true, isSuspect: false }
}

/** Requests of batches order no pieces, and no sound. */
const causeOfBatch = { images: 0, characters: 0, hasAudio: false }

type BatchUpstream = EndedBatch['upstream']

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
