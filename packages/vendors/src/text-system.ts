import { isObject } from './is-object.ts'
import type { JsonObject } from './json.ts'

const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer'
const isText = ({ type }: JsonObject): boolean => type === undefined || type === 'text'

/**
 * Messages whose leading instructions are texts, for vendors that take nothing else there. The pictures, files and sound of these instructions
 * become a message of the user behind them, so that the model still gets them.
 */
export function withTextSystem(messages: readonly JsonObject[]): readonly JsonObject[] {
  const firstOther = messages.findIndex((message) => !isSystem(message))
  const leading = firstOther === -1 ? messages : messages.slice(0, firstOther)
  const shown = leading.flatMap(partsOf).filter((part) => !isText(part))
  if (shown.length === 0) return messages
  const instructions = leading.map((message) => ({ ...message, content: partsOf(message).filter(isText) }))
  return [...instructions, { role: 'user', content: shown }, ...messages.slice(leading.length)]
}

/** A string is one text. */
function partsOf({ content }: JsonObject): readonly JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isObject) : []
}
