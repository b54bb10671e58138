import type { Delegated, Usage } from '../dialect.ts'
import { isObject, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { addUsage, noUsage } from '../no-usage.ts'
import { countIn } from './searched.ts'
import { usageIn } from './usage.ts'

export type ToolUsage = Pick<Usage, 'searches' | 'fileSearches' | 'containers' | 'delegated'>

/**
 * Usage of the vendor's own tools for a response: each call is an item of its output, and has a price in addition to the model's tokens
 * (OpenAI, "Pricing", "Tools", and the API reference, "Responses", read 2026-11-22).
 */
export function toolUsage(response: JsonObject): ToolUsage {
  const { output, tools } = response
  const calls = Array.isArray(output) ? output.filter(isObject) : []
  const offered = Array.isArray(tools) ? tools.filter(isObject) : []
  const used = uniqueContainers(calls).map((call) => usedTool(call, offered))
  const { searches, fileSearches, containers, delegated } = used.reduce<Usage>(
    (sum, usage) => (usage === null ? sum : addUsage(sum, usage)),
    noUsage,
  )
  const { usage } = response
  // One call of the tool may search for several words at once.
  const told = isObject(usage) ? countIn(usage) : 0
  return { searches: Math.max(searches, told), fileSearches, containers, delegated: drawnByTokens(response, delegated, offered) }
}

/** The usage of one tool call; `null` = it has no price. @param offered the tools of the request, as the response repeats them */
export function usedTool(call: JsonObject, offered: readonly JsonObject[]): Usage | null {
  switch (call['type']) {
    case 'web_search_call':
      return isSearch(call['action']) ? { ...noUsage, searches: 1 } : null
    case 'file_search_call':
      return { ...noUsage, fileSearches: 1 }
    case 'code_interpreter_call':
      return { ...noUsage, containers: gigabytesOf(toolOf('code_interpreter', offered)['container']) }
    case 'image_generation_call':
      return typeof call['result'] === 'string' && call['result'] !== '' ? { ...noUsage, delegated: [drawnBy(call, offered)] } : null
    default:
      return null
  }
}

/**
 * The usage of one call of the tool that a request forces: the least that it will use. Tools that the model need not call are not counted.
 * `null` = it forces no tool with a price.
 */
export function insistedTool({ tool_choice: choice, tools }: JsonObject): ToolUsage | null {
  const offered = Array.isArray(tools) ? tools.filter(isObject) : []
  const [only, ...others] = offered
  const wanted = isObject(choice) ? choice : choice === 'required' && others.length === 0 ? only : undefined
  const name = textOr(wanted?.['type'], '').replace(/^web_search.*/, 'web_search')
  return usedTool({ type: `${name}_call`, result: 'a picture' }, offered)
}

/** Opening a page, and finding text in it, are not searches. */
function isSearch(action: Json | undefined): boolean {
  return !isObject(action) || textOr(action['type'], 'search') === 'search'
}

/** Calls in the same container count as one. */
function uniqueContainers(calls: readonly JsonObject[]): readonly JsonObject[] {
  const seen = new Set<Json>()
  return calls.filter(({ type, container_id: id }) => {
    if (type !== 'code_interpreter_call' || id === undefined || id === null) return true
    const isNew = !seen.has(id)
    seen.add(id)
    return isNew
  })
}

/** `1g`, `4g`, `16g` or `64g`; a container without a size, or given by its id, counts as one gigabyte. */
function gigabytesOf(container: Json | undefined): number {
  const [, size = '1'] = /^(\d{1,3})g$/.exec(isObject(container) ? textOr(container['memory_limit'], '') : '') ?? []
  return Number(size)
}

/** The default model, and the price for models that have none: no other image model costs more. */
const usualPainter = 'gpt-image-1'

function painters(offered: readonly JsonObject[]): Delegated['models'] {
  return [textOr(toolOf('image_generation', offered)['model'], usualPainter), usualPainter]
}

function drawnBy(call: JsonObject, offered: readonly JsonObject[]): Delegated {
  const tool = toolOf('image_generation', offered)
  const size = textOr(call['size'], textOr(tool['size'], 'auto'))
  const quality = textOr(call['quality'], textOr(tool['quality'], 'auto'))
  return { models: painters(offered), size, quality, usage: { ...noUsage, images: 1 } }
}

/** If the vendor reports the tokens of all images together, they replace the count of images. */
function drawnByTokens(
  { tool_usage: told }: JsonObject,
  delegated: readonly Delegated[],
  offered: readonly JsonObject[],
): readonly Delegated[] {
  const usage = isObject(told) && isObject(told['image_gen']) ? usageIn({ usage: told['image_gen'] }) : null
  if (usage === null || usage.isSuspect || usage.promptTokens + usage.completionTokens === 0) return delegated
  // Without details, all output tokens count as image tokens.
  const imageOutputTokens = usage.imageOutputTokens === 0 ? usage.completionTokens : usage.imageOutputTokens
  return [{ models: painters(offered), usage: { ...usage, imageOutputTokens } }]
}

const noTool: JsonObject = {}

function toolOf(type: string, offered: readonly JsonObject[]): JsonObject {
  return offered.find((tool) => tool['type'] === type) ?? noTool
}
