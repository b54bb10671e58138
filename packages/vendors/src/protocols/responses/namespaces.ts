import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/** Longest name of a function in a chat. */
const nameMax = 64

/** A function of a group of tools (`type: "namespace"`), and its group. */
export interface Grouped {
  readonly namespace: string
  readonly name: string
}

export function isNamespace(tool: Json): tool is JsonObject {
  return isObject(tool) && tool['type'] === 'namespace'
}

export function toolsIn({ tools }: JsonObject): readonly JsonObject[] {
  return objectsIn(tools)
}

/** The tools that the client's searches have found so far: the model may call them as those of the request. */
export function discoveredTools(input: Json | undefined): readonly JsonObject[] {
  return objectsIn(input).flatMap(({ type, tools }) => (type === 'tool_search_output' ? objectsIn(tools) : []))
}

const keyOf = ({ namespace, name }: Grouped): string => JSON.stringify([namespace, name])

/** Names of grouped tools in a chat, which knows no groups: no two are the same, and none is that of a tool without a group. */
export interface FlatNames {
  /** Name in the chat -> group and name. */
  readonly grouped: ReadonlyMap<string, Grouped>
  /** What an item or a choice names, by its name in the chat. */
  named(item: JsonObject): JsonObject
  /** Tools of groups as tools of the request itself. */
  tools(tools: readonly JsonObject[]): readonly JsonObject[]
}

/** @param all all tools of a request: the same ones get the same names */
export function createFlatNames(all: readonly JsonObject[]): FlatNames {
  const groups = all.filter(isNamespace)
  const flat = new Map<string, string>()
  const grouped = new Map<string, Grouped>()
  const free = createFreeNames(groups.length === 0 ? [] : all.filter((tool) => !isNamespace(tool)).map(nameOf))
  for (const one of groups.flatMap(groupedIn)) {
    const key = keyOf(one)
    if (flat.has(key)) continue
    const name = free(plainName(one))
    flat.set(key, name)
    grouped.set(name, one)
  }

  function named(original: JsonObject): JsonObject {
    const { namespace, ...item } = original
    const { name } = item
    if (typeof namespace !== 'string' || typeof name !== 'string') return original
    const one = { namespace, name }
    return { ...item, name: flat.get(keyOf(one)) ?? plainName(one) }
  }

  return {
    grouped,
    named,
    tools: (tools) =>
      tools.flatMap((tool) =>
        isNamespace(tool) ? toolsIn(tool).map((one) => named({ ...one, name: nameOf(one), namespace: nameOf(tool) })) : [tool],
      ),
  }
}

function groupedIn(group: JsonObject): readonly Grouped[] {
  return toolsIn(group).map((tool) => ({ namespace: nameOf(group), name: nameOf(tool) }))
}

/** Gives each wanted name, or the next one with a number, only once. */
function createFreeNames(names: readonly string[]): (preferred: string) => string {
  const taken = new Set(names)
  /** Last number of a name that several want. */
  const numbers = new Map<string, number>()
  return (preferred) => {
    let name = preferred
    while (taken.has(name)) {
      const number = (numbers.get(preferred) ?? 1) + 1
      numbers.set(preferred, number)
      const end = `_${number}`
      name = preferred.slice(0, nameMax - end.length) + end
    }
    taken.add(name)
    return name
  }
}

const nameOf = ({ name }: JsonObject): string => textOr(name, '')

const plainName = ({ namespace, name }: Grouped): string => `${namespace}__${name}`.slice(-nameMax)

/** A request for a response without groups: in its tools, in those that searches found, in calls and in the choice. */
export function withoutGroups(body: JsonObject): JsonObject {
  const { tools, input, tool_choice: choice } = body
  if (!hasGroups(tools) && !hasGroups(input)) return body
  const names = createFlatNames([...objectsIn(tools), ...discoveredTools(input)])
  return {
    ...body,
    ...(Array.isArray(tools) ? { tools: names.tools(objectsIn(tools)) } : {}),
    ...(Array.isArray(input) ? { input: input.map((item) => (isObject(item) ? withoutGroup(item, names) : item)) } : {}),
    ...(isObject(choice) ? { tool_choice: names.named(choice) } : {}),
  }
}

/** Runs for every request. */
function hasGroups(list: Json | undefined): boolean {
  if (!Array.isArray(list)) return false
  for (const entry of list)
    if (isObject(entry) && (isNamespace(entry) || entry['namespace'] !== undefined || entry['type'] === 'tool_search_output')) return true
  return false
}

function withoutGroup(item: JsonObject, names: FlatNames): JsonObject {
  return item['type'] === 'tool_search_output' ? { ...item, tools: names.tools(objectsIn(item['tools'])) } : names.named(item)
}
