import { isObject, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

/** Longest name of a function in a chat. */
const nameMax = 64

/** A function of a group of tools (`type: "namespace"`), and its group. */
export interface Grouped {
  readonly namespace: string
  readonly name: string
}

/** The name of a grouped function in a chat, which knows no groups. */
function flatName({ namespace, name }: Grouped): string {
  return `${namespace}__${name}`.slice(-nameMax)
}

export function isNamespace(tool: Json): tool is JsonObject {
  return isObject(tool) && tool['type'] === 'namespace'
}

export function toolsIn({ tools }: JsonObject): readonly JsonObject[] {
  return Array.isArray(tools) ? tools.filter(isObject) : []
}

/** The tools of a group under their names in a chat, as tools of the request itself. */
export function flatTools(group: JsonObject): readonly JsonObject[] {
  const namespace = textOr(group['name'], '')
  return toolsIn(group).map((tool) => ({ ...tool, name: flatName({ namespace, name: textOr(tool['name'], '') }) }))
}

/** Name in a chat -> group and name, of all groups of a request. */
export function groupedNames(tools: Json | undefined): ReadonlyMap<string, Grouped> {
  const groups = Array.isArray(tools) ? tools.filter(isNamespace) : []
  return new Map(
    groups.flatMap((group) => {
      const namespace = textOr(group['name'], '')
      return toolsIn(group).map((tool) => {
        const grouped = { namespace, name: textOr(tool['name'], '') }
        return [flatName(grouped), grouped] as const
      })
    }),
  )
}

/** The name in a chat of what an item or a choice names. */
export function chatName({ namespace, name }: JsonObject): Json | undefined {
  return typeof namespace === 'string' && typeof name === 'string' ? flatName({ namespace, name }) : name
}
