import { isObject } from '@sluice/vendors/core/is-object'
import type { JsonObject } from '@sluice/vendors/core/json'
import { offeredTools } from '@sluice/vendors/protocols/messages/tool-changes'
import { countedRequest, listMember, objectMember } from '@sluice/vendors/protocols/shared/proto-members'
import { countableContents, countedGenerate } from '../ingress/kinds/generate.ts'
import { type Countable, countable, messages } from '../ingress/kinds/messages.ts'
import { countableItems, countedResponse } from '../ingress/kinds/responses.ts'
import { messageTokens } from '../pricing/count-tokens.ts'
import type { CountForm } from './count-tokens.ts'

/** Anthropic API, "Count tokens in a message", read 2026-11-23. */
export const messageCount: CountForm = {
  rules: messages,
  countable(body, media) {
    const { messages: messageList, system } = body
    const count = (Array.isArray(messageList) ? messageList.length : 0) + (system === undefined ? 0 : 1)
    return together([countable(messageList, media), countable(system, media), declared(offeredTools(body))], count)
  },
  response: (tokens) => ({ input_tokens: tokens }),
}

/** Gemini API, "Count tokens", a stored copy read 2026-11-23. */
export const generateCount: CountForm = {
  rules: countedGenerate,
  countable(body, media) {
    const request = countedRequest(body)
    const [contents, system] = [listMember(request, 'contents'), objectMember(request, 'systemInstruction')]
    const count = contents.length + (Object.keys(system).length === 0 ? 0 : 1)
    return together([countableContents(contents, media), countableContents(system, media), declared(request['tools'])], count)
  },
  response: (tokens) => ({ totalTokens: tokens }),
}

/** "Get input token counts" (OpenAI API reference, "Responses", as its SDK for TypeScript has it, read 2026-11-30). */
export const responseCount: CountForm = {
  rules: countedResponse,
  countable({ input, instructions, tools }, media) {
    const count = (Array.isArray(input) ? input.length : 1) + (typeof instructions === 'string' ? 1 : 0)
    return together([countableItems(input, media), countableItems(instructions, media), declared(tools)], count)
  },
  response: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
}

function declared(tools: JsonObject[string] | readonly JsonObject[]): Countable {
  const list = Array.isArray(tools) ? tools.filter(isObject) : []
  return { texts: list.map((tool) => JSON.stringify(tool)), otherTokens: 0 }
}

function together(parts: readonly Countable[], messageCount: number): Countable {
  return {
    texts: parts.flatMap(({ texts }) => texts),
    otherTokens: parts.reduce((sum, { otherTokens }) => sum + otherTokens, messageCount * messageTokens),
  }
}
