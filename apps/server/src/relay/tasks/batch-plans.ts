import { isObject, parseJson } from '@sluice/vendors/is-object'
import { seenOf } from '../billing/evidence.ts'
import type { ClientRequest } from '../ingress/batch-order.ts'
import type { TaskContents } from './task-contents.ts'

/** What is stored of the requests of a batch: the results name none of it. */
export interface BatchPlan {
  readonly models: readonly string[]
  /** By `custom_id`. */
  readonly requests: Readonly<Record<string, PlannedRequest>>
}

/**
 * Index of its model, our estimate of its prompt tokens, its output limit, what is known of it (`facts`), and how many searches it allows. Plans
 * of earlier versions have only the first two, or four.
 */
type PlannedRequest = readonly [model: number, promptTokens: number, outputMax?: number, facts?: number, searches?: number]

/** What of a request passes through here as text, and whether it asks for a dearer region. */
export const facts = { promptSeen: 1, outputSeen: 2, regional: 4 } as const

/** The plans of batches, apart from what a list reads. */
export interface BatchPlans {
  keep(publicId: string, plan: BatchPlan): Promise<unknown>
  /** @throws Error if the plan of a batch is gone */
  read(publicId: string): Promise<BatchPlan>
}

export function planOf(requests: readonly ClientRequest[]): BatchPlan {
  const models = new Map<string, number>()
  const planned = requests.map(({ sent, params }): readonly [string, PlannedRequest] => {
    const { model, promptTokens, maxTokens } = params
    const index = models.get(model) ?? models.size
    models.set(model, index)
    return [sent.custom_id, [index, promptTokens, maxTokens ?? 0, factsOf(params), params.use?.searches ?? 0]]
  })
  return { models: [...models.keys()], requests: Object.fromEntries(planned) }
}

function factsOf(params: ClientRequest['params']): number {
  const { isPromptSeen, isOutputSeen } = seenOf(params)
  return (isPromptSeen ? facts.promptSeen : 0) | (isOutputSeen ? facts.outputSeen : 0) | (params.use?.isRegional ? facts.regional : 0)
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
