import { isObject, textOr } from '../../core/is-object.ts'
import type { Json } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import { runningTokens } from '../../core/running-tokens.ts'
import type { Usage } from '../../core/usage.ts'
import type { MessageUsage } from './usage.ts'

/** Stands for the model that advises, which a stream does not name before its usage. */
export const advisingModel = '*'

/** Whether a block has what a tool of the vendor brought, or which tools a server has: the model reads it and has not written it. */
export function isResult(block: Json | undefined): boolean {
  const type = isObject(block) ? textOr(block['type'], '') : ''
  return type.endsWith('_tool_result') || type === 'mcp_tool_listing'
}

/**
 * What the vendor bills for a result, until it reports its usage: the search, the tokens that the model reads of it, the output of an advisor.
 * A search that failed is not billed. `null` = the block is no result
 */
export function usageOfResult(block: Json | undefined, { input }: MessageUsage): Usage | null {
  if (!isObject(block) || !isResult(block)) return null
  const { type, content, tools } = block
  const tokens = Math.ceil(runningTokens(textIn(content ?? tools)))
  // Without the rest of the prompt it would stand for all of it.
  const promptTokens = input === null ? 0 : tokens
  if (type === 'advisor_tool_result') {
    const usage = { ...noUsage, completionTokens: tokens }
    return { ...noUsage, promptTokens, delegated: [{ models: [advisingModel, advisingModel], usage }] }
  }
  return { ...noUsage, promptTokens, searches: type === 'web_search_tool_result' && Array.isArray(content) ? 1 : 0 }
}

/** All texts of a result, those that only the vendor can read included. The bytes of a file say nothing of its tokens. */
function textIn(value: Json | undefined): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textIn).join('')
  if (!isObject(value)) return ''
  const isFile = value['type'] === 'base64'
  return Object.entries(value)
    .map(([name, member]) => (name === 'type' || (isFile && name === 'data') ? '' : textIn(member)))
    .join('')
}
