import { withoutTrailingSlashes } from '@sluice/contract'
import { isObject } from '@sluice/vendors/core/is-object'
import { AppError } from '../../lib/app-error.ts'
import { nowSeconds } from '../../lib/clock.ts'
import { mapInSteps } from '../../lib/map-in-steps.ts'
import { queryOf } from '../../lib/request-url.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import { withPermit } from '../ingress/admission.ts'
import { readBatch } from '../ingress/read-batch.ts'
import { reading } from '../ingress/read-with-permit.ts'
import type { Caller } from '../model/caller.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { PathParts } from '../model/kind-rules.ts'
import { asData } from '../response/stream-bytes.ts'
import { relayHeaders } from '../wire/error-response.ts'
import { batchObject } from './batch-form.ts'
import { type BatchLine, type EndedBatch, type OpenedResults, openResults } from './batch-results.ts'
import { sendFile } from './send-file.ts'
import type { TaskRow } from './task-queries.ts'
import { clientKeyOf, json, jsonInSteps, type TaskRouteDeps, type TaskRouteHandler } from './task-routes.ts'
import { assertReadable, reachableTask } from './task-texts.ts'

// Anthropic API, "Message Batches", stored copies read 2026-11-25.

/** A batch of the caller's account. @throws AppError task_not_found */
async function batchOf(caller: Caller, { tasks }: TaskRouteDeps, { id = '' }: PathParts): Promise<TaskRow> {
  const row = await tasks.read(caller, id)
  if (row.kind !== 'batches') throw new AppError('task_not_found')
  return row
}

/** The address by which the client reached this server. */
function addressOf({ request: { headers } }: RelayRequest, { publicAddress, basePath }: TaskRouteDeps): string {
  const host = headers.get('host') ?? ''
  const address = publicAddress()
  const known = URL.parse(address)
  if (known !== null && (known.host === host || host === '')) return withoutTrailingSlashes(address)
  const proto = headers.get('x-forwarded-proto')?.startsWith('https') === true ? 'https' : 'http'
  return `${proto}://${host}${basePath}`
}

const show = (row: TaskRow, incoming: RelayRequest, deps: TaskRouteDeps) => batchObject(row, deps.tasks.texts, addressOf(incoming, deps))

const create: TaskRouteHandler = async (incoming, deps) => {
  const caller = await deps.callers.admit(incoming)
  return await withPermit(caller, deps.limiter, async (permit) => {
    const clientKey = clientKeyOf(incoming)
    const admitModels = (models: readonly string[]) => deps.tasks.admitBatch(models, { caller, permit, clientKey })
    const batch = await readBatch(incoming.request, { ...deps, admitModels })
    try {
      deps.running.assertAccepting()
      const row = await deps.tasks.submitBatch({ incoming, caller, permit, batch, clientKey })
      return json(show(row, incoming, deps), incoming, 1)
    } finally {
      batch.close()
    }
  })
}

const retrieve: TaskRouteHandler = reading(async ({ caller, incoming, deps, path }) =>
  json(show(await batchOf(caller, deps, path), incoming, deps), incoming),
)

const pageSize = 20
const pageMax = 1_000

/** Newest first; `after_id` names the last of the page before, `before_id` the first of the page behind. */
const list: TaskRouteHandler = reading(async ({ caller, incoming, deps }) => {
  const query = queryOf(incoming.request.url)
  const limit = Number(query.get('limit') ?? pageSize)
  if (!Number.isInteger(limit) || limit < 1 || limit > pageMax) throw new AppError('invalid_parameter', { params: { name: 'limit' } })
  const before = query.get('before_id')
  const from = before ?? query.get('after_id')
  const after = from === null ? null : (await batchOf(caller, deps, { id: from })).id
  const order = before === null ? 'desc' : 'asc'
  const rows = deps.tasks.list({ viewer: caller, kind: 'batches', after, order, limit: limit + 1 })
  const listed = await mapInSteps(rows, (row) => ({ id: row.public_id, batch: show(row, incoming, deps) }))
  const page = before === null ? listed.slice(0, limit) : listed.slice(0, limit).toReversed()
  const data = page.map(({ batch }) => batch)
  const [first, last] = [page[0]?.id ?? null, page.at(-1)?.id ?? null]
  return await jsonInSteps({ data, has_more: listed.length > limit, first_id: first, last_id: last }, incoming)
})

const cancel: TaskRouteHandler = reading(async ({ caller, incoming, deps, path }) => {
  const { public_id: id } = await batchOf(caller, deps, path)
  return json(show(await deps.tasks.cancel(caller, id), incoming, deps), incoming)
})

const remove: TaskRouteHandler = reading(async ({ caller, incoming, deps, path }) => {
  const { public_id: id } = await batchOf(caller, deps, path)
  await deps.tasks.remove(caller, id)
  return json({ id, type: 'message_batch_deleted' }, incoming)
})

/** The results in Anthropic's form, with the client's names of the models. */
const results: TaskRouteHandler = reading(async ({ caller, incoming, deps, path }) => {
  const row = await batchOf(caller, deps, path)
  const batch = await endedBatch(row, deps)
  const { request } = incoming
  const headers = { ...relayHeaders(incoming.requestId, 1), ...asData, 'content-type': 'application/x-jsonl' }
  if (request.method === 'HEAD') return { status: 200, headers, body: sendFile(null, incoming, deps.running) }
  const opened = await openResults(batch, deps)
  whenAborted(request.signal, opened.abort)
  return { status: 200, headers, body: sendFile(linesFor(batch, opened), incoming, deps.running) }
})

/** @throws AppError */
async function endedBatch(row: TaskRow, { tasks, clock }: TaskRouteDeps): Promise<EndedBatch> {
  if (row.state !== 'completed') throw new AppError('task_not_completed', { params: { state: row.state } })
  if (row.expires_at > 0 && row.expires_at < nowSeconds(clock)) throw new AppError('task_result_expired')
  assertReadable(row, ['upstream', 'result'], tasks.texts)
  const reached = reachableTask(row, tasks.texts)
  const ended = tasks.texts.resultOf(row)?.data ?? null
  if (reached === null || !('readResult' in reached.dialect) || !isObject(ended)) throw new AppError('task_result_unknown')
  const { upstream, dialect } = reached
  return { upstream, dialect, ended, plan: await tasks.plans.read(row.public_id) }
}

async function* linesFor(batch: EndedBatch, { lines }: OpenedResults): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield bytesOf(line, batch)
}

const encoder = new TextEncoder()

/** The line as it came, unless the vendor has another form of it, or another name of the model. */
function bytesOf({ json: upstreamLine, raw, request }: BatchLine, { dialect, upstream }: EndedBatch): Uint8Array {
  const named = dialect.toClient(upstreamLine, { model: request.params.model, task: upstream.task })
  return named === upstreamLine && raw.at(-1) === lineFeed ? raw : encoder.encode(`${JSON.stringify(named)}\n`)
}

const lineFeed = 10

/** The calls for batches of messages, by method and path. */
export const batchRoutes: Readonly<Record<string, TaskRouteHandler>> = {
  'POST /v1/messages/batches': create,
  'GET /v1/messages/batches': list,
  'GET /v1/messages/batches/{id}': retrieve,
  'DELETE /v1/messages/batches/{id}': remove,
  'POST /v1/messages/batches/{id}/cancel': cancel,
  'GET /v1/messages/batches/{id}/results': results,
}
