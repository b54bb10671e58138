import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** Body fields that need a beta header (Anthropic, "Beta headers" and the page of each feature, read 2026-11-21). */
const betas: ReadonlyArray<readonly [(body: JsonObject) => boolean, string]> = [
  [(body) => body['context_management'] !== undefined, 'context-management-2025-06-27'],
  [(body) => some(listIn(body['context_management'], 'edits'), (edit) => /^compact_/.test(textOr(edit['type'], ''))), 'compact-2026-01-12'],
  // The later version declares its toolsets in `tools`; a request without them is in the earlier form.
  [(body) => body['mcp_servers'] !== undefined && hasToolset(body), 'mcp-client-2025-11-20'],
  [(body) => body['mcp_servers'] !== undefined && !hasToolset(body), 'mcp-client-2025-04-04'],
  [(body) => body['speed'] === 'fast', 'fast-mode-2026-02-01'],
  [(body) => body['fallbacks'] !== undefined, 'server-side-fallback-2026-06-01'],
  [(body) => body['output_format'] !== undefined, 'structured-outputs-2025-11-13'],
  [(body) => isObject(body['output_config']) && body['output_config']['task_budget'] !== undefined, 'task-budgets-2026-03-13'],
]

/** Types of the vendor's tools that need a beta header; the other tools no longer do. */
const toolBetas: Readonly<Record<string, string>> = {
  computer_20241022: 'computer-use-2024-10-22',
  bash_20241022: 'computer-use-2024-10-22',
  text_editor_20241022: 'computer-use-2024-10-22',
  computer_20250124: 'computer-use-2025-01-24',
  computer_20251124: 'computer-use-2025-11-24',
  advisor_20260301: 'advisor-tool-2026-03-01',
}

export function betasFor(body: JsonObject): Readonly<Record<string, string>> {
  const { tools } = body
  const types = Array.isArray(tools) ? tools.map((tool) => (isObject(tool) ? textOr(tool['type'], '') : '')) : []
  const ofTools = types.map((type) => lookUp(toolBetas, type)).filter((name) => name !== undefined)
  const names = [...new Set([...betas.filter(([needs]) => needs(body)).map(([, name]) => name), ...ofTools])]
  return names.length === 0 ? {} : { 'anthropic-beta': names.join(',') }
}

function hasToolset({ tools }: JsonObject): boolean {
  return some(tools, (tool) => tool['type'] === 'mcp_toolset')
}

function listIn(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined
}

function some(list: Json | undefined, test: (item: JsonObject) => boolean): boolean {
  return Array.isArray(list) && list.some((item) => isObject(item) && test(item))
}
