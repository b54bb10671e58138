import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'

const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer'
const isText = ({ type }: JsonObject): boolean => type === undefined || type === 'text' || type === 'input_text'

/**
 * Messages whose instructions are texts, for vendors that take nothing else there. The images, files and audio of instructions become a
 * message of the user behind them, so that the model still gets them.
 */
export function withTextInstructions(messages: readonly JsonObject[]): readonly JsonObject[] {
  if (!messages.some(showsMore)) return messages
  const result: JsonObject[] = []
  let movedParts: JsonObject[] = []
  const show = (): void => {
    if (movedParts.length > 0) result.push({ role: 'user', content: movedParts })
    movedParts = []
  }
  for (const message of messages) {
    // Nothing may come between calls and their results.
    if (!isSystem(message) && message['role'] !== 'tool') show()
    if (showsMore(message)) {
      const parts = partsOf(message)
      const texts = parts.filter(isText)
      if (texts.length > 0) result.push({ ...message, content: texts })
      movedParts.push(...parts.filter((part) => !isText(part)))
    } else result.push(message)
  }
  show()
  return result
}

/** `withTextInstructions` for the leading instructions alone. Later ones become turns of the user at these vendors, which is noted. */
export function withTextSystem(messages: readonly JsonObject[], rewrites: Rewrites): readonly JsonObject[] {
  const firstOther = messages.findIndex((message) => !isSystem(message))
  if (firstOther === -1) return withTextInstructions(messages)
  if (messages.some((message, index) => index > firstOther && isSystem(message))) rewrites.note('messages', 'role system -> user')
  const leading = messages.slice(0, firstOther)
  return leading.some(showsMore) ? [...withTextInstructions(leading), ...messages.slice(firstOther)] : messages
}

/** Instructions with something beside texts. */
const showsMore = (message: JsonObject): boolean => isSystem(message) && partsOf(message).some((part) => !isText(part))

/** A string is one text. */
function partsOf({ content }: JsonObject): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isObject) : []
}
