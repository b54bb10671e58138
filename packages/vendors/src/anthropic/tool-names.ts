import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

/** Names of tools as the vendor takes them, and back. */
export interface ToolNames {
  /** The name to send. */
  send(name: string): string
  isTaken(name: string): boolean
  /** What was sent -> what the client called it; only names that had to change. */
  readonly changed: Readonly<Record<string, string>>
}

/** Messages API, "Tool definitions", read 2026-11-21. */
const accepted = /^[a-zA-Z0-9_-]{1,64}$/

/** Each refused name of a chat gets one of its own, made from its letters and, where two would be alike, a number. */
export function toToolNames(chat: JsonObject): ToolNames {
  const names = new Set(namesIn(chat))
  const taken = new Set([...names].filter((name) => accepted.test(name)))
  const sentOf = new Map<string, string>()
  for (const name of names) {
    if (accepted.test(name)) continue
    const sent = freeName(name, taken)
    taken.add(sent)
    sentOf.set(name, sent)
  }
  return {
    send: (name) => sentOf.get(name) ?? name,
    isTaken: (name) => taken.has(name),
    changed: Object.fromEntries([...sentOf].map(([name, sent]) => [sent, name])),
  }
}

/** Something like the name that nobody has and the vendor accepts. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  const base = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 58) || 'tool'
  let free = base
  for (let number = 2; taken.has(free); number++) free = `${base}_${number}`
  return free
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
