import type { PassedEvent, Passthrough } from '../dialect.ts'
import { isObject, parseJson } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { errorIn } from './failure.ts'
import { mediaIn } from './media-usage.ts'
import { isOddMessage } from './plain-message.ts'
import { createChatRepair, repairReply } from './repair.ts'
import { hasPages, searchesIn, withSearches } from './searched.ts'
import { usageIn } from './usage.ts'

const nothing: PassedEvent = { usage: null, text: '', finished: false, usageOnly: false, failure: null }

/** OpenAI API reference, chat completions and their streams, read 2026-11-21. */
export const passthrough: Passthrough = {
  terminator: '[DONE]',
  reply(json) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { choices } = json
    if (!Array.isArray(choices) || choices.length === 0) return null
    let text = ''
    for (const choice of choices) if (isObject(choice)) text += textOf(choice['message'])
    return { usage: withSearches(usageIn(json), searchesIn(json)), text }
  },
  event: readEvent,
  // OpenAI pads each chunk to hide its length (`include_obfuscation`, a stored copy read 2026-11-22).
  changing: { text: ['content', 'reasoning_content', 'reasoning'], padding: 'obfuscation' },
  repair: createChatRepair,
  repairReply,
}

function readEvent(data: string): PassedEvent {
  const json = parseJson(data)
  return isObject(json) ? readChunk(json) : { ...nothing, isEmpty: true }
}

/** Runs for every chunk, so the usual one, a piece of content, takes the shortest path. */
function readChunk(chunk: JsonObject): PassedEvent {
  const { choices, usage } = chunk
  const failure = errorIn(chunk)
  if (failure !== null) return { ...nothing, failure }
  if (!Array.isArray(choices)) return { ...nothing, usage: usageIn(chunk), isEmpty: true, chunk }
  if (choices.length === 0)
    return { ...nothing, usage: withSearches(usageIn(chunk), searchesIn(chunk)), usageOnly: isObject(usage), isEmpty: true, chunk }
  let text = ''
  let finished = false
  let callsTools = false
  let isOdd = false
  for (const choice of choices) {
    if (!isObject(choice)) continue
    const { delta } = choice
    text += textOf(delta)
    isOdd ||= isOddDelta(delta)
    callsTools ||= isObject(delta) && delta['tool_calls'] !== undefined
    finished ||= hasReason(choice)
  }
  // Vendors that put usage beside the last choice do so in the chunk that finishes it.
  const hasUsage = isObject(usage)
  const usageOnly = hasUsage && !finished && text === '' && choices.every(saysNothing)
  const usageNow = finished || hasUsage ? usageIn(chunk) : null
  const seen: PassedEvent = { usage: usageNow, text, finished, usageOnly, failure: null, callsTools, chunk }
  return withFound(withMedia(isOdd ? { ...seen, isOdd } : seen, choices), chunk)
}

/** What a chunk tells of its pictures and its sound, unless it tells the usage of the whole answer. */
function withMedia(seen: PassedEvent, choices: readonly Json[]): PassedEvent {
  if (seen.usage !== null) return seen
  const [choice] = choices
  const delta = isObject(choice) ? choice['delta'] : undefined
  const usage = isObject(delta) ? mediaIn(delta) : null
  return usage === null ? seen : { ...seen, usage, isPart: true }
}

/** Some vendors send an empty reason until the end. */
const hasReason = ({ finish_reason: reason }: JsonObject): boolean => typeof reason === 'string' && reason !== ''

const isOddDelta = (delta: Json | undefined): boolean => isOddMessage(delta) || (isObject(delta) && hasPages(delta))

/** What was read of a chunk, and the searches that it tells of. */
function withFound(seen: PassedEvent, chunk: JsonObject): PassedEvent {
  const isOdd = seen.isOdd === true || hasPages(chunk)
  if (!isOdd && seen.callsTools !== true && seen.usage === null) return seen
  const searches = searchesIn(chunk)
  return isOdd || searches > 0 ? { ...seen, isOdd, searches } : seen
}

/** Some proxies send the usage chunk with an empty choice. */
function saysNothing(choice: Json): boolean {
  if (!isObject(choice)) return true
  const { delta } = choice
  return !isObject(delta) || Object.values(delta).every((value) => value === null || value === '')
}

/** The text that a model wrote in a message or delta, in any field. */
function textOf(message: Json | undefined): string {
  if (!isObject(message)) return ''
  const { content, reasoning_content: thought, reasoning, refusal, tool_calls: calls, function_call: call } = message
  const spoken = typeof content === 'string' ? content : partsText(content)
  if (thought === undefined && reasoning === undefined && refusal === undefined && calls === undefined && call === undefined) return spoken
  return (
    spoken +
    // A vendor that sends both fields sends the same text in them.
    firstText(thought, reasoning) +
    firstText(refusal) +
    // The same applies to calls in the old and the new form.
    (Array.isArray(calls) && calls.length > 0 ? calls.map(callText).join('') : argumentsOf(call))
  )
}

/** Some vendors write content as a list of parts. */
function partsText(content: Json | undefined): string {
  return Array.isArray(content)
    ? content.map((part) => (isObject(part) ? firstText(part['text']) + partsText(part['thinking']) : '')).join('')
    : ''
}

function firstText(value: Json | undefined, other?: Json): string {
  if (typeof value === 'string' && value !== '') return value
  return typeof other === 'string' ? other : ''
}

function callText(call: Json): string {
  return isObject(call) ? argumentsOf(call['function']) : ''
}

function argumentsOf(call: Json | undefined): string {
  return isObject(call) ? firstText(call['arguments']) : ''
}
