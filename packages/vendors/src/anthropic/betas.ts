import { isObject } from '../is-object.ts'
import type { JsonObject } from '../json.ts'

/** Body fields that need a beta header (Anthropic, "Beta headers", read 2026-11-21). */
const betas: ReadonlyArray<readonly [(body: JsonObject) => boolean, string]> = [
  [(body) => body['context_management'] !== undefined, 'context-management-2025-06-27'],
  [(body) => body['mcp_servers'] !== undefined, 'mcp-client-2025-11-20'],
  [(body) => body['speed'] === 'fast', 'fast-mode-2026-02-01'],
  [(body) => body['fallbacks'] !== undefined, 'server-side-fallback-2026-06-01'],
  [(body) => isObject(body['output_config']) && body['output_config']['task_budget'] !== undefined, 'task-budgets-2026-03-13'],
]

export function betasFor(body: JsonObject): Readonly<Record<string, string>> {
  const names = betas.filter(([needs]) => needs(body)).map(([, name]) => name)
  return names.length === 0 ? {} : { 'anthropic-beta': names.join(',') }
}
