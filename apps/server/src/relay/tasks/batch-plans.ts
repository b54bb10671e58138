import { setImmediate } from 'node:timers/promises'
import { isObject, parseJson } from '@sluice/vendors/core/is-object'
import { type BodyUse, noBodyUse } from '@sluice/vendors/protocols/bodies/body-use'
import { seenOf } from '../billing/evidence.ts'
import type { ClientRequest } from '../ingress/read-batch.ts'
import type { RequestParams } from '../model/request-params.ts'
import type { TaskContents } from './task-contents.ts'

/** What is stored of the requests of a batch: the results name none of it. */
export interface BatchPlan {
  readonly models: readonly string[]
  /** What requests may cause; missing: it is of an earlier version. */
  readonly causes?: readonly Cause[]
  /** By `custom_id`. */
  readonly requests: Readonly<Record<string, PlannedRequest>>
}

/** What decides how the response of a request is judged. Many requests have the same. */
type Cause = Pick<RequestParams, 'use' | 'images' | 'isRegional' | 'mayHideOutput' | 'nativeOnly'>

/**
 * Index of its model, our estimate of its prompt tokens, its output limit, what is known of it (`facts`), and the index of its cause. Plans of
 * earlier versions have only the first two, or four, or in place of the last how many searches the request allows.
 */
type PlannedRequest = readonly [model: number, promptTokens: number, outputMax?: number, facts?: number, cause?: number]

/** Whether the prompt of a request passes through here as text; in earlier versions also what else is known of it. */
const facts = { promptSeen: 1, outputSeen: 2, regional: 4 } as const

/** The plans of batches, apart from what a list reads. */
export interface BatchPlans {
  keep(publicId: string, plan: BatchPlan): Promise<unknown>
  /** @throws Error if the plan of a batch is gone */
  read(publicId: string): Promise<BatchPlan>
}

/** Requests that are planned before others are served. */
const plannedAtOnce = 1_000

export async function planOf(requests: readonly ClientRequest[]): Promise<BatchPlan> {
  const models = createIndexes<string>()
  const causes = createIndexes<Cause>()
  const planned: [string, PlannedRequest][] = []
  for (const [at, { entry, params }] of requests.entries()) {
    const { model, promptTokens, maxTokens } = params
    const cause = causeOf(params)
    const seen = seenOf(params).isPromptSeen ? facts.promptSeen : 0
    const [ofModel, ofCause] = [models.indexOf(model, model), causes.indexOf(JSON.stringify(cause), cause)]
    planned.push([entry.custom_id, [ofModel, promptTokens, maxTokens ?? 0, seen, ofCause]])
    if (at % plannedAtOnce === plannedAtOnce - 1) await setImmediate()
  }
  return { models: models.values, causes: causes.values, requests: Object.fromEntries(planned) }
}

function causeOf({ use, images, isRegional, mayHideOutput, nativeOnly }: RequestParams): Cause {
  return {
    ...(use === undefined ? {} : { use }),
    ...(images === undefined ? {} : { images }),
    ...(isRegional === undefined ? {} : { isRegional }),
    ...(mayHideOutput === undefined ? {} : { mayHideOutput }),
    ...(nativeOnly === undefined ? {} : { nativeOnly }),
  }
}

/** Values by the order in which they come, each once. */
function createIndexes<Value>() {
  const known = new Map<string, number>()
  const values: Value[] = []
  return {
    values,
    indexOf(key: string, value: Value): number {
      const index = known.get(key) ?? values.push(value) - 1
      known.set(key, index)
      return index
    },
  }
}

/** A request as the judge of its response knows it. */
export interface JudgedRequest {
  readonly params: RequestParams
  /** Nothing but the price is known of it: its plan is of the first version. */
  readonly isUnknown: boolean
}

/** The request of a batch by its name; `null`: there is none. */
export function plannedRequest({ models, causes, requests }: BatchPlan, customId: string): JudgedRequest | null {
  const planned = Object.hasOwn(requests, customId) ? requests[customId] : undefined
  if (planned === undefined) return null
  const [model, promptTokens, outputMax, flags = 0, last] = planned
  const cause = causes === undefined ? causeOfEarlier(flags, last) : (causes[last ?? 0] ?? {})
  const isPromptSeen = (flags & facts.promptSeen) > 0
  const params: RequestParams = {
    ...cause,
    model: models[model] ?? '',
    promptTokens,
    maxTokens: outputMax ?? null,
    isStream: false,
    wantsUsage: true,
    choices: 1,
    serviceTier: 'batch',
    ...(isPromptSeen ? { textPrompt: { tokens: promptTokens, messages: 0 } } : {}),
  }
  return { params, isUnknown: outputMax === undefined }
}

function causeOfEarlier(flags: number, searches: number | undefined): Cause {
  const has = (fact: number): boolean => (flags & fact) > 0
  const isWorking = !has(facts.promptSeen) && !has(facts.outputSeen)
  // Which caches were requested is not in the plan.
  const use: BodyUse = { ...noBodyUse, cacheLife: '1h', searches: searches ?? 0, isRegional: has(facts.regional), isWorking }
  return {
    ...(searches === undefined ? {} : { use }),
    ...(has(facts.outputSeen) ? {} : { mayHideOutput: true }),
    ...(isWorking ? { nativeOnly: { name: '' } } : {}),
  }
}

/** Where the plan is among the contents of its task. */
const place = 0

export function createBatchPlans(contents: TaskContents): BatchPlans {
  return {
    keep: (publicId, plan) => contents.keep(publicId, [{ variant: 'text', base64: Buffer.from(JSON.stringify(plan)).toString('base64') }]),
    async read(publicId) {
      const plan = parseJson((await contents.read(publicId, place))?.toString() ?? '')
      if (!isObject(plan)) throw new Error(`the requests of the batch ${publicId} are not stored any more`)
      // Holds: only `keep` writes it.
      return plan as unknown as BatchPlan
    },
  }
}
