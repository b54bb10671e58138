import type { Failure, Target } from '../dialect.ts'
import type { JsonObject } from '../json.ts'

/** The o series and everything from GPT-5 on, fine-tuned ones too; `gpt-5-chat` does not reason. */
const reasoning = /^(?:ft:)?(?:o\d+(?:-|:|$)|gpt-(?:[5-9]|\d\d)(?!-chat|\d))/

/** Whether it is a reasoning model of OpenAI, by its name. These refuse `max_tokens` (OpenAI, "Reasoning models", read 2026-11-21). */
export function isReasoningModel(model: string): boolean {
  return reasoning.test(model)
}

/** The body with our limit in this field, if there is one. The client then set none, so the field's value is overwritten. */
export function withOutputLimit(body: JsonObject, field: string, { outputLimit }: Target): JsonObject {
  return outputLimit === undefined ? body : { ...body, [field]: outputLimit }
}

/** The same for a chat, which has two fields: every server knows the older one, but OpenAI's reasoning models refuse it. */
export function withChatLimit(chat: JsonObject, target: Target): JsonObject {
  if (target.outputLimit === undefined) return chat
  const field = isReasoningModel(target.model) ? 'max_completion_tokens' : 'max_tokens'
  if (!('max_tokens' in chat || 'max_completion_tokens' in chat)) return withOutputLimit(chat, field, target)
  const { max_tokens: _older, max_completion_tokens: _newer, ...rest } = chat
  return withOutputLimit(rest, field, target)
}

const limits = ['max_tokens', 'max_completion_tokens'] as const
const notTaken: ReadonlySet<string | null> = new Set(['unsupported_parameter', 'unknown_parameter'])
const isUnrecognized = /^Unrecognized request arguments? supplied: .*\b(max_tokens|max_completion_tokens)\b/

/**
 * The name by which a limit was refused: the older one by models that reason and whose name does not tell it, such as deployments of Azure (its error as
 * langgenius/dify 9746 and lobehub/lobehub 5909 quote it), the newer one by versions of Azure before it (openai/openai-python 1724,
 * BerriAI/litellm 8638, all read 2026-11-26). `null` = something else was refused, or its value.
 */
function refusedLimit({ param, code, message }: Failure): (typeof limits)[number] | null {
  const named = notTaken.has(code) ? param : isUnrecognized.exec(message)?.[1]
  return limits.find((name) => name === named) ?? null
}

/** Whether the limit may have the other name: models that are known to reason have the newer one only, so versions of Azure before it do not have them. */
export function hasOtherLimit(failure: Failure, model: string): boolean {
  const refused = refusedLimit(failure)
  return refused === 'max_tokens' || (refused === 'max_completion_tokens' && !isReasoningModel(model))
}

/** The chat with its limit under the other name, if it was refused under the one that it has. */
export function withOtherLimit(chat: JsonObject, refusal: Failure): JsonObject {
  const refused = refusedLimit(refusal)
  if (refused === null || typeof chat[refused] !== 'number') return chat
  const { [refused]: limit, ...rest } = chat
  const other = refused === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  return { ...rest, [other]: chat[other] ?? limit }
}
