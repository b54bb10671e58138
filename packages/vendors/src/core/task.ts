import type { Failure } from './failure.ts'
import type { Json, JsonObject } from './json.ts'
import type { UploadedFile } from './request.ts'
import type { Parameters } from './task-parameter.ts'
import type { QueryContext } from './vendor-query.ts'

/** Work of a vendor that takes seconds to minutes: it is submitted, polled until it ends, and its results are fetched. */
export const taskKinds = ['videos', 'songs', 'pictures'] as const
export type TaskKind = (typeof taskKinds)[number]

/** All kinds of tasks, with batches of messages, which are submitted in a form of their own and polled like the others. */
export const followedKinds = [...taskKinds, 'batches'] as const
export type FollowedKind = (typeof followedKinds)[number]

/**
 * What is made: something new, something from what the client sends, or from an earlier task. Songs have the actions of their vendor, such as
 * `MUSIC` and `LYRICS`.
 */
export type TaskAction = 'create' | 'remix' | 'edit' | 'extend' | 'vary' | 'music' | 'lyrics'

/** An image that the client sent: an address (of the web, or a data address), or a file. */
export type InputImage = { readonly url: string } | { readonly file: UploadedFile }

/** A video that the client sent to be changed or continued, with what its file says. */
export interface InputVideo {
  readonly file: UploadedFile
  readonly seconds: number
  readonly width: number
  readonly height: number
}

/** The parsed and validated task parameters of a client. */
export interface TaskParams {
  readonly kind: TaskKind
  readonly action: TaskAction
  /** The upstream model name, after mapping. */
  readonly model: string
  readonly prompt: string
  /** Length of a video; `null`: not given. */
  readonly seconds: number | null
  /** In pixels; `null`: not given. */
  readonly size: { readonly width: number; readonly height: number } | null
  /** The first frame of a video, or what an image is made from. */
  readonly images: readonly InputImage[]
  /** What is changed or continued, if it is none of the earlier tasks. */
  readonly video: InputVideo | null
  /** The earlier task that this one continues or changes; its channel gets this one too. */
  readonly source: RunningTask | null
  /** Parameters that only some vendors have, by their names there. A dialect refuses those that it does not know. */
  readonly extra: JsonObject
}

/** Lengths of a video in seconds: some, or all whole ones between two. */
export type Lengths = readonly number[] | { readonly least: number; readonly most: number }

/** What an order of a model may have, so that a form can offer it. `plan` refuses what is not in the same tables. */
export interface TaskFields {
  /** `null`: the length cannot be chosen. */
  readonly seconds: Lengths | null
  /** Such as `1280x720`. A model that has no list of sizes has examples here; empty: the size cannot be chosen, or is one of the parameters. */
  readonly sizes: readonly string[]
  /** First frames of a video, or what an image is made from. */
  readonly images: { readonly least: number; readonly most: number }
  readonly parameters: Parameters
  /** The length and the size if a request names none; missing: the vendor chooses by what is made. */
  readonly usualSeconds?: number
  readonly usualSize?: string
  /** It only changes videos that are sent along. */
  readonly needsVideo?: true
  /** It writes the words of songs. */
  readonly makesWords?: true
}

/** A task request that has nothing but a prompt and the video that it changes. */
export const wordsOnly: TaskFields = { seconds: null, sizes: [], images: { least: 0, most: 0 }, parameters: {} }

/** What a task will cost, and what was requested of its vendor. */
export interface TaskPlan {
  readonly counts: TaskCounts
  /** The length and size of a video as requested, or the vendor's defaults: shown to the client. */
  readonly seconds?: number
  readonly size?: string
}

/** The billable units of a task. A missing unit is not counted. */
export interface TaskCounts {
  readonly seconds?: number
  /** Units of the vendor's own money. */
  readonly credits?: number
  readonly images?: number
  readonly calls?: number
  /** Key of the price's factors by size, such as `1080p`; `quality` stands before it there, such as `silent`. */
  readonly size?: string
  readonly quality?: string
}

/** A parameter that the vendor cannot fulfil, by its name. */
export interface RejectedTask {
  readonly refused: string
}

/** What the steps of a task know about its channel and itself. */
export interface TaskContext extends QueryContext {
  /** A name of the task that nothing else has, for vendors that make one thing of requests with equal names. It is the same when a submission is repeated. */
  readonly idempotencyKey: string
  /** A new name for one request, for vendors that want one. */
  readonly requestKey: string
  /** The webhook by which a vendor reports the end of a task, which is then polled immediately; `null`: it cannot reach this server. Its body is not read. */
  readonly webhook: string | null
}

export interface TaskRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Absolute. The server adds the channel's key only where the host is the channel's own or one of `VendorRoutes.keyHosts`. */
  readonly url: string
  /** Names in lower case. They name the content type of a body. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** A 5xx response to this request may say how the task failed, so the dialect gets it. One that says nothing fails the step. */
  readonly mayFail?: true
}

/** The response to a request, whatever its status is. */
export interface TaskResponse {
  readonly status: number
  readonly text: string
  /** `undefined`: the text is no JSON. */
  readonly json: Json | undefined
}

/** The next request of a step, or its result. A step is a pure function of the responses so far. */
export type TaskStep<Done> = { readonly request: TaskRequest } | { readonly done: Done } | { readonly failed: Failure }

/** A task that its vendor has accepted. */
export interface RunningTask {
  /** The vendor's id. */
  readonly vendorId: string
  /** What else the vendor gave that later requests need, such as addresses. */
  readonly memo: JsonObject
  readonly kind: FollowedKind
  readonly action: TaskAction
  readonly model: string
}

export interface SubmittedTask extends Pick<RunningTask, 'vendorId' | 'memo'> {
  /** What is known already. A final state, with the results, ends the task with its submission: it is never polled. */
  readonly report?: TaskReport
  /** The cost that the vendor names, in place of the plan's. */
  readonly counts?: TaskCounts
}

export interface TaskReport {
  readonly state: 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled'
  /** Percent; missing: the vendor does not report it. */
  readonly progress?: number
  /** Of a completed task; at least one. */
  readonly results?: readonly TaskResult[]
  /** Of a failed task. */
  readonly error?: TaskError
  /** What the vendor counted, in place of what was planned. */
  readonly counts?: TaskCounts
  /** When the results are deleted, in seconds since the epoch. */
  readonly expiresAt?: number
  /** The vendor's own data of the task, for clients that know its form. */
  readonly data?: Json
}

export interface TaskError {
  /** A code of OpenAI where one fits: `moderation_blocked`, `content_policy_violation`; else the vendor's, or `task_failed`. */
  readonly code: string
  /** Untrusted: shown as text only. */
  readonly message: string
}

/** A part of what a task made: something behind an address, its content, or a text. */
export interface TaskResult {
  /** What it is: `video`, `thumbnail`, `spritesheet`, `image`, `audio`, `text`. */
  readonly variant: 'video' | 'thumbnail' | 'spritesheet' | 'image' | 'audio' | 'text'
  readonly url?: string
  /** The content, in base64. */
  readonly base64?: string
  readonly contentType?: string
  readonly text?: string
}

/** `asked`: the vendor tries to cancel the task, which may be completed and charged nevertheless; `ended`: it is too late. */
export type Stopping = 'stopped' | 'asked' | 'ended'

/** How work that a vendor has accepted is followed. All functions are pure. */
export interface FollowedDialect {
  /**
   * Not called for responses that say nothing about the task: 401, 403, 408, 429 and 5xx (but `TaskRequest.mayFail`). A 404 is `null`: the vendor
   * does not know the task (yet).
   */
  poll(context: TaskContext, task: RunningTask, responses: readonly TaskResponse[]): TaskStep<TaskReport | null>
  /** Polls several tasks of one channel, at most `pollMany.max`; tasks that are missing in the result are unknown to the vendor. */
  readonly pollMany?: {
    readonly max: number
    step(context: TaskContext, tasks: readonly RunningTask[], responses: readonly TaskResponse[]): TaskStep<ReadonlyMap<string, TaskReport>>
  }
  /** Missing: the vendor cannot stop a task. */
  cancel?(context: TaskContext, task: RunningTask, responses: readonly TaskResponse[]): TaskStep<Stopping>
  /** Deletes what the vendor stores. Missing: it cannot. */
  remove?(context: TaskContext, task: RunningTask, responses: readonly TaskResponse[]): TaskStep<true>
  /**
   * The vendor's id of the task that a message is about, which the vendor sends to the one address that a channel has for all of its tasks;
   * `null`: the message names none. Missing: the vendor gets an address with each task request (`TaskContext.webhook`), or sends nothing.
   */
  taskIdIn?(message: Json): string | null
  /** Seconds after which a task that has not ended never will. */
  readonly secondsMax: number
}

/** How a vendor's tasks of one kind are run. */
export interface TaskDialect extends FollowedDialect {
  /** `null`: there is no such model here, or none whose task parameters are known. */
  fields(model: string): TaskFields | null
  /** The fields of a task that changes or continues a video; `null`: the model cannot. Missing: no model can. */
  changeFields?(model: string, action: TaskAction): TaskFields | null
  /** Validates a task request and says what it will cost. */
  plan(params: TaskParams): TaskPlan | RejectedTask
  submit(context: TaskContext, params: TaskParams, responses: readonly TaskResponse[]): TaskStep<SubmittedTask>
  /** Creates a character from a video, which later task requests name: its id. Missing: the vendor has none. */
  createCharacter?(
    context: TaskContext,
    character: { readonly name: string; readonly video: InputVideo },
    responses: readonly TaskResponse[],
  ): TaskStep<string>
  /** A submission with the same `idempotencyKey` gives the same task, so one whose response was lost may be repeated. */
  readonly isRepeatable?: true
  /** Actions beside `create`. */
  readonly actions?: readonly TaskAction[]
  /** Those of them that may be done to a video that the client sends. */
  readonly videoActions?: readonly TaskAction[]
}
