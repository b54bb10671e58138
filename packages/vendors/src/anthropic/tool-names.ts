import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { createNaming } from './naming.ts'

/** Maps tool names to names that the vendor accepts, and back. */
export interface ToolNames {
  /** The name to send. */
  send(name: string): string
  isTaken(name: string): boolean
  /** Sent name -> the client's name; only for names that had to change. */
  readonly changed: Readonly<Record<string, string>>
}

/** Messages API, "Tool definitions", read 2026-11-21. */
const acceptedHere = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * Replaces each name that the vendor would refuse by a unique one.
 * @param accepted names that the vendor takes; those of other letters than `a-zA-Z0-9_-` are replaced in any case
 */
export function toToolNames(chat: JsonObject, accepted: RegExp = acceptedHere): ToolNames {
  const names = new Set(namesIn(chat))
  const naming = createNaming([...names].filter((name) => accepted.test(name)))
  const refused = [...names].filter((name) => !accepted.test(name))
  const sentOf = new Map(refused.map((name) => [name, naming.takeLike(acceptedHere.test(name) ? `_${name}` : name)]))
  return {
    send: (name) => sentOf.get(name) ?? name,
    isTaken: naming.isTaken,
    changed: Object.fromEntries([...sentOf].map(([name, sent]) => [sent, name])),
  }
}

/** Every name of a tool in a chat: declared, chosen, and called earlier. */
function namesIn({ tools, tool_choice: choice, messages }: JsonObject): readonly string[] {
  const calls = objectsOf(messages).flatMap((message) => objectsOf(message['tool_calls']))
  return [...objectsOf(tools), ...objectsOf([choice ?? null]), ...calls]
    .map((tool) => (isObject(tool['function']) ? tool['function']['name'] : tool['name']))
    .filter((name) => typeof name === 'string')
}

function objectsOf(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}
