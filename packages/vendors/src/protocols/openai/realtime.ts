import type { PassedEvent, Passthrough } from '../../core/passthrough.ts'
import { readClientMessage, readVendorMessage } from './realtime-events.ts'
import { passing } from './stream-usage.ts'

const nothing: PassedEvent = { usage: null, text: '', finished: false, usageOnly: false, failure: null }

/**
 * A session is not one response: its messages are read one by one. Each response in it ends with `response.done`, whose usage is that of this
 * response only (OpenAI, "Managing costs" of the realtime API, a stored copy read 2026-11-21).
 */
const passthrough: Passthrough = {
  response: () => null,
  event: () => nothing,
  readClientMessage,
  readVendorMessage,
}

export const realtime = passing('/v1/realtime', passthrough)
