import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { nonsense, noUsage } from '../../core/no-usage.ts'
import type { Usage } from '../../core/usage.ts'
import { isCount, readCount } from '../../core/usage-count.ts'

/**
 * `usageMetadata` (Gemini API reference, "GenerateContentResponse", a stored copy read 2026-11-22): the prompt includes what was cached,
 * and leaves out what tools read; candidates leave reasoning out. `null` = there is none.
 */
export function usageIn(metadata: Json | undefined): Usage | null {
  if (!isObject(metadata)) return null
  const prompt = readCount(metadata['promptTokenCount'])
  if (prompt === null) return null
  const ofTools = readCount(metadata['toolUsePromptTokenCount']) ?? 0
  const reasoning = readCount(metadata['thoughtsTokenCount']) ?? 0
  const promptTokens = prompt + ofTools
  const completionTokens = (readCount(metadata['candidatesTokenCount']) ?? 0) + reasoning
  const cachedTokens = readCount(metadata['cachedContentTokenCount']) ?? 0
  const audioOutputTokens = countOf(metadata['candidatesTokensDetails'], 'AUDIO')
  const imageOutputTokens = countOf(metadata['candidatesTokensDetails'], 'IMAGE')
  // The parts of a count cannot be more than the whole. What the cache had of each kind may be missing.
  const fresh = promptTokens - cachedTokens
  if (fresh < 0 || audioOutputTokens + imageOutputTokens > completionTokens) return nonsense
  const audioInputTokens = Math.min(notCached(metadata, 'AUDIO'), fresh)
  const imageInputTokens = Math.min(notCached(metadata, 'IMAGE'), fresh - audioInputTokens)
  const inputs = { promptTokens, cachedTokens, audioInputTokens, imageInputTokens }
  const counts = { ...inputs, completionTokens, reasoningTokens: reasoning, audioOutputTokens, imageOutputTokens }
  return Object.values(counts).every(isCount) ? { ...noUsage, ...counts } : nonsense
}

function notCached(metadata: JsonObject, modality: string): number {
  return Math.max(0, countOf(metadata['promptTokensDetails'], modality) - countOf(metadata['cacheTokensDetails'], modality))
}

function countOf(details: Json | undefined, modality: string): number {
  const rows = Array.isArray(details) ? details.filter(isObject).filter((row) => row['modality'] === modality) : []
  return rows.reduce((sum, row) => sum + (readCount(row['tokenCount']) ?? 0), 0)
}
