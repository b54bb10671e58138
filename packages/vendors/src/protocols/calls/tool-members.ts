import { isGiven, isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Rewrites } from '../../core/rewrites.ts'

const choices = ['tool_choice', 'parallel_tool_calls'] as const

/**
 * The chat without a choice of tools where it has none: most vendors refuse that, and an empty list of tools (openai/codex 46773, read 2026-11-30).
 * A choice that forces a call stays, because without it the response would differ: the vendor refuses it by name.
 */
export function withoutIdleChoice(chat: JsonObject, rewrites: Rewrites): JsonObject {
  const { tools, functions } = chat
  if (hasEntries(tools) || hasEntries(functions)) return chat
  const idle = choices.filter((name) => isGiven(chat[name]))
  if ((idle.length === 0 && !Array.isArray(tools)) || forcesCall(chat['tool_choice']) || !rewrites.may('tools')) return chat
  for (const name of idle) rewrites.note('tools', name)
  const { tools: _none, tool_choice: _choice, parallel_tool_calls: _parallel, ...rest } = chat
  return rest
}

/** In the form of a chat, a response or a message. */
function forcesCall(choice: Json | undefined): boolean {
  return choice === 'required' || (isObject(choice) && choice['type'] !== 'auto' && choice['type'] !== 'none')
}

const hasEntries = (list: Json | undefined): boolean => Array.isArray(list) && list.length > 0

/**
 * The chat without empty lists of calls and calls that are `null` in its messages, which self-hosted servers and many vendors
 * refuse (NousResearch/hermes-agent 58953 and 72591, read 2026-11-30).
 */
export function withoutEmptyCalls(chat: JsonObject, rewrites: Rewrites): JsonObject {
  const { messages } = chat
  if (!Array.isArray(messages) || !anyHasEmptyCalls(messages) || !rewrites.may('tools')) return chat
  rewrites.note('tools', 'tool_calls: []')
  return { ...chat, messages: messages.map(withoutEmpty) }
}

const isEmpty = (calls: Json | undefined): boolean => calls === null || (Array.isArray(calls) && calls.length === 0)

const hasEmptyCalls = (message: Json): message is JsonObject =>
  isObject(message) && (isEmpty(message['tool_calls']) || message['function_call'] === null)

/** Runs for every chat. */
function anyHasEmptyCalls(messages: readonly Json[]): boolean {
  for (const message of messages) if (hasEmptyCalls(message)) return true
  return false
}

/** A message without a call has a content. */
function withoutEmpty(message: Json): Json {
  if (!hasEmptyCalls(message)) return message
  const { tool_calls: calls, function_call: call, ...rest } = message
  const kept: JsonObject = {
    ...rest,
    ...(isEmpty(calls) || calls === undefined ? {} : { tool_calls: calls }),
    ...(isGiven(call) ? { function_call: call } : {}),
  }
  const hasCall = 'tool_calls' in kept || 'function_call' in kept
  return hasCall || isGiven(kept['content']) ? kept : { ...kept, content: '' }
}
