import type { ChatDialect, Dialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { messageOr } from '../../core/failure-parts.ts'
import { isObject, lookUp, parseJson, textOr } from '../../core/is-object.ts'
import { joinUrl } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import { nonsense, noUsage, withUsageOf } from '../../core/no-usage.ts'
import type { ClientResponse, ResponseContext } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { isCount, readCount } from '../../core/usage-count.ts'
import { askOnce, at } from '../../core/vendor-query.ts'
import { fittingCalls } from '../../protocols/calls/conform-calls.ts'
import { embeddingList, formIn, textsIn } from '../../protocols/gemini/embeddings.ts'
import { singly } from '../../protocols/shared/one-call.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { type Piece, type ResponseReader, readingBy } from '../../protocols/shared/response-reader.ts'
import { toCohere } from './request.ts'

/** docs.cohere.com, "Chat (v2)", `finish_reason`, a stored copy read 2026-11-22; errors of the model are failures. */
const reasons: Readonly<Record<string, string>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
  ERROR_LIMIT: 'length',
}

interface Call {
  readonly index: number
  /** What it is called with, if that does not come in pieces. */
  readonly whole: string
  hasArguments: boolean
}

interface State {
  calls: number
  /** Those that are open, by their indexes. */
  readonly open: Map<Json | undefined, Call>
  /** The one that began last, for pieces without an index. */
  last: Json | undefined
  isDone: boolean
  usage: Usage | null
}

function createReader(_context: ResponseContext): ResponseReader<JsonObject> {
  const state: State = { calls: 0, open: new Map(), last: undefined, isDone: false, usage: null }
  return {
    take: (event) => lookUp(readers, textOr(event['type'], ''))?.(state, event) ?? {},
    end: () => ({ complete: state.isDone, usage: state.usage }),
  }
}

const messageIn = (event: JsonObject): JsonObject => {
  const message = at(event, 'delta', 'message')
  return isObject(message) ? message : {}
}

/** "Streaming (v2)". Other events (message-start, citations, content-end) add nothing. */
const readers: Readonly<Record<string, (state: State, event: JsonObject) => Piece>> = {
  'content-start': (_state, event) => say(messageIn(event)['content']),
  'content-delta': (_state, event) => say(messageIn(event)['content']),
  'tool-plan-delta': (_state, event) => write('reasoning_content', textOr(messageIn(event)['tool_plan'], '')),
  'tool-call-start': (state, event) => startCall(state, messageIn(event)['tool_calls'], event['index']),
  'tool-call-delta': (state, event) => {
    const call = state.open.get(event['index']) ?? state.open.get(state.last)
    return call === undefined ? {} : growCall(call, textOr(at(messageIn(event), 'tool_calls', 'function', 'arguments'), ''))
  },
  'tool-call-end': (state, { index = state.last }) => endCall(state, index),
  'message-end': finish,
}

function write(field: string, text: string): Piece {
  return text === '' ? {} : { deltas: [{ [field]: text }], text }
}

function say(content: Json | undefined): Piece {
  const { text, thinking } = isObject(content) ? content : {}
  return typeof thinking === 'string' ? write('reasoning_content', thinking) : write('content', textOr(text, ''))
}

/** Calls without arguments come as nothing, as an empty text, or as `null`. */
function argumentsIn(value: Json | undefined): string {
  const text = textOr(value, '')
  return text === 'null' ? '' : text
}

function startCall(state: State, call: Json | undefined, at: Json | undefined): Piece {
  if (!isObject(call)) return {}
  const before = endCall(state, at)
  const index = state.calls
  state.calls += 1
  const { name, arguments: args } = isObject(call['function']) ? call['function'] : {}
  state.open.set(at, { index, whole: argumentsIn(args) || '{}', hasArguments: false })
  state.last = at
  const newCall = { index, id: textOr(call['id'], ''), type: 'function', function: { name: textOr(name, ''), arguments: '' } }
  return { ...before, deltas: [...(before.deltas ?? []), { tool_calls: [newCall] }] }
}

function growCall(call: Call, fragment: string): Piece {
  const text = call.hasArguments ? fragment : argumentsIn(fragment)
  if (text === '') return {}
  call.hasArguments = true
  return { deltas: [{ tool_calls: [{ index: call.index, function: { arguments: text } }] }], text }
}

function endCall({ open }: State, at: Json | undefined): Piece {
  const call = open.get(at)
  open.delete(at)
  return call === undefined || call.hasArguments ? {} : growCall(call, call.whole)
}

function finish(state: State, { delta }: JsonObject): Piece {
  const { finish_reason: finishReason, usage, error } = isObject(delta) ? delta : {}
  const reason = textOr(finishReason, '')
  if (reason === 'ERROR' || reason === 'TIMEOUT') return { failure: withUsageOf(broken(error), usageIn(usage)) }
  state.isDone = true
  state.usage = usageIn(usage)
  const finish = lookUp(reasons, reason) ?? (state.calls > 0 ? 'tool_calls' : 'stop')
  // A call whose end is missing ends here.
  const ended = [...state.open.keys()].map((at) => endCall(state, at))
  const [deltas, text] = [ended.flatMap((piece) => piece.deltas ?? []), ended.map((piece) => piece.text ?? '').join('')]
  return { deltas, text, finish, isLast: true, ...(reason === 'STOP_SEQUENCE' ? { stoppedBy: '' } : {}) }
}

function broken(error: Json | undefined): Failure {
  const message = messageOr(typeof error === 'string' ? { message: error } : error, 'the model reported an error')
  return { kind: 'unavailable', message, type: null, param: null, code: null }
}

/** `tokens` has all tokens; `billed_units` leaves out those that the vendor adds itself, and is what it bills. */
function usageIn(usage: Json | undefined): Usage | null {
  const billed = at(usage, 'billed_units')
  const counts = isObject(billed) && billed['input_tokens'] !== undefined ? billed : at(usage, 'tokens')
  if (!isObject(counts)) return null
  const [promptTokens, completionTokens] = [readCount(counts['input_tokens']), readCount(counts['output_tokens'])]
  if (promptTokens === null || completionTokens === null) return null
  const cached = readCount(at(usage, 'cached_tokens')) ?? 0
  if (![promptTokens, completionTokens, cached].every(isCount)) return nonsense
  return { ...noUsage, promptTokens, completionTokens, cachedTokens: Math.min(cached, promptTokens) }
}

/** A whole response as the events of its stream; `null` = it is none. */
function eventsOf(json: Json): readonly JsonObject[] | null {
  const message = isObject(json) ? json['message'] : undefined
  if (!isObject(json) || !isObject(message)) return null
  const { content, tool_plan: plan, tool_calls: calls } = message
  const wrap = (type: string, part: JsonObject): JsonObject => ({ type, delta: { message: part } })
  const list = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
  return [
    ...(typeof plan === 'string' ? [wrap('tool-plan-delta', { tool_plan: plan })] : []),
    ...list(content).map((part) => wrap('content-delta', { content: part })),
    ...list(calls).flatMap((call) => [wrap('tool-call-start', { tool_calls: call }), { type: 'tool-call-end' }]),
    { type: 'message-end', delta: { finish_reason: json['finish_reason'] ?? null, usage: json['usage'] ?? null } },
  ]
}

/** Cohere's second interface. */
export const cohere: ChatDialect = fittingCalls(
  singly({
    request: toCohere,
    ...readingBy({
      create: createReader,
      partOf(data) {
        const event = parseJson(data)
        return isObject(event) ? event : null
      },
      partsOf: eventsOf,
    }),
    failure: readFailure,
    askModels: askOnce(
      ({ baseUrl }) => joinUrl(baseUrl, '/v1/models?page_size=1000'),
      (response) => {
        const rows = at(response, 'models')
        if (!Array.isArray(rows)) return { failed: messageOr(response, 'the response is not a list of models') }
        return { result: rows.flatMap((row) => (isObject(row) && typeof row['name'] === 'string' ? [row['name']] : [])) }
      },
    ),
    lacks: ['n', 'logprobs', 'top_logprobs'],
  }),
)

/** Texts of one request ("Embed (v2)", a stored copy read 2026-11-22). */
export const cohereTextsMax = 96

export const cohereEmbeddings: Dialect = {
  request(body, { model }) {
    const texts = textsIn(body)
    const { dimensions, input_type: inputType, truncate } = body
    return {
      path: '/v2/embed',
      headers: noHeaders,
      body: {
        model,
        texts: texts ?? [],
        // OpenAI's form does not say what the vectors are for.
        input_type: inputType ?? 'search_document',
        embedding_types: ['float'],
        ...(typeof dimensions === 'number' ? { output_dimension: dimensions } : {}),
        ...(typeof truncate === 'string' ? { truncate } : {}),
      },
      echo: formIn(body),
      ...(texts === null || texts.length > cohereTextsMax ? { refused: 'input' } : {}),
    }
  },
  response(json, context): ClientResponse | Failure | null {
    const vectors = at(json, 'embeddings', 'float')
    const tokens = at(json, 'meta', 'billed_units', 'input_tokens')
    return Array.isArray(vectors) ? embeddingList(vectors, context, typeof tokens === 'number' ? tokens : null) : null
  },
  failure: readFailure,
}
