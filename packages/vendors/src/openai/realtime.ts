import type { PassedEvent, Passthrough } from '../dialect.ts'
import { passing } from './passing.ts'
import { readCame, readSent } from './realtime-events.ts'

const nothing: PassedEvent = { usage: null, text: '', finished: false, usageOnly: false, failure: null }

/**
 * A session is no answer: what each of its messages means for its price is read one by one. Each answer within it ends in `response.done`,
 * whose usage is that answer's alone (OpenAI, "Managing costs" of the realtime API, a stored copy read 2026-11-21).
 */
const passthrough: Passthrough = {
  reply: () => null,
  event: () => nothing,
  sent: readSent,
  came: readCame,
}

export const realtime = passing('/v1/realtime', passthrough)
