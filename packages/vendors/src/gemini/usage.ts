import { isCount, readCount } from '../count.ts'
import type { Usage } from '../dialect.ts'
import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import { nonsense, noUsage } from '../no-usage.ts'

/**
 * `usageMetadata` (Gemini API reference, "GenerateContentResponse", a stored copy read 2026-11-22): the prompt includes what was cached,
 * and leaves out what tools read; candidates leave thoughts out. `null` = there is none.
 */
export function usageIn(metadata: Json | undefined): Usage | null {
  if (!isObject(metadata)) return null
  const prompt = readCount(metadata['promptTokenCount'])
  if (prompt === null) return null
  const ofTools = readCount(metadata['toolUsePromptTokenCount']) ?? 0
  const thoughts = readCount(metadata['thoughtsTokenCount']) ?? 0
  const promptTokens = prompt + ofTools
  const completionTokens = (readCount(metadata['candidatesTokenCount']) ?? 0) + thoughts
  const cachedTokens = readCount(metadata['cachedContentTokenCount']) ?? 0
  const counts = {
    promptTokens,
    completionTokens,
    cachedTokens,
    reasoningTokens: thoughts,
    audioInputTokens: notCached(metadata, 'AUDIO'),
    imageInputTokens: notCached(metadata, 'IMAGE'),
    audioOutputTokens: countOf(metadata['candidatesTokensDetails'], 'AUDIO'),
    imageOutputTokens: countOf(metadata['candidatesTokensDetails'], 'IMAGE'),
  }
  if (!Object.values(counts).every(isCount) || !areParts(counts)) return nonsense
  return { ...noUsage, ...counts }
}

function notCached(metadata: JsonObject, modality: string): number {
  return Math.max(0, countOf(metadata['promptTokensDetails'], modality) - countOf(metadata['cacheTokensDetails'], modality))
}

function countOf(details: Json | undefined, modality: string): number {
  const rows = Array.isArray(details) ? details.filter(isObject).filter((row) => row['modality'] === modality) : []
  return rows.reduce((sum, row) => sum + (readCount(row['tokenCount']) ?? 0), 0)
}

/** The parts of a count cannot be more than the whole. */
function areParts(
  counts: Pick<
    Usage,
    | 'promptTokens'
    | 'completionTokens'
    | 'cachedTokens'
    | 'audioInputTokens'
    | 'imageInputTokens'
    | 'audioOutputTokens'
    | 'imageOutputTokens'
  >,
): boolean {
  const { promptTokens, completionTokens, cachedTokens, audioInputTokens, imageInputTokens, audioOutputTokens, imageOutputTokens } = counts
  return cachedTokens + audioInputTokens + imageInputTokens <= promptTokens && audioOutputTokens + imageOutputTokens <= completionTokens
}
