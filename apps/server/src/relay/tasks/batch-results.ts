import type { BatchDialect, BatchResult } from '@sluice/vendors/core/batch'
import { isObject, parseJson } from '@sluice/vendors/core/is-object'
import type { JsonObject } from '@sluice/vendors/core/json'
import { AppError } from '../../lib/app-error.ts'
import { createPauses } from '../../lib/pauses.ts'
import type { SseEvent } from '../model/sse-event.ts'
import { movingOn } from '../response/stream-bytes.ts'
import type { UpstreamResponse } from '../upstream/http1/client.ts'
import { decodeBody } from '../upstream/http1/decode-body.ts'
import { createSkippingNdjsonReader } from '../wire/ndjson.ts'
import { type BatchPlan, type JudgedRequest, plannedRequest } from './batch-plans.ts'
import { type OpenDeps, type OpenedResult, openResult } from './open-result.ts'
import { partsOf } from './response-parts.ts'
import type { ReachableTask, TaskUpstream } from './task-texts.ts'

/** The result of one request of a batch. */
export interface BatchLine {
  readonly json: JsonObject
  /** The line's bytes as the vendor wrote them, with the end of the line. */
  readonly raw: Uint8Array
  readonly result: BatchResult
  readonly request: JudgedRequest
}

export interface OpenedResults {
  /** Each request of the batch at most once; lines that are no result of one are left out. @throws what broke the file off */
  readonly lines: AsyncGenerator<BatchLine>
  readonly abort: () => void
}

/** A batch whose vendor has ended it. */
export interface EndedBatch extends ReachableTask<BatchDialect> {
  /** The vendor's own data of it. */
  readonly ended: JsonObject
  readonly plan: BatchPlan
}

/** Longest pause of the vendor. */
const idleMs = 60_000
/** Longest line: a response with reasoning and what searches found takes some MiB. The slowest line of this length takes 150 ms to parse. */
const lineBytesMax = 16 * 1024 * 1024

/** @throws AppError */
export async function openResults(batch: EndedBatch, deps: OpenDeps): Promise<OpenedResults> {
  const { upstream, dialect, ended } = batch
  const [first, ...others] = dialect.results(upstream.channel, upstream.task, ended)
  if (first === undefined) throw new AppError('task_result_gone')
  const open = (file: ResultFile): Promise<OpenedFile> => openFile(file, upstream.channel, deps)
  let current = await open(first)
  async function* files(): AsyncGenerator<OpenedFile> {
    yield current
    for (const file of others) {
      current = await open(file)
      yield current
    }
  }
  return { lines: linesOf(files(), batch), abort: () => current.abort() }
}

type ResultFile = ReturnType<BatchDialect['results']>[number]

interface OpenedFile {
  readonly body: UpstreamResponse
  readonly abort: () => void
  readonly over: () => void
}

/** @throws AppError */
async function openFile({ url, headers }: ResultFile, channel: TaskUpstream['channel'], deps: OpenDeps): Promise<OpenedFile> {
  const opened = await openResult(url, { channel, range: null, headers }, deps)
  const over = (): void => {
    opened.watch.over()
    opened.response.abort()
  }
  try {
    return { body: bodyOf(opened, deps), abort: opened.abort, over }
  } catch (error) {
    over()
    throw error
  }
}

/** @throws AppError */
function bodyOf({ response, watch }: OpenedResult, { clock }: OpenDeps): UpstreamResponse {
  const { status } = response
  if (status === 404 || status === 410) throw new AppError('task_result_gone')
  if (status !== 200) throw new AppError('upstream_failed', { params: { detail: `status ${status}` } })
  const plain = decodeBody(response)
  if (plain === null) throw new AppError('upstream_invalid_response')
  const nextAt = (): number => clock.monotonicMs() + idleMs
  watch.silence.at = nextAt()
  return movingOn(plain, watch.silence, nextAt)
}

async function* linesOf(files: AsyncGenerator<OpenedFile>, { dialect, plan }: EndedBatch): AsyncGenerator<BatchLine> {
  const left = new Set(Object.keys(plan.requests))
  const pause = createPauses()
  /** A long line is read in steps, between which other work gets a turn: before and after it is parsed, and before it is used. */
  async function lineOf({ data, raw }: SseEvent): Promise<BatchLine | null> {
    await pause()
    const json = parseJson(data ?? '')
    await pause()
    const result = isObject(json) ? dialect.readResult(json) : null
    await pause()
    const request = result === null || !left.delete(result.customId) ? null : plannedRequest(plan, result.customId)
    return !isObject(json) || result === null || request === null ? null : { json, raw, result, request }
  }
  for await (const { body, over } of files) {
    try {
      for await (const event of eventsOf(body)) {
        const line = await lineOf(event)
        if (line !== null) yield line
      }
    } finally {
      over()
    }
  }
}

async function* eventsOf(body: UpstreamResponse): AsyncGenerator<SseEvent> {
  const reader = createSkippingNdjsonReader(lineBytesMax)
  for await (const part of partsOf(body)) yield* reader.push(part)
  yield* reader.end?.() ?? []
}
