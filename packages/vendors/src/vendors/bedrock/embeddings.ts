import type { Dialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ClientResponse, ResponseContext } from '../../core/response.ts'
import { embeddingList, formIn, textsIn } from '../../protocols/gemini/embeddings.ts'
import { bedrockKeyOf } from './channel.ts'
import { readBedrockFailure } from './failures.ts'
import { bedrockIdOf } from './models.ts'
import { bedrockPath } from './request.ts'

/** Texts of one request to Cohere's models (Amazon Bedrock, "Cohere Embed", a stored copy read 2026-11-22). */
const cohereTextsMax = 96

const isCohereModel = (id: string): boolean => id.includes('cohere.')

/** Texts of one request: Titan and Nova take one. @param model as the channel names it */
export const bedrockTextsMax = (model: string): number => (isCohereModel(bedrockIdOf(model, '')) ? cohereTextsMax : 1)

/** Amazon Nova user guide, "Complete embeddings request and response schema", a stored copy read 2026-11-23. Too long a text is an error. */
function toNova(text: string, size: number | null): JsonObject {
  const dimension = size === null ? {} : { embeddingDimension: size }
  const singleEmbeddingParams = { embeddingPurpose: 'GENERIC_INDEX', ...dimension, text: { truncationMode: 'NONE', value: text } }
  return { taskType: 'SINGLE_EMBEDDING', singleEmbeddingParams }
}

/** Embeddings by InvokeModel: Titan's, Nova's and Cohere's models have bodies of their own. */
export const bedrockEmbeddings: Dialect = {
  request(body, target) {
    const texts = textsIn(body)
    const id = bedrockIdOf(target.model, bedrockKeyOf(target.channel)?.region ?? '')
    const isCohere = isCohereModel(id)
    const { dimensions, input_type: inputType } = body
    const size = typeof dimensions === 'number' ? dimensions : null
    const nova = id.includes('nova') ? toNova(texts?.[0] ?? '', size) : null
    const titan = { inputText: texts?.[0] ?? '', ...(size === null ? {} : { dimensions: size }) }
    const cohere = {
      texts: texts ?? [],
      input_type: inputType ?? 'search_document',
      ...(size === null ? {} : { output_dimension: size }),
    }
    const isRefused = texts === null || texts.length > bedrockTextsMax(target.model)
    return {
      path: bedrockPath(target, 'invoke'),
      headers: { accept: 'application/json' },
      body: isCohere ? cohere : (nova ?? titan),
      echo: formIn(body),
      ...(isRefused ? { refused: 'input' } : {}),
    }
  },
  response: fromInvoke,
  failure: readBedrockFailure,
}

/** Nova names the type of each vector. */
const vectorOf = (row: Json): Json => (isObject(row) ? (row['embedding'] ?? null) : row)

/** Titan counts its tokens in the body; Cohere's are in a header, and are counted here. */
function fromInvoke(json: Json, context: ResponseContext): ClientResponse | Failure | null {
  if (!isObject(json)) return null
  const { embedding, embeddings, inputTextTokenCount: tokens } = json
  if (Array.isArray(embedding)) return embeddingList([embedding], context, typeof tokens === 'number' ? tokens : null)
  const lists = isObject(embeddings) ? embeddings['float'] : embeddings
  return Array.isArray(lists) ? embeddingList(lists.map(vectorOf), context, null) : null
}
