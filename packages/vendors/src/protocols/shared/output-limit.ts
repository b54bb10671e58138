import type { JsonObject } from '../../core/json.ts'
import type { Target } from '../../core/request.ts'

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

/** A chat with our limit, in one of two fields: every server knows the older one, but OpenAI's reasoning models refuse it. */
export function withChatLimit(chat: JsonObject, target: Target): JsonObject {
  if (target.outputLimit === undefined) return chat
  const field = isReasoningModel(target.model) ? 'max_completion_tokens' : 'max_tokens'
  if (!('max_tokens' in chat || 'max_completion_tokens' in chat)) return withOutputLimit(chat, field, target)
  const { max_tokens: _older, max_completion_tokens: _newer, ...rest } = chat
  return withOutputLimit(rest, field, target)
}
