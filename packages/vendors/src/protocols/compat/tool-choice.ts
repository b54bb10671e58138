import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/** Whether the client wants that some tool, or one certain tool, is called. */
export function forcesTool({ tool_choice: choice }: JsonObject): boolean {
  return choice === 'required' || isObject(choice)
}

/** Whether the schemas of all tools are to be enforced, for vendors that enforce those of all or of none. */
export function areStrict({ tools }: JsonObject): boolean {
  const list = objectsIn(tools)
  return list.length > 0 && list.every(({ function: declared }) => isObject(declared) && declared['strict'] === true)
}

/**
 * For vendors that can only be forced to call some tool: one certain function is chosen by leaving the others out.
 * @param word the vendor's word for `required`
 */
export function withSomeTool(body: JsonObject, word: 'required' | 'any'): JsonObject {
  const { tool_choice: choice, tools } = body
  if (choice === 'required') return { ...body, tool_choice: word }
  const name = isObject(choice) && isObject(choice['function']) ? choice['function']['name'] : undefined
  if (name === undefined || !Array.isArray(tools)) return body
  return { ...body, tool_choice: word, tools: tools.filter((tool) => nameOf(tool) === name) }
}

function nameOf(tool: Json): Json | undefined {
  return isObject(tool) && isObject(tool['function']) ? tool['function']['name'] : undefined
}
