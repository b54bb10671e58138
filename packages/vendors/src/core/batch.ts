import type { ChannelFacts } from './channel-config.ts'
import type { JsonObject } from './json.ts'
import type { FollowedDialect, RejectedTask, RunningTask, SubmittedTask, TaskContext, TaskRequest, TaskResponse, TaskStep } from './task.ts'
import type { Usage } from './usage.ts'

/** Many requests for messages, which a vendor processes within a day. */
export interface BatchParams {
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

/** A place of one request of a batch, as errors name it. */
export const placeInBatch = (index: number, customId: string, parameter: string): string =>
  `requests[${index}].params.${parameter} (custom_id ${customId})`

/** Lets other work be done before it goes on: a batch of tens of thousands of requests is built in many steps. */
export type Pause = () => Promise<void>

/** A batch as one vendor gets it. */
export interface PreparedBatch {
  submit(context: TaskContext, responses: readonly TaskResponse[]): TaskStep<SubmittedTask>
}

/** The outcome of one request of a batch. */
export interface BatchResult {
  readonly customId: string
  /** The response, if there was one: everything else is free. */
  readonly response: BatchResponse | null
}

export interface BatchResponse {
  /** `null` = the vendor does not report it. */
  readonly usage: Usage | null
  /** Everything that was written, for counting it. */
  readonly text: string
  /** Some of it is reasoning. */
  readonly hasReasoning: boolean
}

/** How a result is presented to the client. */
export interface ClientResult {
  /** The client's name of the model. */
  readonly model: string
  readonly task: Pick<RunningTask, 'memo'>
}

/** The member of a vendor's data of an ended batch that only its dialect reads: a client does not get it. */
export const ownData = 'upstream'

/**
 * How a vendor's batches of messages are run. All functions are pure. The results of a batch that has ended are lines of JSON; `TaskReport.data` of it
 * is an object in Anthropic's form ("The Message Batch object"), which may have `ownData`.
 */
export interface BatchDialect extends FollowedDialect {
  /** Builds the vendor's form of a batch. `refused`: the parameter that the vendor cannot fulfil, such as `requests[2].params.tools`. */
  prepare(channel: ChannelFacts, params: BatchParams, pause: Pause): Promise<PreparedBatch | RejectedTask>
  /** The files that hold the results. @param ended the vendor's own data of the ended batch. Empty = it has no results */
  results(channel: ChannelFacts, task: RunningTask, ended: JsonObject): ReadonlyArray<Pick<TaskRequest, 'url' | 'headers'>>
  /** How many results the files must have, by the vendor's own data. */
  count(ended: JsonObject): number
  /** `null` = the line is no result. */
  readResult(line: JsonObject): BatchResult | null
  /** The result in Anthropic's form, with the client's name of the model. A line that is so already is returned as it is. */
  toClient(line: JsonObject, clientResult: ClientResult): JsonObject
}
