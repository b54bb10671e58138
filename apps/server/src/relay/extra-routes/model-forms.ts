import type { JsonObject } from '@sluice/vendors/core/json'
import { kindOf } from '@sluice/vendors/core/kind-of'
import { AppError } from '../../lib/app-error.ts'

/** `created` of every listed model: a constant, because it is unknown when models were made. */
const created = 1_626_777_600
const createdText = '2021-07-20T10:40:00Z'

/** How a protocol lists models, and shows one. */
export interface ModelForm {
  list(models: readonly string[], query: URLSearchParams): JsonObject
  one(model: string): JsonObject
}

/** OpenAI API reference, "Models", read 2026-11-21. */
const openAi: ModelForm = {
  list: (models) => ({ object: 'list', data: models.map(openAi.one) }),
  one: (id) => ({ id, object: 'model', created, owned_by: 'sluice' }),
}

/** Models on a page without `limit`, and at most. */
const pageSize = 20
const pageMax = 1_000

/** Anthropic API, "List models", read 2026-11-23. */
const anthropic: ModelForm = {
  list(models, query) {
    const limit = limitIn(query)
    const [after, before] = [query.get('after_id'), query.get('before_id')]
    const end = before === null ? models.length : placeOf(models, before, 'before_id')
    const start = after === null ? 0 : placeOf(models, after, 'after_id') + 1
    const between = models.slice(start, end)
    // The page before a model ends with the one that precedes it.
    const page = before === null ? between.slice(0, limit) : between.slice(-limit)
    const data = page.map(anthropic.one)
    return { data, has_more: page.length < between.length, first_id: page[0] ?? null, last_id: page.at(-1) ?? null }
  },
  one: (id) => ({ type: 'model', id, display_name: id, created_at: createdText }),
}

/** @throws AppError */
function limitIn(query: URLSearchParams): number {
  const value = query.get('limit')
  if (value === null) return pageSize
  const limit = Number(value)
  if (!Number.isInteger(limit) || limit < 1 || limit > pageMax) throw new AppError('invalid_parameter', { params: { name: 'limit' } })
  return limit
}

/** @throws AppError for a model that is not listed */
function placeOf(models: readonly string[], id: string, name: string): number {
  const place = models.indexOf(id)
  if (place === -1) throw new AppError('invalid_parameter', { params: { name } })
  return place
}

/** Models on a page without `pageSize` (Gemini API reference, "models.list", a stored copy read 2026-11-23). */
const geminiPageSize = 50
const writing = ['generateContent', 'streamGenerateContent', 'countTokens']
const embedding = ['embedContent', 'batchEmbedContents']

const gemini: ModelForm = {
  list(models, query) {
    const size = sizeIn(query)
    const token = query.get('pageToken') ?? ''
    const start = token === '' ? 0 : placeOf(models, token, 'pageToken') + 1
    const page = models.slice(start, start + size)
    const last = page.at(-1)
    return { models: page.map(gemini.one), ...(last === undefined || last === models.at(-1) ? {} : { nextPageToken: last }) }
  },
  one: (id) => ({
    name: `models/${id}`,
    version: '001',
    displayName: id,
    supportedGenerationMethods: kindOf(id) === 'embeddings' ? embedding : writing,
  }),
}

/** @throws AppError */
function sizeIn(query: URLSearchParams): number {
  const value = query.get('pageSize')
  if (value === null || value === '' || value === '0') return geminiPageSize
  const size = Number(value)
  if (!Number.isInteger(size) || size < 1) throw new AppError('invalid_parameter', { params: { name: 'pageSize' } })
  return Math.min(size, pageMax)
}

export const modelForms = { openai: openAi, anthropic, gemini } as const
