import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { toArguments } from '../shared/custom-tools.ts'

/**
 * A chat whose earlier calls are all those of functions: a call of a custom tool, whose input is free text, becomes that of a function with one text
 * (OpenAI API reference, chat completions, `tool_calls` of type `custom`, read 2026-11-30).
 */
export function withFunctionCalls(chat: JsonObject): JsonObject {
  const { messages } = chat
  return Array.isArray(messages) && anyHasCustom(messages) ? { ...chat, messages: messages.map(ofFunctions) } : chat
}

/** Runs for every chat. */
function anyHasCustom(messages: readonly Json[]): boolean {
  for (const message of messages) if (hasCustom(message)) return true
  return false
}

const isCustom = (call: Json): boolean => isObject(call) && isObject(call['custom'])

const hasCustom = (message: Json): boolean => {
  const calls = isObject(message) ? message['tool_calls'] : undefined
  return Array.isArray(calls) && calls.some(isCustom)
}

function ofFunctions(message: Json): Json {
  const calls = isObject(message) && hasCustom(message) ? message['tool_calls'] : undefined
  return isObject(message) && Array.isArray(calls) ? { ...message, tool_calls: calls.map(ofFunction) } : message
}

function ofFunction(call: Json): Json {
  if (!isObject(call)) return call
  const { custom, ...rest } = call
  return isObject(custom)
    ? { ...rest, type: 'function', function: { name: custom['name'], arguments: toArguments(custom['input']) } }
    : call
}
