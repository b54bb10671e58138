import type { Dialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Passthrough } from '../../core/passthrough.ts'
import type { Target } from '../../core/request.ts'
import type { ResponseContext } from '../../core/response.ts'
import { Rewrites } from '../../core/rewrites.ts'
import { isCount } from '../../core/usage-count.ts'
import { addressOf, type VendorQuery } from '../../core/vendor-query.ts'
import { withMessageIds } from '../calls/call-ids.ts'
import { withoutIdleChoice } from '../calls/tool-members.ts'
import { claudeSchemas, withPlainSchemas } from '../calls/tool-schemas.ts'
import { withFittingBlocks } from '../media/message-media.ts'
import { withFewMarks } from '../rules/cache-marks.ts'
import { withoutOwnMarks, withoutProofs } from '../shared/gateway-marks.ts'
import { joinedMessage } from '../shared/joined-events.ts'
import { writtenBody } from '../shared/request-text.ts'
import { betasFor } from './betas.ts'
import { errorIn, readFailure } from './failure.ts'
import { MessageReader, textOfBlocks } from './message-reader.ts'
import { fittedToModel, withFittingTurns } from './native-fit.ts'
import { withSearchLimit } from './search-limit.ts'
import { isOutput, noCounts, toUsage, withBlock, withRefusal, withUsage } from './usage.ts'
import { isForeignSignature } from './without-reasoning.ts'

/** The limit when neither client nor gateway sets one, as of a model whose limit is not known; the vendor requires it. */
const defaultMaxTokens = 8_192

const apiVersion = '2023-06-01'

/** The client's request with the channel's model, without what another vendor left in it or the model does not take. */
export function nativeBody(request: JsonObject, target: Pick<Target, 'model' | 'outputLimit' | 'searchesMax' | 'rewrites'>): JsonObject {
  const { model, outputLimit, searchesMax } = target
  const body = fittedToModel(withFittingTurns(request, target), target)
  const { messages, tools, max_tokens: limit } = body
  return {
    ...body,
    model,
    max_tokens: limit ?? outputLimit ?? defaultMaxTokens,
    ...(Array.isArray(messages) ? { messages: withFittingBlocks(messages.map(withoutOwnMarks), target.rewrites) } : {}),
    ...(Array.isArray(tools) ? { tools: withSearchLimit(tools, searchesMax) } : {}),
  }
}

/** A request body for Claude, whoever serves it: ids of calls that another vendor made, and schemas of tools, are in a form that it takes. */
export function claudeBody(request: JsonObject, target: Pick<Target, 'model' | 'outputLimit' | 'searchesMax' | 'rewrites'>): JsonObject {
  return nativeBody(withClaudeCalls(request, target.rewrites), target)
}

function withClaudeCalls(request: JsonObject, rewrites: Rewrites): JsonObject {
  const body = withPlainSchemas(withoutIdleChoice(request, rewrites), { place: 'message', form: claudeSchemas, rewrites })
  const { messages } = body
  const changed = Array.isArray(messages) ? withMessageIds(messages, rewrites) : messages
  return changed === messages || changed === undefined ? body : { ...body, messages: changed }
}

/** Beta features that the client named, and those without which its body would be refused. */
export function betasOf(body: JsonObject, headers: Target['clientHeaders']): readonly string[] {
  const lists = [headers?.['anthropic-beta'] ?? '', betasFor(body)['anthropic-beta'] ?? '']
  return [...new Set(lists.flatMap((list) => list.split(',').map((name) => name.trim())).filter((name) => name !== ''))]
}

/** Clients know the model by the name that they requested. */
function renamed(message: JsonObject, { model }: ResponseContext): JsonObject | null {
  return typeof message['model'] === 'string' && message['model'] !== model ? { ...message, model } : null
}

/** The first event with the client's name of the model; `null` = it is right as it is. */
export function renamedStart(event: JsonObject | undefined, context: ResponseContext): JsonObject | null {
  const { message } = event?.['type'] === 'message_start' ? event : {}
  const other = isObject(message) ? renamed(message, context) : null
  return other === null ? null : { type: 'message_start', message: other }
}

const passthrough: Passthrough = {
  joined: joinedMessage,
  response(json) {
    const failure = errorIn(json)
    if (failure !== null) return failure
    if (!isObject(json) || !Array.isArray(json['content'])) return null
    const counts = json['content'].reduce(withBlock, noCounts)
    const usage = withRefusal(toUsage(withUsage(counts, json['usage'])), json['stop_reason'], {
      hasOutput: json['content'].some(isOutput),
    })
    return { usage, text: textOfBlocks(json['content']) }
  },
  event: (data) => new MessageReader().event(data),
  open: () => {
    const reader = new MessageReader()
    return (data) => reader.event(data)
  },
  changing: { text: ['text', 'thinking', 'partial_json'] },
  closing: { type: 'message_stop' },
  repair: (context) => ({ event: (_event, { chunk }) => renamedStart(chunk, context), end: () => [] }),
  repairResponse: renamed,
}

/** The request without any reasoning, which the model then produces anew. `null` = reasoning is not what was refused. */
function withoutReasoning(body: JsonObject, failure: Failure): JsonObject | null {
  const { messages } = body
  if (!isForeignSignature(failure) || !Array.isArray(messages)) return null
  const kept = messages.map(withoutProofs)
  return kept.every((message, index) => message === messages[index]) ? null : { ...body, messages: kept }
}

/** Anthropic API, "Count tokens in a message", read 2026-11-23. */
function askTokens(body: JsonObject, { model, clientHeaders }: Pick<Target, 'model' | 'clientHeaders'>): VendorQuery<number> {
  const rewrites = new Rewrites()
  const {
    messages,
    max_tokens: _limit,
    stream: _stream,
    metadata: _metadata,
    ...rest
  } = withFittingTurns(withClaudeCalls(body, rewrites), { model, rewrites })
  const kept = Array.isArray(messages) ? withFittingBlocks(messages.map(withoutOwnMarks), rewrites) : []
  return ({ baseUrl, headers }, [response]) => {
    if (response !== undefined) {
      const count = isObject(response) ? response['input_tokens'] : undefined
      return isCount(count) ? { result: count } : { failed: 'the response has no token count' }
    }
    const requestHeaders = { ...headers, ...versionHeaders(body, clientHeaders), 'content-type': 'application/json' }
    const url = addressOf(baseUrl, '/v1/messages/count_tokens')
    return {
      request: { method: 'POST', url, headers: requestHeaders, body: writtenBody({ ...rest, model, messages: kept }, new Rewrites()) },
    }
  }
}

/** The version and the beta features of a request. */
export function versionHeaders(body: JsonObject, headers: Target['clientHeaders']): Readonly<Record<string, string>> {
  const betas = betasOf(body, headers)
  const version = textOr(headers?.['anthropic-version'], apiVersion)
  return { 'anthropic-version': version, ...(betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }) }
}

/** Anthropic's messages for its own clients: bytes are passed on, and only read. */
export const anthropicMessages = {
  request(body, target) {
    const upstreamBody = withFewMarks(claudeBody(body, target), target.rewrites)
    return { path: '/v1/messages', headers: versionHeaders(body, target.clientHeaders), body: upstreamBody }
  },
  failure: readFailure,
  retryWithout: withoutReasoning,
  askTokens,
  passthrough,
  searchesWeb: true,
} satisfies Dialect
