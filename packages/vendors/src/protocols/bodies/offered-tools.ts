import type { Json, JsonObject } from '../../core/json.ts'
import type { Delegated } from '../../core/usage.ts'
import { generatedBy } from '../shared/image-model-usage.ts'
import { gigabytesOf, isLocal } from './gigabytes.ts'

/** What is reserved for the vendor's own tools that a response may use. */
export interface OfferedTools {
  /** Calls: as many as the request allows, or as usual. */
  readonly searches: number
  readonly fileSearches: number
  /** Gigabytes of the largest container; 0: none. */
  readonly gigabytes: number
  /** Gigabytes of one container for each tool that runs code. */
  readonly containers: number
  /** One image of each tool that generates images. */
  readonly drawings: readonly Delegated[]
  /** Input tokens of what tools find. */
  readonly reads: ToolReads
}

/** Input tokens: the least that a request is refused without, and as many as there may be; `Infinity`: what the model's context has room for. */
export interface ToolReads {
  readonly least: number
  readonly most: number
}

export const noTools: OfferedTools = {
  ...{ searches: 0, fileSearches: 0, gigabytes: 0, containers: 0 },
  drawings: [],
  reads: { least: 0, most: 0 },
}

/** Calls of one tool that a response makes if nothing limits them. */
export const usualCalls = 8
/** Images that a response makes if nothing limits them. */
export const usualImages = 4
/** Tools that generate images, of which each may have another model. */
const drawingsMax = 8

/** A limit of calls or tokens; `null`: none. One that is no count is refused by the vendor. */
export function limitIn(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : null
}

/** Adds a tool that has a price per use. */
export function withTool(
  offered: OfferedTools,
  effect: 'searches' | 'fileSearches' | 'containers' | 'images',
  tool: JsonObject,
): OfferedTools {
  if (effect === 'containers') {
    const gigabytes = gigabytesOf(tool)
    return { ...offered, gigabytes: Math.max(offered.gigabytes, gigabytes), containers: offered.containers + gigabytes }
  }
  if (effect === 'images') return { ...offered, drawings: [...offered.drawings, generatedBy({}, tool)].slice(0, drawingsMax) }
  return { ...offered, [effect]: offered[effect] + (limitIn(tool['max_uses']) ?? usualCalls) }
}

/** All tools of a request together run no more often than this. */
export function withCallsMax(offered: OfferedTools, most: number): OfferedTools {
  return { ...offered, searches: Math.min(offered.searches, most), fileSearches: Math.min(offered.fileSearches, most) }
}

/**
 * Input tokens of one call, by the type of a tool, or the member that requests it; `Infinity`: whole pages and files. Web fetches have no limit but
 * `max_uses` and `max_content_tokens` (Anthropic, "Web fetch tool", a stored copy read 2026-11-29), Google's URL context reads up to twenty pages
 * of 34 MB ("URL context", as another gateway quotes it, read 2026-11-29), and what an MCP server returns or a program prints is not limited at
 * all. The numbers of searches are estimates. Google's own search is not among them: its results are no input tokens.
 */
const readings: ReadonlyArray<readonly [RegExp, number]> = [
  [/^(?:web_fetch(?:_\d{8})?|url_?[cC]ontext|mcp(?:_toolset|_servers|Servers)?)$/, Number.POSITIVE_INFINITY],
  [/^(?:code_?[eE]xecution(?:_\d{8})?|code_interpreter|shell|programmatic_tool_calling)$/, Number.POSITIVE_INFINITY],
  [/^(?:openrouter:)?(?:web_search|file_search|collections_search|document_search)(?:_[a-z\d_]{1,20})?$/, 8_192],
  [/^(?:x_search|\$web_search|web_search_options|search_parameters|enable_search)$/, 8_192],
]

/** Tokens of the first result, which the balance must cover: most requests that may search do not, or once. */
const firstCallTokens = 4_096

/** Adds what a tool gives the model to read. @param callsMax of all tools of the request together; `null`: no limit */
export function withReading(
  offered: OfferedTools,
  name: string,
  { tool, callsMax }: { readonly tool: JsonObject; readonly callsMax: number | null },
): OfferedTools {
  const [, tokens] = readings.find(([form]) => form.test(name)) ?? []
  if (tokens === undefined || isLocal(tool)) return offered
  const calls = limitIn(tool['max_uses']) ?? callsMax
  const contentMax = limitIn(tool['max_content_tokens'])
  const most = (calls ?? usualCalls) * (contentMax ?? tokens)
  // A request that limits both the calls and what each may bring can use all of it.
  const least = calls !== null && contentMax !== null ? most : Math.min(firstCallTokens, most)
  return { ...offered, reads: { least: offered.reads.least + least, most: offered.reads.most + most } }
}
