import type { ChatTarget, Outgoing } from '../dialect.ts'
import { isObject, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { betasFor } from './betas.ts'
import { toConversation } from './messages.ts'
import { type ModelTraits, traitsOf } from './models.ts'
import { toOutputFormat } from './output-format.ts'
import { toThinking } from './thinking.ts'
import { createToolNames } from './tool-names.ts'
import { toToolChoice, toTools } from './tools.ts'

/** Where the client names no limit; the vendor requires one. */
const defaultMaxTokens = 4_096

/** Fields of the vendor's own that a client may send beside OpenAI's. */
const ownFields = [
  'top_k',
  'metadata',
  'mcp_servers',
  'context_management',
  'container',
  'speed',
  'inference_geo',
  'fallbacks',
  'cache_control',
]

const defined = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

/** A chat in Anthropic's form (Messages API, read 2026-11-21). */
export function toAnthropic(chat: JsonObject, { model, stream }: ChatTarget): Outgoing {
  const traits = traitsOf(model)
  const names = createToolNames()
  const { system, messages, hasLostThinking } = toConversation(chat['messages'], names)
  const thinking = toThinking(chat, traits, hasLostThinking)
  const format = toOutputFormat(chat['response_format'], traits)
  const tools = [...toTools(chat['tools'], names), ...format.tools]
  const outputConfig = {
    ...(isObject(chat['output_config']) ? chat['output_config'] : {}),
    ...format.outputConfig,
    ...(thinking.effort === null ? {} : { effort: thinking.effort }),
  }
  const systemBlocks = [...system, ...format.system]
  const body = defined({
    model,
    max_tokens: Math.min(traits.outputMax, (maxTokensOf(chat) ?? Math.min(defaultMaxTokens, traits.outputMax)) + thinking.extraTokens),
    messages,
    system: systemBlocks.length === 0 ? undefined : systemText(systemBlocks),
    stream: stream ? true : undefined,
    ...sampling(chat, traits, thinking.isOn),
    stop_sequences: stopSequences(chat['stop']),
    tools: tools.length === 0 ? undefined : tools,
    tool_choice: format.toolChoice ?? (tools.length === 0 ? undefined : toToolChoice(chat, names)),
    output_config: Object.keys(outputConfig).length === 0 ? undefined : outputConfig,
    service_tier: tierOf(chat['service_tier']),
    ...thinking.fields,
    ...own(chat, traits, thinking.isOn),
  })
  const toolNames = names.changed()
  return {
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01', ...betasFor(body) },
    body,
    ...(Object.keys(toolNames).length === 0 ? {} : { toolNames }),
    ...(format.unwrapTool === null ? {} : { unwrapTool: format.unwrapTool }),
  }
}

function maxTokensOf(chat: JsonObject): number | null {
  const limit = chat['max_completion_tokens'] ?? chat['max_tokens']
  return typeof limit === 'number' ? limit : null
}

/** One block of text goes as text; marks of the prompt cache need blocks. */
function systemText(blocks: readonly JsonObject[]): Json {
  const isPlain = blocks.every((block) => block['type'] === 'text' && block['cache_control'] === undefined)
  return isPlain ? blocks.map((block) => textOr(block['text'], '')).join('\n\n') : blocks
}

function sampling(chat: JsonObject, traits: ModelTraits, isThinking: boolean): JsonObject {
  if (traits.refusesSampling || isThinking) return {}
  const { temperature, top_p: topP } = chat
  const hasTemperature = typeof temperature === 'number'
  return {
    temperature: hasTemperature ? Math.min(1, Math.max(0, temperature)) : undefined,
    top_p: hasTemperature && traits.oneSampling ? undefined : topP,
  }
}

function stopSequences(stop: Json | undefined): readonly string[] | undefined {
  const list = (Array.isArray(stop) ? stop : [stop]).filter((text): text is string => typeof text === 'string' && text.trim() !== '')
  return list.length === 0 ? undefined : list
}

function tierOf(tier: Json | undefined): string | undefined {
  return tier === 'auto' ? 'auto' : tier === 'default' || tier === 'standard_only' ? 'standard_only' : undefined
}

function own(chat: JsonObject, traits: ModelTraits, isThinking: boolean): JsonObject {
  const names = ownFields.filter((name) => name !== 'top_k' || !(traits.refusesSampling || isThinking))
  const fields = Object.fromEntries(names.map((name) => [name, chat[name]]))
  // OpenAI's `metadata` is a map of the client's own; only the one field that the vendor knows is its.
  const userId = isObject(chat['metadata']) ? chat['metadata']['user_id'] : undefined
  const user = typeof userId === 'string' ? userId : chat['user']
  return { ...fields, metadata: typeof user === 'string' ? { user_id: user } : undefined }
}
