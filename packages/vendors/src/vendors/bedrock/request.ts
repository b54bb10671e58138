import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import { toConversation } from '../../protocols/anthropic/messages.ts'
import { outputTool } from '../../protocols/anthropic/output-format.ts'
import { objectSchema } from '../../protocols/anthropic/tools.ts'
import { withAllowedTools } from '../../protocols/shared/allowed-tools.ts'
import { lackedIn } from '../../protocols/shared/feature-use.ts'
import { hasLegacyFunctions, withTools } from '../../protocols/shared/legacy-functions.ts'
import { fittingSchema } from '../../protocols/shared/schema-instruction.ts'
import { withoutEmptyLimits } from '../../protocols/shared/token-limit-fields.ts'
import { bedrockKeyOf } from './channel.ts'
import { toConverseContent } from './content.ts'
import { withDifferentNames, withTakenPoints } from './marks.ts'
import { bedrockIdOf, takesAudio, takesForcedTool, takesStrictTools } from './models.ts'

/** The path of a call to a model; an id may contain `:` and an ARN `/`, which are escaped. */
export function bedrockPath({ model, channel }: Pick<Target, 'model' | 'channel'>, action: string): string {
  return `/model/${encodeURIComponent(bedrockIdOf(model, bedrockKeyOf(channel)?.region ?? ''))}/${action}`
}

/** Converse has videos for Nova, in a form that is not translated. */
const lacks = ['videos in', 'audio by address'] as const

export const eventStreamType = { accept: 'application/vnd.amazon.eventstream' } as const
const wholeType = { accept: 'application/json' } as const

/**
 * A chat for Converse (Amazon Bedrock API reference, "Converse", a stored copy read 2026-11-22). `seed`, `logit_bias` and the penalties,
 * which only tune sampling, are left out, because Converse has no such fields.
 */
export function toConverse(request: JsonObject, target: Target): Outgoing {
  const chat = withAllowedTools(withTools(withoutEmptyLimits(request)))
  const id = bedrockIdOf(target.model, bedrockKeyOf(target.channel)?.region ?? '')
  const format = formatOf(chat['response_format'], chat, takesForcedTool(id) && !hasTools(chat))
  const toolConfig = format.toolConfig ?? toolConfigOf(chat, id)
  const { system, messages } = toConversation(chat['messages'], target.rewrites)
  const wire = messages.map(({ role, content }) => ({
    role: role ?? 'user',
    content: toConverseContent(content, { hasTools: toolConfig !== null, isMistral: id.includes('mistral'), hears: takesAudio(id) }),
  }))
  const conversation = { system: [...(toConverseContent(system, null) ?? []), ...format.system], messages: wire }
  const inference = inferenceOf(chat, target.outputLimit)
  const extra = extraFields(chat, id)
  const refused = refusedPart(chat, wire) ?? refusedIn(chat, id, toolConfig)
  const { rewrites } = target
  const taken = withTakenPoints(conversation, id, rewrites)
  return {
    path: bedrockPath(target, target.stream ? 'converse-stream' : 'converse'),
    headers: target.stream ? eventStreamType : wholeType,
    body: {
      messages: withDifferentNames(taken.messages, rewrites),
      ...(taken.system.length === 0 ? {} : { system: taken.system }),
      ...(Object.keys(inference).length === 0 ? {} : { inferenceConfig: inference }),
      ...(toolConfig === null ? {} : { toolConfig }),
      ...(Object.keys(extra).length === 0 ? {} : { additionalModelRequestFields: extra }),
      ...ownFields(chat),
    },
    ...(hasLegacyFunctions(request) ? { callsFunctions: true } : {}),
    ...(format.unwrapTool === null ? {} : { unwrapTool: format.unwrapTool }),
    ...(refused === null ? {} : { refused }),
  }
}

/** A part of the messages that Converse cannot hold. */
function refusedPart(chat: JsonObject, wire: ReadonlyArray<{ readonly content: Json | null }>): string | null {
  return lackedIn(chat, lacks) ?? (wire.some(({ content }) => content === null) ? 'messages' : null)
}

function inferenceOf(chat: JsonObject, outputLimit: number | undefined): JsonObject {
  const { max_completion_tokens: newer, max_tokens: older, temperature, top_p: topP, stop } = chat
  const limit = outputLimit ?? newer ?? older
  const stops = (Array.isArray(stop) ? stop : [stop]).filter((text) => typeof text === 'string' && text.trim() !== '')
  return {
    ...(typeof limit === 'number' ? { maxTokens: limit } : {}),
    // OpenAI's range ends at 2, this one at 1.
    ...(typeof temperature === 'number' ? { temperature: Math.min(1, temperature) } : {}),
    ...(typeof topP === 'number' ? { topP } : {}),
    ...(stops.length === 0 ? {} : { stopSequences: stops }),
  }
}

interface Format {
  readonly toolConfig: JsonObject | null
  readonly system: readonly JsonObject[]
  readonly unwrapTool: string | null
}

const plain: Format = { toolConfig: null, system: [], unwrapTool: null }

/** A schema becomes a tool that must be called, or an instruction for models without forced tools and for requests with tools. */
function formatOf(format: Json | undefined, chat: JsonObject, mayForce: boolean): Format {
  if (!isObject(format) || (format['type'] !== 'json_schema' && format['type'] !== 'json_object')) return plain
  const { json_schema: declared } = format
  const schema = isObject(declared) ? declared['schema'] : undefined
  if (!isObject(schema)) return { ...plain, system: [{ text: 'Answer with one valid JSON object and nothing else.' }] }
  if (!mayForce) {
    return { ...plain, system: [{ text: `Answer only with one JSON object ${fittingSchema(schema)}` }] }
  }
  const name = outputTool(chat)
  const toolSpec = { name, description: 'Gives the answer.', inputSchema: { json: objectSchema(schema) } }
  return { toolConfig: { tools: [{ toolSpec }], toolChoice: { tool: { name } } }, system: [], unwrapTool: name }
}

function hasTools({ tools }: JsonObject): boolean {
  return Array.isArray(tools) && tools.length > 0
}

/** `null`: no tools may be called, so earlier calls are sent as text. */
function toolConfigOf({ tools, tool_choice: choice }: JsonObject, id: string): JsonObject | null {
  const declared = (Array.isArray(tools) ? tools : []).filter(isObject).map((tool) => tool['function'])
  const specs = declared.filter(isObject).map(({ name, description, parameters, strict }) => ({
    toolSpec: {
      name: textOr(name, ''),
      ...(typeof description === 'string' && description !== '' ? { description } : {}),
      inputSchema: { json: objectSchema(parameters) },
      ...(strict === true && takesStrictTools(id) ? { strict } : {}),
    },
  }))
  if (specs.length === 0 || choice === 'none') return null
  const chosen = isObject(choice) && isObject(choice['function']) ? textOr(choice['function']['name'], '') : null
  if (chosen !== null) return { tools: specs, toolChoice: { tool: { name: chosen } } }
  return { tools: specs, ...(choice === 'required' ? { toolChoice: { any: {} } } : {}) }
}

function refusedIn({ tool_choice: choice, web_search_options: search }: JsonObject, id: string, tools: JsonObject | null): string | null {
  if (isObject(search)) return 'web_search_options'
  return tools !== null && (choice === 'required' || isObject(choice)) && !takesForcedTool(id) ? 'tool_choice' : null
}

const novaEfforts: Readonly<Record<string, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
}

/** Fields of single models. Of the effort, only those models learn that have one; for all others it says nothing. */
function extraFields(
  { reasoning_effort: effort, top_k: topK, additional_model_request_fields: modelFields }: JsonObject,
  id: string,
): JsonObject {
  const own = isObject(modelFields) ? modelFields : {}
  const effortName = textOr(effort, '')
  if (/nova-2/.test(id) && novaEfforts[effortName] !== undefined)
    return { reasoningConfig: { type: 'enabled', maxReasoningEffort: novaEfforts[effortName] }, ...own }
  if (/gpt-oss/.test(id) && ['low', 'medium', 'high'].includes(effortName)) return { reasoning_effort: effortName, ...own }
  return typeof topK === 'number' && /nova/.test(id) ? { inferenceConfig: { topK }, ...own } : own
}

const tiers: Readonly<Record<string, string>> = { default: 'default', flex: 'flex', priority: 'priority' }

/** Members of Converse that a client may send beside OpenAI's fields, and the tier. */
function ownFields({ guardrailConfig, performanceConfig, service_tier: tier }: JsonObject): JsonObject {
  const type = tiers[textOr(tier, '')]
  return {
    ...(isObject(guardrailConfig) ? { guardrailConfig } : {}),
    ...(isObject(performanceConfig) ? { performanceConfig } : {}),
    ...(type === undefined ? {} : { serviceTier: { type } }),
  }
}
