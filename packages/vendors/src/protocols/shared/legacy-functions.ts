import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

// Functions before there were tools (OpenAI API reference, chat completions, `functions` and `function_call`, deprecated, read 2026-11-22):
// one call per message, without an id.

/** Whether a chat declares functions in the old form, so its response must use that form too. */
export function hasLegacyFunctions({ functions, tools }: JsonObject): boolean {
  return Array.isArray(functions) && functions.length > 0 && (!Array.isArray(tools) || tools.length === 0)
}

const legacyNames: Readonly<Record<string, string>> = { tools: 'functions', tool_choice: 'function_call', parallel_tool_calls: 'functions' }

/** What a client of the old form calls a field of a chat. */
export function legacyName(field: string): string {
  return lookUp(legacyNames, field) ?? field
}

/** The chat with its functions as tools. Old calls are also translated if the chat declares no functions. */
export function withTools(chat: JsonObject): JsonObject {
  const { messages } = chat
  const toolMessages = Array.isArray(messages) ? toToolMessages(messages) : messages
  if (!hasLegacyFunctions(chat)) return toolMessages === messages ? chat : { ...chat, messages: toolMessages ?? [] }
  const { functions, function_call: choice, messages: _messages, ...rest } = chat
  const tools = Array.isArray(functions) ? functions.filter(isObject).map((declared) => ({ type: 'function', function: declared })) : []
  return {
    ...rest,
    ...(toolMessages === undefined ? {} : { messages: toolMessages }),
    tools,
    parallel_tool_calls: false,
    ...(choice === undefined ? {} : { tool_choice: isObject(choice) ? { type: 'function', function: choice } : choice }),
  }
}

/** @returns the list itself if no message is in the old form */
function toToolMessages(messages: readonly Json[]): readonly Json[] {
  if (!messages.some(isLegacy)) return messages
  let id = ''
  return messages.map((message, place) => {
    if (!isObject(message)) return message
    const { function_call: call, role, name: _name, ...rest } = message
    if (role === 'function') return { ...rest, role: 'tool', tool_call_id: id }
    if (!isObject(call)) return message
    id = `call_${place}`
    return { ...rest, role: role ?? 'assistant', tool_calls: [{ id, type: 'function', function: call }] }
  })
}

function isLegacy(message: Json): boolean {
  return isObject(message) && (message['role'] === 'function' || isObject(message['function_call']))
}

/** A whole response with its call in the old form. */
export function withFunctionCall(response: JsonObject): JsonObject {
  return withChoices(response, (choice) => {
    const { message } = choice
    return isObject(message) ? { ...choice, message: functionCallIn(message), ...reasonOf(choice) } : choice
  })
}

/** A chunk with its tool call in the old form, as `function_call`. */
export function chunkWithFunctionCall(chunk: JsonObject): JsonObject {
  return withChoices(chunk, (choice) => {
    const { delta } = choice
    return isObject(delta) ? { ...choice, delta: functionCallIn(delta), ...reasonOf(choice) } : choice
  })
}

function withChoices(body: JsonObject, change: (choice: JsonObject) => JsonObject): JsonObject {
  const { choices } = body
  return Array.isArray(choices) ? { ...body, choices: choices.map((choice) => (isObject(choice) ? change(choice) : choice)) } : body
}

function functionCallIn(message: JsonObject): JsonObject {
  const { tool_calls: calls, ...rest } = message
  const [call] = Array.isArray(calls) ? calls : []
  return isObject(call) && call['function'] !== undefined ? { ...rest, function_call: call['function'] } : message
}

function reasonOf({ finish_reason: reason }: JsonObject): JsonObject {
  return textOr(reason, '') === 'tool_calls' ? { finish_reason: 'function_call' } : {}
}
