import type { Dialect } from '@sluice/vendors/core/dialect'
import type { Failure } from '@sluice/vendors/core/failure'
import type { JsonObject } from '@sluice/vendors/core/json'
import type { Outgoing, UploadedFile } from '@sluice/vendors/core/request'
import type { RequestRule } from '@sluice/vendors/core/request-rule'
import { type Rewrite, Rewrites } from '@sluice/vendors/core/rewrites'
import { withModels } from '@sluice/vendors/protocols/bodies/with-models'
import { withoutForeignReasoning } from '@sluice/vendors/protocols/responses/references'
import { readerOf } from '@sluice/vendors/protocols/rules/cut-at-stops'
import { noteChangedTurns } from '@sluice/vendors/protocols/shared/changed-turns'
import { writtenBody } from '@sluice/vendors/protocols/shared/request-text'
import { dialectOf } from '@sluice/vendors/registry/dialect-of'
import { buildRequest } from '@sluice/vendors/registry/request/build-request'
import { contentOfKeyIn, storedContentIn } from '@sluice/vendors/registry/request/content-of-key'
import type { Call } from '../model/call.ts'
import { type Channel, modelAt } from '../model/channel.ts'
import type { Multipart } from '../model/form.ts'
import { unreadable } from '../wire/unreadable.ts'
import { type ImageBytesDeps, withImageBytes } from './fetch-request-images.ts'
import type { Upload } from './http1/connection.ts'
import { needHoldFor, ownLimit } from './output-limit.ts'
import { withSystemPrompt } from './system-prompt.ts'

/** The request for one channel, without its address and credential. */
export interface PreparedRequest {
  readonly dialect: Dialect
  readonly outgoing: Outgoing
  readonly body: string | Uint8Array | Upload
  /** The type of the body, if it is not the one of JSON and the dialect names none. */
  readonly contentType: string | null
  /** What was changed in the client's request. */
  readonly rewrites: readonly Rewrite[]
  /** Called when the request has its response: ends what is counted of it. */
  readonly release?: () => void
}

interface PrepareDeps extends ImageBytesDeps {
  /** Sent in the place of the call's own body. */
  readonly body?: JsonObject
  /** What was refused in the call's own body. */
  readonly refusal?: Failure
  /** What the channel's model was found not to take. */
  readonly rules?: readonly RequestRule[]
}

export type Prepared = PreparedRequest | Refusal

/** The channel's vendor does not offer this parameter of the request. */
export interface Refusal {
  readonly refused: string
}

/**
 * Translates a call for a channel. Nearly every call is prepared at once; one whose files or images must be read first is a promise.
 * `null`: the channel does not have the kind.
 */
export function prepared(call: Call, channel: Channel, deps: PrepareDeps): Prepared | Promise<Prepared> | null {
  const dialect = dialectOf(channel.vendor, call.rules.kind, modelAt(channel, call.params.model))
  if (dialect === null) return null
  const { body = call.body, refusal, rules } = deps
  const rewrites = new Rewrites(channel.settings.rewritesOff)
  noteChangedTurns(call.body, body, rewrites)
  const read: Read = { dialect, body, refusal, rules, rewrites }
  if (!needsImageBytes(read, channel) && dialect.readsFiles !== true) return build(call, channel, read)
  return withRead(call, channel, { read, deps })
}

/** A form that has no place for addresses gets bytes in any case. */
function needsImageBytes({ dialect, rewrites }: Pick<Read, 'dialect' | 'rewrites'>, { vendor }: Channel): boolean {
  return dialect.needsImageBytes === true || (vendor.chat?.needsImageBytes === true && rewrites.may('files'))
}

interface Read {
  readonly dialect: Dialect
  readonly body: JsonObject
  readonly refusal: Failure | undefined
  readonly rewrites: Rewrites
  readonly rules: readonly RequestRule[] | undefined
  readonly files?: readonly UploadedFile[]
}

async function withRead(
  call: Call,
  channel: Channel,
  { read, deps }: { readonly read: Read; readonly deps: PrepareDeps },
): Promise<Prepared> {
  if (!needsImageBytes(read, channel)) return await buildWithFiles(call, channel, read)
  const { body, release } = await withImageBytes(read.body, channel, deps)
  try {
    if (body !== read.body) read.rewrites.note('files', 'url -> data')
    const built = await buildWithFiles(call, channel, { ...read, body })
    if ('refused' in built) release()
    return 'refused' in built ? built : { ...built, release }
  } catch (error) {
    release()
    throw error
  }
}

async function buildWithFiles(call: Call, channel: Channel, read: Read): Promise<Prepared> {
  if (read.dialect.readsFiles !== true || call.form === null) return build(call, channel, read)
  return build(call, channel, { ...read, files: await filesOf(call.form) })
}

function build(call: Call, channel: Channel, { dialect, body: whole, refusal, rules, rewrites, files }: Read): Prepared {
  const body = withReadableReasoning(whole, channel, { call, rewrites })
  const { kind } = call.rules
  const contentIn = dialect.storesItems === true ? storedContentIn : contentOfKeyIn
  const kept = unreadable(channel, body, (upstreamBody) => contentIn(upstreamBody, new Set(call.params.makers?.map(({ id }) => id))))
  if (kept !== null) return { refused: kept }
  const model = modelAt(channel, call.params.model)
  const promptedBody = withSystemPrompt(withNamesAt(channel, body, call), { kind, prompt: channel.settings.systemPrompt })
  const outputLimit = ownLimit(call, model)
  const { clientHeaders, budget, params } = call
  const maySearch = params.use !== undefined && params.use.offered.searches > 0
  const limits = { outputLimit, searchesMax: maySearch ? budget?.searchesMax : undefined }
  const options = { kind, model, stream: call.params.isStream, channel, ...limits, clientHeaders, refusal, rules, rewrites }
  const built = buildRequest(channel.vendor, promptedBody, files === undefined ? options : { ...options, files })
  // A response that is checked must come whole; it is converted to the stream that the client requested.
  const checked =
    built.schemaInPrompt !== undefined && options.stream ? buildRequest(channel.vendor, promptedBody, { ...options, stream: false }) : built
  const outgoing = call.rules.subcall === undefined ? checked : belowResponses(checked, call.rules.subcall)
  if (outgoing.refused !== undefined) return { refused: outgoing.refused }
  needHoldFor(call, outgoing)
  const reader = readerOf(dialect, outgoing)
  const form = files === undefined || outgoing.sendsForm === true ? (call.form?.write(model, outgoing.formFields) ?? null) : null
  if (form !== null) return { dialect: reader, outgoing, body: form, contentType: form.contentType, rewrites: rewrites.entries }
  return {
    dialect: reader,
    outgoing,
    body: outgoing.bytes ?? writtenBody(outgoing.body, rewrites),
    contentType: null,
    rewrites: rewrites.entries,
  }
}

/** Encrypted reasoning belongs to the account of the key that it was made with: the vendor refuses that of another. */
function withReadableReasoning(
  body: JsonObject,
  channel: Channel,
  { call, rewrites }: Pick<Read, 'rewrites'> & { readonly call: Call },
): JsonObject {
  const { readableAt } = call.params
  if (readableAt === undefined || !rewrites.may('messages')) return body
  const foreign = [...readableAt].filter(([, id]) => id !== channel.id).map(([encrypted]) => encrypted)
  const fitting = withoutForeignReasoning(body, new Set(foreign))
  if (fitting !== body) rewrites.note('messages', 'input: reasoning')
  return fitting
}

/** The request to a call below responses, which has no limit of output and no streams. */
function belowResponses({ path, body, ...outgoing }: Outgoing, subcall: string): Outgoing {
  const { max_output_tokens: _ours, stream: _never, ...rest } = body
  const query = path.indexOf('?')
  return { ...outgoing, path: query === -1 ? `${path}/${subcall}` : `${path.slice(0, query)}/${subcall}${path.slice(query)}`, body: rest }
}

/** A body whose models have their names at the channel. Nearly none names any but the requested one, whose name is put in with the address. */
function withNamesAt(channel: Channel, body: JsonObject, { rules, params }: Pick<Call, 'rules' | 'params'>): JsonObject {
  const nameOf = (model: string): string => modelAt(channel, model)
  const isRenamed = params.use?.models.some(({ model }) => nameOf(model) !== model) === true
  return isRenamed ? withModels(rules.kind, body, nameOf) : body
}

async function filesOf({ parts }: Multipart): Promise<readonly UploadedFile[]> {
  const files = parts.filter(({ fileName }) => fileName !== null)
  return await Promise.all(
    files.map(async (part) => ({
      name: part.name,
      fileName: part.fileName ?? '',
      contentType: part.contentType ?? 'application/octet-stream',
      bytes: await part.read(0, part.byteLength),
    })),
  )
}
