import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/** Whether a message or delta says in another form what OpenAI's clients read as text: content in parts, or reasoning under another name. */
export function isOddMessage(message: Json | undefined): boolean {
  return isObject(message) && (Array.isArray(message['content']) || lacksReasoningContent(message))
}

/** `reasoning` without `reasoning_content`, the name of it that most vendors use and clients read. */
function lacksReasoningContent({ reasoning, reasoning_content: reasoningText }: JsonObject): boolean {
  return typeof reasoning === 'string' && reasoning !== '' && reasoningText === undefined
}

/**
 * The message with its text in `content` and its reasoning in `reasoning_content`; the same message if it has them there. Some vendors
 * write content as a list of texts, reasoning and images.
 */
export function plainMessage(message: JsonObject): JsonObject {
  if (!isOddMessage(message)) return message
  const { content, reasoning } = message
  if (!Array.isArray(content)) return { ...message, reasoning_content: textOr(reasoning, '') }
  const parts = content.filter(isObject)
  const reasoningText = parts.flatMap(({ thinking }) => (Array.isArray(thinking) ? thinking.map(textIn) : [])).join('')
  const images = parts.filter(isImage)
  return {
    ...message,
    content: parts.map(textIn).join(''),
    ...(reasoningText === '' ? {} : { reasoning_content: reasoningText }),
    ...(images.length === 0 ? {} : { images: [...objectsIn(message['images']), ...images] }),
  }
}

/** A part of content that is an image, which clients look for in `images`. */
const isImage = ({ image_url: image }: JsonObject): boolean => image !== undefined

function textIn(part: Json): string {
  return isObject(part) ? textOr(part['text'], '') : ''
}
