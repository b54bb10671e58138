import { isObject, lookUp } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { cleanName, createNaming } from './naming.ts'

/** Names of functions that OpenAI's chats accept ("Create chat completion", `tools`, read 2026-11-30), and with them all other vendors but those with less. */
export const acceptedNames = /^[a-zA-Z0-9_-]{1,64}$/

interface NamedChat {
  readonly chat: JsonObject
  /** Sent name -> the client's name; only for names that had to change. */
  readonly changed: Readonly<Record<string, string>>
}

/** Leaves room for a number. */
const lengthMax = 56

/** What is put before a name that may not begin as it does. */
const beginnings = ['', '_', 'f_'] as const

/**
 * The chat with each name that the vendor would refuse replaced by a unique one: in the tools, in the choice and in earlier calls. The same names become
 * the same in every turn, as long as no tool is put before others. `null` = it has none.
 */
export function withAcceptedNames(chat: JsonObject, accepted: RegExp): NamedChat | null {
  if (!hasRefusedName(chat, accepted)) return null
  const names = new Set<string>()
  withNames(chat, (name) => {
    names.add(name)
    return name
  })
  const naming = createNaming(
    [...names].filter((name) => accepted.test(name)),
    lengthMax,
  )
  const acceptedOf = new Map<string, string>()
  for (const name of names) {
    const clean = cleanName(name, lengthMax)
    const beginning = beginnings.find((first) => accepted.test(first + clean)) ?? ''
    if (!accepted.test(name)) acceptedOf.set(name, naming.takeLike(beginning + name))
  }
  const changed = Object.fromEntries([...acceptedOf].map(([name, acceptedName]) => [acceptedName, name]))
  return { chat: withNames(chat, (name) => acceptedOf.get(name) ?? name), changed }
}

/** Every chat is looked through, and few have such a name. */
function hasRefusedName({ tools, functions, messages }: JsonObject, accepted: RegExp): boolean {
  if (hasRefusedTool(tools, accepted)) return true
  if (Array.isArray(functions) && functions.some((declared) => isRefused(declared, accepted))) return true
  if (!Array.isArray(messages)) return false
  for (const message of messages) {
    if (!isObject(message)) continue
    const { tool_calls: calls, function_call: call } = message
    if (calls !== undefined && hasRefusedTool(calls, accepted)) return true
    if (call !== undefined && isRefused(call, accepted)) return true
  }
  return false
}

function hasRefusedTool(tools: Json | undefined, accepted: RegExp): boolean {
  if (!Array.isArray(tools)) return false
  for (const tool of tools) {
    if (isObject(tool) && isOfClient(tool) && (isRefused(tool['function'], accepted) || isRefused(tool['custom'], accepted))) return true
  }
  return false
}

const isRefused = (named: Json | undefined, accepted: RegExp): boolean =>
  isObject(named) && typeof named['name'] === 'string' && !accepted.test(named['name'])

/** Tools of a vendor have names that it knows. */
const isOfClient = ({ type }: JsonObject): boolean => type === undefined || type === null || type === 'function' || type === 'custom'

type Rename = (name: string) => string

/** The chat with every name of a function or of another tool of the client changed: declared, chosen, and called earlier. */
function withNames(chat: JsonObject, rename: Rename): JsonObject {
  const { tools, functions, tool_choice: choice, function_call: chosen, messages } = chat
  return {
    ...chat,
    ...(Array.isArray(tools) ? { tools: tools.map((tool) => namedTool(tool, rename)) } : {}),
    ...(Array.isArray(functions) ? { functions: functions.map((declared) => named(declared, rename)) } : {}),
    ...(isObject(choice) ? { tool_choice: namedChoice(choice, rename) } : {}),
    ...(isObject(chosen) ? { function_call: named(chosen, rename) } : {}),
    ...(Array.isArray(messages) ? { messages: messages.map((message) => namedMessage(message, rename)) } : {}),
  }
}

function named(declared: Json, rename: Rename): Json {
  return isObject(declared) && typeof declared['name'] === 'string' ? { ...declared, name: rename(declared['name']) } : declared
}

/** A tool, a call of one, or the choice of one. */
function namedTool(tool: Json, rename: Rename): Json {
  if (!isObject(tool) || !isOfClient(tool)) return tool
  const { function: declared, custom } = tool
  if (isObject(declared)) return { ...tool, function: named(declared, rename) }
  return isObject(custom) ? { ...tool, custom: named(custom, rename) } : tool
}

function namedChoice(choice: JsonObject, rename: Rename): Json {
  const { allowed_tools: allowed } = choice
  if (!isObject(allowed) || !Array.isArray(allowed['tools'])) return namedTool(choice, rename)
  return { ...choice, allowed_tools: { ...allowed, tools: allowed['tools'].map((tool) => namedTool(tool, rename)) } }
}

/** A result may have the name of its function, too. */
function namedMessage(message: Json, rename: Rename): Json {
  if (!isObject(message)) return message
  const { role, tool_calls: calls, function_call: call } = message
  const result = role === 'tool' || role === 'function' ? named(message, rename) : message
  if (!isObject(result) || (call === undefined && calls === undefined)) return result
  return {
    ...result,
    ...(isObject(call) ? { function_call: named(call, rename) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map((toolCall) => namedTool(toolCall, rename)) } : {}),
  }
}

/** A chat response, or a chunk of one, with the client's names. @returns the response itself if it calls no such tool */
export function withClientNames(response: JsonObject, changed: Readonly<Record<string, string>>): JsonObject {
  const { choices } = response
  if (!Array.isArray(choices) || !choices.some(callsTool)) return response
  const rename: Rename = (name) => lookUp(changed, name) ?? name
  return {
    ...response,
    choices: choices.map((choice) => {
      if (!isObject(choice) || !callsTool(choice)) return choice
      const { message, delta } = choice
      return {
        ...choice,
        ...(isObject(message) ? { message: namedMessage(message, rename) } : {}),
        ...(isObject(delta) ? { delta: namedMessage(delta, rename) } : {}),
      }
    }),
  }
}

function callsTool(choice: Json): boolean {
  if (!isObject(choice)) return false
  return [choice['message'], choice['delta']].some(
    (message) => isObject(message) && (isObject(message['function_call']) || objectsIn(message['tool_calls']).length > 0),
  )
}
