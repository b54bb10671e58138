import type { JsonObject } from '../json.ts'

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

/** The chat with the nearest level that its model has: the next higher one, or the highest. Other models get it as it is. */
export function withLevelOfModel(chat: JsonObject): JsonObject {
  const { reasoning_effort: effort } = chat
  if (typeof effort !== 'string') return chat
  const known = levels.find(([model]) => model.test(String(chat['model'])))?.[1]
  const at = order.indexOf(effort)
  if (known === undefined || at === -1 || known.includes(effort)) return chat
  return { ...chat, reasoning_effort: order.slice(at).find((level) => known.includes(level)) ?? known.at(-1) ?? effort }
}
