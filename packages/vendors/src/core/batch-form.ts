import type { JsonObject } from './json.ts'
import type { FormPart } from './multipart.ts'

/** What a vendor reports about a batch. */
export interface BatchState {
  readonly id: string
  /** `failed`: nothing of it was done. */
  readonly state: 'running' | 'ended' | 'expired' | 'cancelled' | 'failed'
  /** Why it failed. Untrusted. */
  readonly message: string
  /** In milliseconds since the epoch; `null` = not reported. */
  readonly createdMs: number | null
  readonly endedMs: number | null
  /** Ids of the files with its results: those of successful requests first. */
  readonly files: readonly string[]
  /** The file with its requests; empty = not reported. */
  readonly input: string
  /** Requests with a response, and those that failed; `null` = not reported. */
  readonly counts: { readonly succeeded: number; readonly errored: number } | null
}

/** The parameters of a batch. */
export interface FiledBatch {
  /** The file with its requests. */
  readonly file: string
  /** The endpoint that serves its requests. */
  readonly endpoint: string
  /** The model of the first request. */
  readonly model: string
}

/** How a vendor is called that takes a file of requests in OpenAI's form and returns files of results. All paths begin with `/v1`. */
export interface BatchForm {
  /** The call for chats, as the vendor names it in batches. */
  readonly chats: string
  /** All requests of a batch must name one model. */
  readonly hasOneModel?: true
  /** No page says that its batches support the Responses API. */
  readonly hasOnlyChats?: true
  /** Where a file is uploaded, if not at `/v1/files`. */
  readonly uploadPath?: string
  /** The fields of the upload beside the file. */
  readonly fields: readonly FormPart[]
  /** Where batches are. */
  readonly path: string
  /** A line of the file of requests. @param endpoint the endpoint that serves it */
  line(customId: string, body: JsonObject, endpoint: string): JsonObject
  createBody(batch: FiledBatch): JsonObject
  /** `null` = it is no batch. */
  read(response: JsonObject): BatchState | null
}
