import { isObject, lookUp, responseArguments, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { innerCharactersMax, JsonCounter, JsonTally } from '../../core/json-counter.ts'
import type { ResponseContext } from '../../core/response.ts'
import { bytesBefore } from '../../core/text-places.ts'
import type { Usage } from '../../core/usage.ts'
import { carriedIn, carriedText } from '../shared/carried-reasoning.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { type OutputImage, outputImages } from '../shared/output-images.ts'

/** Creates the parts of one response from the chunks of the chat that serves it. */
export interface GenerateResponse {
  /** A `chat.completion.chunk`. */
  chunk(chunk: JsonObject): readonly JsonObject[]
  /** What remains after the chat: open calls, the reasons of the ends, the usage. */
  end(usage: Usage | null): readonly JsonObject[]
  /** The whole response, in the place of `end`: texts that follow each other are one part. */
  whole(usage: Usage | null): JsonObject
  readonly count: number
  /** Number of parts and calls so far, of all candidates. */
  readonly parts: number
  /** The JSON in the arguments of the calls so far. */
  readonly inner: JsonTally
}

interface OpenCall {
  readonly counter: JsonCounter
  id: string
  name: string
  text: string
  /** What the vendor wants back with the call. */
  extra: JsonObject | null
}

/** One candidate: one choice of the chat. */
interface Candidate {
  /** Of all candidates. */
  readonly inner: JsonTally
  /** By their places in the chat. */
  readonly calls: Map<Json | undefined, OpenCall>
  /** Those that were not sent yet, in the order of their beginnings. */
  open: OpenCall[]
  text: string
  reason: string
  /** Why the model refuses. OpenAI ends such a response like any other. */
  refusal: string
  readonly annotations: JsonObject[]
  /** The reasoning of the model, and what the vendor signed of it. */
  reasoning: string
  readonly blocks: JsonObject[]
  /** Everything so far. */
  readonly parts: JsonObject[]
}

/**
 * Gemini API reference, "FinishReason" and `finishMessage` of a candidate, which says why it ended; a stored copy read 2026-11-30. Every other reason is
 * `STOP`.
 */
const reasons: Readonly<Record<string, string>> = { length: 'MAX_TOKENS', content_filter: 'SAFETY' }

export function createResponse(context: ResponseContext): GenerateResponse {
  const showsReasoning = context.echo?.['showsReasoning'] === true
  const returnsReasoning = context.echo?.['returnsReasoning'] === true
  const candidates = new Map<number, Candidate>()
  let count = 0
  let parts = 0
  const inner = new JsonTally(innerCharactersMax)

  function response(list: readonly JsonObject[], rest: JsonObject = {}): JsonObject {
    count += 1
    return { ...(list.length === 0 ? {} : { candidates: list }), ...rest, modelVersion: context.model, responseId: context.id }
  }

  function candidateAt(index: number): Candidate {
    const known = candidates.get(index)
    if (known !== undefined) return known
    const calls = new Map<Json | undefined, OpenCall>()
    const texts = { text: '', reason: '', refusal: '', reasoning: '' }
    const added: Candidate = { inner, calls, open: [], ...texts, annotations: [], blocks: [], parts: [] }
    candidates.set(index, added)
    return added
  }

  function ended(usage: Usage | null, partsIn: (candidate: Candidate) => readonly JsonObject[]): JsonObject {
    const last = [...candidates].map(([index, candidate]) => ({
      content: { parts: partsIn(candidate), role: 'model' },
      finishReason: lookUp(reasons, candidate.reason) ?? (candidate.refusal === '' ? 'STOP' : 'SAFETY'),
      ...(candidate.refusal === '' ? {} : { finishMessage: candidate.refusal }),
      index,
      ...grounding(candidate),
    }))
    return response(last, usage === null ? {} : { usageMetadata: usageMetadata(usage) })
  }

  return {
    chunk({ choices }) {
      const list = objectsIn(choices).flatMap((choice) => {
        const index = typeof choice['index'] === 'number' ? choice['index'] : 0
        const candidate = candidateAt(index)
        const before = partCount(candidate)
        if (typeof choice['finish_reason'] === 'string') candidate.reason = choice['finish_reason']
        const added = isObject(choice['delta']) ? partsOf(candidate, choice['delta'], showsReasoning) : []
        for (const part of added) addPart(candidate.parts, part)
        parts += partCount(candidate) - before
        return added.length === 0 ? [] : [{ content: { parts: added, role: 'model' }, index }]
      })
      return list.length === 0 ? [] : [response(list)]
    },
    end: (usage) => [ended(usage, (candidate) => signed(candidate, callParts(candidate, candidate.open), returnsReasoning))],
    whole: (usage) =>
      ended(usage, (candidate) => signed(candidate, [...candidate.parts, ...callParts(candidate, candidate.open)], returnsReasoning)),
    get count() {
      return count
    },
    get parts() {
      return parts
    },
    inner,
  }
}

/** The last parts of a candidate, with the signature by which the client sends back what the vendor wants of the reasoning. */
function signed(
  { reasoning: reasoningText, blocks }: Candidate,
  parts: readonly JsonObject[],
  returnsReasoning: boolean,
): readonly JsonObject[] {
  const carried = {
    ...(returnsReasoning && reasoningText !== '' ? { thought: reasoningText } : {}),
    ...(blocks.length === 0 ? {} : { blocks }),
  }
  if (Object.keys(carried).length === 0) return parts
  const last = parts.at(-1)
  // Google signs an empty text where no other part is left.
  if (last === undefined || last['thought'] === true) return [...parts, { text: '', thoughtSignature: carriedText(carried) }]
  const { extra } = carriedIn(last['thoughtSignature']) ?? {}
  return [...parts.slice(0, -1), { ...last, thoughtSignature: carriedText({ ...carried, ...(extra === undefined ? {} : { extra }) }) }]
}

/** Parts and open calls so far. */
const partCount = ({ parts, open }: Candidate): number => parts.length + open.length

function addPart(parts: JsonObject[], part: JsonObject): void {
  const last = parts.at(-1)
  const follows = typeof part['text'] === 'string' && typeof last?.['text'] === 'string' && last['thought'] === part['thought']
  if (follows && last !== undefined) parts[parts.length - 1] = { ...last, text: `${textOr(last['text'], '')}${textOr(part['text'], '')}` }
  else parts.push(part)
}

function partsOf(candidate: Candidate, delta: JsonObject, showsReasoning: boolean): readonly JsonObject[] {
  const {
    content,
    reasoning_content: thinking,
    reasoning,
    refusal,
    tool_calls: calls,
    images,
    annotations,
    thinking_blocks: blocks,
  } = delta
  const reasoningText = textOr(thinking ?? reasoning, '')
  candidate.reasoning += reasoningText
  for (const block of objectsIn(blocks)) candidate.blocks.push(block)
  for (const annotation of objectsIn(annotations)) candidate.annotations.push(annotation)
  const output = textOr(content, '')
  candidate.text += output
  candidate.refusal += textOr(refusal, '')
  return [
    ...(showsReasoning && reasoningText !== '' ? [{ text: reasoningText, thought: true }] : []),
    ...(output === '' ? [] : [{ text: output }]),
    ...outputImages(images).map(imagePart),
    ...objectsIn(calls).flatMap((call) => takeCall(candidate, call)),
  ]
}

/**
 * A call is sent when it is complete: the vendor sends none in deltas. That may be when the next one begins, and deltas of several may take turns, so each
 * stays open until its JSON is closed, and those behind it wait.
 */
function takeCall(candidate: Candidate, { index, id, function: called, extra_content: extraContent }: JsonObject): readonly JsonObject[] {
  const extra = isObject(extraContent) ? extraContent : null
  const { name, arguments: text } = isObject(called) ? called : {}
  const known = candidate.calls.get(index)
  const call = known ?? { counter: new JsonCounter(candidate.inner), id: textOr(id, ''), name: '', text: '', extra }
  call.text += textOr(text, '')
  call.counter.pushText(textOr(text, ''))
  call.name += textOr(name, '')
  call.extra ??= extra
  if (known !== undefined) return []
  candidate.calls.set(index, call)
  candidate.open.push(call)
  const at = candidate.open.findIndex(({ counter }) => !counter.isClosed)
  return callParts(candidate, candidate.open.splice(0, at === -1 ? candidate.open.length - 1 : at))
}

/** Calls that are complete. */
function callParts({ inner }: Candidate, calls: readonly OpenCall[]): readonly JsonObject[] {
  if (inner.excess !== null) return []
  return calls.map(({ id, name, text, extra }) => {
    return {
      functionCall: { ...(id === '' ? {} : { id }), name, args: responseArguments(text, inner) },
      ...(extra === null ? {} : { thoughtSignature: carriedText({ extra }) }),
    }
  })
}

/** Google's own models send bytes; those of others may be at an address. */
function imagePart({ url, bytes }: OutputImage): JsonObject {
  return bytes === null ? { fileData: { fileUri: url } } : { inlineData: { mimeType: bytes.type, data: bytes.data } }
}

/** The pages that the text cites, with the places that they support, counted in bytes. */
function grounding({ annotations, text }: Candidate): JsonObject {
  const cited = annotations.flatMap((one) => (isObject(one['url_citation']) ? [one['url_citation']] : []))
  if (cited.length === 0) return {}
  const bytes = bytesBefore(text, cited.flatMap(({ start_index: start, end_index: end }) => [start, end]).filter(isNumber))
  const groundingChunks = cited.map(({ url, title }) => ({ web: { uri: url, title } }))
  const groundingSupports = cited.flatMap(({ start_index: start, end_index: end }, index) =>
    typeof start === 'number' && typeof end === 'number' && end > start
      ? [
          {
            segment: { startIndex: bytes.get(start), endIndex: bytes.get(end), text: text.slice(start, end) },
            groundingChunkIndices: [index],
          },
        ]
      : [],
  )
  return { groundingMetadata: { groundingChunks, groundingSupports } }
}

const isNumber = (value: Json | undefined): value is number => typeof value === 'number'

/** Gemini API reference, "UsageMetadata", a stored copy read 2026-11-22: reasoning is not among the tokens of the candidates. */
function usageMetadata(usage: Usage): JsonObject {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usage
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: completionTokens - reasoningTokens,
    totalTokenCount: promptTokens + completionTokens,
    ...(cachedTokens === 0 ? {} : { cachedContentTokenCount: cachedTokens }),
    ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
  }
}
