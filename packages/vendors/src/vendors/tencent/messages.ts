import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { callsIn, formatInstruction, objectsIn, textOfContent } from '../../protocols/shared/chat-parts.ts'
import { withTextInstructions } from '../../protocols/shared/text-system.ts'

/** The messages of a chat with the vendor's names. Only the first may be the system's, so all that the system says stands there, and what it shows is shown by the user. */
export function messagesOf(chat: JsonObject): readonly JsonObject[] {
  const all = withTextInstructions(objectsIn(chat['messages']))
  const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer'
  const systemTexts = all.filter(isSystem).map(({ content }) => textOfContent(content))
  const system = [...systemTexts, formatInstruction(chat)].filter((text) => text !== '').join('\n')
  return [...(system === '' ? [] : [{ Role: 'system', Content: system }]), ...all.filter((message) => !isSystem(message)).map(messageOf)]
}

function messageOf(message: JsonObject): JsonObject {
  const { role, content, tool_call_id: id } = message
  if (role === 'tool') return { Role: 'tool', ToolCallId: textOr(id, ''), Content: textOfContent(content) || '{}' }
  const calls = callsIn(message)
  if (calls.length > 0) {
    const listed = calls.map(({ id: callId, name, input }, index) => ({
      Id: callId,
      Type: 'function',
      Index: index,
      Function: { Name: name, Arguments: input },
    }))
    return { Role: 'assistant', Content: textOfContent(content), ToolCalls: listed }
  }
  const parts = objectsIn(content)
  if (!parts.some(({ type }) => type === 'image_url')) return { Role: textOr(role, 'user'), Content: textOfContent(content) || '.' }
  return { Role: textOr(role, 'user'), Contents: parts.map(partOf) }
}

function partOf({ type, text, image_url: image }: JsonObject): JsonObject {
  if (type !== 'image_url') return { Type: 'text', Text: textOr(text, '') }
  return { Type: 'image_url', ImageUrl: { Url: isObject(image) ? textOr(image['url'], '') : textOr(image, '') } }
}
