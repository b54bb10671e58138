import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { addUsage, noUsage } from '../../core/no-usage.ts'
import type { Delegated, Usage } from '../../core/usage.ts'
import { gigabytesOf } from '../bodies/gigabytes.ts'
import { countIn } from '../openai/search-results.ts'
import { usageIn } from '../openai/usage.ts'
import { xaiTools } from '../openai/xai-tools.ts'
import { generatedBy, painters } from '../shared/image-model-usage.ts'

export type ToolUsage = Pick<Usage, 'searches' | 'fileSearches' | 'containers' | 'containerCount' | 'delegated'>

/**
 * Usage of the vendor's own tools for a response: each call is an item of its output, and has a price in addition to the model's tokens
 * (OpenAI, "Pricing", "Tools", and the API reference, "Responses", read 2026-11-22).
 */
export function toolUsage(response: JsonObject): ToolUsage {
  const { output, tools } = response
  const calls = Array.isArray(output) ? output.filter(isObject) : []
  const offered = Array.isArray(tools) ? tools.filter(isObject) : []
  const used = uniqueContainers(calls).map((call) => usedTool(call, offered))
  const { searches, fileSearches, containers, containerCount, delegated } = used.reduce<Usage>(
    (sum, usage) => (usage === null ? sum : addUsage(sum, usage)),
    noUsage,
  )
  const usage = isObject(response['usage']) ? response['usage'] : {}
  const atXai = xaiTools(usage)
  return {
    // One call of the tool may search for several words at once.
    searches: Math.max(searches, countIn(usage), atXai.searches),
    fileSearches: Math.max(fileSearches, atXai.fileSearches),
    containers: Math.max(containers, atXai.containers),
    containerCount,
    delegated: generatedByTokens(response, delegated, offered),
  }
}

/** The usage of one tool call; `null` = it has no price. @param offered the tools of the request, as the response repeats them */
export function usedTool(call: JsonObject, offered: readonly JsonObject[]): Usage | null {
  switch (call['type']) {
    case 'web_search_call':
      return isSearch(call['action']) ? { ...noUsage, searches: 1 } : null
    case 'file_search_call':
      return { ...noUsage, fileSearches: 1 }
    case 'code_interpreter_call':
      return container(offered)
    case 'shell_call':
      return isObject(call['environment']) && call['environment']['type'] === 'local' ? null : container(offered)
    case 'image_generation_call':
      return typeof call['result'] === 'string' && call['result'] !== ''
        ? { ...noUsage, delegated: [generatedBy(call, toolOf('image_generation', offered))] }
        : null
    default:
      return null
  }
}

/** The call does not say which tool it is of, if there are several. */
function container(offered: readonly JsonObject[]): Usage {
  const sizes = offered.filter(({ type }) => type === 'code_interpreter' || type === 'shell').map(gigabytesOf)
  return { ...noUsage, containers: Math.max(1, ...sizes), containerCount: 1 }
}

/** Opening a page, and finding text in it, are not searches. */
function isSearch(action: Json | undefined): boolean {
  return !isObject(action) || textOr(action['type'], 'search') === 'search'
}

/** Calls in the same container count as one. */
function uniqueContainers(calls: readonly JsonObject[]): readonly JsonObject[] {
  const seen = new Set<Json>()
  return calls.filter(({ type, container_id: own, environment }) => {
    const id = type === 'shell_call' && isObject(environment) ? environment['container_id'] : own
    if ((type !== 'code_interpreter_call' && type !== 'shell_call') || id === undefined || id === null) return true
    const isNew = !seen.has(id)
    seen.add(id)
    return isNew
  })
}

/** If the vendor reports the tokens of all images together, they replace the count of images. */
function generatedByTokens(
  { tool_usage: toolUsage }: JsonObject,
  delegated: readonly Delegated[],
  offered: readonly JsonObject[],
): readonly Delegated[] {
  const usage = isObject(toolUsage) && isObject(toolUsage['image_gen']) ? usageIn({ usage: toolUsage['image_gen'] }) : null
  if (usage === null || usage.isSuspect || usage.promptTokens + usage.completionTokens === 0) return delegated
  // Without details, all output tokens count as image tokens.
  const imageOutputTokens = usage.imageOutputTokens === 0 ? usage.completionTokens : usage.imageOutputTokens
  const images = delegated.reduce((sum, generated) => sum + generated.usage.images, 0)
  return [{ models: painters(toolOf('image_generation', offered)), usage: { ...usage, images, imageOutputTokens } }]
}

const noTool: JsonObject = {}

function toolOf(type: string, offered: readonly JsonObject[]): JsonObject {
  return offered.find((tool) => tool['type'] === type) ?? noTool
}
