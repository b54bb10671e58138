import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/** The function that replaces a search for tools in a chat. */
export const searchName = 'tool_search'

/** A tool search that the client itself runs, like a function (OpenAI, "Tool search", part of a copy, and requests of Codex 0.169, read 2026-11-25). */
export function isClientSearch(tool: Json): tool is JsonObject {
  return isObject(tool) && tool['type'] === 'tool_search' && tool['execution'] === 'client'
}

export function hasClientSearch(tools: Json | undefined): boolean {
  return objectsIn(tools).some(isClientSearch)
}

/** The result of a search in words: the chat has the tools themselves beside it. */
export function searchResultText({ tools }: JsonObject): string {
  return JSON.stringify({ tools: objectsIn(tools).map(({ name }) => name ?? '') })
}
