import { setImmediate } from 'node:timers/promises'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { type BatchedRequest, placeInBatch } from '@sluice/vendors/core/batch'
import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { bodyUseOf } from '@sluice/vendors/protocols/bodies/body-use'
import { AppError } from '../../lib/app-error.ts'
import { readJson } from '../../lib/read-json.ts'
import type { RequestParams } from '../model/request-params.ts'
import { withUnreadText } from '../pricing/unread-text.ts'
import { needJson } from './json-type.ts'
import { modelIn } from './kinds/fields.ts'
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
  readonly entry: BatchedRequest
  readonly params: RequestParams
}

/** Most requests, and longest name of one (Anthropic API, "Create a Message Batch", read 2026-11-25). */
const requestsMax = 100_000
const customIdForm = /^[a-zA-Z0-9_-]{1,64}$/
/** Requests whose names, and whose parameters, are read before others are served. */
const namedAtOnce = 2_000
const readAtOnce = 200

export interface BatchReadDeps extends ReadDeps {
  /** Called once the models are known, before the requests are read. @throws AppError if no batch of them can be taken */
  readonly admitModels: (models: readonly string[]) => Promise<void>
}

/** @throws AppError that names the parameter */
export async function readBatch(request: IncomingRequest, deps: BatchReadDeps): Promise<ClientBatch> {
  needJson(request)
  const clientHeaders = headersIn(request, messages.clientHeaders ?? [])
  const { value: body, close } = await readJson(request, deps.limits, deps)
  try {
    if (!isObject(body)) throw wrong('body')
    const named = await namedIn(body)
    await deps.admitModels([...new Set(named.map(({ model }) => model))])
    return { body, requests: await requestsIn(named), clientHeaders, close }
  } catch (error) {
    close()
    throw error
  }
}

const wrong = (name: string): AppError => new AppError('invalid_parameter', { params: { name } })

type PlaceOf = (parameter: string) => string

/** A request whose parameters have not been read. */
interface NamedRequest {
  readonly entry: BatchedRequest
  readonly model: string
  /** Where one of its parameters is in the body. */
  readonly placeOf: PlaceOf
}

async function namedIn({ requests }: JsonObject): Promise<readonly NamedRequest[]> {
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > requestsMax) throw wrong('requests')
  const names = new Set<string>()
  const named: NamedRequest[] = []
  for (const [index, request] of requests.entries()) {
    const one = requestIn(request, index)
    if (names.has(one.entry.custom_id)) throw wrong(`requests[${index}].custom_id`)
    names.add(one.entry.custom_id)
    named.push(one)
    if (named.length % namedAtOnce === 0) await setImmediate()
  }
  return named
}

/** @throws AppError */
function requestIn(request: Json, index: number): NamedRequest {
  const place = `requests[${index}]`
  if (!isObject(request)) throw wrong(place)
  const { custom_id, params } = request
  if (typeof custom_id !== 'string' || !customIdForm.test(custom_id)) throw wrong(`${place}.custom_id`)
  if (!isObject(params)) throw wrong(`${place}.params`)
  const placeOf = (name: string): string => placeInBatch(index, custom_id, name)
  return { entry: { ...request, custom_id, params }, model: inParams(placeOf, () => modelIn(params)), placeOf }
}

async function requestsIn(named: readonly NamedRequest[]): Promise<readonly ClientRequest[]> {
  const read: ClientRequest[] = []
  for (const { entry, placeOf } of named) {
    read.push({ entry, params: paramsIn(entry.params, placeOf) })
    if (read.length % readAtOnce === 0) await setImmediate()
  }
  return read
}

/** The parameter that these errors of a single request are about. */
const missing: Readonly<Record<string, string>> = { model_required: 'model', messages_required: 'messages', stream_invalid: 'stream' }

/** @throws AppError */
function paramsIn(body: JsonObject, placeOf: PlaceOf): RequestParams {
  const read = inParams(placeOf, () => messages.read(body, {}))
  if (read.isStream) throw wrong(placeOf('stream'))
  if (read.maxTokens === null) throw wrong(placeOf('max_tokens'))
  return { ...withUnreadText(read, 'messages', body), serviceTier: 'batch', use: bodyUseOf('messages', body) }
}

/** Reads the parameters of a request, whose place its errors name. @throws AppError */
function inParams<Result>(placeOf: PlaceOf, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const name = missing[error.code] ?? error.options.params?.['name']
    throw typeof name === 'string' ? wrong(placeOf(name)) : error
  }
}
