import { isGiven, isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { ResponseSoFar } from '@sluice/vendors/protocols/responses/failed-response'
import { nativeOnly, webSearchIn } from '@sluice/vendors/protocols/responses/native-only'
import { replayEvents } from '@sluice/vendors/protocols/responses/replay'
import { thinksLong } from '@sluice/vendors/registry/models/reasoning-models'
import { AppError } from '../../../lib/app-error.ts'
import type { ErrorTeller, StreamHead } from '../../model/client-protocol.ts'
import { type KindRules, nameOfSubcall } from '../../model/kind-rules.ts'
import type { RequestParams } from '../../model/request-params.ts'
import { areTexts, estimateTokens, haveMore } from '../../pricing/count-tokens.ts'
import { PromptMedia } from '../../pricing/prompt-media.ts'
import { eventText } from '../../wire/stream-views.ts'
import { needFewEntries } from './entries.ts'
import { modelIn, serviceTierIn, streamIn, tokenLimitIn } from './fields.ts'
import { needSmallInnerJson } from './inner-json.ts'
import type { Countable } from './messages.ts'

const encoder = new TextEncoder()

/** OpenAI API reference, "Responses", read 2026-11-21. */
export const responses: KindRules = {
  kind: 'responses',
  isAlwaysStreamed: true,
  refersToItems: true,
  isRepeatable: true,
  idPrefix: 'resp_',
  insteadFor: withOwnLimit,
  errorTeller,
  asStream: (response) => (isObject(response) ? replayEvents(response).map(eventText).join('') : ''),
  read(body) {
    needFewEntries(body)
    needSmallInnerJson(body)
    const model = modelIn(body)
    const { isStream } = streamIn(body)
    refuseNotOffered(body)
    const media = new PromptMedia(model)
    const promptTokens = inputTokensOf(body, media)
    return {
      model,
      isStream,
      wantsUsage: true,
      maxTokens: tokenLimitIn(body, 'max_output_tokens'),
      choices: 1,
      promptTokens,
      ...textPromptOf(body, promptTokens),
      ...media.params,
      serviceTier: serviceTierIn(body),
      ...followsIn(body),
      ...nativeIn(body),
      ...(thinksLong('', body) ? { mayHideOutput: true } : {}),
      ...(body['store'] === false ? { isForgotten: true } : {}),
    }
  },
}

/**
 * "Compact a response" (API reference, read 2026-11-30): the conversation as fewer items, with the usage of what the model read and wrote. It is never a
 * stream.
 */
export const compactResponse: KindRules = {
  ...responses,
  subcall: 'compact',
  insteadFor: () => null,
  read(body, path) {
    const params = responses.read(body, path)
    return { ...params, isStream: false, maxTokens: null, nativeOnly: params.nativeOnly ?? { name: nameOfSubcall('compact') } }
  },
}

/** A response of which only the input is counted: what came before it is not known here. */
export const countedResponse: KindRules = {
  ...responses,
  insteadFor: () => null,
  read(body, path) {
    if (isGiven(body['previous_response_id'])) throw new AppError('parameter_not_offered', { params: { name: 'previous_response_id' } })
    return responses.read(body, path)
  },
}

/** OpenAI's SDKs throw at the member `error` of the first event, Codex reads the second (openai-python 3.57 and codex-rs, read 2026-11-30). */
function errorTeller(head: StreamHead): ErrorTeller {
  const response = new ResponseSoFar()
  return {
    note: (event) => response.note(event),
    error({ type, message, param, code, requestId }, eventCount) {
      const error = { type, code, message, param }
      const events = [
        { type: 'error', error, code, message, param, sequence_number: eventCount, request_id: requestId },
        { type: 'response.failed', sequence_number: eventCount + 1, response: response.failed(error, head) },
      ]
      return encoder.encode(events.map(eventText).join(''))
    },
  }
}

/** Programs that were written for chats send their limit by the name that it has there. */
function withOwnLimit({ max_tokens: limit, ...body }: JsonObject): ReturnType<NonNullable<KindRules['insteadFor']>> {
  return isGiven(limit) ? { rules: responses, body: { max_output_tokens: limit, ...body } } : null
}

/**
 * `background`: charging happens when the response is fetched, and nobody may fetch it. `conversation`: it is bound to one vendor account,
 * and the relay does not know which.
 */
function refuseNotOffered({ background, conversation }: JsonObject): void {
  if (background === true) throw new AppError('parameter_not_offered', { params: { name: 'background' } })
  if (conversation !== undefined && conversation !== null) throw new AppError('parameter_not_offered', { params: { name: 'conversation' } })
}

function nativeIn(body: JsonObject): Pick<RequestParams, 'nativeOnly' | 'webSearch'> {
  const native = nativeOnly(body)
  const search = webSearchIn(body)
  return { ...(native === null ? {} : { nativeOnly: native }), ...(search === null ? {} : { webSearch: search }) }
}

function followsIn({ previous_response_id: id }: JsonObject): { readonly follows?: string } {
  if (id === undefined || id === null) return {}
  if (typeof id !== 'string' || id === '') throw new AppError('invalid_parameter', { params: { name: 'previous_response_id' } })
  return { follows: id }
}

/** @throws AppError without an input and without a prompt stored at the vendor */
function inputTokensOf({ input, instructions, tools, prompt, previous_response_id: previous }: JsonObject, media: PromptMedia): number {
  const isGiven = (typeof input === 'string' && input !== '') || (Array.isArray(input) && input.length > 0 && input.every(isObject))
  const optionalKinds = (input === undefined || input === null) && (isObject(prompt) || typeof previous === 'string')
  if (!isGiven && !optionalKinds) throw new AppError('invalid_parameter', { params: { name: 'input' } })
  // The vendor has it; nobody here knows its length.
  const stored = isObject(prompt) ? media.addUnknown() : 0
  return stored + tokensIn(input, media) + tokensIn(instructions, media) + (tools === undefined ? 0 : estimateTokens(JSON.stringify(tools)))
}

/** The text prompt of the chat that serves as the fallback. */
function textPromptOf(
  { input, instructions, previous_response_id: previous, prompt }: JsonObject,
  tokens: number,
): Pick<RequestParams, 'textPrompt'> {
  const items = Array.isArray(input) ? input : []
  if (typeof previous === 'string' || isObject(prompt) || !areTexts(items)) return {}
  const messages = Math.max(1, items.length) + (typeof instructions === 'string' ? 1 : 0)
  return { textPrompt: { tokens, messages, ...(haveMore(items) ? { hasMore: true } : {}) } }
}

/** Text fields of an item and its parts that the model reads. */
const textFields = ['text', 'arguments', 'refusal'] as const
const partFields = ['content', 'output', 'summary', 'input'] as const

/** Estimated tokens of what the model reads of items and their parts. */
function tokensIn(value: Json | undefined, media: PromptMedia): number {
  let tokens = 0
  const others = visit(value, {
    media,
    take: (text) => {
      tokens += estimateTokens(text)
    },
  })
  return tokens + others
}

/** What is to be counted in items and their parts. */
export function countableItems(value: Json | undefined, media: PromptMedia): Countable {
  const texts: string[] = []
  return { otherTokens: visit(value, { media, take: (text) => texts.push(text) }), texts }
}

interface Visit {
  readonly media: PromptMedia
  /** Called for each text that the model reads. */
  readonly take: (text: string) => void
}

/** @returns the tokens of what is no text */
function visit(value: Json | undefined, reading: Visit): number {
  const { media, take } = reading
  if (typeof value === 'string') {
    take(value)
    return 0
  }
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + visit(part, reading), 0)
  if (!isObject(value)) return 0
  switch (value['type']) {
    case 'input_image':
    case 'computer_screenshot':
      return media.addImage({ url: value['image_url'] ?? '', detail: value['detail'] ?? null })
    case 'input_file':
      return media.addAddress(value['file_data'])
    case 'input_audio':
      return addAudio(value, media)
    case 'function_call_output':
    case 'custom_tool_call_output':
      if (isObject(value['output'])) take(JSON.stringify(value['output']))
      return Array.isArray(value['output']) || typeof value['output'] === 'string' ? visit(value['output'], reading) : 0
    default:
      return [...textFields, ...partFields].reduce((sum, name) => sum + visit(value[name], reading), 0)
  }
}

/** Audio in base64; clients send it in an object, as in chats, or beside the type. */
function addAudio(part: JsonObject, media: PromptMedia): number {
  const { input_audio: audio = part } = part
  const data = isObject(audio) ? audio['data'] : undefined
  return typeof data === 'string' ? media.addFile('audio/', data) : 0
}
