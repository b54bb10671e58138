import type { PassedEvent, Passthrough } from '../dialect.ts'
import { isObject, parseJson } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { errorIn } from './failure.ts'
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
    return { usage: usageIn(json), text: choices.map((choice) => (isObject(choice) ? textOf(choice['message']) : '')).join('') }
  },
  event(data) {
    const json = parseJson(data)
    return isObject(json) ? read(json) : nothing
  },
}

function read(chunk: JsonObject): PassedEvent {
  const { choices } = chunk
  if (chunk['error'] !== undefined) {
    const failure = errorIn(chunk)
    if (failure !== null) return { ...nothing, failure }
  }
  if (!Array.isArray(choices) || choices.length === 0) {
    const usage = usageIn(chunk)
    return usage === null ? nothing : { ...nothing, usage, usageOnly: Array.isArray(choices) }
  }
  let text = ''
  let finished = false
  for (const choice of choices) {
    if (!isObject(choice)) continue
    text += textOf(choice['delta'])
    if (typeof choice['finish_reason'] === 'string') finished = true
  }
  // Vendors that put usage beside the last choice do so in the chunk that finishes it.
  return { usage: finished || isObject(chunk['usage']) ? usageIn(chunk) : null, text, finished, usageOnly: false, failure: null }
}

/** Output of a message or delta: what a model wrote, in whichever field. */
function textOf(message: Json | undefined): string {
  if (!isObject(message)) return ''
  const { content } = message
  const { reasoning_content: reasoningContent, reasoning, refusal, tool_calls: calls, function_call: call } = message
  const spoken = typeof content === 'string' ? content : ''
  if (reasoningContent === undefined && reasoning === undefined && calls === undefined && call === undefined && refusal === undefined)
    return spoken
  const thought = typeof reasoningContent === 'string' ? reasoningContent : typeof reasoning === 'string' ? reasoning : ''
  return (
    spoken +
    thought +
    (typeof refusal === 'string' ? refusal : '') +
    argumentsOf(call) +
    (Array.isArray(calls) ? calls.map(callText).join('') : '')
  )
}

function callText(call: Json): string {
  return isObject(call) ? argumentsOf(call['function']) : ''
}

function argumentsOf(call: Json | undefined): string {
  return isObject(call) && typeof call['arguments'] === 'string' ? call['arguments'] : ''
}
