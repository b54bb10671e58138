import type { JsonObject } from '@sluice/vendors/core/json'
import type { KindRules } from '../../model/kind-rules.ts'
import type { RequestParams } from '../../model/request-params.ts'
import { choicesMax } from './chat.ts'
import { countIn, inputTokens, modelIn, streamIn, textIn, tokenLimitIn } from './fields.ts'

/** OpenAI API reference, "Completions", as clients quote it, read 2026-11-21. All `best_of` completions are charged, only the best are sent. */
export const completions: KindRules = {
  kind: 'completions',
  isAlwaysStreamed: true,
  isRepeatable: true,
  // 16 tokens at OpenAI (API reference, "Completions", `max_tokens`, read 2026-11-21).
  isShortByDefault: true,
  idPrefix: 'cmpl-',
  read(body) {
    const returnedChoices = countIn(body, 'n', choicesMax) ?? 1
    const choices = Math.max(returnedChoices, countIn(body, 'best_of', choicesMax) ?? 1)
    const prompts = Array.isArray(body['prompt']) && body['prompt'].every((part) => typeof part !== 'number') ? body['prompt'].length : 1
    const promptTokens = body['prompt'] === undefined || body['prompt'] === null ? 0 : inputTokens(body, 'prompt')
    return {
      model: modelIn(body),
      ...streamIn(body),
      maxTokens: tokenLimitIn(body, 'max_tokens'),
      choices: choices * Math.max(1, prompts),
      promptTokens,
      ...(choices > returnedChoices ? { mayHideOutput: true } : {}),
      // With `echo`, the response repeats prompt text, which the model did not write.
      ...(body['echo'] === true ? {} : { textPrompt: { tokens: promptTokens, messages: 0 } }),
    }
  },
}

/** The input may be empty: the text is then created from the instruction. */
export const edits: KindRules = {
  kind: 'edits',
  isRepeatable: true,
  idPrefix: 'edit-',
  read(body) {
    const { input } = body
    const hasInput = input !== undefined && input !== null && input !== ''
    return {
      ...whole(body),
      maxTokens: null,
      choices: countIn(body, 'n', choicesMax) ?? 1,
      promptTokens: inputTokens(body, 'instruction') + (hasInput ? inputTokens(body, 'input') : 0),
    }
  },
}

export const embeddings: KindRules = {
  kind: 'embeddings',
  isRepeatable: true,
  idPrefix: '',
  read: (body, path) => ({ ...whole(body, path), ...textIn(body, ['input']) }),
}

/** OpenAI API reference, "Moderations", read 2026-11-21: the default model. */
const moderationModel = 'omni-moderation-latest'

export const moderations: KindRules = {
  kind: 'moderations',
  isRepeatable: true,
  idPrefix: '',
  read: (body) => ({ ...whole({ ...body, model: body['model'] ?? moderationModel }), ...textIn(body, ['input']) }),
}

/** Documents per search (Cohere, "Pricing", as quoted elsewhere; Amazon Bedrock, "Pricing and search units"; both read 2026-11-21). */
const documentsOfCall = 100

/** A document that is longer with its query counts as several (Cohere, "How does Cohere's pricing work", named 2026-11-29). */
const chunkTokens = 500
const tokenizerMargin = 2

/** The prompt tokens count the query once per document. */
export const rerank: KindRules = {
  kind: 'rerank',
  isRepeatable: true,
  idPrefix: '',
  read(body) {
    const { documents } = body
    const count = Array.isArray(documents) ? documents.length : 0
    const { promptTokens: once, textPrompt } = textIn(body, ['query', 'documents'])
    const promptTokens = once + inputTokens(body, 'query') * (count - 1)
    const calls = Math.max(1, Math.ceil(count / documentsOfCall))
    // Each document has at least one chunk, of which the last one need not be full. The vendor has its own tokenizer.
    const chunks = count + (tokenizerMargin * promptTokens) / chunkTokens
    const callsMax = Math.max(1, Math.ceil(chunks / documentsOfCall))
    return { ...whole(body), promptTokens, ...(textPrompt && { textPrompt: { ...textPrompt, tokens: promptTokens } }), calls, callsMax }
  },
}

/** A request whose response is not streamed and has no generated text. */
function whole(body: JsonObject, path?: Readonly<Record<string, string>>): Omit<RequestParams, 'promptTokens'> {
  return { model: modelIn(body, path), isStream: false, wantsUsage: false, maxTokens: 0, choices: 1 }
}
