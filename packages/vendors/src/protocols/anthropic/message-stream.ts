import type { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ClientResponse, ResponseContext } from '../../core/response.ts'
import type { ChatStream } from '../../core/stream.ts'
import { MessageReader } from './message-reader.ts'
import { anthropicMessages, renamedStart } from './native.ts'

const { passthrough } = anthropicMessages

/** A whole message that came in an envelope. */
export function readMessage(json: Json, context: ResponseContext): ClientResponse | Failure | null {
  const seen = passthrough.response(json)
  if (seen === null || 'kind' in seen) return seen
  return isObject(json) ? { response: passthrough.repairResponse?.(json, context) ?? json, usage: seen.usage } : null
}

const end: JsonObject = { type: 'message_stop' }

/** Anthropic's own events, each taken out of a frame. What the service adds to the last event stays here. */
export function messageStream(context: ResponseContext, opened: (data: string, name?: string) => string): ChatStream {
  const reader = new MessageReader()
  return {
    event(data, name) {
      const { text, failure, chunk, isLast = false } = reader.event(opened(data, name))
      const isSent = chunk !== undefined && failure === null && !isLast
      return { chunks: isSent ? [renamedStart(chunk, context) ?? chunk] : [], text, failure, isLast }
    },
    end() {
      const { complete, usage } = reader.end()
      return { complete, usage, last: complete ? [end] : [] }
    },
  }
}
