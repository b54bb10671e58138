import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { nonsense, noUsage } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { isCount, readCount } from '../../core/usage-count.ts'
import { isOutputBlock, TextBesideOutput } from '../../protocols/anthropic/output-tool.ts'
import { deltasOf } from '../../protocols/shared/chat-parts.ts'
import { brokenEnd } from '../../protocols/shared/response-parts.ts'
import type { Piece, ResponseReader } from '../../protocols/shared/response-reader.ts'
import { failureOf } from './failures.ts'

/** One event of ConverseStream. */
export interface ConverseEvent {
  readonly name: string
  readonly data: JsonObject
}

/** API reference, "ConverseStreamOutput" and "MessageStopEvent", stored copies read 2026-11-22 and 2026-11-23. Every other reason becomes `stop`. */
const reasons: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
  refusal: 'content_filter',
}

/** The model wrote something that the vendor could not read; a second attempt often succeeds. */
const broken: ReadonlySet<string> = new Set(['malformed_model_output', 'malformed_tool_use'])

interface ToolBlock {
  readonly index: number
  /** Its arguments are the structured response. */
  readonly isOutputBlock: boolean
  hasInput: boolean
}

interface State {
  readonly context: ResponseContext
  /** Tool calls by the index of their block. */
  readonly tools: Map<number, ToolBlock>
  calls: number
  readonly beside: TextBesideOutput
  /** The reasoning that are being received. */
  reasoning: { text: string; signature: string }
  /** Complete reasoning that only the vendor can read, which clients send back with a tool result. */
  signed: JsonObject[]
  /** All that the model wrote so far. */
  output: string
  isDone: boolean
  /** The reason of an end that is none. */
  broken: string | null
  usage: Usage | null
}

export function createConverseReader(context: ResponseContext): ResponseReader<ConverseEvent> {
  const state: State = {
    context,
    tools: new Map(),
    calls: 0,
    beside: new TextBesideOutput(context),
    reasoning: { text: '', signature: '' },
    signed: [],
    output: '',
    isDone: false,
    broken: null,
    usage: null,
  }
  return {
    take({ name, data }) {
      if (/exception$/i.test(name)) return { failure: failureOf(name, data) }
      const piece = lookUp(readers, name)?.(state, data) ?? {}
      state.output += piece.text ?? ''
      return piece
    },
    end: () => ({ complete: state.isDone, usage: state.usage }),
  }
}

const readers: Readonly<Record<string, (state: State, data: JsonObject) => Piece>> = {
  contentBlockStart: startBlock,
  contentBlockDelta: (state, { contentBlockIndex: at, delta }) => (isObject(delta) ? growBlock(state, indexOf(at), delta) : {}),
  contentBlockStop: stopBlock,
  messageStop: stopMessage,
  metadata(state, { usage, serviceTier: tier }) {
    const counted = usageIn(usage)
    state.usage = counted === null ? state.usage : { ...counted, serviceTier: tierOf(tier) }
    if (state.broken !== null) return breakOff(state, state.broken)
    return state.isDone ? { isLast: true } : {}
  },
}

/** The tier that served the request; `reserved` is paid otherwise. */
function tierOf(tier: Json | undefined): Usage['serviceTier'] {
  const type = isObject(tier) ? tier['type'] : undefined
  return type === 'priority' || type === 'flex' ? type : 'standard'
}

function indexOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}

/** Only tools have a start. */
function startBlock(state: State, { contentBlockIndex: at, start }: JsonObject): Piece {
  const use = isObject(start) ? start['toolUse'] : undefined
  if (!isObject(use)) return {}
  const isOutput = isOutputBlock({ type: 'tool_use', name: use['name'] ?? null }, state.context)
  const index = state.calls
  state.tools.set(indexOf(at), { index, isOutputBlock: isOutput, hasInput: false })
  if (isOutput) {
    state.beside.setResult()
    return {}
  }
  state.calls += 1
  const called = { name: textOr(use['name'], ''), arguments: '' }
  const call = { index, id: textOr(use['toolUseId'], ''), type: 'function', function: called }
  return { deltas: [...deltasOf('content', state.beside.rest()), { tool_calls: [call] }] }
}

function growBlock(state: State, at: number, delta: JsonObject): Piece {
  const { text, toolUse: use, reasoningContent: reasoning, citation: _citation } = delta
  if (typeof text === 'string') return { deltas: deltasOf('content', state.beside.take(text)), text }
  if (isObject(reasoning)) return think(state, reasoning)
  return isObject(use) ? growTool(state, at, textOr(use['input'], '')) : {}
}

const say = (field: string, text: string): Piece => ({ deltas: deltasOf(field, text), text })

function think({ reasoning: reasoningBlocks, signed }: State, { text, signature, redactedContent: hidden }: JsonObject): Piece {
  if (typeof hidden === 'string') signed.push({ type: 'redacted_thinking', data: hidden })
  reasoningBlocks.text += textOr(text, '')
  reasoningBlocks.signature += textOr(signature, '')
  return say('reasoning_content', textOr(text, ''))
}

function growTool({ tools }: State, at: number, json: string): Piece {
  const tool = tools.get(at)
  if (tool === undefined || json === '') return {}
  tool.hasInput = true
  if (tool.isOutputBlock) return say('content', json)
  return { deltas: [{ tool_calls: [{ index: tool.index, function: { arguments: json } }] }], text: json }
}

/** A call without arguments gets `{}`, because clients parse them. */
function stopBlock(state: State, { contentBlockIndex: at }: JsonObject): Piece {
  const tool = state.tools.get(indexOf(at))
  if (tool !== undefined) return tool.hasInput ? {} : growTool(state, indexOf(at), '{}')
  closeReasoning(state)
  return state.context.isDetailed === true ? signedReasoning(state) : {}
}

/** Reasoning without a signature are of no use to the vendor. */
function closeReasoning(state: State): void {
  const { text, signature } = state.reasoning
  if (signature !== '') state.signed.push({ type: 'thinking', thinking: text, signature })
  state.reasoning = { text: '', signature: '' }
}

function signedReasoning(state: State): Piece {
  const { signed } = state
  state.signed = []
  return signed.length === 0 ? {} : { deltas: [{ thinking_blocks: signed }] }
}

function stopMessage(state: State, { stopReason }: JsonObject): Piece {
  // It may come again when a proxy repeats it.
  if (state.isDone || state.broken !== null) return {}
  const rawReason = textOr(stopReason, '')
  if (broken.has(rawReason)) return breakOff(state, rawReason)
  state.isDone = true
  const reason = lookUp(reasons, rawReason) ?? 'stop'
  closeReasoning(state)
  // A block whose end is missing ends here.
  const open = [...state.tools.keys()].flatMap((at) => stopBlock(state, { contentBlockIndex: at }).deltas ?? [])
  return {
    deltas: [...deltasOf('content', state.beside.rest()), ...open, ...(signedReasoning(state).deltas ?? [])],
    ...(rawReason === 'stop_sequence' ? { stoppedBy: '' } : {}),
    finish: reason === 'tool_calls' && state.beside.isResponded && state.calls === 0 ? 'stop' : reason,
    ...(state.usage === null ? {} : { isLast: true }),
  }
}

/** The usage comes behind the reason of the end, and is charged. */
function breakOff(state: State, reason: string): Piece {
  state.broken = reason
  return state.usage === null ? {} : { failure: brokenEnd(reason, { usage: state.usage, text: state.output }) }
}

/** `inputTokens` has neither what was read from the cache nor what was written to it. `null` = counts are missing. */
function usageIn(value: Json | undefined): Usage | null {
  if (!isObject(value)) return null
  const [input, output] = [readCount(value['inputTokens']), readCount(value['outputTokens'])]
  if (input === null || output === null) return null
  const cachedTokens = readCount(value['cacheReadInputTokens']) ?? 0
  const written = readCount(value['cacheWriteInputTokens']) ?? 0
  const cacheWrite1hTokens = Math.min(written, longLived(value['cacheDetails']))
  const counts = [input, output, cachedTokens, written]
  if (!counts.every(isCount)) return nonsense
  return {
    ...noUsage,
    promptTokens: input + cachedTokens + written,
    completionTokens: output,
    cachedTokens,
    cacheWriteTokens: written - cacheWrite1hTokens,
    cacheWrite1hTokens,
  }
}

function longLived(details: Json | undefined): number {
  const rows = (Array.isArray(details) ? details : []).filter(isObject).filter(({ ttl }) => ttl === '1h')
  return rows.reduce((sum, { inputTokens }) => sum + (typeof inputTokens === 'number' && inputTokens > 0 ? inputTokens : 0), 0)
}

/** A whole response as the events that it could have come in; `null` = it is none. */
export function eventsOf(json: Json): readonly ConverseEvent[] | null {
  const message = isObject(json) && isObject(json['output']) ? json['output']['message'] : undefined
  if (!isObject(json) || !isObject(message) || !Array.isArray(message['content'])) return null
  const blocks = message['content'].filter(isObject).flatMap(blockEvents)
  return [
    ...blocks,
    { name: 'metadata', data: { usage: json['usage'] ?? null, serviceTier: json['serviceTier'] ?? null } },
    { name: 'messageStop', data: { stopReason: json['stopReason'] ?? null } },
  ]
}

function blockEvents(block: JsonObject, contentBlockIndex: number): readonly ConverseEvent[] {
  const { toolUse: use, reasoningContent: reasoning, citationsContent: cited } = block
  const grow = (delta: JsonObject) => ({ name: 'contentBlockDelta', data: { contentBlockIndex, delta } })
  if (isObject(use)) {
    const start = { name: 'contentBlockStart', data: { contentBlockIndex, start: { toolUse: use } } }
    return [start, grow({ toolUse: { input: JSON.stringify(use['input'] ?? {}) } })]
  }
  if (isObject(reasoning)) {
    const { reasoningText: reasoningPart } = reasoning
    return [
      grow({ reasoningContent: isObject(reasoningPart) ? reasoningPart : reasoning }),
      { name: 'contentBlockStop', data: { contentBlockIndex } },
    ]
  }
  if (isObject(cited) && Array.isArray(cited['content'])) return cited['content'].filter(isObject).map(grow)
  return [grow(block)]
}
