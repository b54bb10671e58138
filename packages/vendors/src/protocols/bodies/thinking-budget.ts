import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { limitIn } from './offered-tools.ts'

/**
 * Reasoning tokens that a body allows beside its output limit; 0: it wants none; `null`: it does not say (Alibaba Cloud Model Studio,
 * "Deep thinking", `enable_thinking` and `thinking_budget`; ByteDance Ark, `thinking.type`; stored copies read 2026-11-29).
 */
export function thinkingBudgetIn({ enable_thinking: isOn, thinking_budget: budget, thinking }: JsonObject): number | null {
  const { type, budget_tokens: tokens } = isObject(thinking) ? thinking : {}
  if (isOn === false || type === 'disabled') return 0
  return limitIn(budget) ?? limitIn(tokens)
}
