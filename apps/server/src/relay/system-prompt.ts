import type { JsonObject } from '@sluice/vendors/json'

/** The same chat with a word of the channel's operator before the client's messages; any other call as it is. */
export function withSystemPrompt(body: JsonObject, prompt: string): JsonObject {
  const { messages } = body
  if (prompt === '' || !Array.isArray(messages)) return body
  return { ...body, messages: [{ role: 'system', content: prompt }, ...messages] }
}
