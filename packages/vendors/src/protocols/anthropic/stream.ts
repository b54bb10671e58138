import type { Failure } from '../../core/failure.ts'
import { isObject, lookUp, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { sumOfUsages } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { ChatStream, StreamStep } from '../../core/stream.ts'
import type { Usage } from '../../core/usage.ts'
import { chunksOf, deltasOf, objectsIn } from '../shared/chat-parts.ts'
import { chunkWithFunctionCall } from '../shared/legacy-functions.ts'
import { outputText } from '../shared/output-text.ts'
import { annotationsOf } from './citations.ts'
import { errorIn, spliced } from './failure.ts'
import { isOutputBlock, TextBesideOutput } from './output-tool.ts'
import { finishReason, refusalIn } from './response.ts'
import { isResult, usageOfResult } from './tool-results.ts'
import { isOutput, type MessageUsage, noCounts, toUsage, withBlock, withRefusal, withUsage } from './usage.ts'

/** A content block that is open. */
type Block =
  | { readonly kind: 'other' }
  | { readonly kind: 'text'; readonly start: number; length: number; readonly citations: JsonObject[] }
  | { readonly kind: 'thinking'; block: JsonObject }
  | ToolBlock

interface ToolBlock {
  readonly kind: 'tool'
  /** `null`: it carries structured output, and its arguments are the content. */
  readonly index: number | null
  /** Its arguments, if none come in deltas. */
  readonly whole: string
  hasArguments: boolean
}

interface State {
  readonly context: ResponseContext
  readonly counts: MessageUsage
  /** Those that are open, by their indexes: servers may write several at a time, and leave out how one ends. */
  readonly blocks: Map<Json | undefined, Block>
  /** The one that began last, for deltas without an index. */
  readonly last: Json | undefined
  readonly hasBegun: boolean
  /** The vendor's id of the response. */
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
  readonly reasoning: JsonObject[]
  /** Text while it is undecided whether a tool carries the output. */
  readonly beside: TextBesideOutput
  /** Length of the text so far, for places of citations. */
  readonly length: number
  /** What the closed blocks cite. */
  readonly annotations: JsonObject[]
}

interface Next extends Partial<State> {
  readonly deltas?: readonly JsonObject[]
  readonly finish?: string
  readonly failure?: Failure | null
}

type Reducer = (state: State, event: JsonObject) => Next

/** Messages API, "Streaming", read 2026-11-21. Other events (ping, new ones) are ignored. */
const reducers: Readonly<Record<string, Reducer>> = {
  message_start: (state, { message }) => startMessage(state, isObject(message) ? message : {}),
  content_block_start: (state, { content_block: block, index }) =>
    isObject(block) ? { ...startBlock(state, block, index), counts: withBlock(state.counts, block), hasContent: true } : {},
  content_block_delta: (state, { delta, index }) =>
    isObject(delta) ? (lookUp(deltas, textOr(delta['type'], ''))?.(state, delta, openAt(state, index)) ?? {}) : {},
  content_block_stop: (state, { index = state.last }) => ({ deltas: stopBlock(state, index) }),
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

function finishBy(state: State, stopReason: string, details?: Json): Next {
  const { isDone, blocks, beside, reasoning, annotations, tools } = state
  if (isDone) return {}
  const open = [...blocks.keys()].flatMap((index) => stopBlock(state, index))
  const refusal = refusalIn(details)
  return {
    isDone: true,
    stopReason,
    finish: finishReason(stopReason, beside.isResponded && tools === 0),
    deltas: [
      ...deltasOf('content', beside.rest()),
      ...open,
      // All in one chunk: some clients merge lists by index, others keep only the last one.
      ...(reasoning.length === 0 ? [] : [{ thinking_blocks: reasoning }]),
      ...(annotations.length === 0 || beside.isResponded ? [] : [{ annotations }]),
      ...(refusal === null ? [] : [{ refusal }]),
    ],
  }
}

/** The block of a delta: the one with its index, or the last one. */
const openAt = ({ blocks, last }: State, index: Json | undefined): Block => blocks.get(index) ?? blocks.get(last) ?? other

const other: Block = { kind: 'other' }

const deltas: Readonly<Record<string, (state: State, delta: JsonObject, block: Block) => Next>> = {
  text_delta: (state, { text }, block) => write(state, textOr(text, ''), block),
  citations_delta(_state, { citation }, block) {
    if (isObject(citation) && block.kind === 'text') block.citations.push(citation)
    return {}
  },
  thinking_delta(_state, { thinking }, block) {
    growThinking(block, 'thinking', thinking)
    return { deltas: deltasOf('reasoning_content', textOr(thinking, '')) }
  },
  signature_delta(_state, { signature }, block) {
    growThinking(block, 'signature', signature)
    return {}
  },
  input_json_delta: (_state, { partial_json: json }, block) =>
    block.kind === 'tool' ? { deltas: growInput(block, textOr(json, '')) } : {},
}

function write({ beside, length }: State, text: string, block: Block): Next {
  if (block.kind === 'text') block.length += text.length
  return { deltas: deltasOf('content', beside.take(text)), length: length + text.length }
}

function startBlock(state: State, contentBlock: JsonObject, index: Json | undefined): Next {
  // One that still has this index has ended.
  const before = stopBlock(state, index)
  const { block, ...next } = beginBlock(state, contentBlock)
  state.blocks.set(index, block)
  return { ...next, deltas: [...before, ...(next.deltas ?? [])], last: index }
}

/** A block may begin with text and with citations. */
function beginBlock(state: State, contentBlock: JsonObject): Next & { readonly block: Block } {
  const { text, citations, thinking } = contentBlock
  switch (contentBlock['type']) {
    case 'text': {
      const block: Block = { kind: 'text', start: state.length, length: 0, citations: objectsIn(citations).slice() }
      return { ...write(state, textOr(text, ''), block), block }
    }
    case 'thinking':
    case 'redacted_thinking':
      return { deltas: deltasOf('reasoning_content', textOr(thinking, '')), block: { kind: 'thinking', block: contentBlock } }
    case 'tool_use':
      return startTool(state, contentBlock)
    default:
      return { block: other }
  }
}

function startTool({ context, beside, tools }: State, use: JsonObject): Next & { readonly block: Block } {
  const tool = { kind: 'tool', whole: JSON.stringify(isObject(use['input']) ? use['input'] : {}), hasArguments: false } as const
  if (isOutputBlock(use, context)) {
    beside.setResult()
    return { block: { ...tool, index: null } }
  }
  const called = { name: textOr(use['name'], ''), arguments: '' }
  const call = { index: tools, id: textOr(use['id'], ''), type: 'function', function: called }
  return { deltas: [...deltasOf('content', beside.rest()), { tool_calls: [call] }], block: { ...tool, index: tools }, tools: tools + 1 }
}

function growInput(block: ToolBlock, json: string): readonly JsonObject[] {
  if (json === '') return []
  block.hasArguments = true
  const { index } = block
  return index === null ? deltasOf('content', json) : [{ tool_calls: [{ index, function: { arguments: json } }] }]
}

function growThinking(reasoning: Block, field: string, value: Json | undefined): void {
  if (reasoning.kind !== 'thinking') return
  reasoning.block = { ...reasoning.block, [field]: textOr(reasoning.block[field], '') + textOr(value, '') }
}

function stopBlock({ context, blocks, reasoning, annotations }: State, index: Json | undefined): readonly JsonObject[] {
  const block = blocks.get(index) ?? other
  blocks.delete(index)
  switch (block.kind) {
    case 'text':
      for (const annotation of annotationsOf(block.citations, block.start, block.length)) annotations.push(annotation)
      return []
    case 'tool':
      // A call without arguments gets `{}`, because clients parse them.
      return block.hasArguments ? [] : growInput(block, block.whole)
    case 'thinking':
      if (context.isDetailed === true) return [{ thinking_blocks: [block.block] }]
      reasoning.push(block.block)
      return []
    case 'other':
      return []
  }
}

function toStep(context: ResponseContext, { deltas: newDeltas = [], finish, failure = null }: Next, text: string): StreamStep {
  const chunks = chunksOf(context, newDeltas, finish ?? null)
  return { chunks: context.callsFunctions === true ? chunks.map(chunkWithFunctionCall) : chunks, text, failure }
}

const nothing: StreamStep = { chunks: [], text: '', failure: null }

const start = {
  counts: noCounts,
  hasBegun: false,
  messageId: undefined,
  hasContent: false,
  hasOutput: false,
  stopReason: '',
  isDone: false,
  isCounted: false,
  tools: 0,
  length: 0,
  last: undefined,
} as const

/** What the model wrote in an event, whether or not the client gets it. */
function writtenIn({ delta, content_block: block, type }: JsonObject): string {
  return type === 'content_block_delta' || (type === 'content_block_start' && !isResult(block)) ? outputText(delta ?? block) : ''
}

export function anthropicStream(context: ResponseContext): ChatStream {
  let state: State = { ...start, context, blocks: new Map(), beside: new TextBesideOutput(context), reasoning: [], annotations: [] }
  let resultUsage: Usage | null = null
  return {
    event(data) {
      const event = parseJson(data)
      if (!isObject(event)) return nothing
      const failure = errorIn(event)
      if (failure !== null) return { ...nothing, failure }
      const next = lookUp(reducers, textOr(event['type'], ''))?.(state, event)
      if (next === undefined) return nothing
      const { deltas: _deltas, finish: _finish, failure: _failure, ...changed } = next
      const text = writtenIn(event)
      state = { ...state, ...changed, hasOutput: state.hasOutput || text !== '' || isOutput(event['content_block']) }
      resultUsage = sumOfUsages(resultUsage, usageOfResult(event['content_block'], state.counts))
      const step = toStep(context, next, text)
      return event['type'] === 'message_stop' && state.isDone ? { ...step, isLast: true } : step
    },
    end() {
      const { isDone, isCounted, counts, stopReason, hasOutput } = state
      const usage = isDone && !isCounted ? null : toUsage(counts)
      if (isCounted) return { complete: isDone, usage: withRefusal(usage, stopReason, { hasOutput }) }
      return { complete: isDone, usage: usage === null ? null : sumOfUsages(usage, resultUsage), isPartial: true }
    },
  }
}
