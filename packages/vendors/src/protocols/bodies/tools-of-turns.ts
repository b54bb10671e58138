import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/** Tools that turns bring, with their place. */
export interface TurnTools {
  readonly list: readonly Json[]
  readonly path: string
}

/** Members with values of the client's own functions, whose names mean nothing here. */
export const ofFunctions: ReadonlySet<string> = new Set(['input', 'arguments', 'input_schema', 'parameters'])

/**
 * Tools that a body brings beside its own list: Anthropic's additions, which stand in turns, in their parts and in blocks that sum up earlier turns
 * (`compaction`, its SDK for TypeScript 1.14.0, read 2026-11-29), by clients of each protocol that becomes its own; of responses, lists in items.
 */
export function toolsOfTurns(kind: Kind, { messages, system, input }: JsonObject): readonly TurnTools[] {
  if (kind === 'messages' || kind === 'chat') {
    const turnTools: TurnTools[] = []
    // Nearly no body has any, so no place is written before one is found.
    if (hasAddition(messages)) readAdditions(messages, 'messages', turnTools)
    if (hasAddition(system)) readAdditions(system, 'system', turnTools)
    return turnTools
  }
  if (kind !== 'responses') return []
  return objectsIn(input).flatMap(({ tools }, at) => (Array.isArray(tools) ? [{ list: tools, path: `input[${at}].tools` }] : []))
}

function hasAddition(value: Json | undefined): boolean {
  if (Array.isArray(value)) {
    for (const entry of value) if (typeof entry === 'object' && hasAddition(entry)) return true
    return false
  }
  if (!isObject(value)) return false
  if (value['type'] === 'tool_addition') return true
  for (const name in value) {
    const inner = value[name]
    if (typeof inner === 'object' && inner !== null && !ofFunctions.has(name) && hasAddition(inner)) return true
  }
  return false
}

function readAdditions(value: Json | undefined, path: string, turnTools: TurnTools[]): void {
  if (Array.isArray(value)) {
    for (const [at, entry] of value.entries()) if (typeof entry === 'object') readAdditions(entry, `${path}[${at}]`, turnTools)
    return
  }
  if (!isObject(value)) return
  if (value['type'] === 'tool_addition') noteAddition(value['tool'], `${path}.tool`, turnTools)
  for (const name in value) {
    const inner = value[name]
    if (typeof inner === 'object' && inner !== null && !ofFunctions.has(name)) readAdditions(inner, `${path}.${name}`, turnTools)
  }
}

/** A tool by its definition, or in place of one; a reference brings nothing new. */
function noteAddition(tool: Json | undefined, path: string, turnTools: TurnTools[]): void {
  if (!isObject(tool) || tool['type'] === 'tool_reference') return
  const { definition } = tool
  if (isObject(definition)) turnTools.push({ list: [definition], path: `${path}.definition` })
  else if (tool['type'] !== 'tool_definition') turnTools.push({ list: [tool], path })
}
