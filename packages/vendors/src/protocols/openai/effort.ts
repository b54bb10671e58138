import { asText, isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'

/** Every level, from none to the most. */
const order: readonly string[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/**
 * The levels of reasoning by generation: OpenAI's pages of the models, and its errors ("Supported values are: ...") as openai/openai-agents-python
 * 2089 and pydantic/pydantic-ai 7081 quote them, stored copies read 2026-11-25.
 */
const levels: ReadonlyArray<readonly [RegExp, readonly string[]]> = [
  [/^o\d/, ['low', 'medium', 'high']],
  [/^gpt-5(?![.\d])/, ['minimal', 'low', 'medium', 'high']],
  [/^gpt-5\.1(?!\d)/, ['none', 'low', 'medium', 'high']],
  [/^gpt-5\.[2-5](?!\d)/, ['none', 'low', 'medium', 'high', 'xhigh']],
  [/^gpt-(?:6-astra|6\.1-sol|6\.2-)/, ['low', 'medium', 'high', 'xhigh', 'max']],
  [/^gpt-(?:5\.6|6-|6\.1-)/, ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
]

/** OpenAI's models that do not reason, fine-tuned ones too. */
const unreasoning = /^(?:ft:)?(?:gpt-3\.5|gpt-4|chatgpt-4o|gpt-5-chat)/

/**
 * The request with the nearest level that its model has: the next higher one, or the highest. Models of other names get it as it is. Chats and
 * responses have it in two places.
 */
export function withLevelOfModel(body: JsonObject): JsonObject {
  const { model, reasoning_effort: effort, reasoning } = body
  if (unreasoning.test(asText(model))) return withoutReasoning(body)
  if (typeof effort === 'string') return { ...body, reasoning_effort: nearest(asText(model), effort) }
  if (!isObject(reasoning) || typeof reasoning['effort'] !== 'string') return body
  return { ...body, reasoning: { ...reasoning, effort: nearest(asText(model), reasoning['effort']) } }
}

/**
 * The request without reasoning parameters, which models that do not reason refuse instead of ignoring them: "Unsupported parameter: 'reasoning.effort'
 * is not supported with this model", "Encrypted content is not supported with this model" (davidmigloz/langchain_dart 712, BoundaryML/baml 2708,
 * pydantic/pydantic-ai 2865 and 3326, read 2026-11-27). Agents send them with every request, and clients of other protocols cannot know.
 */
function withoutReasoning(request: JsonObject): JsonObject {
  if (request['reasoning_effort'] === undefined && request['reasoning'] === undefined && request['include'] === undefined) return request
  const { reasoning_effort: _effort, reasoning: _reasoning, include, ...body } = request
  const included = Array.isArray(include) ? include.filter((name) => name !== 'reasoning.encrypted_content') : include
  return included === undefined || (Array.isArray(included) && included.length === 0) ? body : { ...body, include: included }
}

function nearest(model: string, effort: string): string {
  const known = levels.find(([pattern]) => pattern.test(model))?.[1]
  const at = order.indexOf(effort)
  if (known === undefined || at === -1 || known.includes(effort)) return effort
  return order.slice(at).find((level) => known.includes(level)) ?? known.at(-1) ?? effort
}

/** Models that call functions in a chat only while they do not reason. */
const separating = /^gpt-(?:5\.[4-9]|[6-9]|\d\d)/
/** Those of them that reason unless it is disabled. */
const reasonsByDefault = /^gpt-(?:5\.[6-9]|[6-9]|\d\d)/

/** Whether chats of the model may have to be sent as responses. */
export const separatesFunctions = (model: string): boolean => separating.test(model)

/**
 * Whether a chat requests functions and reasoning, which OpenAI's newer models do together only for responses: "Function tools with reasoning_effort
 * are not supported for gpt-6-sol in /v1/chat/completions" (onyx-dot-app/onyx 15008, BerriAI/litellm 34569, docker/docker-agent 4165, read 2026-11-25).
 */
export function needsResponses({ tools, reasoning_effort: effort }: JsonObject, model: string): boolean {
  if (!separating.test(model) || !Array.isArray(tools) || tools.length === 0) return false
  const level = typeof effort === 'string' ? effort : reasonsByDefault.test(model) ? 'medium' : 'none'
  return nearest(model, level) !== 'none'
}
