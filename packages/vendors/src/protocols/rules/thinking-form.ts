import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** Budgets of reasoning for each effort, and the effort of each budget (our tables; the vendor's smallest budget is 1,024). */
const budgets: Readonly<Record<string, number>> = { low: 2_048, medium: 8_192, high: 16_384, xhigh: 16_384, max: 16_384 }
const efforts: ReadonlyArray<readonly [most: number, effort: string]> = [
  [4_096, 'low'],
  [12_288, 'medium'],
]
const [budgetMin, responseMin] = [1_024, 256]

/** A request in Anthropic's form whose model thinks in this form only; the same object if it is right. */
export function withThinkingForm(body: JsonObject, form: 'adaptive' | 'budget' | 'none'): JsonObject {
  if (form === 'adaptive') return withAdaptive(body)
  const { thinking } = body
  const plain = withoutEffort(body)
  if (!isObject(thinking) || thinking['type'] !== 'adaptive') return plain
  const budget = form === 'none' || losesReasoning(body['messages']) ? 0 : budgetOf(body)
  const { thinking: _adaptive, ...rest } = plain
  return budget === 0 ? rest : { ...rest, thinking: { type: 'enabled', budget_tokens: budget } }
}

/** Models without budgets send empty reasoning unless a summary is requested. */
function withAdaptive(body: JsonObject): JsonObject {
  const { thinking, output_config: config } = body
  if (!isObject(thinking) || thinking['type'] !== 'enabled') return body
  const { budget_tokens: budget, ...rest } = thinking
  const own = isObject(config) ? config : {}
  const effort = typeof budget === 'number' ? (efforts.find(([most]) => budget <= most)?.[1] ?? 'high') : undefined
  const effortConfig = own['effort'] === undefined && effort !== undefined ? { output_config: { ...own, effort } } : {}
  return { ...body, thinking: { display: 'summarized', ...rest, type: 'adaptive' }, ...effortConfig }
}

/** Models that have budgets have no effort. */
export function withoutEffort(body: JsonObject): JsonObject {
  const { output_config: config, ...rest } = body
  if (!isObject(config) || config['effort'] === undefined) return body
  const { effort: _effort, ...kept } = config
  return Object.keys(kept).length === 0 ? rest : { ...rest, output_config: kept }
}

/** Below the limit of output; 0 = that leaves too little. */
function budgetOf({ output_config: config, max_tokens: limit }: JsonObject): number {
  const budget = lookUp(budgets, textOr(isObject(config) ? config['effort'] : undefined, 'high')) ?? budgetMin
  const most = typeof limit === 'number' ? limit - responseMin : budget
  return most < budgetMin ? 0 : Math.min(budget, most)
}

/** With a budget, a turn that called a tool must begin with its reasoning (Anthropic, "Extended thinking", read 2026-11-21). */
function losesReasoning(messages: Json | undefined): boolean {
  const [before, last] = Array.isArray(messages) ? messages.slice(-2) : []
  const isOutputBlock = blocksOf(last).some(({ type }) => type === 'tool_result')
  const type = blocksOf(before)[0]?.['type']
  return isOutputBlock && type !== 'thinking' && type !== 'redacted_thinking'
}

function blocksOf(message: Json | undefined): readonly JsonObject[] {
  const content = isObject(message) ? message['content'] : undefined
  return Array.isArray(content) ? content.filter(isObject) : []
}
