import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { effortIn, lowHighMax, modelOf, withEffort, withoutFields } from '../../protocols/compat/fields.ts'
import { developerToSystem, withMessages } from '../../protocols/compat/messages.ts'
import { withinRanges } from '../../protocols/compat/sampling.ts'
import { forcesTool } from '../../protocols/compat/tool-choice.ts'
import { searchRequestOf } from '../../protocols/compat/web-search.ts'

/** A chat as the compatible interface takes it: audio, sampling and the level of reasoning differ from OpenAI's. */
export function alibabaChat(body: JsonObject): JsonObject {
  return withThinkingOf(withOwnSearch(withinRanges(withMessages(body, ownMessage), { top_p: [0.001, 0.999], temperature: [0, 1.99] })))
}

/**
 * Alibaba Cloud Model Studio, "Web search", a copy of February 2026 read 2026-11-23. Chats of this interface count their searches and do not report
 * the pages.
 */
function withOwnSearch(body: JsonObject): JsonObject {
  const searchRequest = searchRequestOf(body)
  if (searchRequest === null) return body
  return { ...searchRequest.rest, enable_search: true, ...(searchRequest.isForced ? { search_options: { forced_search: true } } : {}) }
}

function ownMessage(message: JsonObject): JsonObject {
  const { content } = message
  const converted = developerToSystem(message)
  return Array.isArray(content) ? { ...converted, content: content.map(ownPart) } : converted
}

/** Audio is an address there, so bytes are a data address. */
function ownPart(part: Json): Json {
  if (!isObject(part) || part['type'] !== 'input_audio' || !isObject(part['input_audio'])) return part
  const { data } = part['input_audio']
  const isAddress = typeof data !== 'string' || /^(?:https?|data):/.test(data)
  return isAddress ? part : { ...part, input_audio: { ...part['input_audio'], data: `data:;base64,${data}` } }
}

/** Models that think or not, as `enable_thinking` says. */
const hybrid = /^(?:qwen3(?!.*(?:coder|instruct|-thinking))|qwen-(?:plus|flash|turbo)|deepseek-v(?:3\.[12]|4)|glm-|kimi-k2\.)/
/**
 * Most tokens of reasoning; more effort has no limit. Qwen4 Max has all levels of OpenAI, and takes none beside a limit ("Qwen4", docs.apiyi.com, tried on
 * 2026-11-17). DeepSeek V4 has levels instead ("DeepSeek" there, as models.dev quotes it on 2026-09-18).
 */
const budgets: Readonly<Record<string, number>> = { low: 2_048, medium: 8_192 }

function withThinkingOf(body: JsonObject): JsonObject {
  const effort = effortIn(body)
  const rest = withoutFields(body, ['reasoning_effort', 'reasoning'])
  const model = modelOf(body)
  // While a model thinks, it cannot be forced to call a certain tool.
  if (forcesTool(body) && hybrid.test(model) && body['enable_thinking'] === undefined) return { ...rest, enable_thinking: false }
  const { thinking_budget: limit } = body
  if (effort === null || (limit !== undefined && body['enable_thinking'] !== undefined)) return rest
  if (model.startsWith('qwen4-max')) return limit === undefined ? { ...rest, reasoning_effort: effort } : rest
  const levelled = withoutFields(rest, ['thinking_budget'])
  if (model.startsWith('qwen3.8-max')) return { ...levelled, reasoning_effort: namedEffort(effort) }
  if (!hybrid.test(model) || body['enable_thinking'] !== undefined) return levelled
  if (isQuick(effort)) return { ...levelled, enable_thinking: false }
  if (model.startsWith('deepseek-v4')) return withEffort({ ...levelled, reasoning_effort: effort, enable_thinking: true }, lowHighMax)
  const budget = limit ?? budgets[effort]
  return { ...levelled, enable_thinking: true, ...(budget === undefined ? {} : { thinking_budget: budget }) }
}

const isQuick = (effort: string): boolean => effort === 'none' || effort === 'minimal'

function namedEffort(effort: string): string {
  if (effort === 'medium') return 'medium'
  return isQuick(effort) || effort === 'low' ? 'low' : 'xhigh'
}
