import { isObject } from '@sluice/vendors/core/is-object'
import type { JsonObject } from '@sluice/vendors/core/json'
import { asResponseRequest, isForResponse, withNestedTools } from '@sluice/vendors/protocols/responses/request-as-chat'
import { chat } from './ingress/kinds/chat.ts'
import { responses } from './ingress/kinds/responses.ts'
import type { KindRules } from './model/kind-rules.ts'
import { asChat } from './response/chat-of-response.ts'

/** The path of chats. Cursor sends requests for responses there, or chats with tools in the form of responses, and reads chats. */
export const chatPath: KindRules = {
  ...chat,
  insteadFor(body) {
    if (isForResponse(body)) return { rules: wantsUsage(body) ? responseWithUsage : response, body: asResponseRequest(body) }
    const nested = withNestedTools(body)
    return nested === null ? null : { rules: chat, body: nested }
  },
}

const { errorTeller: _own, ...plainResponses } = responses
const response: KindRules = { ...plainResponses, responsesAs: (response) => asChat(response, false) }
const responseWithUsage: KindRules = { ...plainResponses, responsesAs: (response) => asChat(response, true) }

function wantsUsage({ stream_options: options }: JsonObject): boolean {
  return isObject(options) && options['include_usage'] === true
}
