import type { JsonObject } from '../../core/json.ts'
import { effortIn, modelOf, withoutFields } from '../../protocols/compat/fields.ts'
import { developerToSystem, withMessages } from '../../protocols/compat/messages.ts'
import { withinRanges } from '../../protocols/compat/sampling.ts'
import { schemaAsInstruction } from '../../protocols/compat/schema-as-instruction.ts'
import { textOfContent } from '../../protocols/shared/chat-parts.ts'

/** A chat as the HTTP interface takes it: calls of tools, thinking and limits differ from OpenAI's. */
export function iflytekHttpChat(body: JsonObject): JsonObject {
  return withLimitOf(withThinking(withCallsAsList(schemaAsInstruction(withMessages(body, plainMessage)))))
}

/** Content is one text. */
function plainMessage(message: JsonObject): JsonObject {
  const { content } = message
  return developerToSystem(Array.isArray(content) ? { ...message, content: textOfContent(content) } : message)
}

/** Calls of tools come as a list, as clients expect, only if that is requested. */
function withCallsAsList(body: JsonObject): JsonObject {
  return Array.isArray(body['tools']) && body['tools'].length > 0 ? { tool_calls_switch: true, ...body } : body
}

/** The X models think or not; others have no such field. */
function withThinking(body: JsonObject): JsonObject {
  const effort = effortIn(body)
  const rest = withoutFields(body, ['reasoning_effort', 'reasoning'])
  if (effort === null || body['thinking'] !== undefined || !/^(?:spark-)?x/.test(modelOf(body))) return rest
  return { ...rest, thinking: { type: effort === 'none' || effort === 'minimal' ? 'disabled' : 'enabled' } }
}

/** From X2.5 on the limit has OpenAI's newer name and sampling is fixed. */
function withLimitOf(body: JsonObject): JsonObject {
  const { max_tokens: older, max_completion_tokens: newer, ...rest } = body
  const limit = newer ?? older
  if (/^spark-x2\.5/.test(modelOf(body))) {
    return { ...withoutFields(rest, ['temperature', 'top_p']), ...(limit === undefined ? {} : { max_completion_tokens: limit }) }
  }
  return withinRanges({ ...rest, ...(limit === undefined ? {} : { max_tokens: limit }) }, { temperature: [0.01, 2] })
}
