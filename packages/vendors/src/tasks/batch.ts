import type { Usage } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import type { FollowedDialect, RunningTask, SubmittedTask, TaskAnswer, TaskContext, TaskRequest, TaskStep } from './task.ts'

/** Many requests for messages, which a vendor answers within a day. */
export interface BatchOrder {
  /** What the client sent, with the channel's names of the models. */
  readonly body: JsonObject
  readonly requests: readonly BatchedRequest[]
  /** Headers of the client that say how its requests are meant, by names in lower case. */
  readonly clientHeaders: Readonly<Record<string, string>>
}

export interface BatchedRequest extends JsonObject {
  readonly custom_id: string
  readonly params: JsonObject
}

/** The outcome of one request of a batch. */
export interface BatchResult {
  readonly customId: string
  /** What was answered, if it was: all else is free. `usage`: `null` = the vendor does not tell it. */
  readonly answer: { readonly usage: Usage | null; readonly text: string } | null
}

/** How a vendor's batches of messages are run. All functions are pure. The results of a batch that has ended are lines of JSON. */
export interface BatchDialect extends FollowedDialect {
  create(context: TaskContext, order: BatchOrder, answers: readonly TaskAnswer[]): TaskStep<SubmittedTask>
  /** @param ended the vendor's own data of the ended batch. `null` = it has no results */
  results(channel: Pick<TaskContext, 'baseUrl'>, task: RunningTask, ended: JsonObject): Pick<TaskRequest, 'url' | 'headers'> | null
  /** How many requests the batch has, by the vendor's own data. */
  count(ended: JsonObject): number
  /** `null` = the line is no result. */
  readResult(line: JsonObject): BatchResult | null
  /** The result with the client's name of the model. */
  renamed(line: JsonObject, model: string): JsonObject
}
