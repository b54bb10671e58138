import type { PassedEvent, Passthrough, Usage } from '../dialect.ts'
import { isObject, parseJson } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import { passing } from './passing.ts'
import { usageIn } from './usage.ts'

const nothing: PassedEvent = { usage: null, text: '', finished: false, usageOnly: false, failure: null }

/**
 * Each answer of a session ends in `response.done`, whose usage is that answer's alone: what a session costs accrues answer by answer (OpenAI,
 * "Managing costs" of the realtime API, a stored copy read 2026-11-21; the names of the events are from clients, no reference was found).
 * Sound itself is not counted here; what is said beside it in words is.
 */
const passthrough: Passthrough = {
  reply: () => null,
  event(data) {
    const event = parseJson(data)
    return isObject(event) ? readEvent(event) : nothing
  },
}

function readEvent({ type, delta, response, usage }: JsonObject): PassedEvent {
  switch (type) {
    case 'response.done':
      return { ...nothing, usage: isObject(response) ? usageIn(response) : null, finished: true }
    case 'conversation.item.input_audio_transcription.completed':
      return { ...nothing, usage: transcribed(usage) }
    default:
      return typeof type === 'string' && isWords(type) && typeof delta === 'string' ? { ...nothing, text: delta } : nothing
  }
}

/** Words of a transcription are paid for where it is counted in tokens. */
function transcribed(usage: JsonObject[string]): Usage | null {
  return isObject(usage) && usage['type'] === 'tokens' ? usageIn({ usage }) : null
}

function isWords(type: string): boolean {
  return type.startsWith('response.') && type.endsWith('.delta') && !/audio\.delta$/.test(type)
}

export const realtime = passing('/v1/realtime', passthrough)
