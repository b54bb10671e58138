import { objectsIn } from '../chat-parts.ts'
import { isObject, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

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
  return Array.isArray(tools) ? tools.filter(isObject) : []
}

/** The tools that the client's searches have found so far: the model may call them as those of the request. */
export function foundTools(input: Json | undefined): readonly JsonObject[] {
  return objectsIn(input).flatMap(({ type, tools }) => (type === 'tool_search_output' ? objectsIn(tools) : []))
}

const keyOf = ({ namespace, name }: Grouped): string => JSON.stringify([namespace, name])

/** Names of grouped tools in a chat, which knows no groups: no two are the same, and none is that of a tool without a group. */
export class FlatNames {
  readonly #flat = new Map<string, string>()
  /** Names in the chat. */
  readonly #taken: Set<string>
  /** Last number of a name that several want. */
  readonly #numbers = new Map<string, number>()
  readonly #grouped = new Map<string, Grouped>()

  /** @param tools all tools of a request: the same ones get the same names */
  constructor(tools: readonly JsonObject[]) {
    const groups = tools.filter(isNamespace)
    this.#taken = new Set(groups.length === 0 ? [] : tools.flatMap((tool) => (isNamespace(tool) ? [] : [textOr(tool['name'], '')])))
    for (const group of groups) for (const tool of toolsIn(group)) this.#add({ namespace: nameOf(group), name: nameOf(tool) })
  }

  #add(grouped: Grouped): void {
    const key = keyOf(grouped)
    if (this.#flat.has(key)) return
    const name = this.#freeName(plainName(grouped))
    this.#flat.set(key, name)
    this.#taken.add(name)
    this.#grouped.set(name, grouped)
  }

  #freeName(wanted: string): string {
    let name = wanted
    while (this.#taken.has(name)) {
      const number = (this.#numbers.get(wanted) ?? 1) + 1
      this.#numbers.set(wanted, number)
      const end = `_${number}`
      name = wanted.slice(0, nameMax - end.length) + end
    }
    return name
  }

  /** Name in the chat -> group and name. */
  get grouped(): ReadonlyMap<string, Grouped> {
    return this.#grouped
  }

  /** What an item or a choice names, by its name in the chat. */
  named(given: JsonObject): JsonObject {
    const { namespace, ...item } = given
    const { name } = item
    if (typeof namespace !== 'string' || typeof name !== 'string') return given
    const grouped = { namespace, name }
    return { ...item, name: this.#flat.get(keyOf(grouped)) ?? plainName(grouped) }
  }

  /** Tools of groups as tools of the request itself. */
  tools(tools: readonly JsonObject[]): readonly JsonObject[] {
    return tools.flatMap((tool) => {
      if (!isNamespace(tool)) return [tool]
      const namespace = nameOf(tool)
      return toolsIn(tool).map((one) => this.named({ ...one, name: nameOf(one), namespace }))
    })
  }
}

const nameOf = ({ name }: JsonObject): string => textOr(name, '')

const plainName = ({ namespace, name }: Grouped): string => `${namespace}__${name}`.slice(-nameMax)

/** A request for a response without groups: in its tools, in those that searches found, in calls and in the choice. */
export function withoutGroups(body: JsonObject): JsonObject {
  const { tools, input, tool_choice: choice } = body
  if (!hasGroups(tools) && !hasGroups(input)) return body
  const names = new FlatNames([...objectsIn(tools), ...foundTools(input)])
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
