import type { ChatStream, Failure, ReplyContext, StreamStep, Usage } from '../dialect.ts'
import { isObject, lookUp, parseJson, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { sumOfUsages } from '../no-usage.ts'
import { chunkWithFunctionCall } from '../openai/legacy-functions.ts'
import { outputText } from '../output-text.ts'
import { annotationsOf } from './citations.ts'
import { errorIn, spliced } from './failure.ts'
import { finishReason, isAnswer, refusalIn } from './reply.ts'
import { isResult, usageOfResult } from './tool-results.ts'
import { isOutput, type MessageUsage, noCounts, toUsage, withBlock, withRefusal, withUsage } from './usage.ts'

/** The content block that is open. */
type Block =
  | { readonly kind: 'none' }
  | { readonly kind: 'text' }
  | { readonly kind: 'thinking'; readonly block: JsonObject }
  | { readonly kind: 'tool'; readonly index: number; readonly hasArguments: boolean }
  /** A tool call that carries a structured answer: its arguments are the content. */
  | { readonly kind: 'answer'; readonly hasArguments: boolean }

interface State {
  readonly context: ReplyContext
  readonly counts: MessageUsage
  readonly block: Block
  readonly hasBegun: boolean
  /** The vendor's id of the answer. */
  readonly messageId: Json | undefined
  /** A content block has begun. */
  readonly hasContent: boolean
  /** The model has written something. */
  readonly hasOutput: boolean
  readonly stopReason: string
  /** The stop reason has arrived: no content follows. */
  readonly isDone: boolean
  /** The output count has arrived; the one in the first event is only a start value. */
  readonly isCounted: boolean
  /** Tool calls so far: clients index these, not content blocks. */
  readonly tools: number
  /** Thinking blocks so far, for the client to send back. */
  readonly thoughts: JsonObject[]
  readonly unwraps: boolean
  /** Length of the text so far, and of what was before the open block: places of citations. */
  readonly length: number
  readonly blockStart: number
  readonly citations: JsonObject[]
  /** What the closed blocks cite. */
  readonly annotations: JsonObject[]
}

interface Next extends Partial<State> {
  readonly deltas?: readonly JsonObject[]
  readonly finish?: string
  readonly text?: string
  readonly failure?: Failure | null
}

type Reducer = (state: State, event: JsonObject) => Next

/** Messages API, "Streaming", read 2026-11-21. Other events (ping, new ones) are ignored. */
const reducers: Readonly<Record<string, Reducer>> = {
  message_start: (state, { message }) => startMessage(state, isObject(message) ? message : {}),
  content_block_start: (state, { content_block: block }) =>
    isObject(block) ? { ...startBlock(state, block), counts: withBlock(state.counts, block), hasContent: true } : {},
  content_block_delta: (state, { delta }) => (isObject(delta) ? (lookUp(deltas, textOr(delta['type'], ''))?.(state, delta) ?? {}) : {}),
  content_block_stop: (state) => stopBlock(state),
  message_delta: (state, { delta, usage }) => ({
    ...countBy(state, usage),
    ...(isObject(delta) && typeof delta['stop_reason'] === 'string' ? finishBy(state, delta['stop_reason'], delta['stop_details']) : {}),
  }),
  // Clients wait for a finish reason, so a missing one is made up.
  message_stop: (state) => (state.hasBegun ? finishBy(state, state.tools > 0 ? 'tool_use' : 'end_turn') : {}),
}

/** The event may be repeated before any other; the role is sent once. */
function startMessage({ counts, hasBegun, hasContent, messageId }: State, { id, usage }: JsonObject): Next {
  if (hasBegun && (hasContent || id !== messageId)) return { failure: spliced }
  return {
    counts: withUsage(counts, usage),
    hasBegun: true,
    messageId: id,
    deltas: hasBegun ? [] : [{ role: 'assistant', content: '' }],
  }
}

/** The output count in the first event is not a total yet. */
function countBy({ counts, isCounted }: State, usage: Json | undefined): Next {
  const isTold = isObject(usage) && typeof usage['output_tokens'] === 'number'
  return { counts: withUsage(isTold && !isCounted ? { ...counts, output: null } : counts, usage), isCounted: isCounted || isTold }
}

function finishBy({ isDone, unwraps, thoughts, annotations }: State, stopReason: string, details?: Json): Next {
  if (isDone) return {}
  const refusal = refusalIn(details)
  return {
    isDone: true,
    stopReason,
    finish: finishReason(stopReason, unwraps),
    deltas: [
      // All in one chunk: some clients merge lists by index, others keep only the last one.
      ...(thoughts.length === 0 ? [] : [{ thinking_blocks: thoughts }]),
      ...(annotations.length === 0 ? [] : [{ annotations }]),
      ...(refusal === null ? [] : [{ refusal }]),
    ],
  }
}

const deltas: Readonly<Record<string, Reducer>> = {
  text_delta: ({ length }, { text }) => ({ ...say('content', text), length: length + textOr(text, '').length }),
  citations_delta({ citations }, { citation }) {
    if (isObject(citation)) citations.push(citation)
    return {}
  },
  thinking_delta: (state, { thinking }) => ({
    ...say('reasoning_content', thinking),
    block: growThinking(state.block, 'thinking', thinking),
  }),
  signature_delta: (state, { signature }) => ({ block: growThinking(state.block, 'signature', signature) }),
  input_json_delta: (state, { partial_json: json }) => growInput(state.block, textOr(json, '')),
}

function say(field: string, value: Json | undefined): Next {
  const text = textOr(value, '')
  return text === '' ? {} : { deltas: [{ [field]: text }], text }
}

function startBlock(state: State, block: JsonObject): Next {
  switch (block['type']) {
    case 'text':
      return { ...say('content', block['text']), block: { kind: 'text' }, ...placeOf(state, block) }
    case 'thinking':
    case 'redacted_thinking':
      return { ...say('reasoning_content', block['thinking']), block: { kind: 'thinking', block } }
    case 'tool_use':
      return startTool(state, block)
    default:
      return { block: { kind: 'none' } }
  }
}

/** A block may begin with text and with citations. */
function placeOf({ length }: State, { text, citations }: JsonObject): Next {
  return {
    blockStart: length,
    length: length + textOr(text, '').length,
    citations: Array.isArray(citations) ? citations.filter(isObject) : [],
  }
}

function startTool(state: State, use: JsonObject): Next {
  const given = isObject(use['input']) && Object.keys(use['input']).length > 0 ? JSON.stringify(use['input']) : ''
  if (isAnswer(use, state.context)) {
    return { ...say('content', given), block: { kind: 'answer', hasArguments: given !== '' }, unwraps: true }
  }
  const index = state.tools
  const call = {
    index,
    id: textOr(use['id'], ''),
    type: 'function',
    function: { name: textOr(use['name'], ''), arguments: given },
  }
  return { deltas: [{ tool_calls: [call] }], text: given, block: { kind: 'tool', index, hasArguments: given !== '' }, tools: index + 1 }
}

function growInput(block: Block, json: string): Next {
  if (json === '') return {}
  if (block.kind === 'answer') return { ...say('content', json), block: { ...block, hasArguments: true } }
  if (block.kind !== 'tool') return {}
  return { deltas: [toolArguments(block.index, json)], text: json, block: { ...block, hasArguments: true } }
}

function toolArguments(index: number, json: string): JsonObject {
  return { tool_calls: [{ index, function: { arguments: json } }] }
}

function growThinking(block: Block, field: string, value: Json | undefined): Block {
  if (block.kind !== 'thinking') return block
  return { ...block, block: { ...block.block, [field]: textOr(block.block[field], '') + textOr(value, '') } }
}

function stopBlock({ context, block, thoughts, citations, annotations, blockStart, length }: State): Next {
  const closed = { block: { kind: 'none' } } as const
  if (citations.length > 0) {
    for (const annotation of annotationsOf(citations, blockStart, length - blockStart)) annotations.push(annotation)
    return { ...closed, citations: [] }
  }
  // A tool call without arguments gets `{}`, because clients parse them.
  if (block.kind === 'tool' && !block.hasArguments) return { ...closed, deltas: [toolArguments(block.index, '{}')] }
  if (block.kind === 'answer' && !block.hasArguments) return { ...closed, ...say('content', '{}') }
  if (block.kind !== 'thinking') return closed
  if (context.isDetailed === true) return { ...closed, deltas: [{ thinking_blocks: [block.block] }] }
  thoughts.push(block.block)
  return closed
}

function toStep(context: ReplyContext, { deltas: given = [], finish, text = '', failure = null }: Next): StreamStep {
  const { id, created, model } = context
  const chunk = (delta: JsonObject, reason: string | null): JsonObject => ({
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
  })
  const chunks = given.map((delta) => chunk(delta, null))
  const all = finish === undefined ? chunks : [...chunks, chunk({}, finish)]
  return { chunks: context.callsFunctions === true ? all.map(chunkWithFunctionCall) : all, text, failure }
}

const nothing: StreamStep = { chunks: [], text: '', failure: null }

const start = {
  counts: noCounts,
  block: { kind: 'none' },
  hasBegun: false,
  messageId: undefined,
  hasContent: false,
  hasOutput: false,
  stopReason: '',
  isDone: false,
  isCounted: false,
  tools: 0,
  unwraps: false,
  length: 0,
  blockStart: 0,
} as const

/** What the model wrote in an event, whether or not the client gets it. */
function writtenIn({ delta, content_block: block, type }: JsonObject): string {
  return type === 'content_block_delta' || (type === 'content_block_start' && !isResult(block)) ? outputText(delta ?? block) : ''
}

export function anthropicStream(context: ReplyContext): ChatStream {
  let state: State = { ...start, context, thoughts: [], citations: [], annotations: [] }
  let found: Usage | null = null
  return {
    event(data) {
      const event = parseJson(data)
      if (!isObject(event)) return nothing
      const failure = errorIn(event)
      if (failure !== null) return { ...nothing, failure }
      const next = lookUp(reducers, textOr(event['type'], ''))?.(state, event)
      if (next === undefined) return nothing
      const { deltas: _deltas, finish: _finish, text = '', failure: _failure, ...changed } = next
      state = { ...state, ...changed, hasOutput: state.hasOutput || text !== '' || isOutput(event['content_block']) }
      found = sumOfUsages(found, usageOfResult(event['content_block'], state.counts))
      const step = toStep(context, { ...next, text: writtenIn(event) })
      return event['type'] === 'message_stop' && state.isDone ? { ...step, isLast: true } : step
    },
    end() {
      const { isDone, isCounted, counts, stopReason, hasOutput } = state
      const usage = isDone && !isCounted ? null : toUsage(counts)
      if (isCounted) return { complete: isDone, usage: withRefusal(usage, stopReason, { hasOutput }) }
      return { complete: isDone, usage: usage === null ? null : sumOfUsages(usage, found), isPartial: true }
    },
  }
}
