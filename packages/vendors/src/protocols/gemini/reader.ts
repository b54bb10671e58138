import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { withMedia } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { StreamEnd, StreamStep } from '../../core/stream.ts'
import type { Usage } from '../../core/usage.ts'
import { chunksOf } from '../shared/chat-parts.ts'
import { generatedUsage } from '../shared/media-usage.ts'
import { WholeCalls } from '../shared/repeated-calls.ts'
import { CallParts, type WholeCall } from './call-parts.ts'
import { citationsIn, searchesIn } from './citations.ts'
import { errorIn } from './failure.ts'
import { brokenBy, finishReason } from './finish.ts'
import { traitsOf } from './models.ts'
import { usageIn } from './usage.ts'

/** Reads the parts of one response in the order in which they come; a whole response is a stream of one. */
export interface ResponseReader {
  take(json: Json | undefined): StreamStep
  end(): StreamEnd
  /** Something of a response has come. */
  readonly hasBegun: () => boolean
}

interface State {
  hasBegun: boolean
  hasContent: boolean
  /** Why the response ended; `null` = the vendor has not said. More may come: some say it with each part. */
  reason: string | null
  usage: Usage | null
  calls: number
  /** The one that comes in parts. */
  readonly callParts: CallParts
  /** Those with ids, as newer models give them. */
  readonly known: WholeCalls
  images: number
  /** The text so far, in which citations have their places. */
  text: string
  /** Its length where each part begins, and the form of the last one, which goes on in the next event if that has the same form. */
  readonly partStarts: number[]
  lastForm: string
  /** All that the model wrote so far. */
  output: string
  /** Of the text; those of calls are sent with them. */
  signature: string | null
  grounding: JsonObject | null
  /** The model that served the request. */
  model: string
}

/** What a part adds: deltas for the client, and text to count. */
interface Added {
  readonly delta: JsonObject
  readonly text: string
}

const nothing: StreamStep = { chunks: [], text: '', failure: null }

export function createReader(context: ResponseContext): ResponseReader {
  const state: State = {
    hasBegun: false,
    hasContent: false,
    reason: null,
    usage: null,
    calls: 0,
    callParts: new CallParts(),
    known: new WholeCalls(),
    images: 0,
    text: '',
    partStarts: [],
    lastForm: '',
    output: '',
    signature: null,
    grounding: null,
    model: context.model,
  }
  return {
    take(json) {
      const failure = errorIn(json)
      if (failure !== null) return { ...nothing, failure }
      return isObject(json) ? step(state, json, context) : nothing
    },
    end() {
      const searches = searchesOf(state)
      const known = withMedia(usageOf(state), state.images === 0 ? null : generatedUsage(state.images))
      return { ...endOf(state, context), ...known, ...(searches > 0 ? { searches } : {}) }
    },
    hasBegun: () => state.hasBegun,
  }
}

/** The reason of the end is said once, after everything else. */
function endOf(state: State, context: ResponseContext): Pick<StreamEnd, 'complete' | 'rest'> {
  const { reason, callParts } = state
  if (reason === null) return { complete: false }
  const open = callParts.end().flatMap((call) => toAdded(state, call, context))
  const deltas = [...open.map(({ delta }) => delta), ...closing(state)]
  return { complete: true, rest: chunksOf(context, deltas, finishReason(reason, state.calls > 0)) }
}

const searchesOf = ({ grounding, model }: State): number => searchesIn(grounding, traitsOf(model).chargesEachSearch)

function usageOf(state: State): Usage | null {
  const { usage } = state
  const searches = searchesOf(state)
  return usage === null || searches === 0 ? usage : { ...usage, searches }
}

function step(state: State, json: JsonObject, context: ResponseContext): StreamStep {
  const { candidates, promptFeedback: feedback, usageMetadata, modelVersion } = json
  state.usage = usageIn(usageMetadata) ?? state.usage
  state.model = textOr(modelVersion, state.model)
  const candidate = Array.isArray(candidates) ? candidates.find(isObject) : undefined
  if (candidate !== undefined) return candidateStep(state, candidate, context)
  const isBlocked = state.reason === null && isObject(feedback) && typeof feedback['blockReason'] === 'string'
  return isBlocked ? blockedStep(state, feedback, context) : nothing
}

/** The prompt was refused; it is charged all the same. */
function blockedStep(state: State, { blockReasonMessage: message }: JsonObject, context: ResponseContext): StreamStep {
  state.reason = 'SAFETY'
  const refusal = textOr(message, '')
  return { ...nothing, chunks: chunksOf(context, [...opening(state), ...(refusal === '' ? [] : [{ refusal }])], null) }
}

function candidateStep(state: State, candidate: JsonObject, context: ResponseContext): StreamStep {
  const { content, finishReason: rawReason, groundingMetadata } = candidate
  const parts = isObject(content) && Array.isArray(content['parts']) ? content['parts'] : []
  const deltas: JsonObject[] = []
  let text = ''
  let at = 0
  for (const part of parts) {
    if (!isObject(part)) continue
    notePart(state, part, at)
    at += 1
    for (const added of read(state, part, context)) {
      deltas.push(added.delta)
      text += added.text
    }
  }
  if (isObject(groundingMetadata)) state.grounding = groundingMetadata
  if (deltas.length > 0) state.hasContent = true
  state.output += text
  const reason = textOr(rawReason, '')
  if (reason !== '' && reason !== 'FINISH_REASON_UNSPECIFIED') state.reason = reason
  const failure = reason === '' ? null : brokenBy(reason, { usage: usageOf(state), hasContent: state.hasContent, text: state.output })
  const allDeltas = failure !== null && deltas.length === 0 ? deltas : [...opening(state), ...deltas]
  return { chunks: chunksOf(context, allDeltas, null), text, failure, ...(state.reason === null ? {} : { isFinished: true }) }
}

function notePart(state: State, { text, thought: reasoning }: JsonObject, at: number): void {
  const form = typeof text !== 'string' ? 'other' : reasoning === true ? 'thought' : 'text'
  if (at > 0 || form === 'other' || form !== state.lastForm) state.partStarts.push(state.text.length)
  state.lastForm = form
}

/** The role is sent once. */
function opening(state: State): readonly JsonObject[] {
  if (state.hasBegun) return []
  state.hasBegun = true
  return [{ role: 'assistant', content: '' }]
}

/** What belongs to the whole text is sent at its end, in one chunk. */
function closing({ grounding, text, partStarts, signature }: State): readonly JsonObject[] {
  const annotations = citationsIn(grounding, text, partStarts)
  const extra = signature === null ? {} : { extra_content: signed(signature) }
  const delta = { ...(annotations.length === 0 ? {} : { annotations }), ...extra }
  return Object.keys(delta).length === 0 ? [] : [delta]
}

function signed(signature: string): JsonObject {
  return { google: { thought_signature: signature } }
}

/** Empty: a part that is not for the client, or not yet. */
function read(state: State, part: JsonObject, context: ResponseContext): readonly Added[] {
  const { functionCall: call, thoughtSignature: signature, inlineData, inline_data: snake = inlineData } = part
  if (isObject(call)) return state.callParts.take(call, signature).flatMap((whole) => toAdded(state, whole, context))
  if (isObject(snake)) return part['thought'] === true ? [] : readMedia(state, snake, signature)
  if (typeof signature === 'string' && part['thought'] !== true) state.signature = signature
  const text = textIn(part)
  if (text === '') return []
  if (part['thought'] === true) return [{ delta: { reasoning_content: text }, text }]
  state.text += text
  return [{ delta: { content: text }, text }]
}

/** Text, or what the vendor's own tool for code wrote. */
function textIn({ text, executableCode: code, codeExecutionResult: result }: JsonObject): string {
  if (isObject(code)) return `\n\`\`\`${textOr(code['language'], '').toLowerCase()}\n${textOr(code['code'], '')}\n\`\`\`\n`
  if (isObject(result)) return `\n\`\`\`\n${textOr(result['output'], '')}\n\`\`\`\n`
  return textOr(text, '')
}

/** Empty: the call came before. */
function toAdded(state: State, { id, name, args, signature }: WholeCall, context: ResponseContext): readonly Added[] {
  const argsJson = JSON.stringify(args)
  if (state.known.isRepeat(id, name, argsJson)) return []
  const index = state.calls
  state.calls += 1
  const call = {
    index,
    id: id || `call_${context.id}_${index}`,
    type: 'function',
    function: { name, arguments: argsJson },
    ...(typeof signature === 'string' ? { extra_content: signed(signature) } : {}),
  }
  return [{ delta: { tool_calls: [call] }, text: argsJson }]
}

const imageTypes: Readonly<Record<string, true>> = { 'image/png': true, 'image/jpeg': true, 'image/webp': true, 'image/gif': true }

function readMedia(
  state: State,
  { mimeType, mime_type: snake = mimeType, data }: JsonObject,
  signature: Json | undefined,
): readonly Added[] {
  const type = textOr(snake, '')
  if (lookUp(imageTypes, type) === undefined || typeof data !== 'string') return []
  const index = state.images
  state.images += 1
  const extra = typeof signature === 'string' ? { extra_content: signed(signature) } : {}
  return [{ delta: { images: [{ index, type: 'image_url', image_url: { url: `data:${type};base64,${data}` }, ...extra }] }, text: '' }]
}
