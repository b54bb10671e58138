import type { JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import { omitUndefined, stopsIn } from '../shared/chat-parts.ts'
import { hasLegacyFunctions, withTools } from '../shared/legacy-functions.ts'
import { limitIn, withoutEmptyLimits } from '../shared/token-limit-fields.ts'
import { hasUnknownParts } from './content.ts'
import type { GeminiHost } from './host.ts'
import { type Conversation, toConversation } from './messages.ts'
import { type ModelTraits, traitsOf } from './models.ts'
import { refusedOutput, toModalities, toOutputFormat } from './output.ts'
import { googleFields, toThinkingConfig } from './thinking.ts'
import { toTools } from './tools.ts'

/** More stop sequences are refused. */
const stopsMax = 5

/**
 * A chat as `generateContent` takes it (Gemini API reference, stored copies read 2026-11-22). Left out, because they only tune sampling
 * and models since 2.5 refuse them: `presence_penalty`, `frequency_penalty`, `logit_bias`. `service_tier` is a preference that is not passed on.
 */
export function toGemini(host: GeminiHost, request: JsonObject, target: Target): Outgoing {
  const { model, stream, outputLimit } = target
  const chat = withTools(withoutEmptyLimits(request))
  const traits = traitsOf(model)
  const { tools, toolConfig, hasFunctions, refused } = toTools(chat)
  const format = toOutputFormat(chat['response_format'], traits, hasFunctions)
  const conversation = toConversation(chat['messages'], { traits, keepsCallIds: host.keepsCallIds, rewrites: target.rewrites })
  const limit = outputLimit ?? limitIn(chat)
  const stops = stopsIn(chat['stop'])
  const unknown = hasUnknownParts(chat['messages']) ? 'messages[].content' : null
  const field = refused ?? unknown ?? (stops.length > stopsMax ? 'stop' : refusedOutput(chat, traits, hasFunctions))
  const { safety_settings: safety, safetySettings = safety, cached_content: cache, cachedContent = cache } = googleFields(chat)
  return {
    path: host.pathOf(target, stream || traits.streamsOnly ? 'streamGenerateContent?alt=sse' : 'generateContent'),
    headers: noHeaders,
    body: omitUndefined({
      ...messagesIn(conversation, format.instruction, traits),
      tools: tools.length === 0 ? undefined : tools,
      toolConfig,
      safetySettings,
      cachedContent,
      generationConfig: omitUndefined({
        temperature: chat['temperature'],
        topP: chat['top_p'],
        topK: chat['top_k'],
        seed: chat['seed'],
        maxOutputTokens: limit,
        stopSequences: stops.length === 0 ? undefined : stops,
        ...format.config,
        ...toModalities(chat, traits),
        thinkingConfig: toThinkingConfig(chat, traits, limit),
      }),
    }),
    ...(field === null ? {} : { refused: field }),
    ...(hasLegacyFunctions(request) ? { callsFunctions: true } : {}),
  }
}

function messagesIn({ system, contents }: Conversation, instruction: string | null, { takesSystem }: ModelTraits): JsonObject {
  const systemParts = [...system, ...(instruction === null ? [] : [{ text: instruction }])]
  if (systemParts.length === 0) return { contents }
  if (takesSystem) return { systemInstruction: { parts: systemParts }, contents }
  const [first, ...rest] = contents
  const parts = Array.isArray(first?.['parts']) ? first['parts'] : []
  return { contents: [{ role: 'user', parts: [...systemParts, ...parts] }, ...rest] }
}
