import { setImmediate } from 'node:timers/promises'
import type { Received } from '@sluice/http1/received'
import { isObject } from '@sluice/vendors/is-object'
import type { Json, JsonObject } from '@sluice/vendors/json'
import type { BatchedRequest } from '@sluice/vendors/tasks/batch'
import { AppError } from '../../lib/app-error.ts'
import { readJson } from '../../lib/read-json.ts'
import type { RequestParams } from '../model/request-params.ts'
import { needJson } from './json-type.ts'
import { messages } from './kinds/messages.ts'
import { headersIn, type ReadDeps } from './read-request.ts'

/** A batch of requests for messages as its client sent it. */
export interface ClientBatch {
  readonly body: JsonObject
  readonly requests: readonly ClientRequest[]
  /** See `BatchOrder`. */
  readonly clientHeaders: Readonly<Record<string, string>>
  /** Called when the body will not be sent any more. */
  readonly close: () => void
}

/** One request of a batch, and what the relay reads in it. */
export interface ClientRequest {
  readonly sent: BatchedRequest
  readonly params: RequestParams
}

/** Most requests, and longest name of one (Anthropic API, "Create a Message Batch", read 2026-11-25). */
const requestsMax = 100_000
const customIdForm = /^[a-zA-Z0-9_-]{1,64}$/
/** Requests that are read before others are served. */
const readAtOnce = 200

/** @throws AppError that names the parameter */
export async function readBatch(request: Received, deps: ReadDeps): Promise<ClientBatch> {
  needJson(request)
  const clientHeaders = headersIn(request, messages.clientHeaders ?? [])
  const { value: body, close } = await readJson(request, deps.limits, deps)
  try {
    if (!isObject(body)) throw wrong('body')
    return { body, requests: await requestsIn(body), clientHeaders, close }
  } catch (error) {
    close()
    throw error
  }
}

const wrong = (name: string): AppError => new AppError('invalid_parameter', { params: { name } })

async function requestsIn({ requests }: JsonObject): Promise<readonly ClientRequest[]> {
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > requestsMax) throw wrong('requests')
  const names = new Set<string>()
  const read: ClientRequest[] = []
  for (const [index, request] of requests.entries()) {
    const place = `requests[${index}]`
    const one = requestIn(request, place)
    if (names.has(one.sent.custom_id)) throw wrong(`${place}.custom_id`)
    names.add(one.sent.custom_id)
    read.push(one)
    if (read.length % readAtOnce === 0) await setImmediate()
  }
  return read
}

/** @throws AppError */
function requestIn(request: Json, place: string): ClientRequest {
  if (!isObject(request)) throw wrong(place)
  const { custom_id, params } = request
  if (typeof custom_id !== 'string' || !customIdForm.test(custom_id)) throw wrong(`${place}.custom_id`)
  if (!isObject(params)) throw wrong(`${place}.params`)
  return { sent: { ...request, custom_id, params }, params: paramsIn(params, `${place}.params`) }
}

/** The parameter that these errors of a single request are about. */
const missing: Readonly<Record<string, string>> = { model_required: 'model', messages_required: 'messages', stream_invalid: 'stream' }

/** @throws AppError */
function paramsIn(body: JsonObject, place: string): RequestParams {
  const read = paramsOf(body, place)
  if (read.isStream) throw wrong(`${place}.stream`)
  if (read.maxTokens === null) throw wrong(`${place}.max_tokens`)
  return { ...read, serviceTier: 'batch' }
}

function paramsOf(body: JsonObject, place: string): RequestParams {
  try {
    return messages.read(body, {})
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const name = missing[error.code] ?? error.options.params?.['name']
    throw name === undefined ? error : wrong(`${place}.${name}`)
  }
}
