import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn, textOfContent } from '../shared/chat-parts.ts'
import { withTextInstructions } from '../shared/text-system.ts'

/** The body with `change` applied to each message. */
export function withMessages(body: JsonObject, change: (message: JsonObject) => JsonObject): JsonObject {
  const { messages } = body
  return Array.isArray(messages) ? { ...body, messages: messages.map((message) => (isObject(message) ? change(message) : message)) } : body
}

/** For vendors that accept only `system`, and not `developer`, OpenAI's newer name of that role. */
export function developerToSystem(message: JsonObject): JsonObject {
  return message['role'] === 'developer' ? { ...message, role: 'system' } : message
}

/** The body with the role `system` in place of `developer` in all messages. */
export function withSystemRole(body: JsonObject): JsonObject {
  return withMessages(body, developerToSystem)
}

/** For vendors whose instructions are texts: their images are shown by the user. */
export function withTextRoles(body: JsonObject): JsonObject {
  const original = objectsIn(body['messages'])
  const messages = withTextInstructions(original)
  return messages === original ? body : { ...body, messages }
}

/** For vendors that call a message's reasoning `reasoning`: what a client returns in `reasoning_content` gets that name. */
export function withReasoningField(message: JsonObject): JsonObject {
  const { reasoning_content: reasoningText, ...rest } = message
  return reasoningText === undefined || 'reasoning' in message ? message : { ...rest, reasoning: reasoningText }
}

/**
 * Vendors whose models think want `reasoning_content` in every message of the assistant, if a message calls tools or the request has some:
 * `lost`, if the client lost it.
 */
export function withReasoningOfTurns(body: JsonObject, lost: string): JsonObject {
  if (!hasTools(body)) return body
  return withMessages(body, (message) => {
    if (message['role'] !== 'assistant') return message
    const reasoningText = message['reasoning_content']
    return typeof reasoningText === 'string' && reasoningText !== '' ? message : { ...message, reasoning_content: lost }
  })
}

/**
 * For vendors that take a tool's result only as text: its text stays, and its images and files follow in a message of the user, after all results
 * of the turn.
 */
export function withPlainResults(body: JsonObject): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages) || !messages.some(hasParts)) return body
  const result: Json[] = []
  // A request may hold many thousands, so the list is not copied for each.
  let files: JsonObject[] = []
  const show = (): void => {
    if (files.length === 0) return
    const kind = files.every(({ type }) => type === 'image_url') ? 'Pictures' : 'Files'
    result.push({ role: 'user', content: [{ type: 'text', text: `${kind} in the results of the tools:` }, ...files] })
    files = []
  }
  for (const message of messages) {
    if (isResult(message)) {
      for (const file of filesIn(message)) files.push(file)
      result.push({ ...message, content: textOfContent(message['content']) })
    } else {
      show()
      result.push(message)
    }
  }
  show()
  return { ...body, messages: result }
}

const isResult = (message: Json): message is JsonObject => isObject(message) && message['role'] === 'tool'
/** Parts that a text cannot hold. */
const filesIn = ({ content }: JsonObject): readonly JsonObject[] =>
  objectsIn(content).filter(({ type, text }) => typeof text !== 'string' && type !== 'text')

function hasParts(message: Json): boolean {
  return isResult(message) && Array.isArray(message['content'])
}

function hasTools({ tools, messages }: JsonObject): boolean {
  if (Array.isArray(tools) && tools.length > 0) return true
  return Array.isArray(messages) && messages.some((message) => isObject(message) && Array.isArray(message['tool_calls']))
}
