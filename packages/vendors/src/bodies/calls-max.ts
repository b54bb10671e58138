import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { rowOf } from './body-index.ts'
import type { BodyRow } from './body-row.ts'
import { limitIn } from './offered-tools.ts'

type Rows = ReadonlyMap<string, BodyRow>

/** Members by which a vendor calls its model again without a tool, or with tools that no limit is for. */
const unlimited = [
  ...['mcp_servers', 'context_management', 'compaction', 'fallbacks', 'container', 'models', 'plugins', 'web_search_options'],
  ...['enable_search', 'search_options', 'web_search', 'extra_body'],
] as const

/**
 * How often a vendor may run its tools for one answer: each call of a tool brings one more of the model. `null` = nothing limits them all, or
 * none are known.
 * @param turnTools those that its turns bring
 * @param rows of tools of this kind
 */
export function callsMaxIn(
  body: JsonObject,
  turnTools: ReadonlyArray<{ readonly list: readonly Json[] }>,
  rows: Rows = new Map(),
): number | null {
  const { tools = [], max_tool_calls: most } = body
  const ofAll = limitIn(most)
  if (ofAll !== null) return ofAll
  if (unlimited.some((name) => (body[name] ?? null) !== null)) return null
  const all = [...(Array.isArray(tools) ? tools : [tools]), ...turnTools.flatMap(({ list }) => list)]
  const limits = all.map((tool) => (isRunByClient(tool, rows) ? 0 : limitIn(isObject(tool) ? tool['max_uses'] : null)))
  const calls = limits.reduce<number | null>((sum, limit) => (sum === null || limit === null ? null : sum + limit), 0)
  return calls === 0 ? null : calls
}

function isRunByClient(tool: Json, rows: Rows): boolean {
  if (!isObject(tool)) return false
  const { type, input_schema: schema } = tool
  if (typeof type !== 'string') return isObject(schema)
  return type === 'function' || type === 'custom' || rowOf(rows, type)?.anyDate === true
}
