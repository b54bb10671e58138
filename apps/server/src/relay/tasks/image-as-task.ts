import type { ServerResponse } from '@sluice/http1/response'
import { lookUp } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { InputImage } from '@sluice/vendors/core/task'
import { dialectOf } from '@sluice/vendors/registry/dialect-of'
import { taskDialectOf } from '@sluice/vendors/registry/task-dialect-of'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { dataAddressOf } from '../../lib/data-address.ts'
import type { ReadRequest } from '../ingress/read-request.ts'
import { type ClientTaskParams, imagesIn, readFiles, sizeIn } from '../ingress/read-task-params.ts'
import type { Caller, Permit } from '../model/caller.ts'
import { modelAt, type Route } from '../model/channel.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { KindRules } from '../model/kind-rules.ts'
import { bytesOf, type ImageDeps } from '../upstream/images-as-bytes.ts'
import { relayHeaders } from '../wire/error-response.ts'
import type { Tasks } from './create-tasks.ts'
import { isModerated } from './end-task.ts'
import type { TaskRow } from './task-queries.ts'
import type { StoredTaskResult } from './task-texts.ts'

// Images of vendors that make them as tasks, for clients that wait for them: the calls of OpenAI's images.

const actions: Readonly<Record<string, 'create' | 'edit' | 'vary'>> = {
  images: 'create',
  'image-edits': 'edit',
  'image-variations': 'vary',
}

/** Whether images of a model are tasks at all of its channels. */
export function isCreatedAsTask({ kind }: KindRules, model: string, { tiers }: Pick<Route, 'tiers'>): boolean {
  if (actions[kind] === undefined) return false
  const channels = tiers.flatMap((tier) => tier.channels)
  if (channels.some((channel) => dialectOf(channel.vendor, kind, modelAt(channel, model)) !== null)) return false
  return channels.some((channel) => taskDialectOf(channel.vendor, 'pictures', modelAt(channel, model)) !== null)
}

interface Drawing {
  readonly incoming: RelayRequest
  readonly caller: Caller
  readonly permit: Permit
  readonly parsed: ReadRequest
}

export interface DrawDeps extends ImageDeps {
  readonly tasks: Tasks
  readonly clock: Clock
}

/** How long a client waits for its images; they are made nevertheless, and are among the tasks of its account. */
const waitMs = 300_000
const lookMs = 250

/** @throws AppError */
export async function draw({ incoming, caller, permit, parsed }: Drawing, deps: DrawDeps): Promise<ServerResponse> {
  const { body, params, form } = parsed
  if (form !== null) await deps.tasks.admit({ caller, permit, kind: 'pictures', model: params.model })
  const taskParams = await taskParamsOf(parsed)
  const asBytes = body['response_format'] !== 'url'
  const rows: TaskRow[] = []
  for (let count = 0; count < (parsed.params.images ?? 1); count += 1) {
    const requestId = count === 0 ? incoming.requestId : Bun.randomUUIDv7()
    rows.push(await deps.tasks.submit({ incoming, caller, permit, params: taskParams, source: null, requestId }))
  }
  const done = await Promise.all(rows.map((row) => ended(row, { incoming, caller, deps })))
  const data = await Promise.all(
    done.flatMap((row) =>
      (deps.tasks.texts.resultOf(row)?.results ?? []).map((result, place) => imageOf(result, { row, place, asBytes, deps })),
    ),
  )
  return Response.json({ created: nowSeconds(deps.clock), data }, { headers: relayHeaders(incoming.requestId, 1) })
}

interface Waiting {
  readonly incoming: RelayRequest
  readonly caller: Caller
  readonly deps: DrawDeps
}

/** The task once it is completed. @throws AppError if it is not, or not in time */
async function ended({ public_id: id }: TaskRow, { incoming, caller, deps }: Waiting): Promise<TaskRow> {
  const untilMs = deps.clock.monotonicMs() + waitMs
  for (;;) {
    const row = await deps.tasks.read(caller, id)
    if (row.state === 'completed') return row
    if (row.stage === 'ended') throw failure(row)
    if (incoming.request.signal.aborted) throw new AppError('upstream_unreachable')
    if (deps.clock.monotonicMs() >= untilMs) throw new AppError('task_wait_timeout', { params: { id } })
    await new Promise((resolve) => setTimeout(resolve, lookMs))
  }
}

/** OpenAI's code for images that are refused for what they show (OpenAI, "Error codes", read 2026-11-23). */
function failure({ error_code: code, error_message: message }: TaskRow): AppError {
  const isRefused = isModerated(code)
  const upstream = {
    message,
    type: isRefused ? 'image_generation_user_error' : null,
    param: null,
    code: isRefused ? 'content_policy_violation' : code,
  }
  return new AppError('upstream_failed', { status: isRefused ? 400 : 502, upstream })
}

interface GeneratedImage {
  readonly row: TaskRow
  readonly place: number
  readonly asBytes: boolean
  readonly deps: DrawDeps
}

/** @throws AppError */
async function imageOf({ url, isKept }: StoredTaskResult, { row, place, asBytes, deps }: GeneratedImage): Promise<JsonObject> {
  const kept = isKept === true ? await deps.tasks.contents.read(row.public_id, place) : null
  if (kept !== null) return { b64_json: kept.toString('base64') }
  const upstream = deps.tasks.texts.upstreamOf(row)
  if (url === undefined || upstream === null) throw new AppError('upstream_invalid_response')
  if (!asBytes) return { url }
  return await bytesOf({ url }, upstream.channel, deps).catch((cause: unknown) => {
    throw new AppError('upstream_invalid_response', { cause })
  })
}

/** Parameters of OpenAI that need no counterpart at their usual value. */
const usual: Readonly<Record<string, readonly Json[]>> = {
  quality: ['auto', 'standard', ''],
  background: ['auto', 'opaque'],
  moderation: ['auto'],
  style: ['vivid', 'natural'],
  stream: [false],
}

const own: ReadonlySet<string> = new Set(['model', 'prompt', 'n', 'size', 'response_format', 'user', 'image', 'images', 'mask'])

/** @throws AppError */
async function taskParamsOf({ rules, params, body, form }: ReadRequest): Promise<ClientTaskParams> {
  if (params.isStream) throw new AppError('parameter_not_offered', { params: { name: 'stream' } })
  const files = form === null ? [] : await readFiles(form.parts)
  const [mask, ...others] = files.filter(({ name }) => name === 'mask')
  if (others.length > 0) throw new AppError('invalid_parameter', { params: { name: 'mask' } })
  const generated = files.filter(({ name }) => name !== 'mask').map((file): InputImage => ({ file }))
  const extra = Object.fromEntries(Object.entries(body).filter(([name, value]) => isExtra(name, value)))
  const masked = mask === undefined ? maskIn(body['mask']) : dataAddressOf(mask)
  return {
    kind: 'pictures',
    action: actions[rules.kind] ?? 'create',
    model: params.model,
    prompt: typeof body['prompt'] === 'string' ? body['prompt'] : '',
    seconds: null,
    size: sizeIn(body['size']),
    images: [...generated, ...imagesIn(form === null ? (body['images'] ?? body['image']) : undefined, 'image')],
    video: null,
    extra: masked === null ? extra : { ...extra, mask: masked },
  }
}

function isExtra(name: string, value: Json | undefined): boolean {
  if (own.has(name) || value === undefined || value === null) return false
  return lookUp(usual, name)?.includes(value) !== true
}

function maskIn(mask: Json | undefined): string | null {
  const [image] = imagesIn(mask, 'mask')
  return image !== undefined && 'url' in image ? image.url : null
}
