import { isGiven, isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isContent } from './chat-parts.ts'

/** Forms of responses that other forms of requests than OpenAI's know, too. */
export const plainFormats: ReadonlySet<Json | undefined> = new Set([undefined, null, 'text', 'json_object', 'json_schema'])

/** Members of self-hosted servers that constrain the output (vLLM, "Structured Outputs", named 2026-11-30). */
const guides = ['guided_json', 'guided_regex', 'guided_choice', 'guided_grammar', 'structured_outputs'] as const

/** Whether the output of a chat is to have a form that few vendors know, such as a grammar. */
export function hasOtherFormat({ response_format: format }: JsonObject): boolean {
  return isObject(format) && !plainFormats.has(format['type'])
}

/** The member of a chat that no other form of requests than OpenAI's has, although it changes the response. `undefined` = there is none. */
export function lostInTranslation(chat: JsonObject): string | undefined {
  const { modalities, messages } = chat
  if (hasOtherFormat(chat)) return 'response_format'
  if (Array.isArray(modalities) && modalities.includes('audio')) return 'modalities'
  const guide = guides.find((name) => isGiven(chat[name]))
  if (guide !== undefined || !Array.isArray(messages)) return guide
  const at = messages.findIndex((message) => isObject(message) && !isContent(message['content']))
  return at === -1 ? undefined : `messages[${at}].content`
}
