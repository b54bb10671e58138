import type { Dialect } from '../../core/dialect.ts'
import { isObject, parseJson } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { nonsense, noUsage } from '../../core/no-usage.ts'
import type { PassedEvent, Passthrough } from '../../core/passthrough.ts'
import type { Outgoing } from '../../core/request.ts'
import type { Usage } from '../../core/usage.ts'
import { errorIn } from '../shared/openai-failure.ts'
import { textFormIn, transcriptAs } from '../shared/transcript-forms.ts'
import { passing } from './stream-usage.ts'
import { usageIn } from './usage.ts'

const nothing: PassedEvent = { usage: null, text: '', finished: false, usageOnly: false, failure: null }

/** OpenAI API reference, "Create speech", read 2026-11-21: audio, or events with parts of it. A JSON body is read only for an error. */
const spoken: Passthrough = {
  response: (json) => (isObject(json) ? errorIn(json) : null),
  event(data) {
    const event = eventOf(data, { deltaType: '', doneType: 'speech.audio.done' })
    const { usage } = event
    return usage === null ? event : { ...event, usage: { ...usage, audioOutputTokens: usage.completionTokens } }
  },
}

/** OpenAI API reference, "Create transcription" and "Create translation" and their streams, read 2026-11-21. */
const written: Passthrough = {
  response(json) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { text } = json
    return typeof text === 'string' ? { usage: audioUsage(json), text } : null
  },
  event: (data) => eventOf(data, { deltaType: 'transcript.text.delta', doneType: 'transcript.text.done' }),
  // Some servers know JSON only.
  asText: (response, usage, { echo }) => transcriptAs(echo?.['response_format'], response, usage),
}

function writing(path: string) {
  const plain = passing(path, written)
  return {
    ...plain,
    request(body, target): Outgoing {
      const format = textFormIn(body)
      const outgoing = plain.request(body, target)
      return format === null ? outgoing : { ...outgoing, echo: { response_format: format } }
    },
  } satisfies Dialect
}

function eventOf(data: string, { deltaType, doneType }: { readonly deltaType: string; readonly doneType: string }): PassedEvent {
  const event = parseJson(data)
  if (!isObject(event)) return nothing
  const failure = errorIn(event)
  if (failure !== null) return { ...nothing, failure }
  const { type, delta } = event
  if (type === doneType) return { ...nothing, usage: audioUsage(event), finished: true, isLast: true }
  return { ...nothing, text: type === deltaType && typeof delta === 'string' ? delta : '' }
}

/** Tokens, or the length of the audio: in `usage`, or `duration` of a verbose response. */
function audioUsage(body: JsonObject): Usage | null {
  const { usage, duration } = body
  const counted = usageIn(body)
  if (counted !== null) return counted
  const seconds = (isObject(usage) ? usage['seconds'] : undefined) ?? duration ?? null
  const audioMs = msOf(seconds)
  if (audioMs === null) return seconds === null ? null : nonsense
  return { ...noUsage, audioMs }
}

/** Seconds: a greater length is an error and must not be charged. */
const audioSecondsMax = 1_000_000

/** Some vendors send a string. `null` = no valid length. */
function msOf(seconds: Json): number | null {
  const number = typeof seconds === 'string' && seconds.trim() !== '' ? Number(seconds) : seconds
  return typeof number === 'number' && number > 0 && number <= audioSecondsMax ? Math.ceil(number * 1000) : null
}

export const speech = passing('/v1/audio/speech', spoken)
export const transcriptions = writing('/v1/audio/transcriptions')
export const translations = writing('/v1/audio/translations')
