import type { JsonObject } from '../../core/json.ts'

/** Names of models that reason before they respond, as far as known: o1, o3-mini, gpt-5, anything with "think" or "reason", r1, qwq. */
const thinkingModels = /(?:^|[/:])(?:o[1-9]|gpt-[5-9]|qwq)(?![a-z])|think|reason|research|[-/]r1(?![a-z0-9])/i

/** Whether a model may be silent for minutes before it writes: by its name, or because the request asks it to think. */
export function thinksLong(model: string, body: JsonObject): boolean {
  const { reasoning_effort: effort, reasoning, thinking, enable_thinking: isEnabled } = body
  if (typeof effort === 'string' && effort !== 'none' && effort !== 'minimal') return true
  return isGiven(reasoning) || isGiven(thinking) || isEnabled === true || thinkingModels.test(model)
}

function isGiven(value: JsonObject[string] | undefined): boolean {
  return typeof value === 'object' && value !== null
}
