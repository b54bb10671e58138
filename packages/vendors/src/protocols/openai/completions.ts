import { isObject, parseJson } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { PassedEvent, Passthrough } from '../../core/passthrough.ts'
import { joinedCompletion } from '../shared/joined-events.ts'
import { errorIn } from '../shared/openai-failure.ts'
import { withOutputLimit } from '../shared/output-limit.ts'
import { passing, withStreamUsage } from './stream-usage.ts'
import { usageIn } from './usage.ts'

/** OpenAI API reference, "Completions" and its streams, read 2026-11-21: choices have `text` instead of messages. */
const passthrough: Passthrough = {
  joined: joinedCompletion,
  terminator: '[DONE]',
  changing: { text: ['text'], padding: 'obfuscation' },
  response(json) {
    if (!isObject(json)) return null
    const { choices } = json
    if (!Array.isArray(choices)) return errorIn(json)
    return errorIn(json) ?? { usage: usageIn(json), text: choices.map(textOf).join('') }
  },
  event(data) {
    const chunk = parseJson(data)
    return isObject(chunk) ? readChunk(chunk) : { usage: null, text: '', finished: false, usageOnly: false, isEmpty: true, failure: null }
  },
}

function readChunk(chunk: JsonObject): PassedEvent {
  const { choices, usage } = chunk
  const failure = errorIn(chunk)
  const list = Array.isArray(choices) ? choices : []
  return {
    usage: usageIn(chunk),
    text: failure === null ? list.map(textOf).join('') : '',
    finished: list.some((choice) => isObject(choice) && typeof choice['finish_reason'] === 'string' && choice['finish_reason'] !== ''),
    usageOnly: list.length === 0 && isObject(usage),
    isEmpty: list.length === 0,
    failure,
  }
}

function textOf(choice: Json): string {
  return isObject(choice) && typeof choice['text'] === 'string' ? choice['text'] : ''
}

export const completions = passing('/v1/completions', passthrough, (body, target) =>
  withOutputLimit(withStreamUsage(body, target), 'max_tokens', target),
)

/** The endpoint of OpenAI's first editing models, which compatible servers still have. */
export const edits = passing('/v1/edits', passthrough)
