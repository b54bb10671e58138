import type { ChatDialect } from '../../core/dialect.ts'
import { isObject, parseJson } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import type { Target } from '../../core/request.ts'
import type { ChatStream } from '../../core/stream.ts'
import { fittingCalls } from '../calls/conform-calls.ts'
import { openai } from '../openai/dialect.ts'
import { needsResponses } from '../openai/effort.ts'
import { withoutEmptyMembers } from '../openai/empty-members.ts'
import { canCutAt, cutting } from '../rules/cut-at-stops.ts'
import { stopsIn } from '../shared/chat-parts.ts'
import { withoutExtras } from '../shared/extra-content.ts'
import { hasLegacyFunctions, withTools } from '../shared/legacy-functions.ts'
import { responsesAsChat } from './as-chat.ts'
import { responseOfChat } from './of-chat.ts'

/** The error where reasoning is that of another organization (openai/codex 8145, smallmain/vscode-unify-chat-provider 178, read 2026-11-26). */
const foreignReasoning = 'invalid_encrypted_content'

const { passthrough: _bytes, ...translating } = openai

/**
 * OpenAI's models that call functions while they reason only for responses: a chat that wants both is sent as one, and every other chat as it is.
 * The form of what comes back shows which of the two it was.
 */
export const openaiThinking = fittingCalls(
  cutting({
    ...translating,
    isOpenAIForm: true,
    holds: ['extra_content'],
    request(request, target) {
      const whole = withoutEmptyMembers(withTools(request))
      if (!needsResponses(whole, target.model)) return openai.request(withoutExtras(request), target)
      const { chat, cutAt } = withoutStops(whole, target)
      const legacy = hasLegacyFunctions(request) ? { callsFunctions: true as const } : {}
      return { path: '/v1/responses', upstreamKind: 'responses', headers: noHeaders, ...responseOfChat(chat, target), ...legacy, ...cutAt }
    },
    retryWithout(chat, { code, param }) {
      if (param === 'include') return chat
      if (code !== foreignReasoning) return null
      const stripped = withoutExtras(chat, 'openai')
      return stripped === chat ? null : stripped
    },
    response: (json, context) => (isResponse(json) ? responsesAsChat.response(json, context) : openai.response(json, context)),
    stream(context): ChatStream {
      let response: ChatStream = openai.stream(context)
      let isKnown = false
      return {
        event(data, name) {
          if (!isKnown) {
            const event = parseJson(data)
            isKnown = isObject(event)
            // Only events of responses have a type of their own.
            if (isObject(event) && typeof event['type'] === 'string') response = responsesAsChat.stream(context)
          }
          return response.event(data, name)
        },
        end: () => response.end(),
      }
    },
  } satisfies ChatDialect),
)

/** Responses know no stop sequences, so the gateway ends the response there. */
function withoutStops({ stop, ...rest }: JsonObject, { rewrites }: Target) {
  const words = stopsIn(stop)
  if (words.length === 0 || !canCutAt(words) || !rewrites.may('parameters')) return { chat: { ...rest, stop }, cutAt: {} }
  rewrites.note('parameters', 'stop -> cut here')
  return { chat: rest, cutAt: { cutAt: words } }
}

const isResponse = (json: Json): boolean => isObject(json) && json['object'] === 'response'
