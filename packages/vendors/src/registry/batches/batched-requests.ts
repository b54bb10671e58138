import { type BatchedRequest, type Pause, placeInBatch } from '../../core/batch.ts'
import type { BatchForm } from '../../core/batch-form.ts'
import type { ChannelFacts } from '../../core/channel-config.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Outgoing } from '../../core/request.ts'
import type { ResponseContext } from '../../core/response.ts'
import { Rewrites } from '../../core/rewrites.ts'
import type { RejectedTask } from '../../core/task.ts'
import type { Vendor } from '../../core/vendor.ts'
import { hidesReasoning } from '../../protocols/messages/hidden-reasoning.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'
import { writtenBody } from '../../protocols/shared/request-text.ts'
import { dialectOf } from '../dialect-of.ts'
import { buildRequest } from '../request/build-request.ts'

/** A file of requests, and what their responses need of them. */
export interface RequestFile {
  /** A line for each request. */
  readonly lines: string
  /** The call that responds to all of them. */
  readonly endpoint: string
  readonly model: string
  readonly memo: JsonObject
}

/** Parts of the request that its response needs. */
type BatchResponseContext = Pick<
  ResponseContext,
  'toolNames' | 'unwrapTool' | 'callsFunctions' | 'echo' | 'outputMax' | 'stopWords' | 'cutAt' | 'oneCall'
>

const responsesCall = '/v1/responses'

/** Characters that are written before others are served: requests of a batch may be short or long. */
const writtenAtOnce = 128 * 1024

interface FileOptions {
  readonly vendor: Vendor
  readonly form: BatchForm
  readonly channel: ChannelFacts
  readonly pause: Pause
}

/** Requests for messages as lines of a file of the vendor's chats. */
export async function requestFile(
  requests: readonly BatchedRequest[],
  { vendor, form, channel, pause }: FileOptions,
): Promise<RequestFile | RejectedTask> {
  const model = textOr(requests[0]?.params['model'], '')
  const contexts = new ContextList()
  let endpoint: string | null = null
  const lines: string[] = []
  let written = 0
  for (const [index, { custom_id: customId, params }] of requests.entries()) {
    const refused = (name: string): RejectedTask => ({ refused: placeInBatch(index, customId, name) })
    const requestModel = textOr(params['model'], '')
    if (form.hasOneModel === true && requestModel !== model) return refused('model')
    if (needsBytes(vendor, requestModel) && hasImageAddress(params['messages'])) return refused('messages[].content[].source.url')
    const outgoing = buildRequest(vendor, params, { kind: 'messages', model: requestModel, stream: false, channel })
    const lacked = lackedInBatches(outgoing)
    if (lacked !== null) return refused(lacked)
    const call = callOf(outgoing, form)
    endpoint ??= call
    // All requests of a batch go to one endpoint.
    if (call === null || call !== endpoint) return refused('tools')
    contexts.add(customId, contextOf(outgoing))
    const line = writtenBody(form.line(customId, outgoing.body, call), new Rewrites())
    lines.push(line)
    written += line.length
    if (written < writtenAtOnce) continue
    written = 0
    await pause()
  }
  return { lines: `${lines.join('\n')}\n`, endpoint: endpoint ?? form.chats, model, memo: contexts.memo() }
}

/** The call that responds to a request; `null` = batches have none. */
function callOf({ upstreamKind }: Outgoing, form: BatchForm): string | null {
  if (upstreamKind !== 'responses') return form.chats
  return form.hasOnlyChats === true ? null : responsesCall
}

function needsBytes(vendor: Vendor, model: string): boolean {
  return vendor.chat?.needsImageBytes === true || dialectOf(vendor, 'messages', model)?.needsImageBytes === true
}

/** Whether messages have an image that lies behind an address, also within a result of a tool. */
function hasImageAddress(messages: Json | undefined): boolean {
  return objectsIn(messages).some(({ content }) => isByAddress(content))
}

function isByAddress(content: Json | undefined): boolean {
  return objectsIn(content).some(({ type, source, content: inner }) =>
    type === 'image' ? isObject(source) && source['type'] === 'url' : isByAddress(inner),
  )
}

/** What is sent, or checked, in more than one step: a batch has one. */
function lackedInBatches({ refused, schemaInPrompt, bytes, messages, body }: Outgoing): string | null {
  if (refused !== undefined) return refused
  if (schemaInPrompt !== undefined) return 'output_config.format'
  return bytes !== undefined || messages !== undefined || body['stream'] === true ? 'model' : null
}

function contextOf({ toolNames, unwrapTool, callsFunctions, echo, outputMax, stopWords, cutAt, oneCall }: Outgoing): BatchResponseContext {
  const isTrivial = echo === undefined || (echo['stop'] === null && echo[hidesReasoning] === false && Object.keys(echo).length === 2)
  return { toolNames, unwrapTool, callsFunctions, echo: isTrivial ? undefined : echo, outputMax, stopWords, cutAt, oneCall }
}

/** The contexts of many requests, of which most are equal: each is stored once. */
class ContextList {
  readonly #indexes = new Map<string, number>()
  readonly #byName: [string, number][] = []

  add(name: string, context: BatchResponseContext): void {
    const text = JSON.stringify(context)
    const index = this.#indexes.get(text) ?? this.#indexes.size
    this.#indexes.set(text, index)
    this.#byName.push([name, index])
  }

  /** Without names if all requests have the same. */
  memo(): JsonObject {
    // Holds: a context is made of JSON.
    const contexts = [...this.#indexes.keys()].map((text) => JSON.parse(text) as Json)
    return contexts.length > 1 ? { contexts, of: Object.fromEntries(this.#byName) } : { contexts }
  }
}

/** What the response of a request needs of it. */
export function contextIn({ contexts, of }: JsonObject, customId: string): BatchResponseContext {
  const index = isObject(of) ? of[customId] : 0
  const context = Array.isArray(contexts) && typeof index === 'number' ? contexts[index] : undefined
  // Holds: only `requestFile` writes a memo.
  return isObject(context) ? (context as BatchResponseContext) : {}
}
