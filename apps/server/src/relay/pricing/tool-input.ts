import { isGiven, isObject, textOr } from '@sluice/vendors/is-object'
import type { Json, JsonObject } from '@sluice/vendors/json'
import type { UncountedInput } from '../model/request-params.ts'
import type { PromptMedia } from './prompt-media.ts'

/** What one kind of a vendor's own tools gives a model to read. */
interface ToolInput {
  /** Whether it is the tool: by its type, or by the member that is its name. */
  readonly is: (tool: JsonObject) => boolean
  /** Input tokens of one call, as vendors size it if the request does not limit it; `Infinity`: whole pages and files. */
  readonly tokens: number
}

const byType = (type: RegExp) => (tool: JsonObject) => type.test(textOr(tool['type'], '').slice(0, nameCharsMax))
const byMember =
  (...names: readonly string[]) =>
  (tool: JsonObject) =>
    names.some((name) => isGiven(tool[name]))

/** Longest name of a tool that is compared: it comes from the client. */
const nameCharsMax = 64

/**
 * Tools whose results are input tokens. Web fetches have no limit but `max_uses` and `max_content_tokens` (Anthropic, "Web fetch tool", a stored copy read
 * 2026-11-29), and Google's URL context reads up to twenty pages of 34 MB ("URL context", as another gateway quotes it, read 2026-11-29). The
 * numbers of the others are estimates. Google's own search is not among them: its results are no input tokens.
 */
const tools: readonly ToolInput[] = [
  { is: byType(/^web_fetch/), tokens: Number.POSITIVE_INFINITY },
  { is: byMember('urlContext', 'url_context'), tokens: Number.POSITIVE_INFINITY },
  { is: byType(/^(?:mcp|mcp_toolset|x_search)$/), tokens: 8_192 },
  { is: byType(/^(?:openrouter:)?(?:web_search|file_search|collections_search|document_search)/), tokens: 8_192 },
]

/** Calls of one tool that a request without a limit is expected to make. */
const usualCalls = 8
/** Tokens of the first result, which the balance must cover: most requests that may search do not, or once. */
const firstCallTokens = 4_096

/** Adds what the vendor's own tools may give the model to read. */
export function addToolInput(body: JsonObject, media: PromptMedia): void {
  const { tools: list, mcp_servers: servers, web_search_options: search, search_parameters: live } = body
  if (Array.isArray(list)) for (const tool of list) if (isObject(tool)) addTool(tool, body, media)
  const isSearching = isObject(search) || isObject(live)
  const count = (Array.isArray(servers) ? servers.length : 0) + (isSearching ? 1 : 0)
  if (count > 0) media.addUncounted({ least: firstCallTokens, most: count * usualCalls * 8_192 })
}

function addTool(tool: JsonObject, body: JsonObject, media: PromptMedia): void {
  const known = tools.find(({ is }) => is(tool))
  if (known !== undefined) media.addUncounted(inputOf(tool, known, limitIn(body['max_tool_calls'])))
}

/** A request that limits both the calls and what each may bring can use all of it. */
function inputOf(tool: JsonObject, { tokens }: ToolInput, callsMax: number | null): UncountedInput {
  const calls = limitIn(tool['max_uses']) ?? callsMax
  const contentMax = limitIn(tool['max_content_tokens'])
  const most = (calls ?? usualCalls) * (contentMax ?? tokens)
  return { least: calls !== null && contentMax !== null ? most : Math.min(firstCallTokens, most), most }
}

/** A limit of a tool; `null`: none. One that is no count is refused by the vendor. */
function limitIn(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 ? value : null
}
