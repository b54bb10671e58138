import type { Failure } from '../../core/failure.ts'
import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { withUsageOf } from '../../core/no-usage.ts'
import type { PassedEvent, Passthrough } from '../../core/passthrough.ts'
import type { Usage } from '../../core/usage.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { mayHaveMedia, mediaOf } from '../shared/media-usage.ts'
import { errorIn } from '../shared/openai-failure.ts'
import { outputText } from '../shared/output-text.ts'
import { deltaOf, messageOf } from './normalize-choice.ts'
import { isOddMessage } from './normalize-message.ts'
import { createChatRepair, repairResponse } from './repair.ts'
import { hasPages, searchesIn, withSearches } from './search-results.ts'
import { usageIn } from './usage.ts'

const nothing: PassedEvent = { usage: null, text: '', finished: false, usageOnly: false, failure: null }

/** OpenAI API reference, chat completions and their streams, read 2026-11-21. */
export const passthrough: Passthrough = {
  terminator: '[DONE]',
  response(json) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return withUsageOf(failure, usageIn(json))
    const { choices } = json
    if (!Array.isArray(choices)) return null
    if (choices.length === 0) return emptyResponse(usageIn(json))
    let text = ''
    for (const choice of choices) if (isObject(choice)) text += textOf(messageOf(choice)) || tokensOf(choice)
    const media = mediaOf(choices, 'message')
    return { usage: withSearches(usageIn(json), searchesIn(json)), text, ...(media === null ? {} : { media }) }
  },
  event: readEvent,
  // OpenAI pads each chunk to hide its length (`include_obfuscation`, a stored copy read 2026-11-22).
  changing: { text: ['content', 'reasoning_content', 'reasoning'], padding: 'obfuscation' },
  repair: createChatRepair,
  repairResponse,
}

/** A response without a choice is none; `null`: and nothing was counted for it. */
function emptyResponse(usage: Usage | null): Failure | null {
  const message = 'the upstream service sent a response without a choice'
  const failure = withUsageOf({ kind: 'unavailable', message, type: null, param: null, code: null }, usage)
  return failure.usage === undefined ? null : failure
}

function readEvent(data: string): PassedEvent {
  const json = parseJson(data)
  return isObject(json) ? readChunk(json) : { ...nothing, isEmpty: true }
}

/** Runs for every chunk, so the usual one, a content delta, takes the shortest path. */
function readChunk(chunk: JsonObject): PassedEvent {
  const { choices, usage } = chunk
  const failure = errorIn(chunk)
  if (failure !== null) return { ...nothing, usage: usageIn(chunk), failure: withUsageOf(failure, usageIn(chunk)) }
  if (!Array.isArray(choices))
    return { ...nothing, usage: usageIn(chunk), usageOnly: isObject(usage), isEmpty: true, needsRewrite: true, chunk }
  if (choices.length === 0)
    return { ...nothing, usage: withSearches(usageIn(chunk), searchesIn(chunk)), usageOnly: isObject(usage), isEmpty: true, chunk }
  let text = ''
  let finished = false
  let callsTools = false
  let needsRewrite = false
  let hasReasoning = false
  let isSourced = false
  let hasMedia = false
  for (const choice of choices) {
    if (!isObject(choice)) continue
    const delta = deltaOf(choice)
    text += textOf(delta) || tokensOf(choice)
    hasReasoning ||= isThinking(delta)
    isSourced ||= hasSources(delta)
    needsRewrite ||= delta === undefined || delta !== choice['delta'] || isOddDelta(delta)
    callsTools ||= delta?.['tool_calls'] !== undefined
    hasMedia ||= delta !== undefined && mayHaveMedia(delta)
    finished ||= hasReason(choice)
  }
  // Vendors that put usage beside the last choice do so in the chunk that finishes it.
  const hasUsage = isObject(usage)
  const usageOnly = hasUsage && !finished && text === '' && choices.every(saysNothing)
  const usageNow = finished || hasUsage ? usageIn(chunk) : null
  const seen: PassedEvent = {
    usage: usageNow,
    text,
    finished,
    usageOnly,
    failure: null,
    callsTools,
    hasReasoning,
    chunk,
    ...(isSourced ? { isSourced } : {}),
  }
  const read = needsRewrite ? { ...seen, needsRewrite } : seen
  return withSearchCount(hasMedia ? withMediaUsage(read, choices) : read, chunk)
}

/** What was read of a chunk, with its images and its audio. */
function withMediaUsage(seen: PassedEvent, choices: readonly Json[]): PassedEvent {
  const media = mediaOf(choices, 'delta')
  return media === null ? seen : { ...seen, media }
}

/** Some vendors send an empty reason until the end. */
const hasReason = ({ finish_reason: reason }: JsonObject): boolean => typeof reason === 'string' && reason !== ''

const isOddDelta = (delta: JsonObject): boolean => isOddMessage(delta) || hasPages(delta)

/** What was read of a chunk, and the searches that it reports. */
function withSearchCount(seen: PassedEvent, chunk: JsonObject): PassedEvent {
  const needsRewrite = seen.needsRewrite === true || hasPages(chunk)
  if (!needsRewrite && seen.callsTools !== true && seen.usage === null) return seen
  const searches = searchesIn(chunk)
  return needsRewrite || searches > 0 ? { ...seen, needsRewrite, searches } : seen
}

/** Some proxies send the usage chunk with an empty choice. */
function saysNothing(choice: Json): boolean {
  if (!isObject(choice)) return true
  const delta = deltaOf(choice)
  return delta === undefined || Object.values(delta).every((value) => value === null || value === '')
}

/** Members that hold the same: a vendor that sends several of them sends the same text in each. */
const reasoningMembers: readonly string[] = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks']
const sameMembers: ReadonlyArray<readonly string[]> = [reasoningMembers, ['tool_calls', 'function_call']]
const groupOf: ReadonlyMap<string, readonly string[]> = new Map(sameMembers.flatMap((group) => group.map((name) => [name, group] as const)))

/** The text that a model wrote in a message or delta, in any field. */
function textOf(message: Json | undefined): string {
  if (!isObject(message)) return ''
  let text = ''
  for (const name in message) {
    const member = message[name]
    // The usual member takes the shortest path.
    if (name === 'content' && typeof member === 'string') text += member
    else if (member !== null && member !== undefined && member !== '') text += isFirst(name, message) ? outputText({ [name]: member }) : ''
  }
  return text
}

const isThinking = (delta: Json | undefined): boolean => isObject(delta) && reasoningMembers.some((name) => outputText(delta[name]) !== '')

/** Whether it cites pages (OpenAI's `url_citation`, which OpenRouter has too). */
const hasSources = (delta: Json | undefined): boolean =>
  isObject(delta) && delta['annotations'] !== undefined && objectsIn(delta['annotations']).some(({ type }) => type === 'url_citation')

/** Whether no member before it in its group has a text. */
function isFirst(name: string, message: JsonObject): boolean {
  const group = groupOf.get(name)
  return group === undefined || group.find((other) => outputText(message[other]) !== '') === name
}

/** The tokens of a choice that were reported with their probabilities, for a choice that has no text beside them. */
function tokensOf({ logprobs }: JsonObject): string {
  if (!isObject(logprobs)) return ''
  return [logprobs['content'], logprobs['refusal']]
    .flatMap(objectsIn)
    .map(({ token }) => textOr(token, ''))
    .join('')
}
