import type { JsonObject } from './json.ts'
import type { FormPart } from './multipart.ts'

/** What a vendor tells of a batch. */
export interface BatchState {
  readonly id: string
  /** `failed`: nothing of it was done. */
  readonly state: 'running' | 'ended' | 'expired' | 'cancelled' | 'failed'
  /** Why it failed. Untrusted. */
  readonly message: string
  /** In milliseconds since the epoch; `null` = it is not told. */
  readonly createdMs: number | null
  readonly endedMs: number | null
  /** Ids of the files with its results: first those of what was answered. */
  readonly files: readonly string[]
  /** The file with its requests; empty = not told. */
  readonly input: string
  /** Requests with a response, and those that failed; `null` = not told. */
  readonly counts: { readonly succeeded: number; readonly errored: number } | null
}

/** What is ordered. */
export interface FiledBatch {
  /** The file with its requests. */
  readonly file: string
  /** The call that responds to its requests. */
  readonly endpoint: string
  /** The model of the first request. */
  readonly model: string
}

/** How a vendor that responds to a file of requests in OpenAI's form with files of results is asked. All paths begin with `/v1`. */
export interface BatchForm {
  /** The call for chats, as the vendor names it in batches. */
  readonly chats: string
  /** All requests of a batch must name one model. */
  readonly hasOneModel?: true
  /** No page tells that its batches have responses. */
  readonly hasOnlyChats?: true
  /** Where a file is uploaded, if not at `/v1/files`. */
  readonly uploadPath?: string
  /** The fields of the upload beside the file. */
  readonly fields: readonly FormPart[]
  /** Where batches are. */
  readonly path: string
  /** A line of the file of requests. @param endpoint the call that responds to it */
  line(customId: string, body: JsonObject, endpoint: string): JsonObject
  createBody(batch: FiledBatch): JsonObject
  /** `null` = it is no batch. */
  read(response: JsonObject): BatchState | null
}
